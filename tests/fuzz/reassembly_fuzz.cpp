// Segments made from the input go to the reordering. Each payload byte follows from its sequence
// number, so whatever comes out can be checked: in order, holes where bytes are missing, every byte
// the right one.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "analyzer/tcp/connection_table.h"
#include "proto/wire/cursor.h"

namespace {

using namespace cdcscope;

void require(bool holds) {
    if (!holds) std::abort();
}

constexpr std::uint8_t step = 167;  // from each byte to the next

class checker final : public tcp::stream_consumer {
  public:
    explicit checker(bool content) : content_(content) {}

    void on_start(direction dir, tcp::position origin, bool) override {
        side& s = sides_[index(dir)];
        require(!s.started && !closed_);
        s = {true, false, origin, 0, origin};
    }
    void on_data(const tcp::chunk& c) override {
        side& s = sides_[index(c.dir)];
        require(s.started && c.begin == s.next && c.size > 0 && !closed_);
        require(c.brought.order <= c.available.order);
        require(!content_ || c.bytes.size() == c.size);
        for (std::size_t i = 0; i < c.bytes.size(); ++i) {
            const tcp::position at = c.begin + static_cast<tcp::position>(i);
            if (s.has_last) {
                const auto moved = static_cast<std::uint8_t>(at - s.last_at);
                require(c.bytes[i] == static_cast<std::uint8_t>(s.last + moved * step));
            }
            s.has_last = true;
            s.last = c.bytes[i];
            s.last_at = at;
        }
        s.next += static_cast<tcp::position>(c.size);
    }
    void on_hole(const tcp::hole& h) override {
        side& s = sides_[index(h.dir)];
        require(s.started && h.begin == s.next && h.end > h.begin && !closed_);
        s.next = h.end;
    }
    void on_settled(direction dir, tcp::position upto, const tcp::arrival&) override {
        require(sides_[index(dir)].started && upto > sides_[index(dir)].next);
    }
    void on_end(direction dir, tcp::end_kind how, tcp::position at, tcp::position,
                const tcp::arrival&) override {
        const side& s = sides_[index(dir)];
        require(s.started && !closed_ && (how != tcp::end_kind::fin || at == s.next));
    }
    void on_close(tcp::end_kind, const tcp::arrival&) override {
        require(!closed_);
        closed_ = true;
    }
    [[nodiscard]] bool wants_content() const noexcept override { return content_; }

  private:
    struct side {
        bool started = false, has_last = false;
        tcp::position next = 0;
        std::uint8_t last = 0;
        tcp::position last_at = 0;
    };
    bool content_;
    bool closed_ = false;
    side sides_[2];
};

class factory final : public tcp::consumer_factory {
  public:
    std::unique_ptr<tcp::stream_consumer> open(const tcp::connection& c) override {
        return std::make_unique<checker>(c.who().id % 4 != 3);
    }
};

class nobody final : public capture::observation_sink {
    void on_observation(const capture::observation&) override {}
};

capture::endpoint host(std::uint8_t last, std::uint16_t port) {
    capture::endpoint e;
    e.ip.bytes[15] = last;
    e.port = port;
    return e;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    cursor in(byte_view(data, size));
    tcp::limits limit;
    limit.held_per_direction = 4000;
    limit.held_total = 9000;
    limit.settle_bytes = 3000;
    limit.start_segments = 4;
    limit.forget_closed_ns = 3'000'000'000;
    limit.forget_idle_ns = 20'000'000'000;
    factory make;
    nobody nowhere;
    constexpr std::uint16_t ports[] = {11210};
    tcp::connection_table table(limit, ports, make, nowhere);
    capture::segment s;
    std::vector<std::uint8_t> payload;
    while (in.remaining() >= 12) {
        const std::uint8_t what = in.u8();
        const bool to_server = (what & 1) != 0;
        const auto client = host(static_cast<std::uint8_t>(1 + (what >> 6)), 40000);
        s.source = to_server ? client : host(9, 11210);
        s.destination = to_server ? host(9, 11210) : client;
        s.flags = in.u8();
        // Mostly near each other, at times anywhere.
        const bool wild = (what & 0x3e) == 0x3e;
        s.sequence = wild ? in.be32() : 0xfffffe00U + in.be16();
        s.acknowledgement = 0xfffffe00U + in.be16();
        s.window = static_cast<std::uint16_t>(in.u8() << 4);
        s.ip_id = in.u8();
        const std::uint32_t length = in.u8();
        s.wire_payload = length;
        payload.resize(length);
        for (std::uint32_t i = 0; i < length; ++i) {
            const std::uint32_t first =
                s.sequence + ((s.flags & capture::tcp_flag::syn) != 0 ? 1 : 0);
            payload[i] = static_cast<std::uint8_t>((first + i) * step);
        }
        s.payload = byte_view(payload).first((what & 2) != 0 ? length / 2 : length);
        s.at.time_ns += std::int64_t{in.u8()} * 10'000'000;
        ++s.at.frame;
        table.on_segment(s);
        require(table.held() <= limit.held_total);
    }
    table.finish();
    return 0;
}
