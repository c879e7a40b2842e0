// Every capture of tests/data/reassembly against its truth: messages, bytes, SHA-256, gaps and
// warnings, nothing more and nothing less.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/analyzer/recover/collect.h"
#include "tests/support/sha256.h"

namespace cdcscope::recover::testing {
namespace {

using nlohmann::json;

std::string folder() {
    return CDCSCOPE_SOURCE_DIR "/tests/data/reassembly/";
}

const json& cases() {
    static const json all = [] {
        std::ifstream in(folder() + "cases.json");
        return json::parse(in).at("cases");
    }();
    return all;
}

// The name that cases.json uses: tcp.gap is gap, ip.fragment_overlap is ip_fragment_overlap.
std::string short_name(std::string_view code) {
    const std::size_t dot = code.find('.');
    const std::string_view layer = code.substr(0, dot);
    const std::string name(code.substr(dot + 1));
    return layer == "ip" ? "ip_" + name : name;
}

std::set<std::string> warnings_of(const collector& got) {
    const std::set<std::string, std::less<>> known = {"tcp.gap",
                                                      "tcp.resync",
                                                      "tcp.acked_unseen",
                                                      "tcp.mid_stream",
                                                      "tcp.out_of_window",
                                                      "tcp.overlap_conflict",
                                                      "tcp.incomplete_at_end",
                                                      "tcp.reordered_syn",
                                                      "ip.fragment_incomplete",
                                                      "ip.fragment_overlap",
                                                      "capture.snaplen",
                                                      "capture.time_backwards",
                                                      "capture.truncated_file"};
    std::set<std::string> names;
    for (const auto& [code, count] : got.warnings) {
        if (known.contains(code)) names.insert(short_name(code));
    }
    return names;
}

class ReassemblyCase : public ::testing::TestWithParam<std::size_t> {};

TEST_P(ReassemblyCase, IsRecoveredExactly) {
    const json& c = cases()[GetParam()];
    collector got;
    recover_file(folder() + c.at("file").get<std::string>(), got);

    const json& connections = c.at("connections");
    ASSERT_EQ(got.connections.size(), connections.size());
    std::uint32_t id = 0;
    for (const json& want : connections) {
        const kept_connection& have = got.connections.at(++id);
        EXPECT_EQ(capture::to_string(have.info.client), want.at("client").get<std::string>());
        EXPECT_EQ(capture::to_string(have.info.server), want.at("server").get<std::string>());
        EXPECT_EQ(have.info.carries, c.at("protocol") == "canal" ? protocol::canal : protocol::dcp);
        for (const direction dir : {direction::c2s, direction::s2c}) {
            const json& w = want.at(std::string(name(dir)));
            const kept_direction& h = have.dirs[index(dir)];
            SCOPED_TRACE(name(dir));
            EXPECT_EQ(h.totals.messages, w.at("messages"));
            EXPECT_EQ(h.joined().size(), w.at("bytes"));
            EXPECT_EQ(support::sha256_of(h.joined()), w.at("sha256").get<std::string>());
            EXPECT_EQ(h.totals.gaps, w.at("gaps"));
        }
        EXPECT_TRUE(have.closed);
    }
    std::set<std::string> expected;
    for (const json& w : c.at("warnings")) expected.insert(w.get<std::string>());
    EXPECT_EQ(warnings_of(got), expected);
}

std::string case_name(const ::testing::TestParamInfo<std::size_t>& of) {
    std::string text = cases()[of.param].at("file");
    text = text.substr(0, text.find('.'));
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
}

INSTANTIATE_TEST_SUITE_P(All, ReassemblyCase, ::testing::Range<std::size_t>(0, cases().size()),
                         case_name);

TEST(ReassemblyCases, AreAllThere) {
    EXPECT_EQ(cases().size(), 65U);
}

}  // namespace
}  // namespace cdcscope::recover::testing
