// Models made by hand: what a collector would hand to the renderers in the states of a report.
#pragma once

#include <string>

#include "analyzer/report/model.h"

namespace cdcscope::report::samples {

inline constexpr std::int64_t morning = 1'796'019'720'000'000'000;  // 2026-11-30 06:22:00 UTC
inline constexpr std::int64_t ms = 1'000'000, second = 1'000 * ms;

inline frame_ref frame(std::uint32_t n, std::int64_t after_ns, std::uint32_t file = 0) {
    return {morning + after_ns, n, file};
}

inline direction_figures direction_of(std::uint64_t messages, std::uint64_t bytes,
                                      std::uint64_t gap = 0, std::uint64_t unparsed = 0) {
    direction_figures d;
    d.messages = messages;
    d.bytes = {bytes, bytes - gap - unparsed, gap, unparsed};
    d.gaps = gap > 0 ? 1 : 0;
    d.unparsed = unparsed > 0 ? 1 : 0;
    return d;
}

inline connection consumer(std::uint32_t id, std::string name = "eq_dcpq:connector-1") {
    connection c;
    c.id = id;
    c.client = "10.0.0.21:40001";
    c.server = "10.0.0.11:11210";
    c.carries = recover::protocol::dcp;
    c.what = role::dcp_consumer;
    c.name = std::move(name);
    c.target = "travel";
    c.life = {morning, morning + 140 * second};
    c.of[0] = direction_of(13, 524);
    c.of[1] = direction_of(28, 4573);
    return c;
}

// Sums of the capture from its connections.
inline void add_up(model& m) {
    m.capture.messages = 0;
    m.capture.bytes = {};
    for (const auto& c : m.connections) {
        for (const auto& d : c.of) {
            m.capture.bytes += d.bytes;
            m.capture.messages += d.messages;
            m.capture.holes += d.gaps;
        }
    }
}

inline model base(std::string file = "travel-1.pcap") {
    model m;
    m.command = "cdcscope report " + file;
    m.rules = 79;
    m.capture.files = {{std::move(file), 943, 495'121, false}};
    m.capture.span = {morning, morning + 140 * second};
    m.capture.packets = m.capture.tcp_packets = 943;
    m.limits = {{"dcp.flow.stalled.note", 1, "s", false},
                {"dcp.flow.stalled.warning", 10, "s", false},
                {"canal.lag.time", 10, "s", false}};
    return m;
}

inline model clean() {
    auto m = base();
    m.connections = {consumer(1)};
    m.result = verdict_kind::clean;
    m.headline = "No errors, no warnings.";
    m.second_line = "1 connection, 41 messages, 79 rules, every TCP byte read.";
    add_up(m);
    return m;
}

// One connector whose window filled in 15 steps and never emptied; its finding has evidence in two
// files.
inline model stalled(std::string name = "eq_dcpq:connector-1") {
    auto m = base();
    m.capture.files.push_back({"travel-2.pcap", 175, 31'814, false});
    auto c = consumer(1, name);
    auto& f = c.flow.make();
    f.on = true;
    f.window = 4096;
    for (int i = 0; i < 15; ++i)
        c.window.add(morning + 1002 * ms + i * ms, 44 + static_cast<std::uint64_t>(i) * 299);
    f.counted = f.peak = f.outstanding = 4230;
    f.full_times = 1;
    f.full_at_end = true;
    f.filled = frame(60, 1016 * ms);
    f.full_least_ns = f.full_most_ns = 138'984 * ms;
    f.full = {{f.filled.time_ns, c.life.to}};
    c.noop = {true, 20 * second, 6, 6, frame(171, 121 * second, 1)};
    for (int i = 0; i < 15; ++i) c.ticks.add(tick_kind::data, morning + 1002 * ms + i * ms, 1);
    for (int i = 1; i <= 6; ++i) c.ticks.add(tick_kind::noop, morning + i * 20 * second, 1);
    c.closed = {true, direction::c2s, recover::end_kind::fin, frame(173, 140 * second, 1)};
    c.fared = health::warning;
    c.condition = "stalled 139 s, still at the end";
    c.cards = {0};
    m.connections = {c};

    stream_row s;
    s.connection = 1;
    s.partition = 100;
    s.state = stream_state::open;
    s.live = true;
    s.asked = frame(27, 1000 * ms);
    s.answered = frame(28, 1001 * ms);
    s.snapshots = 1, s.items = 14, s.first_seqno = 1, s.last_seqno = 14;
    s.snapshot_known = true, s.last_snapshot_end = 60;
    s.resumable = true, s.resume_uuid = 0xaa, s.resume_seqno = 14, s.resume_snapshot_end = 60;
    s.fared = health::warning;
    m.streams = {s};

    rule_finding finding;
    finding.code = "dcp.flow.stalled";
    finding.rule = "D13";
    finding.level = severity::warning;
    finding.connection = 1;
    finding.first = frame(60, 1016 * ms);
    finding.last = frame(313, 21 * second);
    finding.count = 1;
    finding.hits.emplace_back();
    finding.hits.front().first = finding.first;
    finding.hits.front().last = finding.last;
    finding.hits.front().text = name + " stopped receiving";
    finding.hits.front().figures = {{"window", std::uint64_t{4096}}, {"stalledMs", 138'984.0}};
    finding.card = 0;
    m.findings = {finding};

    card one;
    one.code = finding.code;
    one.level = finding.level;
    one.rules = {"D11", "D13", "D15"};
    one.connection = 1;
    one.count = 3;
    one.first = finding.first;
    one.last = finding.last;
    one.going_on = true;
    one.amount_ns = 138'984 * ms;
    one.title = name + " stopped receiving at 06:22:01.016 and never resumed";
    one.clause = "one connector has received nothing for 139 s";
    one.brief = "window full to the end";
    one.why = "It asked for a 4,096\u00a0B window and never acknowledged a byte.";
    one.text = "The server filled the 4,096\u00a0B window with 4,230\u00a0B.";
    one.state = "still going on";
    one.condition = "stalled 139\u00a0s, still at the end";
    one.shown = {{frame(24, 6 * ms), "client asks for connection_buffer_size 4096"},
                 {frame(60, 1016 * ms), "window full"},
                 {frame(171, 121 * second, 1), "last keep-alive answered"}};
    one.meaning = "The client does not acknowledge.";
    one.advice = {"Take a thread dump.", "Check that each event is acknowledged."};
    const std::string whole = "ip.addr == 10.0.0.21 && tcp.port == 40001";
    one.filters = {{"Frames, travel-1.pcap", "frame.number in {24, 60}", false},
                   {"Frames, travel-2.pcap", "frame.number == 171", false},
                   {"Whole connection", whole, false},
                   {"With the plugin", whole + " && cbdcp.flow.stalled", true}};
    one.chart = {
        mini_kind::window, {{0.007, 1.0}}, 0.97, 0.007, "4,230 of 4,096\u00a0B unacknowledged",
        "for 139\u00a0s"};
    m.cards = {one};
    m.hits = {0, 2, 1, 0};
    m.result = verdict_kind::findings;
    m.headline = "One connector has received nothing for 139\u00a0s.";
    m.second_line =
        "2026-11-30, 06:22:00 to 06:24:20 UTC, 1 connection. Faults still going on come first.";
    add_up(m);
    return m;
}

inline model many(std::size_t connections) {
    auto m = base();
    for (std::uint32_t i = 1; i <= connections; ++i) {
        auto c = consumer(i, "connector-" + std::to_string(i));
        c.flow.make().on = true;
        c.flow.make().window = 100'000;
        c.flow.make().peak = 90'000;
        for (int k = 0; k < 300; ++k)
            c.window.add(morning + k * 400 * ms, static_cast<std::uint64_t>(k * 7919 % 90'001));
        for (int k = 0; k < 300; ++k)
            c.received.add(morning + k * 400 * ms, 1000 + static_cast<std::uint64_t>(k * 31 % 977));
        for (int k = 0; k < 300; ++k)
            c.ticks.add(tick_kind::data, morning + k * 400 * ms,
                        static_cast<std::uint64_t>(1 + k % 5));
        m.connections.push_back(c);
        stream_row s;
        s.connection = i;
        s.partition = static_cast<std::uint16_t>(i % 1024);
        s.state = stream_state::open;
        s.asked = s.answered = frame(i, i * ms);
        m.streams.push_back(s);
    }
    m.result = verdict_kind::clean;
    m.headline = "No errors, no warnings.";
    add_up(m);
    return m;
}

inline model nothing_recovered() {
    auto m = base("r63-other-port.pcap");
    connection c;
    c.id = 1;
    c.client = "10.0.0.1:40000";
    c.server = "10.0.0.2:12000";
    c.what = role::other;
    c.carries = recover::protocol::other;
    c.life = m.capture.span;
    c.of[1] = direction_of(0, 900, 0, 900);
    m.connections = {c};
    m.capture.ports = {{12000, 1, 900, "DCP"}};
    m.result = verdict_kind::nothing_recovered;
    m.headline = "No DCP or canal message in 943 packets.";
    m.second_line = "1 TCP connection; port 12000 carries what looks like DCP.";
    m.guess_label = "Read it as DCP";
    m.guess = "cdcscope report r63-other-port.pcap --port dcp=12000";
    add_up(m);
    return m;
}

inline model encrypted() {
    auto m = nothing_recovered();
    m.capture.files.front().name = "secure.pcap";
    m.connections.front().what = role::tls;
    m.connections.front().carries = recover::protocol::tls;
    m.capture.ports = {{11207, 1, 900, "TLS"}};
    m.result = verdict_kind::encrypted;
    m.headline = "The connection on port 11207 is encrypted.";
    m.second_line = "Nothing inside can be read; times, bytes and closes can.";
    m.guess.clear();
    m.guess_label.clear();
    return m;
}

inline model one_direction() {
    auto m = clean();
    m.connections.front().one_direction = true;
    m.connections.front().flow.make().on = true;
    m.connections.front().of[0] = {};
    m.strip =
        "Only server to client was captured in 1 of 1 connection. Rules that need both sides are "
        "off.";
    m.headline = "Nothing certain went wrong; 1 finding is uncertain.";
    m.capture.holes = 0;
    add_up(m);
    return m;
}

}  // namespace cdcscope::report::samples
