// Every rule of canal.md section 18 just met and just missed: tests/data/rules/README.md.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "proto/canal/track.h"
#include "proto/findings/table.h"
#include "tests/proto/canal/hex.h"

namespace cdcscope::canal {
namespace {

using json = nlohmann::json;

constexpr std::int64_t epoch_ns = 1'700'000'000'000'000'000;

struct collector : findings::finding_sink {
    void on_finding(findings::finding found) noexcept override {
        // Ids and connections count from 1 in the tracker, from 0 in the listing.
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

frame_span at_event(const json& event, std::size_t number) {
    const auto ms = static_cast<std::int64_t>(event["at"].get<double>() * 1000 + 0.5);
    const auto frame = static_cast<std::uint32_t>(number);
    return {frame, frame, {epoch_ns + ms * 1'000'000, frame, 0}};
}

void play(const json& sequence, collector& found) {
    world shared;
    std::map<int, std::unique_ptr<tracker>> trackers;
    for (const json& c : sequence["connections"]) {
        connection_start start;
        start.id = c["conn"].get<std::uint32_t>() + 1;
        const std::string server = c["server"];
        start.server = server;
        start.from_start[0] = start.from_start[1] = c["from_start"];
        trackers[c["conn"]] = std::make_unique<tracker>(shared, start, found);
    }
    std::uint32_t number = 0;
    frame_span where;
    for (const json& e : sequence["events"]) {
        where = at_event(e, ++number);
        tracker& t = *trackers.at(e["conn"]);
        const direction dir = e["dir"] == "c2s" ? direction::c2s : direction::s2c;
        if (e.contains("raw")) {
            const auto payload = hex(e["raw"].get<std::string>());
            message_input m;
            m.id = number;
            m.dir = dir;
            m.payload = payload;
            m.frames = where;
            m.first_ns = where.done.time_ns;
            (void)t.feed(m);
        } else if (e.contains("end")) {
            t.end(dir, e["end"] == "rst" ? close_kind::rst : close_kind::fin, number, where.done);
        } else {
            t.hole(dir);
        }
    }
    where.done.time_ns += 1'000'000;
    for (const auto& [conn, t] : trackers) t->finish(number + 1, where.done);
    shared.finish();
}

class NearMiss : public testing::TestWithParam<json> {};

TEST_P(NearMiss, FiresExactlyTheListedFindings) {
    const json& sequence = GetParam();
    SCOPED_TRACE(sequence["what"].get<std::string>());
    collector found;
    play(sequence, found);
    EXPECT_EQ(found.loud, listed(sequence["expect"]));
    for (const auto& [line, count] : listed(sequence["notes"])) {
        EXPECT_EQ(found.quiet[line], count) << line;
    }
}

std::vector<json> sequences() {
    std::ifstream in(CDCSCOPE_SOURCE_DIR "/tests/data/rules/canal-near-misses.jsonl");
    std::vector<json> out;
    for (std::string line; std::getline(in, line);) out.push_back(json::parse(line));
    return out;
}

INSTANTIATE_TEST_SUITE_P(Canal, NearMiss, testing::ValuesIn(sequences()), [](const auto& each) {
    return each.param["rule"].template get<std::string>() + "_" +
           each.param["kind"].template get<std::string>() + "_" +
           std::to_string(each.param["n"].template get<int>());
});

TEST(NearMisses, CoverEveryRuleButTheLast) {
    std::map<std::string, std::set<std::string>> kinds;
    for (const json& s : sequences()) kinds[s["rule"]].insert(s["kind"].get<std::string>());
    for (int rule = 1; rule <= 23; ++rule) {
        EXPECT_TRUE(kinds["C" + std::to_string(rule)].contains("fires")) << rule;
    }
}

}  // namespace
}  // namespace cdcscope::canal
