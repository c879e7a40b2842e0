// The captures of tests/data/reassembly, as far as the layers below TCP decide about them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/analyzer/capture/collect.h"

namespace cdcscope::capture::testing {
namespace {

using nlohmann::json;

json all_cases() {
    std::ifstream in(data("reassembly/cases.json"));
    return json::parse(in)["cases"];
}

// The warnings that these layers give, by the names that cases.json uses.
std::string short_name(const std::string& code) {
    if (code == "capture.truncated_file") return "truncated_file";
    if (code == "capture.time_backwards") return "time_backwards";
    if (code == "ip.fragment_incomplete") return "ip_fragment_incomplete";
    if (code == "ip.fragment_overlap") return "ip_fragment_overlap";
    return {};
}

// The truth about one file; failures name the file, not the whole of it.
struct truth {
    json about;
    friend void PrintTo(const truth& t, std::ostream* out) { *out << t.about["file"]; }
};

std::vector<truth> truths() {
    std::vector<truth> out;
    for (const json& c : all_cases()) out.push_back({c});
    return out;
}

std::string case_name(const ::testing::TestParamInfo<truth>& of) {
    std::string name = of.param.about["file"];
    std::replace_if(
        name.begin(), name.end(), [](unsigned char letter) { return std::isalnum(letter) == 0; },
        '_');
    return name;
}

class ReassemblyCase : public ::testing::TestWithParam<truth> {};

TEST_P(ReassemblyCase, HasTheListedPacketsConnectionsAndWarnings) {
    const json& c = GetParam().about;
    run_result r;
    run(r, {data("reassembly/" + c["file"].get<std::string>())});
    ASSERT_EQ(r.error, "");
    EXPECT_EQ(r.packets.read, c["packets"].get<std::uint64_t>());
    EXPECT_EQ(r.packets.tcp, r.packets.read) << "these captures hold nothing but TCP";

    std::set<std::string> expected_ends;
    for (const json& connection : c["connections"]) {
        expected_ends.insert(connection["client"]);
        expected_ends.insert(connection["server"]);
    }
    std::set<std::string> ends;
    for (const kept_segment& s : r.found.segments) {
        ends.insert(to_string(s.head.source));
        ends.insert(to_string(s.head.destination));
    }
    EXPECT_EQ(ends, expected_ends);

    std::set<std::string> expected;
    for (const std::string warning : c["warnings"]) {
        if (warning.find("fragment") != std::string::npos || warning == "time_backwards" ||
            warning == "truncated_file") {
            expected.insert(warning);
        }
    }
    std::set<std::string> warnings;
    for (const std::string& code : r.found.codes()) warnings.insert(short_name(code));
    warnings.erase("");
    EXPECT_EQ(warnings, expected);
}

INSTANTIATE_TEST_SUITE_P(, ReassemblyCase, ::testing::ValuesIn(truths()), case_name);

}  // namespace
}  // namespace cdcscope::capture::testing
