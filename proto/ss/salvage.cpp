#include "proto/ss/salvage.h"

#include <algorithm>
#include <string>

#include "proto/ss/assemble.h"
#include "proto/ss/header.h"

namespace cdcscope::ss {
namespace {

// With no interval to go by: beacons are then known by what they say only.
constexpr std::uint32_t no_interval = 0xffffffff;

// Trying every byte as the start of a message may hash many times what is there, if somebody made
// the file so. When this much was hashed in vain, only what beacons say is tried.
constexpr std::uint64_t tries_per_byte = 16;
constexpr std::uint64_t free_tries = std::uint64_t{64} << 20;

class salvager {
  public:
    salvager(byte_source& source, salvage_visitor& v, std::uint32_t interval)
        : visitor_(v),
          source_(source),
          reader_(source, interval),
          assembler_(source),
          interval_(interval),
          budget_(source.size() * tries_per_byte + free_tries) {}

    salvage_summary run(std::uint64_t offset) {
        reader_.go_to(offset);
        while (step()) {
        }
        sum_.interval = interval_ == no_interval ? default_interval : interval_;
        return sum_;
    }

    // The first whole message from there on, byte by byte.
    bool search(std::uint64_t offset) { return find_message(offset).has_value(); }

  private:
    bool step() {
        const std::uint64_t here = reader_.offset();
        const item found = reader_.next();
        if (found == item::beacon) {
            last_beacon_ = reader_.beacon_offset();
            return true;
        }
        if (found == item::end) return go_on_behind_eos();
        if (found == item::message && reader_.current().checksum_ok()) return give();
        return recover(here, found == item::message);
    }

    bool go_on_behind_eos() {
        if (!reader_.eos_seen()) return false;
        reader_.go_to(reader_.offset());
        return true;
    }

    // The reader stands on a message that can be kept.
    bool give() {
        const message& m = reader_.current();
        if (m.eos) {
            sum_.eos_ms = m.at.timestamp_ms;
            return true;
        }
        if (m.at.key.empty()) {
            lose(m.offset, m.end, fault::key_empty, m.at);
            return true;
        }
        ++sum_.messages;
        return visitor_.on_message(reader_);
    }

    // What stands at `here` can not be taken as it is read: a message with a wrong checksum
    // (parsed), or nothing that can be read.
    bool recover(std::uint64_t here, bool parsed) {
        const fault why = parsed ? fault::checksum : reader_.broken().what;
        if (why == fault::read_failed) {
            lose(here, source_.size(), why, {});
            return false;
        }
        message damaged = parsed ? reader_.current() : message{};
        const std::string key(damaged.at.key);
        damaged.at.key = key;
        if (step_over_stray_beacon(here)) return true;
        if (assemble(here, parsed ? damaged.end : here + interval_)) return give_assembled(here);
        if (parsed && is_followed(damaged)) {
            lose(here, damaged.end, why, damaged.at);
            reader_.go_to(damaged.end);
            return true;
        }
        const auto next = find_message(here + 1);
        lose(here, next.value_or(source_.size()), why, damaged.at);
        return next && give_assembled(*next);
    }

    // The payload is damaged but not the frame: what follows the message can be read.
    bool is_followed(const message& m) {
        if (!m.end_mark_ok) return false;
        reader_.go_to(m.end);
        item next = reader_.next();
        if (next == item::beacon) next = reader_.next();
        return next == item::end || (next == item::message && reader_.current().end_mark_ok);
    }

    bool step_over_stray_beacon(std::uint64_t here) {
        std::uint32_t remaining = 0;
        const std::size_t size = assembler_.beacon_size(here, remaining);
        if (size == 0 || remaining != 0) return false;
        note_beacon(here);
        reader_.go_to(here + size);
        return true;
    }

    // `end`: where the message may end at the farthest, as far as that is known.
    bool assemble(std::uint64_t here, std::uint64_t end) {
        if (assembler_.cost() > budget_) return false;
        if (assembler_.at(here)) return true;
        // A beacon whose own bytes are damaged still stands where the interval has it.
        if (interval_ == no_interval) return false;
        const std::uint64_t beacon = first_multiple_behind(here);
        return beacon < std::min(end, source_.size()) && assembler_.at(here, beacon);
    }

