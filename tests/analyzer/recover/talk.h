// A conversation of two sides in hand-made messages and segments, given to the recovery.
#pragma once

#include <random>

#include "tests/analyzer/recover/collect.h"

namespace cdcscope::recover::testing {

inline void put_be(std::string& out, std::uint64_t value, int bytes) {
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
        out += static_cast<char>(value >> shift & 0xff);
    }
}

// One DCP message. Responses: `vbucket` is the status.
inline std::string dcp_message(std::uint8_t magic, std::uint8_t opcode, std::string_view extras,
                               std::string_view key, std::string_view value,
                               std::uint16_t vbucket = 0, std::uint32_t opaque = 0) {
    std::string out;
    put_be(out, magic, 1);
    put_be(out, opcode, 1);
    put_be(out, key.size(), 2);
    put_be(out, extras.size(), 1);
    put_be(out, 0, 1);
    put_be(out, vbucket, 2);
    put_be(out, extras.size() + key.size() + value.size(), 4);
    put_be(out, opaque, 4);
    put_be(out, 0, 8);
    return out.append(extras).append(key).append(value);
}
inline std::string mutation(std::uint64_t seqno, std::string_view value) {
    std::string extras;
    put_be(extras, seqno, 8);
    put_be(extras, 1, 8);
    extras.append(15, '\0');
    return dcp_message(0x80, 0x57, extras, "key-" + std::to_string(seqno), value, 7, 0xb000);
}
inline std::string noop(std::uint32_t opaque) {
    return dcp_message(0x80, 0x5c, {}, {}, {}, 0, opaque);
}
inline std::string noop_answer(std::uint32_t opaque) {
    return dcp_message(0x81, 0x5c, {}, {}, {}, 0, opaque);
}
inline std::string buffer_ack(std::uint32_t bytes) {
    std::string extras;
    put_be(extras, bytes, 4);
    return dcp_message(0x80, 0x5d, extras, {}, {});
}

inline std::string varint(std::uint64_t value) {
    std::string out;
    for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
    return out += static_cast<char>(value);
}
inline std::string field(int number, std::uint64_t value) {
    return varint(static_cast<std::uint64_t>(number) << 3) + varint(value);
}
inline std::string field(int number, std::string_view value) {
    return varint(static_cast<std::uint64_t>(number) << 3 | 2) + varint(value.size()) +
           std::string(value);
}
// One canal packet with its length.
inline std::string canal_packet(int type, std::string_view body, bool version = false) {
    std::string packet = version ? field(2, 1) : std::string();
    packet += field(3, static_cast<std::uint64_t>(type));
    if (!body.empty()) packet += field(5, body);
    std::string out;
    put_be(out, packet.size(), 4);
    return out + packet;
}
inline std::string canal_handshake() {
    return canal_packet(1, field(2, "\1\2\3\4\5\6\7\10"), true);
}
inline std::string canal_get() {
    return canal_packet(6, field(1, "example") + field(2, "1001") + field(3, 1000));
}
inline std::string canal_ack() {
    return canal_packet(3, {}, true);
}
// A batch whose only entry holds `row`.
inline std::string canal_batch(std::uint64_t id, std::string_view row) {
    const std::string header = field(1, 1) + field(2, "mysql-bin.000042");
    return canal_packet(7, field(1, id) + field(2, field(1, header) + field(2, 2) + field(3, row)));
}

// Feeds segments to a recovery. Numbers are stream offsets; initial sequence numbers are hidden.
class talk {
  public:
    explicit talk(const options& chosen = {}) : all(chosen, got, got) {}

    capture::segment segment(direction dir, std::uint64_t offset, std::string_view payload,
                             std::uint64_t acknowledged) {
        capture::segment s;
        s.source = dir == direction::c2s ? client : server;
        s.destination = dir == direction::c2s ? server : client;
        s.sequence = initial[index(dir)] + 1 + static_cast<std::uint32_t>(offset);
        s.acknowledgement =
            initial[index(opposite(dir))] + 1 + static_cast<std::uint32_t>(acknowledged);
        s.flags = capture::tcp_flag::ack | capture::tcp_flag::psh;
        s.payload = as_bytes(payload);
        s.wire_payload = static_cast<std::uint32_t>(payload.size());
        s.window = 60000;
        s.ip_id = ++ip_id_;
        return s;
    }
    void put(capture::segment s) {
        now_ns += 10'000;
        s.at = {now_ns, ++frame, 0};
        all.on_segment(s);
    }
    void handshake() {
        capture::segment syn = segment(direction::c2s, 0, {}, 0);
        syn.sequence = initial[0];
        syn.flags = capture::tcp_flag::syn;
        put(syn);
        syn = segment(direction::s2c, 0, {}, 0);
        syn.sequence = initial[1];
        syn.flags = capture::tcp_flag::syn | capture::tcp_flag::ack;
        put(syn);
        acknowledge(direction::c2s);
    }
    // Next bytes of a side, acknowledging all that the other side said so far.
    void say(direction dir, std::string_view bytes) {
        put(segment(dir, said[index(dir)], bytes, said[index(opposite(dir))]));
        said[index(dir)] += bytes.size();
    }
    // As say, but the capture misses it.
    void lose(direction dir, std::string_view bytes) { said[index(dir)] += bytes.size(); }
    void acknowledge(direction dir) {
        capture::segment s = segment(dir, said[index(dir)], {}, said[index(opposite(dir))]);
        s.flags = capture::tcp_flag::ack;
        put(s);
    }
    void close(direction dir, std::uint8_t flag = capture::tcp_flag::fin) {
        capture::segment s = segment(dir, said[index(dir)], {}, said[index(opposite(dir))]);
        s.flags = capture::tcp_flag::ack | flag;
        put(s);
    }
    kept_connection& finish() {
        all.finish();
        if (got.connections.size() != 1) throw std::logic_error("not one connection");
        return got.connections.begin()->second;
    }

    capture::endpoint client = host(1, 40000), server = host(2, 11210);
    std::uint32_t initial[2] = {1000, 5000};
    std::uint64_t said[2] = {0, 0};
    std::int64_t now_ns = 1'700'000'000'000'000'000;
    std::uint32_t frame = 0;
    collector got;

    static capture::endpoint host(std::uint8_t last, std::uint16_t port) {
        capture::endpoint e;
        e.ip.bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, last};
        e.port = port;
        return e;
    }

  private:
    std::uint32_t ip_id_ = 0;

  public:
    recovery all;
};

}  // namespace cdcscope::recover::testing
