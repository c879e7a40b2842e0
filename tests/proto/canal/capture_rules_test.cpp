// The state machine on the captures: which rules fire (captures/canal/rules.json), and which answer
// belongs to which request.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "proto/canal/track.h"
#include "proto/findings/table.h"
#include "tests/proto/canal/capture_frames.h"

namespace cdcscope::canal {
namespace {

struct collector : findings::finding_sink {
    void on_finding(findings::finding found) noexcept override { all.push_back(std::move(found)); }
    std::vector<findings::finding> all;

    [[nodiscard]] std::set<std::string> rules(findings::severity least) const {
        std::set<std::string> out;
        for (const auto& f : all) {
            if (f.level >= least) out.insert(std::string(findings::entry_of(f.what).rule));
        }
        return out;
    }
};

struct watcher : observer {
    void on_link(std::uint32_t from, link_kind kind, std::uint32_t to) noexcept override {
        links[{from, kind}] = to;
    }
    void on_batch(const batch_facts& batch) noexcept override { batches.push_back(batch); }
    std::map<std::pair<std::uint32_t, link_kind>, std::uint32_t> links;
    std::vector<batch_facts> batches;
};

struct played {
    collector found;
    watcher watch;
    captured capture;
    std::vector<track_record> records;  // by event; message ids are event numbers from 1
};

void play(const std::string& name, played& out) {
    out.capture = read_canal_capture(name);
    world shared({}, &out.watch);
    std::vector<std::unique_ptr<tracker>> trackers;
    for (const captured_connection& c : out.capture.connections) {
        connection_start start;
        start.id = static_cast<std::uint32_t>(trackers.size() + 1);
        start.server = c.server;
        start.port = c.server_port == 11110 ? port_kind::admin : port_kind::data;
        trackers.push_back(std::make_unique<tracker>(shared, start, out.found));
    }
    std::uint32_t number = 0;
    for (const captured_event& e : out.capture.events) {
        ++number;
        tracker& t = *trackers[e.connection];
        track_record record;
        switch (e.kind) {
            case captured_event::what::message: {
                message_input m;
                m.id = number;
                m.dir = e.dir;
                m.payload = e.payload;
                m.frames = e.frames;
                m.first_ns = e.first_ns;
                record = t.feed(m);
                break;
            }
            case captured_event::what::bad_length:
                t.bad_length(e.dir, load_be32(e.payload.data()), byte_view(e.payload).subspan(4),
                             number, e.frames);
                break;
            case captured_event::what::incomplete:
                t.incomplete(e.dir, number, e.frames);
                break;
            case captured_event::what::fin:
                t.end(e.dir, close_kind::fin, number, e.frames.done);
                break;
            case captured_event::what::rst:
                t.end(e.dir, close_kind::rst, number, e.frames.done);
                break;
        }
        out.records.push_back(record);
    }
    for (const auto& t : trackers) t->finish(number + 1, out.capture.end);
    shared.finish();
}

std::string listing(const collector& found) {
    std::string out;
    for (const auto& f : found.all) {
        out += std::string(findings::entry_of(f.what).rule) + " " +
               std::string(findings::name(f.level)) + " conn " + std::to_string(f.connection) +
               " #" + std::to_string(f.at.frame) + " " + f.text + "\n";
    }
    return out;
}

TEST(CanalRules, FireOnTheCapturesAsListed) {
    std::ifstream in(CDCSCOPE_SOURCE_DIR "/captures/canal/rules.json");
    const auto rules = nlohmann::json::parse(in);
    for (const std::string& name : canal_captures()) {
        SCOPED_TRACE(name);
        played p;
        play(name, p);
        std::set<std::string> must;
        for (const auto& rule : rules.at(name + ".pcap").at("rules"))
            must.insert("C" + std::to_string(rule.get<int>()));
        const auto any = p.found.rules(findings::severity::chat);
        for (const std::string& rule : must)
            EXPECT_TRUE(any.contains(rule)) << rule << " does not fire\n" << listing(p.found);
        for (const std::string& rule : p.found.rules(findings::severity::warning)) {
            EXPECT_TRUE(must.contains(rule)) << rule << " fires\n" << listing(p.found);
        }
    }
}

// The answers of `batches` come out of step with the client's reads; the pairing does not.
TEST(CanalPairing, GivesLateErrorsToTheAcknowledgementsTheyBelongTo) {
    played p;
    play("batches", p);
    std::map<std::uint32_t, std::string> answers;  // frame of the ACK -> request and batch
    for (const auto& f : p.found.all) {
        if (findings::entry_of(f.what).rule != "C2") continue;
        std::string text;
        for (const auto& figure : f.figures) {
            if (figure.name == "answers") text = std::get<std::string>(figure.value);
            if (figure.name == "batchId")
                text += " " + std::to_string(std::get<std::int64_t>(figure.value));
        }
        answers[f.at.frame] = text;
    }
    const std::map<std::uint32_t, std::string> expected{{55, "CLIENTACK 4"},
                                                        {75, "CLIENTACK 999999"},
                                                        {83, "CLIENTACK 0"},
                                                        {91, "CLIENTROLLBACK 123456"}};
    EXPECT_EQ(answers, expected);
    for (std::size_t i = 0; i < p.records.size(); ++i) {
        const track_record& r = p.records[i];
        if (r.request_type != static_cast<int>(packet_type::get)) continue;
        EXPECT_EQ(p.capture.events[i].kind, captured_event::what::message);
        EXPECT_EQ((p.watch.links[{r.request, link_kind::answered_by}]), i + 1);
    }
}

double seconds(std::int64_t ns) {
    return static_cast<double>(ns) / 1e9;
}

TEST(CanalBatches, AreTimedFromExecutionToAcknowledgement) {
    played p;
    play("lag", p);
    std::vector<double> lag, acked;
    for (const batch_facts& b : p.watch.batches) {
        ASSERT_EQ(b.fate, batch_fate::acked);
        lag.push_back(seconds(b.delivered.time_ns - b.newest_execute_ms * 1'000'000));
        acked.push_back(seconds(b.closed.time_ns - b.delivered.time_ns));
    }
    ASSERT_GE(lag.size(), 4U);
    const std::size_t tail = lag.size() - 4;
    const double lags[] = {23.85, 2.34, 9.49, 1.11};
    const double times[] = {0.02, 9.05, 6.00, 0.001};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(lag[tail + i], lags[i], 0.005) << i;
        EXPECT_NEAR(acked[tail + i], times[i], 0.005) << i;
    }
}

TEST(CanalBatches, WaitForTheOtherConsumerOfTheDestination) {
    played p;
    play("two_clients", p);
    std::int64_t longest = 0;
    for (std::size_t i = 0; i < p.records.size(); ++i) {
        if (p.capture.events[i].connection == 2)
            longest = std::max(longest, p.records[i].elapsed_ns);
    }
    EXPECT_NEAR(seconds(longest), 2.957, 0.001);
}

TEST(CanalBatches, AreDroppedByARollbackAndComeAgain) {
    played p;
    play("batches", p);
    std::map<std::int64_t, batch_fate> fates;
    for (const batch_facts& b : p.watch.batches) fates[b.id] = b.fate;
    const std::map<std::int64_t, batch_fate> expected{
        {2, batch_fate::rolled_back}, {3, batch_fate::rolled_back}, {4, batch_fate::rolled_back},
        {5, batch_fate::rolled_back}, {6, batch_fate::rolled_back}, {7, batch_fate::rolled_back},
        {8, batch_fate::rolled_back}, {9, batch_fate::rolled_back}, {10, batch_fate::acked}};
    EXPECT_EQ(fates, expected);
}

TEST(CanalServer, TellsItsVersionByTheHandshakeAndByWhatItForgives) {
    const std::map<std::string, server_era> expected{
        {"proto2_client1024_server110", server_era::up_to_1_1_3},
        {"basic", server_era::from_1_1_4},
        {"auth_fail_server117", server_era::from_1_1_4_to_1_1_7}};
    for (const auto& [name, era] : expected) {
        played p;
        play(name, p);
        server_era last = server_era::unknown;
        for (std::size_t i = 0; i < p.records.size(); ++i) {
            if (p.capture.events[i].kind == captured_event::what::message) last = p.records[i].era;
        }
        EXPECT_EQ(last, era) << name;
    }
}

}  // namespace
}  // namespace cdcscope::canal