    bool give_assembled(std::uint64_t here) {
        if (!reader_.read_at(here, assembler_.beacons())) return false;
        const bool go_on = give();
        const std::uint64_t end = reader_.current().end;
        for (const placed_beacon& b : assembler_.beacons()) note_beacon(b.offset);
        reader_.go_to(end);
        return go_on;
    }

    std::optional<std::uint64_t> find_message(std::uint64_t from) {
        const std::uint64_t size = source_.size();
        for (std::uint64_t at = from; at < size; ++at) {
            if (assembler_.cost() > budget_) return find_by_beacon(at);
            if (assembler_.at(at)) return at;
        }
        return std::nullopt;
    }

    // The first message that starts behind a beacon, where the beacon says so.
    std::optional<std::uint64_t> find_by_beacon(std::uint64_t from) {
        if (interval_ == no_interval) return std::nullopt;
        for (std::uint64_t b = first_multiple_behind(from); b < source_.size(); b += interval_) {
            std::uint32_t remaining = 0;
            const std::size_t size = assembler_.beacon_size(b, remaining);
            if (size == 0 || size + remaining >= interval_) continue;
            if (assembler_.at(b + size + remaining)) return b + size + remaining;
        }
        return std::nullopt;
    }

    [[nodiscard]] std::uint64_t first_multiple_behind(std::uint64_t offset) const noexcept {
        const std::uint64_t past = (offset + interval_ - shift_) % interval_;
        return offset + interval_ - past;
    }

    // Beacons that are elsewhere than the header says move the grid; two of them, or one and its
    // place in the file, tell the interval.
    void note_beacon(std::uint64_t offset) {
        const std::uint64_t expected = (offset + interval_ - shift_) % interval_;
        if (expected != 0 || interval_ == no_interval) {
            const std::uint64_t step = last_beacon_ ? offset - *last_beacon_ : offset;
            if (step != interval_ && step >= min_interval && step < no_interval &&
                is_beacon(offset + step)) {
                interval_ = static_cast<std::uint32_t>(step);
            }
            shift_ = offset % interval_;
            reader_.set_grid(interval_, shift_);
        }
        last_beacon_ = offset;
    }

    bool is_beacon(std::uint64_t offset) {
        std::uint32_t remaining = 0;
        return assembler_.beacon_size(offset, remaining) > 0;
    }

    void lose(std::uint64_t offset, std::uint64_t end, fault why, const label& at) {
        if (end <= offset) return;
        ++sum_.lost_ranges;
        sum_.lost_bytes += end - offset;
        visitor_.on_lost({offset, end, why, at});
    }

    salvage_visitor& visitor_;
    byte_source& source_;
    reader reader_;
    assembler assembler_;
    std::uint32_t interval_;
    std::uint64_t shift_ = 0;
    std::optional<std::uint64_t> last_beacon_;
    std::uint64_t budget_;
    salvage_summary sum_;
};

class nobody final : public salvage_visitor {
  public:
    bool on_message(reader&) override { return false; }
};

}  // namespace

salvage_summary salvage(byte_source& source, salvage_visitor& v) {
    std::array<std::uint8_t, header_size> bytes{};
    const std::size_t n = source.read(0, bytes);
    const decoded_header h = decode_header({bytes.data(), n == byte_source::failed ? 0 : n});
    salvage_summary sum;
    if (n == byte_source::failed || n < header_size) {
        sum.header = n == byte_source::failed ? fault::read_failed : h.broken.what;
        sum.interval = default_interval;
        if (n == 0 || n == byte_source::failed) return sum;
        sum.lost_ranges = 1;
        sum.lost_bytes = n;
        v.on_lost({0, n, fault::header_short, {}});
        return sum;
    }
    const bool usable = h.value.interval >= min_interval && bytes[3] <= max_file_name;
    sum = salvager(source, v, usable ? h.value.interval : no_interval).run(header_size);
    sum.header = h.broken.what;
    return sum;
}

bool holds_message(byte_source& source, std::uint32_t interval, std::uint64_t offset) {
    nobody n;
    return salvager(source, n, interval).search(offset);
}

}  // namespace cdcscope::ss
