// What the tests of the state machine share: messages built by hand, a connection to feed them to,
// what it told.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proto/dcp/track.h"
#include "proto/findings/table.h"

namespace cdcscope::dcp::test {

using bytes = std::vector<std::uint8_t>;

// Big-endian numbers, one after the other: {value, size}.
inline bytes numbers(std::initializer_list<std::pair<std::uint64_t, int>> all) {
    bytes out;
    for (const auto& [value, size] : all) {
        for (int i = size - 1; i >= 0; --i)
            out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    }
    return out;
}

struct parts {
    std::uint8_t magic = 0x80;
    std::uint8_t opcode = 0;
    std::uint16_t vbucket_or_status = 0;
    std::uint32_t opaque = 0;
    bytes extras{}, value{};
    std::string key{};
    std::uint8_t datatype = 0;
};

inline bytes message(const parts& p) {
    const std::size_t body = p.extras.size() + p.key.size() + p.value.size();
    bytes out = numbers({{p.magic, 1},
                         {p.opcode, 1},
                         {p.key.size(), 2},
                         {p.extras.size(), 1},
                         {p.datatype, 1},
                         {p.vbucket_or_status, 2},
                         {body, 4},
                         {p.opaque, 4},
                         {0, 8}});
    out.insert(out.end(), p.extras.begin(), p.extras.end());
    out.insert(out.end(), p.key.begin(), p.key.end());
    out.insert(out.end(), p.value.begin(), p.value.end());
    return out;
}

// Findings as "D13 warning", settlements as text.
struct teller : findings::finding_sink {
    void on_finding(findings::finding f) noexcept override {
        const findings::entry& row = findings::entry_of(f.what);
        codes.push_back(std::string(row.rule.empty() ? row.text : row.rule) + " " +
                        std::string(findings::name(f.level)));
        all.push_back(std::move(f));
    }
    void on_settled(std::uint32_t id, bool over, const frame_ref&,
                    std::vector<findings::figure> figures, std::string text) noexcept override {
        settled[id] = {over, std::move(figures), std::move(text)};
    }
    struct settlement {
        bool over = false;
        std::vector<findings::figure> figures;
        std::string text;
    };
    std::vector<std::string> codes;
    std::vector<findings::finding> all;
    std::map<std::uint32_t, settlement> settled;
};

// A connection that opened DCP as a consumer, on bucket "travel". Each message comes 1 ms after the
// one before.
struct dialogue {
    explicit dialogue(bool from_start = true)
        : teller_(std::make_unique<teller>()),
          world_(std::make_unique<world>(world_sinks{teller_.get(), nullptr, nullptr},
                                         findings::thresholds{})) {
        c = world_->add({1, "10.0.0.1:50000", "10.0.0.2:11210", from_start});
    }

    track_record feed(direction dir, const bytes& raw, bool cut = false) {
        time_ns += 1'000'000;
        ++id;
        return c->feed({id, {time_ns, id, 0}, dir, raw, cut});
    }
    track_record c2s(const parts& p) { return feed(direction::c2s, message(p)); }
    track_record s2c(const parts& p) { return feed(direction::s2c, message(p)); }
    void wait(double seconds) { time_ns += static_cast<std::int64_t>(seconds * 1e9); }
    void end(direction from, end_of how = end_of::fin) {
        time_ns += 1'000'000;
        ++id;
        c->end(from, how, {time_ns, id, 0}, id);
    }
    void finish() { c->finish({time_ns + 1'000'000, id + 1, 0}, id + 1); }

