// The sequences of tests/data/rules through the state machines: every rule just met and just
// missed. One test of one protocol gives its machine; what is read, fed and compared is here.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "proto/findings/table.h"
#include "proto/wire/direction.h"
#include "tests/support/hex.h"

namespace cdcscope::support {

using json = nlohmann::json;

struct near_miss {
    json sequence;
    [[nodiscard]] std::string text(const char* field) const {
        return sequence[field].get<std::string>();
    }
    friend void PrintTo(const near_miss& m, std::ostream* out) { *out << m.sequence["what"]; }
};

inline std::vector<near_miss> near_misses(const std::string& protocol) {
    std::ifstream in(CDCSCOPE_SOURCE_DIR "/tests/data/rules/" + protocol + "-near-misses.jsonl");
    std::vector<near_miss> out;
    for (std::string line; std::getline(in, line);) out.push_back({json::parse(line)});
    return out;
}

inline std::string name_of(const ::testing::TestParamInfo<near_miss>& each) {
    return each.param.text("rule") + "_" + each.param.text("kind") + "_" +
           std::to_string(each.param.sequence["n"].get<int>());
}

// A finding as a line, and how often it came.
using finding_lines = std::map<std::string, int>;

inline std::string finding_line(std::string_view rule, std::string_view severity,
                                std::uint32_t connection, std::uint32_t event) {
    return std::string(rule) + " " + std::string(severity) + " conn " + std::to_string(connection) +
           " event " + std::to_string(event);
}

struct told_findings : findings::finding_sink {
    void on_finding(findings::finding found) noexcept override {
        // Connections and events count from 1 in the machines, from 0 in the listing.
        ++(found.level >= findings::severity::warning ? loud : quiet)[finding_line(
            findings::entry_of(found.what).rule, findings::name(found.level), found.connection - 1,
            found.event - 1)];
        EXPECT_FALSE(found.text.empty());
    }
    finding_lines loud, quiet;
};

inline finding_lines listed(const json& findings) {
    finding_lines out;
    for (const json& f : findings) {
        ++out[finding_line(f["rule"].get<std::string>(), f["severity"].get<std::string>(),
                           f["conn"].get<std::uint32_t>(), f["event"].get<std::uint32_t>())];
    }
    return out;
}

inline frame_ref at_event(const json& event, std::uint32_t number) {
    constexpr std::int64_t epoch_ns = 1'700'000'000'000'000'000;
    const auto ms = static_cast<std::int64_t>(event["at"].get<double>() * 1000 + 0.5);
    return {epoch_ns + ms * 1'000'000, number, 0};
}

// Feeds the events of a sequence. `Machine` is made of a sink and has
//   connect(conn, id from 1, client, server, from_start)
//   message(conn, number, at, direction, bytes)   end(conn, direction, reset, number, at)
//   hole(conn, direction)                         finish(number, at)
template <typename Machine>
void play(const json& sequence, findings::finding_sink& found) {
    Machine machine(found);
    for (const json& c : sequence["connections"]) {
        const auto conn = c["conn"].get<std::uint32_t>();
        machine.connect(conn, conn + 1, c["client"].get<std::string>(),
                        c["server"].get<std::string>(), c["from_start"].get<bool>());
    }
    std::uint32_t number = 0;
    frame_ref at;
    for (const json& e : sequence["events"]) {
        at = at_event(e, ++number);
        const auto conn = e["conn"].get<std::uint32_t>();
        const direction dir = e["dir"] == "c2s" ? direction::c2s : direction::s2c;
        if (e.contains("raw")) {
            machine.message(conn, number, at, dir, hex(e["raw"].get<std::string>()));
        } else if (e.contains("end")) {
            machine.end(conn, dir, e["end"] == "rst", number, at);
        } else {
            machine.hole(conn, dir);
        }
    }
    at.time_ns += 1'000'000;
    machine.finish(number + 1, at);
}

// Of each rule of a protocol in the table, except those named, there is one that fires and one that
// does not.
inline void expect_all_rules(const std::string& protocol, findings::protocol of,
                             const std::set<std::string_view>& but = {}) {
    std::map<std::string, std::set<std::string>, std::less<>> kinds;
    for (const near_miss& m : near_misses(protocol)) kinds[m.text("rule")].insert(m.text("kind"));
    std::size_t rules = 0;
    for (const findings::entry& row : findings::table()) {
        if (row.of != of || row.rule.empty() || but.contains(row.rule)) continue;
        ++rules;
        const auto found = kinds.find(row.rule);
        ASSERT_NE(found, kinds.end()) << row.rule;
        EXPECT_EQ(found->second, (std::set<std::string>{"fires", "silent"})) << row.rule;
    }
    EXPECT_EQ(rules, kinds.size());
}

}  // namespace cdcscope::support
