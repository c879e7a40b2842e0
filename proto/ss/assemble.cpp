#include "proto/ss/assemble.h"

#include <algorithm>

#include "proto/wire/crc16.h"

namespace cdcscope::ss {
namespace {

// A message with more beacons than this inside is not put together: their places would fill the
// memory.
constexpr std::size_t max_beacons = std::size_t{1} << 20;

}  // namespace

bool assembler::at(std::uint64_t offset) {
    return try_with(offset, std::nullopt);
}

bool assembler::at(std::uint64_t offset, std::uint64_t beacon) {
    std::size_t size = 6;
    for (std::size_t markers = 0; markers <= 255; ++markers) {
        const byte_view next = window_.get(beacon + size, 1);
        if (next.empty()) return false;
        const std::uint8_t key_size = next[0];
        if (key_size == mark && try_with(offset, placed_beacon{beacon, size + 1})) return true;
        size += key_size + marker_overhead;
    }
    return false;
}

std::size_t assembler::beacon_size(std::uint64_t offset, std::uint32_t& remaining) {
    const byte_view start = window_.get(offset, beacon_overhead);
    if (start.size() < beacon_overhead || start[0] != mark) return 0;
    // The common shape of something else: an end mark before a key or a number.
    if (start[5] == 0 && start[6] != mark) return 0;
    const std::size_t most = beacon_overhead + start[5] * max_marker_size;
    const read_beacon_result r = read_beacon(window_.get(offset, most), offset, 0xffffffffU);
    if (r.broken || !r.beacon.last_mark_ok()) return 0;
    remaining = r.beacon.remaining();
    return r.beacon.size();
}

bool assembler::try_with(std::uint64_t offset, std::optional<placed_beacon> forced) {
    forced_ = forced;
    beacons_.clear();
    remaining_.clear();
    position_ = offset;
    taken_ = frame_ = 0;
    return read_head() && read_body();
}

// A beacon inside the message at the current position: the forced one, or one that says what
// remains of it.
bool assembler::step_over_beacon() {
    std::size_t size = 0;
    std::uint32_t remaining = 0;
    if (forced_ && position_ == forced_->offset) {
        size = forced_->size;
    } else if (taken_ > 0) {
        size = beacon_size(position_, remaining);
        if (size > 0 && frame_ == 0) remaining_.push_back(remaining);
        if (size > 0 && frame_ > 0 && remaining != left()) size = 0;
    }
    if (size == 0 || beacons_.size() == max_beacons) return false;
    if (frame_ == 0 && remaining_.size() < beacons_.size() + 1) remaining_.push_back(0);
    beacons_.push_back({position_, size});
    position_ += size;
    return true;
}

// Whether the head read so far can be one.
bool assembler::head_can_go_on() const noexcept {
    const std::size_t k = head_[0];
    if (k > max_key_size) return false;
    const std::size_t i = static_cast<std::size_t>(taken_) - 1;
    if (i >= 1 && i <= k) return key_characters[head_[i]];
    const std::size_t time_at = 1 + k + 16;
    return i != time_at + 7 || load_be64(head_.data() + time_at) <= max_timestamp_ms;
}

bool assembler::read_head() {
    std::size_t size = 1;
    while (taken_ < size) {
        const byte_view b = window_.get(position_, 1);
        if (b.empty()) return false;
        if ((b[0] == mark || forced_) && step_over_beacon()) continue;
        head_[taken_++] = window_.get(position_, 1)[0];
        ++position_;
        if (!head_can_go_on()) return false;
        if (taken_ == 1) size = 1U + head_[0] + 28;
    }
    const std::uint32_t payload = load_be32(head_.data() + size - 4);
    frame_ = frame_size(head_[0], payload);
    if (payload > window_.source().size() - std::min(position_, window_.source().size())) {
        return false;
    }
    // Beacons in the head: only now is known what should remain.
    std::uint64_t taken = 0;
    std::uint64_t from = beacons_.empty() ? 0 : position_;
    for (std::size_t i = beacons_.size(); i-- > 0;) {
        taken += from - (beacons_[i].offset + beacons_[i].size);
        from = beacons_[i].offset;
        const bool is_forced = forced_ && forced_->offset == beacons_[i].offset;
        if (!is_forced && remaining_[i] != frame_ - taken_ + taken) return false;
    }
    return true;
}

std::size_t assembler::plain_run(byte_view held) const noexcept {
    std::size_t most = static_cast<std::size_t>(std::min<std::uint64_t>(held.size(), left()));
    if (forced_ && forced_->offset > position_) {
        most = static_cast<std::size_t>(std::min<std::uint64_t>(most, forced_->offset - position_));
    }
    const auto end = held.begin() + static_cast<std::ptrdiff_t>(most);
    auto found = std::find(held.begin(), end, mark);
    while (end - found > 5 &&
           load_be32(&*found + 1) != left() - static_cast<std::uint64_t>(found - held.begin())) {
        found = std::find(found + 1, end, mark);
    }
    return static_cast<std::size_t>(found - held.begin());
}

bool assembler::read_body() {
    std::uint16_t crc = crc16_initial;
    std::array<std::uint8_t, tail_size> tail{};
    while (left() > 0) {
        if (step_over_beacon()) continue;
        const byte_view held = window_.some(position_, left());
        if (held.empty()) return false;
        // At least one byte: what stands here is no beacon.
        const std::size_t n = std::max<std::size_t>(plain_run(held), 1);
        const std::uint64_t of_payload = left() > tail_size ? left() - tail_size : 0;
        const byte_view payload = held.first(std::min<std::uint64_t>(n, of_payload));
        crc = crc16(payload, crc);
        for (std::size_t i = payload.size(); i < n; ++i) {
            tail[taken_ + i - (frame_ - tail_size)] = held[i];
        }
        cost_ += n;
        taken_ += n;
        position_ += n;
    }
    return load_be16(tail.data()) == crc && tail[2] == mark;
}

}  // namespace cdcscope::ss