    void ask(parts p, std::uint16_t status = 0, bytes answer = {}) {
        const std::uint8_t opcode = p.opcode;
        const std::uint32_t opaque = p.opaque = ++opaque_;
        c2s(p);
        s2c({.magic = 0x81,
             .opcode = opcode,
             .vbucket_or_status = status,
             .opaque = opaque,
             .value = std::move(answer)});
    }
    void open(std::uint32_t flags = 1, std::string name = "near:a") {
        ask({.opcode = 0x1f, .key = "agent"});
        ask({.opcode = 0x89, .key = "travel"});
        ask({.opcode = 0x50, .extras = numbers({{0, 4}, {flags, 4}}), .key = std::move(name)});
    }
    void control(std::string name, std::string_view value, std::uint16_t status = 0) {
        ask({.opcode = 0x5e, .value = bytes(value.begin(), value.end()), .key = std::move(name)},
            status);
    }
    static bytes request(std::uint64_t start, std::uint64_t end, std::uint64_t uuid = 0,
                         std::uint32_t flags = 0) {
        return numbers(
            {{flags, 4}, {0, 4}, {start, 8}, {end, 8}, {uuid, 8}, {start, 8}, {start, 8}});
    }
    // Asked for with `opaque`, opened.
    void stream(std::uint16_t vbucket, std::uint32_t opaque, std::uint64_t start = 0,
                std::uint64_t end = UINT64_MAX, std::uint64_t uuid = 0xaa) {
        c2s({.opcode = 0x53,
             .vbucket_or_status = vbucket,
             .opaque = opaque,
             .extras = request(start, end, uuid)});
        s2c({.magic = 0x81,
             .opcode = 0x53,
             .opaque = opaque,
             .value = numbers({{uuid, 8}, {0, 8}})});
    }
    track_record marker(std::uint16_t vbucket, std::uint32_t opaque, std::uint64_t start,
                        std::uint64_t end, std::uint32_t flags = 1) {
        return s2c({.opcode = 0x56,
                    .vbucket_or_status = vbucket,
                    .opaque = opaque,
                    .extras = numbers({{start, 8}, {end, 8}, {flags, 4}})});
    }
    track_record mutation(std::uint16_t vbucket, std::uint32_t opaque, std::uint64_t seqno,
                          std::string key = {}) {
        if (key.empty()) key = "k" + std::to_string(seqno);
        return s2c({.opcode = 0x57,
                    .vbucket_or_status = vbucket,
                    .opaque = opaque,
                    .extras = numbers({{seqno, 8}, {1, 8}, {0, 8}, {0, 4}, {0, 2}, {0, 1}}),
                    .key = std::move(key)});
    }
    track_record prepare(std::uint16_t vbucket, std::uint32_t opaque, std::uint64_t seqno,
                         std::string key, std::uint8_t level = 1) {
        return s2c({.opcode = 0x60,
                    .vbucket_or_status = vbucket,
                    .opaque = opaque,
                    .extras = numbers({{seqno, 8}, {1, 8}, {0, 8}, {0, 4}, {0, 2}, {level, 1}}),
                    .key = std::move(key)});
    }
    track_record commit(std::uint16_t vbucket, std::uint32_t opaque, std::uint64_t prepared,
                        std::uint64_t seqno, std::string key) {
        return s2c({.opcode = 0x62,
                    .vbucket_or_status = vbucket,
                    .opaque = opaque,
                    .extras = numbers({{prepared, 8}, {seqno, 8}}),
                    .key = std::move(key)});
    }
    track_record stream_end(std::uint16_t vbucket, std::uint32_t opaque, std::uint32_t reason) {
        return s2c({.opcode = 0x55,
                    .vbucket_or_status = vbucket,
                    .opaque = opaque,
                    .extras = numbers({{reason, 4}})});
    }
    track_record ack(std::uint32_t size) {
        return c2s({.opcode = 0x5d, .extras = numbers({{size, 4}})});
    }

    [[nodiscard]] const std::vector<std::string>& codes() const { return teller_->codes; }
    [[nodiscard]] teller& told() const { return *teller_; }

    std::unique_ptr<teller> teller_;
    std::unique_ptr<world> world_;
    std::unique_ptr<connection> c;
    std::int64_t time_ns = 1'700'000'000'000'000'000;
    std::uint32_t id = 0;
    std::uint32_t opaque_ = 0x1000;
};

}  // namespace cdcscope::dcp::test
