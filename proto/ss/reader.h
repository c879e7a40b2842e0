// Reads .ss files frame by frame (docs/ss.md section 11). Messages of any size are checked in
// constant memory; their payloads are views where the file allows it, pieces elsewhere.
#pragma once

#include <array>
#include <vector>

#include "proto/ss/beacon.h"
#include "proto/ss/window.h"

namespace cdcscope::ss {

struct message {
    std::uint64_t offset = 0;  // of its first byte
    std::uint64_t end = 0;     // first offset behind it; beacons inside it counted
    label at;
    std::uint32_t size = 0;      // of the payload
    std::uint16_t stored = 0;    // checksum in the file
    std::uint16_t computed = 0;  // checksum of the payload
    bool end_mark_ok = false;
    bool eos = false;  // ends the stream; its checksum is right

    [[nodiscard]] bool checksum_ok() const noexcept { return stored == computed; }
};

// Where a beacon was found inside a message.
struct placed_beacon {
    std::uint64_t offset = 0;
    std::size_t size = 0;
};

enum class item : std::uint8_t {
    message,  // see current(): whole, though its checksum or end mark may be wrong
    beacon,   // between two messages; see beacon()
    end,      // the source ends here for now, or the stream for good (eos_seen)
    broken,   // see broken(); the position stays, so a growing file can be tried again after a cut
              // frame
};

class reader {
  public:
    static constexpr std::size_t default_window = std::size_t{256} << 10;
    static constexpr std::size_t min_window = 2 * max_beacon_size;

    // `interval` is at least 128. Starts where a frame does, right behind the header by default.
    // The source is borrowed.
    reader(byte_source& source, std::uint32_t interval, std::uint64_t offset = header_size,
           std::size_t window_size = default_window);

    // What comes next. Views given out before end here.
    [[nodiscard]] item next();

    [[nodiscard]] const message& current() const noexcept { return message_; }
    [[nodiscard]] const beacon_view& beacon() const noexcept { return beacon_; }
    [[nodiscard]] std::uint64_t beacon_offset() const noexcept { return beacon_offset_; }
    [[nodiscard]] const problem& broken() const noexcept { return broken_; }

    [[nodiscard]] bool eos_seen() const noexcept { return eos_seen_; }
    // Where the next frame starts, and whether a beacon has to stand there.
    [[nodiscard]] std::uint64_t offset() const noexcept { return here_.offset; }
    [[nodiscard]] bool beacon_is_due() const noexcept { return here_.offset == here_.beacon_at; }

    // Goes to a place where a frame starts (behind an EOS, too).
    void go_to(std::uint64_t offset) noexcept;

    // For files whose beacons are not where they should be: they stand at multiples of the interval
    // plus `shift`.
    void set_grid(std::uint32_t interval, std::uint64_t shift) noexcept;
    // Reads the message at that offset with these beacons inside it and no others; they are
    // borrowed until the next call of next(). False: there is none.
    [[nodiscard]] bool read_at(std::uint64_t offset, std::span<const placed_beacon> beacons);

    // Payload of the current message, piece by piece.
    class payload_cursor;
    [[nodiscard]] payload_cursor payload() const noexcept;
    // The next piece; nothing at its end, or if the source does not give the same bytes any more.
    [[nodiscard]] byte_view next_piece(payload_cursor& at);
    // All of it: a view if it is in one piece in the window, else copied to `scratch`. Valid until
    // the next call of anything. Fewer than size bytes: the source does not give the same bytes any
    // more.
    [[nodiscard]] byte_view whole_payload(std::vector<std::uint8_t>& scratch);

    // Calls visit(offset, beacon_view, left) for each beacon inside the current message: left is
    // what `remaining` should say.
    template <typename Visit>
    void each_inner_beacon(Visit visit) {
        std::uint64_t left = frame_size(message_.at.key.size(), message_.size);
        std::uint64_t from = message_.offset;
        for (std::uint64_t at = multiple_behind(from); at < message_.end; at += interval_) {
            const read_beacon_result r = beacon_at(at);
            if (r.broken) return;
            left -= at - from;
            from = at + r.beacon.size();
            visit(at, r.beacon, left);
        }
    }

    [[nodiscard]] window& bytes() noexcept { return window_; }
    [[nodiscard]] std::uint32_t interval() const noexcept { return interval_; }

  private:
    struct position {
        std::uint64_t offset = 0;
        std::uint64_t beacon_at = 0;  // first multiple of the interval not below the offset
    };

    [[nodiscard]] position at(std::uint64_t offset) const noexcept;
    [[nodiscard]] std::uint64_t multiple_behind(std::uint64_t offset) const noexcept {
        return at(offset + 1).beacon_at;
    }
    [[nodiscard]] read_beacon_result beacon_at(std::uint64_t offset);
    [[nodiscard]] item fail(fault what, std::uint64_t offset) noexcept;
    [[nodiscard]] item next_beacon();
    [[nodiscard]] item next_uncut(byte_view frame, std::size_t head_size) noexcept;
    [[nodiscard]] item next_cut();
    [[nodiscard]] item accept(byte_view tail, bool is_end_of_stream) noexcept;
    // Steps over the beacons that are due. False: broken() says why.
    [[nodiscard]] bool step_over_beacons(position& p);
    void step_over_placed(position& p) const noexcept;
    // Calls visit(piece) for the next `size` message bytes. False: broken(), or the source ends
    // (broken is empty).
    template <typename Visit>
    [[nodiscard]] bool take(position& p, std::uint64_t size, Visit visit);
    void keep_head(byte_view head) noexcept;

    window window_;
    std::uint32_t interval_;
    std::uint64_t shift_ = 0;   // below the interval
    bool placed_only_ = false;  // beacons stand where placed_ says, for the current message
    std::span<const placed_beacon> placed_;
    position here_;
    message message_;
    std::array<std::uint8_t, max_head_size>
        head_{};  // of the current message; its key lies in here
    position payload_at_;
    beacon_view beacon_;
    std::uint64_t beacon_offset_ = 0;
    problem broken_;
    bool eos_seen_ = false;
};

class reader::payload_cursor {
  public:
    [[nodiscard]] std::uint32_t left() const noexcept { return left_; }

  private:
    friend class reader;
    position at_;
    std::uint32_t left_ = 0;
};

}  // namespace cdcscope::ss
