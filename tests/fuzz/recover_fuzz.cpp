// Segments made from the input, with whole messages among them, go to the recovery. For each
// direction what it hands over must tile the stream: messages, gaps and unparsed runs, each byte
// once.
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>

#include "analyzer/recover/recovery.h"
#include "proto/wire/cursor.h"

namespace {

using namespace cdcscope;

void require(bool holds) {
    if (!holds) std::abort();
}

class checker final : public recover::handler, public capture::observation_sink {
  public:
    void on_connection(const recover::connection_info& c) override {
        require(!known_.contains(c.id));
        known_[c.id];
    }
    void on_protocol(const recover::connection_info& c) override { require(known_.contains(c.id)); }
    void on_message(const recover::message& m) override {
        require(m.cut ? m.captured < m.wire_length && m.bytes.size() <= m.captured
                      : m.captured == m.wire_length && m.bytes.size() == m.captured);
        require(m.frames.first >= 1 && m.frames.first <= m.frames.last);
        side(m.connection, m.dir).bytes += m.captured;
        if (!m.cut) place(m.connection, m.dir, m.offset, m.wire_length);
    }
    void on_gap(const recover::gap& g) override {
        side(g.connection, g.dir).bytes += g.length;
        place(g.connection, g.dir, g.offset, g.length);
    }
    void on_unparsed(const recover::unparsed_run& u) override {
        require(u.length > 0 && u.head.size() <= 16);
        side(u.connection, u.dir).bytes += u.length;
        place(u.connection, u.dir, u.offset, u.length);
    }
    void on_end(std::uint32_t id, direction dir, recover::end_kind, const frame_ref&) override {
        (void)side(id, dir);
    }
    void on_totals(std::uint32_t id, const recover::direction_totals& c2s,
                   const recover::direction_totals& s2c) override {
        for (const direction dir : {direction::c2s, direction::s2c}) {
            const recover::direction_totals& t = dir == direction::c2s ? c2s : s2c;
            require(t.message_bytes + t.gap_bytes + t.unparsed_bytes == t.stream_bytes);
            require(side(id, dir).bytes == t.stream_bytes);
        }
    }
    void on_closed(std::uint32_t id, recover::end_kind, const frame_ref&) override {
        require(known_.erase(id) == 1);
    }
    void on_observation(const capture::observation&) override {}
    [[nodiscard]] bool all_closed() const { return known_.empty(); }

  private:
    struct one_side {
        std::uint64_t bytes = 0;
        std::map<std::uint64_t, std::uint64_t> taken;  // begin -> end
    };
    struct two_sides {
        one_side sides[2];
    };
    one_side& side(std::uint32_t id, direction dir) {
        const auto found = known_.find(id);
        require(found != known_.end());
        return found->second.sides[index(dir)];
    }
    // No byte twice.
    void place(std::uint32_t id, direction dir, std::uint64_t offset, std::uint64_t length) {
        auto& taken = side(id, dir).taken;
        const auto next = taken.upper_bound(offset);
        require(next == taken.end() || next->first >= offset + length);
        require(next == taken.begin() || std::prev(next)->second <= offset);
        taken[offset] = offset + length;
    }

    std::map<std::uint32_t, two_sides> known_;
};

// A no-op of DCP, or an acknowledgement or small batch of canal.
std::string whole_message(std::uint8_t kind) {
    switch (kind % 4) {
        case 0:
            return std::string("\x80\x5c", 2) + std::string(22, '\0');
        case 1:
            return std::string("\x80\x5d\0\0\4\0\0\0\0\0\0\4", 12) + std::string(16, '\1');
        case 2:
            return std::string("\0\0\0\4\x10\1\x18\3", 8);
        default:
            return std::string("\0\0\0\x0d\x18\7\x2a\x09\x08\5\x12\5\x0a\3abc", 17);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    cursor in(byte_view(data, size));
    recover::options chosen;
    chosen.messages.dcp_body = 3000;
    chosen.messages.canal_packet = 3000;
    chosen.tcp.held_per_direction = 8000;
    chosen.tcp.held_total = 20'000;
    chosen.tcp.settle_bytes = 3000;
    chosen.tcp.start_segments = 3;
    checker to;
    recover::recovery all(chosen, to, to);
    constexpr std::uint16_t ports[] = {11210, 11111, 11110, 5000};
    capture::segment s;
    std::uint32_t at[4][2] = {};
    const std::uint8_t syns = in.u8();
    for (std::uint8_t c = 0; c < 4; ++c) at[c][0] = at[c][1] = 0xfffffff0U;
    while (in.remaining() >= 4) {
        const std::uint8_t what = in.u8();
        const std::uint8_t c = what & 3;
        const std::size_t dir = what >> 2 & 1;
        capture::endpoint client, server;
        client.ip.bytes[15] = 1;
        client.port = 40000;
        server.ip.bytes[15] = 2;
        server.port = ports[c];
        s.source = dir == 0 ? client : server;
        s.destination = dir == 0 ? server : client;
        s.flags = capture::tcp_flag::ack | capture::tcp_flag::psh;
        s.payload = {};
        const bool starts = at[c][dir] == 0xfffffff0U && (syns >> c & 1) != 0;
        s.sequence = at[c][dir];
        if (starts) {
            s.flags =
                dir == 0 ? capture::tcp_flag::syn : capture::tcp_flag::syn | capture::tcp_flag::ack;
            ++at[c][dir];
        }
        s.acknowledgement = at[c][1 - dir];
        std::string bytes;
        const std::uint8_t mode = in.u8();
        if ((mode & 1) != 0) {
            bytes = whole_message(mode >> 1);
        } else {
            const byte_view raw = in.take(std::min<std::size_t>(mode >> 1, in.remaining()));
            bytes = as_text(raw);
        }
        const std::uint8_t fate = in.u8();
        if (!starts) {
            // Lost, late, repeated, cut, or as it should be.
            if ((fate & 7) == 7) s.sequence -= fate >> 4;
            if ((fate & 7) == 6) s.sequence += fate;
            s.payload =
                as_bytes(bytes).first(bytes.size() - ((fate & 7) == 5 ? bytes.size() / 2 : 0));
            at[c][dir] += static_cast<std::uint32_t>(bytes.size());
            if (fate == 255) s.flags = capture::tcp_flag::ack | capture::tcp_flag::fin;
            if (fate == 251) s.flags = capture::tcp_flag::ack | capture::tcp_flag::rst;
        } else {
            bytes.clear();
        }
        s.wire_payload = static_cast<std::uint32_t>(bytes.size());
        s.at.time_ns += std::int64_t{fate} * 3'000'000;
        ++s.at.frame;
        if ((fate & 7) != 4 || starts) all.on_segment(s);
    }
    all.finish();
    require(to.all_closed());
    return 0;
}
