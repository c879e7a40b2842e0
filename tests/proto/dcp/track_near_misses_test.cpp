// Every rule of dcp.md section 17 just met and just missed: tests/data/rules/README.md.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "proto/dcp/track.h"
#include "proto/findings/table.h"
#include "tests/proto/dcp/track_support.h"

namespace cdcscope::dcp {
namespace {

using json = nlohmann::json;

constexpr std::int64_t epoch_ns = 1'700'000'000'000'000'000;

struct collector : findings::finding_sink {
    void on_finding(findings::finding found) noexcept override {
        // Connections and events count from 1 in the tracker, from 0 in the listing.
        const std::string line = std::string(findings::entry_of(found.what).rule) + " " +
                                 std::string(findings::name(found.level)) + " conn " +
                                 std::to_string(found.connection - 1) + " event " +
                                 std::to_string(found.event - 1);
        ++(found.level >= findings::severity::warning ? loud : quiet)[line];
        EXPECT_FALSE(found.text.empty());
    }
    std::map<std::string, int> loud, quiet;
};

std::map<std::string, int> listed(const json& findings) {
    std::map<std::string, int> out;
    for (const json& f : findings) {
        ++out[f["rule"].get<std::string>() + " " + f["severity"].get<std::string>() + " conn " +
              std::to_string(f["conn"].get<int>()) + " event " +
              std::to_string(f["event"].get<int>())];
    }
    return out;
}

frame_ref at_event(const json& event, std::uint32_t number) {
    const auto ms = static_cast<std::int64_t>(event["at"].get<double>() * 1000 + 0.5);
    return {epoch_ns + ms * 1'000'000, number, 0};
}

void play(const json& sequence, collector& found) {
    world all({&found, nullptr, nullptr}, {});
    std::map<int, std::unique_ptr<connection>> connections;
    for (const json& c : sequence["connections"]) {
        connections[c["conn"]] = all.add(
            {c["conn"].get<std::uint32_t>() + 1, c["client"], c["server"], c["from_start"]});
    }
    std::uint32_t number = 0;
    frame_ref at;
    for (const json& e : sequence["events"]) {
        at = at_event(e, ++number);
        connection& c = *connections.at(e["conn"]);
        const direction dir = e["dir"] == "c2s" ? direction::c2s : direction::s2c;
        if (e.contains("raw")) {
            const auto bytes = test::from_hex(e["raw"].get<std::string>());
            (void)c.feed({number, at, dir, bytes, false});
        } else if (e.contains("end")) {
            c.end(dir, e["end"] == "rst" ? end_of::rst : end_of::fin, at, number);
        } else {
            c.hole(dir);
        }
    }
    at.time_ns += 1'000'000;
    for (const auto& [id, c] : connections) c->finish(at, number + 1);
}

struct near_miss {
    json sequence;
    friend void PrintTo(const near_miss& m, std::ostream* out) { *out << m.sequence["what"]; }
};
class NearMiss : public testing::TestWithParam<near_miss> {};

TEST_P(NearMiss, FiresExactlyTheListedFindings) {
    const json& sequence = GetParam().sequence;
    SCOPED_TRACE(sequence["what"].get<std::string>());
    collector found;
    play(sequence, found);
    EXPECT_EQ(found.loud, listed(sequence["expect"]));
    EXPECT_EQ(found.quiet, listed(sequence["notes"]));
}

std::vector<near_miss> sequences() {
    std::ifstream in(CDCSCOPE_SOURCE_DIR "/tests/data/rules/dcp-near-misses.jsonl");
    std::vector<near_miss> out;
    for (std::string line; std::getline(in, line);) out.push_back({json::parse(line)});
    return out;
}

INSTANTIATE_TEST_SUITE_P(Dcp, NearMiss, testing::ValuesIn(sequences()), [](const auto& each) {
    return each.param.sequence["rule"].template get<std::string>() + "_" +
           each.param.sequence["kind"].template get<std::string>() + "_" +
           std::to_string(each.param.sequence["n"].template get<int>());
});

TEST(NearMisses, CoverEveryRule) {
    std::map<std::string, std::set<std::string>> kinds;
    for (const near_miss& s : sequences())
        kinds[s.sequence["rule"]].insert(s.sequence["kind"].get<std::string>());
    for (int rule = 1; rule <= 56; ++rule) {
        const std::string name = (rule < 10 ? "D0" : "D") + std::to_string(rule);
        EXPECT_TRUE(kinds[name].contains("fires")) << name;
        EXPECT_TRUE(kinds[name].contains("silent") || name == "D49") << name;
    }
}

}  // namespace
}  // namespace cdcscope::dcp
