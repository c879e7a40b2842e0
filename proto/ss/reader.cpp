#include "proto/ss/reader.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "proto/wire/crc16.h"

namespace cdcscope::ss {
namespace {

constexpr std::uint64_t no_beacon = std::numeric_limits<std::uint64_t>::max();

constexpr std::size_t head_size(std::uint8_t key_size) noexcept {
    return 1U + key_size + 28;
}

// Of a key that is followed by its numbers, at the start of a frame.
label label_of(byte_view head) noexcept {
    return read_label(head.data());
}

std::uint32_t payload_size_of(byte_view head) noexcept {
    return load_be32(head.data() + head_size(head[0]) - 4);
}

}  // namespace

reader::reader(byte_source& source, std::uint32_t interval, std::uint64_t offset,
               std::size_t window_size)
    : window_(source, std::max(window_size, min_window)),
      interval_(std::max(interval, min_interval)),
      here_(at(offset)) {}

reader::position reader::at(std::uint64_t offset) const noexcept {
    const std::uint64_t past = (offset + interval_ - shift_) % interval_;
    return {offset, past == 0 ? offset : offset - past + interval_};
}

void reader::go_to(std::uint64_t offset) noexcept {
    here_ = at(offset);
    eos_seen_ = false;
}

void reader::set_grid(std::uint32_t interval, std::uint64_t shift) noexcept {
    interval_ = std::max(interval, min_interval);
    shift_ = shift % interval_;
    here_ = at(here_.offset);
}

bool reader::read_at(std::uint64_t offset, std::span<const placed_beacon> beacons) {
    placed_only_ = true;
    placed_ = beacons;
    here_ = {offset, beacons.empty() ? no_beacon : beacons.front().offset};
    const item found = next_cut();
    here_ = at(here_.offset);
    return found == item::message;
}

item reader::fail(fault what, std::uint64_t offset) noexcept {
    broken_ = {};
    broken_.what = window_.failed() ? fault::read_failed : what;
    broken_.offset = offset;
    return item::broken;
}

item reader::next() {
    placed_only_ = false;
    if (beacon_is_due()) return next_beacon();
    if (eos_seen_) return item::end;
    const std::uint64_t room = here_.beacon_at - here_.offset;
    byte_view bytes = window_.get(
        here_.offset, static_cast<std::size_t>(std::min<std::uint64_t>(room, max_head_size)));
    if (bytes.empty()) {
        return window_.failed() ? fail(fault::read_failed, here_.offset) : item::end;
    }
    const std::size_t head = head_size(bytes[0]);
    if (bytes.size() < head) return next_cut();
    const std::uint64_t frame = frame_size(bytes[0], payload_size_of(bytes));
    if (frame > room || frame > window_.capacity() / 2) return next_cut();
    bytes = window_.get(here_.offset, static_cast<std::size_t>(frame));
    return bytes.size() == frame ? next_uncut(bytes, head) : next_cut();
}

item reader::next_beacon() {
    if (window_.get(here_.offset, 1).empty()) {
        return window_.failed() ? fail(fault::read_failed, here_.offset) : item::end;
    }
    const read_beacon_result r = beacon_at(here_.offset);
    if (r.broken) {
        broken_ = r.broken;
        return item::broken;
    }
    beacon_ = r.beacon;
    beacon_offset_ = here_.offset;
    here_ = {here_.offset + r.beacon.size(), here_.beacon_at + interval_};
    return item::beacon;
}

read_beacon_result reader::beacon_at(std::uint64_t offset) {
    const byte_view start = window_.get(offset, 6);
    const std::size_t most = start.size() < 6 ? 6 : beacon_overhead + start[5] * max_marker_size;
    read_beacon_result r = read_beacon(window_.get(offset, most), offset, interval_);
    if (r.broken && window_.failed()) r.broken.what = fault::read_failed;
    return r;
}

void reader::keep_head(byte_view head) noexcept {
    std::ranges::copy(head, head_.begin());
    message_.at = label_of(head_);
    message_.size = payload_size_of(head_);
}

item reader::next_uncut(byte_view frame, std::size_t head) noexcept {
    keep_head(frame.first(head));
    if (const fault bad = check_label(message_.at); bad != fault::none) {
        (void)fail(bad, here_.offset);
        broken_.stored = message_.at.key.size();
        return item::broken;
    }
    const byte_view payload = frame.subspan(head, message_.size);
    message_.offset = here_.offset;
    message_.computed = crc16(payload);
    here_.offset += frame.size();
    payload_at_ = {message_.offset + head, here_.beacon_at};
    return accept(frame.last(tail_size), is_eos(message_.at.key, payload));
}

item reader::accept(byte_view tail, bool is_end_of_stream) noexcept {
    message_.stored = load_be16(tail.data());
    message_.end_mark_ok = tail[2] == mark;
    message_.eos = is_end_of_stream && message_.checksum_ok();
    message_.end = here_.offset;
    eos_seen_ = eos_seen_ || message_.eos;
    return item::message;
}

bool reader::step_over_beacons(position& p) {
    while (p.offset == p.beacon_at) {
        if (placed_only_) {
            step_over_placed(p);
            continue;
        }
        const read_beacon_result r = beacon_at(p.offset);
        if (r.broken) {
            broken_ = r.broken.what == fault::beacon_cut ? problem{} : r.broken;
            return false;
        }
        p = {p.offset + r.beacon.size(), p.beacon_at + interval_};
    }
    return true;
}

void reader::step_over_placed(position& p) const noexcept {
    const auto here = std::ranges::lower_bound(placed_, p.offset, {}, &placed_beacon::offset);
    assert(here != placed_.end() && here->size > 0);
    p.offset += here->size;
    p.beacon_at = here + 1 == placed_.end() ? no_beacon : (here + 1)->offset;
}

template <typename Visit>
bool reader::take(position& p, std::uint64_t size, Visit visit) {
    while (size > 0) {
        if (!step_over_beacons(p)) return false;
        const byte_view piece = window_.some(p.offset, std::min(size, p.beacon_at - p.offset));
        if (piece.empty()) {
            broken_ = {};
            return false;
        }
        visit(piece);
        p.offset += piece.size();
        size -= piece.size();
    }
    return true;
}

// A message that crosses a beacon or is too large for the window, or one that is cut off.
item reader::next_cut() {
    const std::uint64_t start = here_.offset;
    const auto stopped = [&] { return broken_ ? item::broken : fail(fault::message_cut, start); };
    position p = here_;
    std::array<std::uint8_t, max_head_size> head{};
    std::size_t filled = 0;
    const auto fill = [&](byte_view piece) {
        std::ranges::copy(piece, head.begin() + static_cast<std::ptrdiff_t>(filled));
        filled += piece.size();
    };
    if (!take(p, 1, fill) || !take(p, head_size(head[0]) - 1, fill)) return stopped();
    keep_head({head.data(), filled});
    if (const fault bad = check_label(message_.at); bad != fault::none) {
        (void)fail(bad, start);
        broken_.stored = message_.at.key.size();
        return item::broken;
    }
    // A size that the whole file could not hold is not believed.
    if (message_.size > window_.source().size()) return fail(fault::message_cut, start);
    payload_at_ = p;

    std::uint16_t crc = crc16_initial;
    std::array<std::uint8_t, eos_payload.size()> first{};
    std::size_t seen = 0;
    const auto check = [&](byte_view piece) {
        crc = crc16(piece, crc);
        for (std::size_t i = 0; i < piece.size() && seen < first.size(); ++i) {
            first[seen++] = piece[i];
        }
    };
    std::array<std::uint8_t, tail_size> tail{};
    std::size_t tail_filled = 0;
    const auto fill_tail = [&](byte_view piece) {
        for (const std::uint8_t b : piece) tail[tail_filled++] = b;
    };
    if (!take(p, message_.size, check) || !take(p, tail_size, fill_tail)) return stopped();
    message_.offset = start;
    message_.computed = crc;
    here_ = p;
    return accept(tail, message_.size == seen && is_eos(message_.at.key, first));
}

reader::payload_cursor reader::payload() const noexcept {
    payload_cursor c;
    c.at_ = payload_at_;
    c.left_ = message_.size;
    return c;
}

byte_view reader::next_piece(payload_cursor& at) {
    if (at.left_ == 0 || !step_over_beacons(at.at_)) return {};
    const std::uint64_t room = at.at_.beacon_at - at.at_.offset;
    const byte_view piece = window_.some(at.at_.offset, std::min<std::uint64_t>(at.left_, room));
    at.at_.offset += piece.size();
    at.left_ -= static_cast<std::uint32_t>(piece.size());
    return piece;
}

byte_view reader::whole_payload(std::vector<std::uint8_t>& scratch) {
    payload_cursor c = payload();
    byte_view piece = next_piece(c);
    if (c.left() == 0) return piece;
    scratch.clear();
    for (; !piece.empty(); piece = next_piece(c)) {
        scratch.insert(scratch.end(), piece.begin(), piece.end());
    }
    return scratch;
}

}  // namespace cdcscope::ss
