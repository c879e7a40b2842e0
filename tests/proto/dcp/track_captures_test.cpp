// The state machine against what others found in the captures: NAME.flags.jsonl, and the figures of
// captures/README.md. Messages come from the listings, times from the capture's records.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "proto/dcp/track.h"
#include "proto/findings/table.h"
#include "tests/proto/dcp/listing.h"

namespace cdcscope::dcp {
namespace {

using json = nlohmann::json;

// Nanoseconds of each record of a little-endian pcap file; index 0 is frame 1.
std::vector<std::int64_t> times_of(const std::string& name) {
    std::ifstream in(std::filesystem::path(CDCSCOPE_SOURCE_DIR) / "captures/dcp" / (name + ".pcap"),
                     std::ios::binary);
    const std::vector<char> text{std::istreambuf_iterator<char>(in), {}};
    const byte_view bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    std::vector<std::int64_t> times;
    const bool nanoseconds = load_le32(bytes.data()) == 0xa1b23c4d;
    for (std::size_t at = 24; at + 16 <= bytes.size(); at += 16 + load_le32(&bytes[at + 8])) {
        const std::int64_t fraction = load_le32(&bytes[at + 4]);
        times.push_back(load_le32(&bytes[at]) * std::int64_t{1'000'000'000} +
                        fraction * (nanoseconds ? 1 : 1000));
    }
    return times;
}

struct told {
    std::uint32_t conn;
    std::string id;
    std::string severity;
    std::uint32_t frame;
    auto operator<=>(const told&) const = default;
    friend void PrintTo(const told& t, std::ostream* out) {
        *out << "conn " << t.conn << " " << t.id << " " << t.severity << " frame " << t.frame;
    }
};

struct collector : findings::finding_sink, link_sink {
    void on_finding(findings::finding f) noexcept override {
        const findings::entry& row = findings::entry_of(f.what);
        const std::string severity = f.level == findings::severity::error     ? "E"
                                     : f.level == findings::severity::warning ? "W"
                                                                              : "N";
        (severity == "N" ? quiet : loud)
            .insert({f.connection - 1, std::string(row.rule), severity, f.at.frame});
    }
    void on_link(link_kind kind, std::uint32_t earlier, std::uint32_t later) noexcept override {
        links[kind].emplace(earlier, later);
    }
    std::multiset<told> loud, quiet;
    std::map<link_kind, std::map<std::uint32_t, std::uint32_t>> links;
};

// A capture without reordering between directions, played through the state machine.
struct played {
    collector found;
    std::unique_ptr<world> all;
    std::map<std::uint32_t, std::unique_ptr<connection>> connections;
    std::map<std::uint32_t, frame_ref>
        last;  // message of each connection; the client closes right after it
    std::vector<json> lines;
    std::vector<track_record> records;

    explicit played(const std::string& name) {
        all = std::make_unique<world>(world_sinks{&found, &found, nullptr}, findings::thresholds{});
        const std::vector<std::int64_t> times = times_of(name);
        lines = test::lines_of(name);
        for (const json& line : lines) {
            auto& c = connections[line["conn"]];
            const std::string port = std::to_string(50000 + line["conn"].get<int>());
            if (c == nullptr)
                c = all->add({line["conn"].get<std::uint32_t>() + 1, "10.0.0.1:" + port,
                              "10.0.0.2:11210", true});
            test::rebuilt message = test::rebuild(line);
            if (!message.whole)
                message.bytes.resize(message.bytes.size() - line["vlen"].get<std::size_t>());
            const std::uint32_t frame = line["avail"];
            const auto id = static_cast<std::uint32_t>(records.size() + 1);
            const frame_ref at = last[line["conn"]] = {times.at(frame - 1), frame, 0};
            const direction dir = line["dir"] == "c2s" ? direction::c2s : direction::s2c;
            records.push_back(c->feed({id, at, dir, message.bytes, !message.whole}));
        }
        for (auto& [conn, c] : connections) {
            c->end(direction::c2s, end_of::fin, last[conn]);
            c->finish(last[conn]);
        }
    }
    [[nodiscard]] const flow_story& flow() const { return connections.at(0)->story().flow; }
    // Seqno of a prepare to that of its commit or abort.
    [[nodiscard]] std::map<std::uint64_t, std::uint64_t> outcomes(std::uint16_t vbucket) const {
        std::map<std::uint64_t, std::uint64_t> out;
        for (std::size_t i = 0; i < records.size(); ++i) {
            if (records[i].prepare == 0 || records[i].partition != vbucket) continue;
            const auto seqno_at = [&](std::size_t line, std::size_t from) {
                return std::stoull(lines[line]["extras"].get<std::string>().substr(from, 16),
                                   nullptr, 16);
            };
            out[seqno_at(records[i].prepare - 1, 0)] = seqno_at(i, 16);
        }
        return out;
    }
};

std::multiset<told> flags_of(const std::string& name, bool notes) {
    std::ifstream in(std::filesystem::path(CDCSCOPE_SOURCE_DIR) / "captures/dcp" /
                     (name + ".flags.jsonl"));
    std::multiset<told> out;
    for (std::string line; std::getline(in, line);) {
        const json flag = json::parse(line);
        if ((flag["severity"] == "N") == notes)
            out.insert({flag["conn"], flag["id"], flag["severity"], flag["frame"]});
    }
    return out;
}

class Capture : public testing::TestWithParam<std::string> {};

TEST_P(Capture, HasExactlyTheErrorsAndWarningsThatAnotherImplementationFound) {
    const played capture(GetParam());
    EXPECT_EQ(capture.found.loud, flags_of(GetParam(), false));
    for (const told& note : flags_of(GetParam(), true))
        EXPECT_TRUE(capture.found.quiet.contains(note)) << testing::PrintToString(note);
}

INSTANTIATE_TEST_SUITE_P(Dcp, Capture,
                         testing::Values("seed0_prepare", "basic_ipv4", "collections_oso_ipv6",
                                         "stream_id_ipv4", "durability_replication_ipv4",
                                         "v8_features_ipv6", "java_client_ipv4",
                                         "tiny_segments_ipv6", "faults"),
                         [](const auto& name) { return name.param; });

TEST(CaptureFigures, FlowControlOfEachCaptureAddsUp) {
    struct figures {
        std::string name;
        std::uint64_t window, counted, acked, acks, highest;
    };
    for (const figures& want : {figures{"basic_ipv4", 8192, 35353, 31549, 7, 9169},
                                {"durability_replication_ipv4", 4096, 6647, 6647, 8, 1240},
                                {"tiny_segments_ipv6", 8192, 7200, 4180, 1, 0},
                                {"java_client_ipv4", 4096, 11044, 10067, 3, 4131},
                                {"collections_oso_ipv6", 8192, 5771, 4141, 1, 0},
                                {"stream_id_ipv4", 8192, 7200, 4220, 1, 0},
                                {"v8_features_ipv6", 4096, 2595, 1844, 2, 0}}) {
        SCOPED_TRACE(want.name);
        const played capture(want.name);
        EXPECT_EQ(capture.flow().window, want.window);
        EXPECT_EQ(capture.flow().counted, want.counted);
        EXPECT_EQ(capture.flow().acked, want.acked);
        EXPECT_EQ(capture.flow().acks, want.acks);
        if (want.highest != 0) {
            EXPECT_EQ(capture.flow().highest, want.highest);
        }
        EXPECT_EQ(capture.flow().outstanding, want.counted - want.acked);
        EXPECT_EQ(capture.flow().counted - capture.flow().wire, 2 * capture.flow().prepares);
    }
}

TEST(CaptureFigures, TheWindowOfTheBasicCaptureIsFullFiveTimes) {
    const played capture("basic_ipv4");
    std::vector<std::uint32_t> frames;
    std::vector<std::int64_t> tenths_of_ms;
    for (const stall& each : capture.flow().stalls) {
        frames.push_back(each.since.frame);
        tenths_of_ms.push_back((each.until.time_ns - each.since.time_ns + 50'000) / 100'000);
        EXPECT_TRUE(each.over);
    }
    EXPECT_EQ(frames, (std::vector<std::uint32_t>{113, 122, 127, 137, 142}));
    EXPECT_EQ(tenths_of_ms, (std::vector<std::int64_t>{44, 55, 66, 55, 66}));
}

TEST(CaptureFigures, EachPrepareIsLinkedToItsCommitOrAbort) {
    const played capture("durability_replication_ipv4");
    EXPECT_EQ(capture.outcomes(0),
              (std::map<std::uint64_t, std::uint64_t>{{3, 9}, {10, 14}, {11, 17}, {12, 18}}));
    const std::map<std::uint64_t, std::uint64_t> second = capture.outcomes(1);
    EXPECT_EQ(second.size(), 8U);
    const durability_story& durability = capture.connections.at(0)->story().durability;
    EXPECT_EQ(durability.prepares, 13U);
    EXPECT_EQ(durability.open, 1U);
    EXPECT_EQ(capture.connections.at(0)->stream(0).last_seqno, 20U);
}

TEST(CaptureFigures, EveryAnswerIsLinkedToItsRequest) {
    const played capture("basic_ipv4");
    for (std::size_t i = 0; i < capture.lines.size(); ++i) {
        const json& line = capture.lines[i];
        if (!line.contains("status")) continue;
        ASSERT_NE(capture.records[i].request, 0U) << line.dump();
        const json& request = capture.lines[capture.records[i].request - 1];
        EXPECT_EQ(request["opcode"], line["opcode"]);
        EXPECT_EQ(request["opaque"], line["opaque"]);
        EXPECT_NE(request["dir"], line["dir"]);
    }
}

TEST(CaptureFigures, TheStoryNamesTheConnection) {
    const played capture("basic_ipv4");
    const connection_story& story = capture.connections.at(0)->story();
    EXPECT_EQ(story.name, "capture-svc:basic-plain/1");
    EXPECT_EQ(story.bucket, "travel");
    EXPECT_EQ(story.role, dcp_role::client_consumes);
    EXPECT_EQ(story.settings.size(), 7U);
    EXPECT_EQ(story.refused, 7U);
    EXPECT_EQ(story.rolled_back, 1U);
    EXPECT_EQ(story.stream_requests, 12U);
    EXPECT_EQ(story.streams_opened, 4U);
}

}  // namespace
}  // namespace cdcscope::dcp
