// Hand-made segments in, a log of what came out of the reordering.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/tcp/connection_table.h"

namespace cdcscope::tcp::testing {

inline capture::endpoint host(std::uint8_t last, std::uint16_t port) {
    capture::endpoint e;
    e.ip.bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, last};
    e.port = port;
    return e;
}

struct observed final : capture::observation_sink {
    std::map<std::string, int, std::less<>> counts;
    std::map<std::string, std::string, std::less<>> texts;
    void on_observation(const capture::observation& o) override {
        const std::string_view code = findings::entry_of(o.code).text;
        ++counts[std::string(code)];
        if (!o.text.empty()) texts.emplace(code, o.text);
    }
    [[nodiscard]] int count(std::string_view code) const {
        const auto found = counts.find(code);
        return found == counts.end() ? 0 : found->second;
    }
};

// What one connection gave; directions apart.
struct story {
    connection_identity who;
    std::string bytes[2];               // delivered, holes left out
    std::vector<std::string> holes[2];  // "offset+length reason"
    std::vector<std::string> ends;      // "c2s fin 12"
    std::vector<std::uint32_t> end_frames;
    position origin[2] = {no_position, no_position};
    bool from_syn[2] = {false, false};
    std::string client_seen;
    std::vector<position> settled[2];
    std::vector<chunk> chunks[2];  // without their bytes
    bool closed = false;
    end_kind how = end_kind::end_of_capture;
};

inline std::string_view name(gap_reason r) {
    constexpr std::string_view names[] = {"acked_unseen", "not_acked", "snaplen", "memory_cap"};
    return names[static_cast<std::size_t>(r)];
}
inline std::string_view name(end_kind k) {
    constexpr std::string_view names[] = {"fin", "rst", "reused", "timed_out", "end_of_capture"};
    return names[static_cast<std::size_t>(k)];
}

class storyteller final : public stream_consumer {
  public:
    explicit storyteller(story& to) : to_(to) {}
    bool content = true;

    void on_client(direction dir) override { to_.client_seen = cdcscope::name(dir); }
    void on_start(direction dir, position origin, bool from_syn) override {
        to_.origin[index(dir)] = next_[index(dir)] = origin;
        to_.from_syn[index(dir)] = from_syn;
    }
    void on_data(const chunk& c) override {
        if (c.begin != next_[index(c.dir)]) throw std::logic_error("not in order");
        if (content && c.bytes.size() != c.size) throw std::logic_error("bytes are missing");
        next_[index(c.dir)] += static_cast<position>(c.size);
        to_.bytes[index(c.dir)] += as_text(c.bytes);
        to_.chunks[index(c.dir)].push_back(c);
        to_.chunks[index(c.dir)].back().bytes = {};
    }
    void on_hole(const hole& h) override {
        if (h.begin != next_[index(h.dir)] || h.end <= h.begin)
            throw std::logic_error("hole is not where it belongs");
        if (h.behind.at.frame == 0) throw std::logic_error("hole without a frame");
        next_[index(h.dir)] = h.end;
        to_.holes[index(h.dir)].push_back(std::to_string(h.begin - to_.origin[index(h.dir)]) + "+" +
                                          std::to_string(h.end - h.begin) + " " +
                                          std::string(name(h.reason)));
    }
    void on_settled(direction dir, position upto, const arrival&) override {
        to_.settled[index(dir)].push_back(upto - to_.origin[index(dir)]);
    }
    void on_end(direction dir, end_kind how, position at, position, const arrival& by) override {
        to_.ends.push_back(std::string(cdcscope::name(dir)) + " " + std::string(name(how)) + " " +
                           std::to_string(at - to_.origin[index(dir)]));
        to_.end_frames.push_back(by.at.frame);
    }
    void on_close(end_kind how, const arrival&) override {
        to_.closed = true;
        to_.how = how;
    }
    [[nodiscard]] bool wants_content() const noexcept override { return content; }

  private:
    story& to_;
    position next_[2] = {0, 0};
};

// A capture in the making: a client 10.0.0.1:40000 and a server 10.0.0.2:11210 unless told
// otherwise.
class wire_script : public consumer_factory {
  public:
    explicit wire_script(const limits& limit = {}) : table(limit, ports_, *this, seen) {}

    std::unique_ptr<stream_consumer> open(const connection& c) override {
        auto& s = stories.emplace_back(std::make_unique<story>());
        s->who = c.who();
        auto teller = std::make_unique<storyteller>(*s);
        teller->content = content;
        return teller;
    }

    struct flags {
        bool syn = false, ack = true, fin = false, rst = false, psh = true;
    };

    capture::segment segment(direction dir, std::uint32_t sequence, std::string_view payload = {},
                             std::uint32_t ack = 0) {
        capture::segment s;
        s.source = dir == direction::c2s ? client : server;
        s.destination = dir == direction::c2s ? server : client;
        s.sequence = sequence;
        s.acknowledgement = ack;
        s.flags =
            capture::tcp_flag::ack | (payload.empty() ? std::uint8_t{0} : capture::tcp_flag::psh);
        s.payload = as_bytes(payload);
        s.wire_payload = static_cast<std::uint32_t>(payload.size());
        s.window = 60000;
        s.ip_id = ++ip_id_;
        return s;
    }
    void put(capture::segment s) {
        now_ns += step_ns;
        s.at = {now_ns, ++frame, 0};
        table.on_segment(s);
    }
    void data(direction dir, std::uint32_t sequence, std::string_view payload,
              std::uint32_t ack = 0) {
        put(segment(dir, sequence, payload, ack));
    }
    void acknowledge(direction dir, std::uint32_t sequence, std::uint32_t ack) {
        put(segment(dir, sequence, {}, ack));
    }
    void control(direction dir, std::uint8_t bits, std::uint32_t sequence, std::uint32_t ack = 0) {
        capture::segment s = segment(dir, sequence, {}, ack);
        s.flags = bits;
        put(s);
    }
    // Initial numbers 1000 and 5000: first bytes at 1001 and 5001.
    void handshake() {
        control(direction::c2s, capture::tcp_flag::syn, 1000);
        control(direction::s2c, capture::tcp_flag::syn | capture::tcp_flag::ack, 5000, 1001);
        control(direction::c2s, capture::tcp_flag::ack, 1001, 5001);
    }
    story& only() {
        if (stories.size() != 1) throw std::logic_error("not one connection");
        return *stories.front();
    }

    capture::endpoint client = host(1, 40000), server = host(2, 11210);
    std::int64_t now_ns = 1'700'000'000'000'000'000;
    std::int64_t step_ns = 1000;
    std::uint32_t frame = 0;
    bool content = true;
    observed seen;
    std::vector<std::unique_ptr<story>> stories;

  private:
    static constexpr std::uint16_t ports_[] = {11210, 11111};
    std::uint32_t ip_id_ = 0;

  public:
    connection_table table;
};

}  // namespace cdcscope::tcp::testing
