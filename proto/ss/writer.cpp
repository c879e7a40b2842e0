#include "proto/ss/writer.h"

#include <cassert>
#include <utility>

#include "proto/wire/crc16.h"

namespace cdcscope::ss {
namespace {

// Key, shard, sequence and time, as messages and markers begin. Returns the byte behind them.
std::uint8_t* put_label(std::uint8_t* p, const label& l) noexcept {
    *p++ = static_cast<std::uint8_t>(l.key.size());
    p = std::ranges::copy(as_bytes(l.key), p).out;
    store_be64(p, l.shard);
    store_be64(p + 8, l.sequence);
    store_be64(p + 16, l.timestamp_ms);
    return p + 24;
}

void append_marker(std::vector<std::uint8_t>& to, const marker& m) {
    std::array<std::uint8_t, max_marker_size> bytes;
    std::uint8_t* end = put_label(bytes.data(), m.highest);
    store_be16(end, m.running);
    to.insert(to.end(), bytes.data(), end + 2);
}

}  // namespace

writer::writer(std::uint32_t interval, writer_state state)
    : interval_(interval), state_(std::move(state)) {
    assert(interval >= min_interval);
    beacon_at_ = (state_.offset / interval + 1) * interval;
}

bool writer::open(const header& h, output& out) {
    assert(h.interval == interval_ && state_.offset == 0);
    const auto bytes = encode(h);
    if (!bytes || !out.put(*bytes)) return false;
    state_.offset = header_size;
    return state_.offset < beacon_at_ || write_beacon(out);
}

bool writer::write(const label& message, byte_view payload, output& out) {
    const auto size = static_cast<std::uint32_t>(payload.size());
    return start(message, size, crc16(payload), out) && put_payload(payload, out) && finish(out);
}

bool writer::write_eos(std::uint64_t timestamp_ms, output& out) {
    return write({internal_key, 0, 0, timestamp_ms}, as_bytes(eos_payload), out);
}

bool writer::start(const label& message, std::uint32_t size, std::uint16_t checksum, output& out) {
    assert(message.key.size() <= 255 && fits_frame(message.key.size(), size));
    assert(message.timestamp_ms <= max_timestamp_ms && left_ == 0);
    state_.streams.count(message, checksum);
    checksum_ = checksum;
    left_ = frame_size(message.key.size(), size);
    std::array<std::uint8_t, max_head_size> head;
    std::uint8_t* end = put_label(head.data(), message);
    store_be32(end, size);
    return put_cut({head.data(), end + 4}, out);
}

bool writer::put_payload(byte_view piece, output& out) {
    return put_cut(piece, out);
}

bool writer::finish(output& out) {
    assert(left_ == tail_size);
    std::array<std::uint8_t, tail_size> tail{};
    store_be16(tail.data(), checksum_);
    tail[2] = mark;
    return put_cut(tail, out);
}

bool writer::put_cut(byte_view bytes, output& out) {
    while (!bytes.empty()) {
        const std::uint64_t room = beacon_at_ - state_.offset;
        const byte_view now = bytes.first(std::min<std::uint64_t>(bytes.size(), room));
        if (!out.put(now)) return false;
        bytes = bytes.subspan(now.size());
        state_.offset += now.size();
        left_ -= now.size();
        if (state_.offset == beacon_at_ && !write_beacon(out)) return false;
    }
    return true;
}

bool writer::write_beacon(output& out) {
    const std::size_t capacity = marker_capacity(interval_);
    const std::size_t markers = state_.streams.markers(capacity);
    beacon_.assign(6, mark);
    store_be32(beacon_.data() + 1, static_cast<std::uint32_t>(left_));
    beacon_[5] = static_cast<std::uint8_t>(markers);
    state_.streams.each_marker(capacity, [&](const marker& m) { append_marker(beacon_, m); });
    beacon_.push_back(mark);
    state_.streams.give(markers);
    beacon_at_ = (state_.offset / interval_ + 1) * interval_;
    state_.offset += beacon_.size();
    return out.put(beacon_);
}

}  // namespace cdcscope::ss
