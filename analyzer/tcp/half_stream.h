// One direction of a connection: puts its bytes in order, decides which copy of a byte counts and
// when a hole is final. Knows nothing of messages.
#pragma once

#include "analyzer/tcp/delivered_ring.h"
#include "analyzer/tcp/interval_set.h"
#include "analyzer/tcp/late_bytes.h"
#include "analyzer/tcp/limits.h"
#include "analyzer/tcp/notices.h"
#include "analyzer/tcp/sequence_space.h"
#include "analyzer/tcp/settle_clock.h"

namespace cdcscope::tcp {

// What a half stream works with while it handles one segment.
struct surroundings {
    const limits& limit;
    ring_pool& rings;
    notices& notes;
    stream_consumer& consumer;
    std::uint32_t connection = 0;
    arrival now;
    std::int64_t time_ns = 0;  // packet time that never goes back (D8)
    std::uint64_t seen = 0;    // payload of the connection so far, as on the wire
};

// What a segment's payload turned out to be.
struct data_report {
    bool out_of_window = false;
    bool keep_alive = false;     // C1
    bool before_start = false;   // lies before the first byte that was handed over
    bool too_late = false;       // lies in a hole that was given up
    std::uint64_t repeated = 0;  // bytes that were here already
    std::uint64_t cut = 0;       // bytes that the capture cut off, and that are new
    conflict differing;          // C6
};

class half_stream {
  public:
    explicit half_stream(direction dir) : dir_(dir) {}

    // Whether a SYN with this number may be the beginning of what was seen of this direction (A2,
    // A5, D6).
    enum class syn_fit : std::uint8_t { first, repeat, stranger };
    [[nodiscard]] syn_fit fits(std::uint32_t initial) const noexcept;
    // A SYN that fits for the first time. True if data came before it.
    bool on_syn(std::uint32_t initial, surroundings& with);

    // `payload` is what was captured of `wire` bytes; `pushed`: with the PSH flag; `believed`: it
    // counts though it lies far ahead.
    data_report on_data(std::uint32_t sequence, byte_view payload, std::uint32_t wire, bool pushed,
                        position acknowledges, surroundings& with, bool believed = false);
    // False: out of window.
    [[nodiscard]] bool on_fin(std::uint32_t sequence, std::uint32_t payload, position acknowledges,
                              surroundings& with);

    enum class rst_verdict : std::uint8_t { accepted, ignored, out_of_window };
    // D3. `window`: what the other side offers beyond what it acknowledged, in bytes.
    rst_verdict on_rst(std::uint32_t sequence, position window, position acknowledges,
                       surroundings& with);

    // An acknowledgement of this direction by the other side: the position it names, or no_position
    // if that cannot be.
    [[nodiscard]] position on_acknowledgement(std::uint32_t number);
    // The other side's SYN acknowledges ours: there is no byte below.
    void on_handshake(std::uint32_t number) noexcept;
    [[nodiscard]] position acknowledged() const noexcept { return acked_; }
    [[nodiscard]] position floor() const noexcept { return floor_; }

    // After each segment of the connection, and when time has passed: gives up what is final by E1,
    // begins what waits (A4).
    void on_time(surroundings& with);
    [[nodiscard]] bool wants_timer() const noexcept { return holds_start() || !clock_.idle(); }
    // Something was captured, but not yet decided where the stream begins (A4).
    [[nodiscard]] bool holds_start() const noexcept {
        return !started_ && (!late_.empty() || fin_ != no_position);
    }

    // I1: the lowest hole is final for lack of memory. Of use only while something waits.
    void give_up_lowest(surroundings& with);
    // E1b: no more segments will come.
    void finish(surroundings& with);

    // Something that was sent is not here, and may still come.
    [[nodiscard]] bool awaits() const noexcept {
        return !late_.empty() || (fin_ != no_position && !fin_done_) ||
               (rst_ != no_position && !rst_done_) ||
               (started_ && acked_ > (next_ < settled_ ? settled_ : next_));
    }
    [[nodiscard]] std::uint64_t held() const noexcept { return late_.cost() + cut_.cost(); }
    [[nodiscard]] bool syn_seen() const noexcept { return syn_seen_; }
    [[nodiscard]] bool data_seen() const noexcept { return data_seen_; }
    [[nodiscard]] bool fin_seen() const noexcept { return fin_ != no_position; }
    [[nodiscard]] const frame_ref& first_data() const noexcept { return first_data_; }
    [[nodiscard]] position origin() const noexcept { return origin_; }
    // True if `sequence` is one below what is expected next: where keep-alives point.
    [[nodiscard]] bool just_below_next(std::uint32_t sequence) const noexcept {
        return started_ && space_.position_of(sequence, next_) == next_ - 1;
    }
    // B2
    [[nodiscard]] bool names_far(std::uint32_t sequence) const noexcept {
        return space_.anchored() && is_far(space_.position_of(sequence, expected()));
    }
    [[nodiscard]] bool lies_ahead(std::uint32_t sequence) const noexcept {
        return started_ && space_.position_of(sequence, expected()) > expected();
    }
    [[nodiscard]] bool at_next(std::uint32_t sequence) const noexcept {
        return started_ && space_.position_of(sequence, next_) == next_;
    }

  private:
    [[nodiscard]] position expected() const noexcept;
    [[nodiscard]] bool is_far(position p) const noexcept;
    [[nodiscard]] bool is_stray_keep_alive(position begin, byte_view payload,
                                           bool pushed) const noexcept;
    [[nodiscard]] bool start_is_clear(const surroundings& with) const noexcept;
    void begin_stream(position origin, bool from_syn, surroundings& with);
    void repeat(position begin, byte_view old, bool lone, data_report& report);
    void deliver(position begin, std::uint64_t size, byte_view bytes, const arrival& brought,
                 const arrival& available, position acknowledges, surroundings& with);
    void hold(position begin, byte_view bytes, bool lone, position acknowledges, surroundings& with,
              data_report& report);
    void drain(surroundings& with);
    void reach_ends(surroundings& with);
    void give_up(position end, bool for_memory, surroundings& with);
    void watch_settling(surroundings& with);

    direction dir_;
    bool syn_seen_ = false;
    bool started_ = false;
    bool data_seen_ = false;
    bool fin_done_ = false, rst_done_ = false;
    bool after_hole_ = false;    // the next piece begins a new run of bytes
    std::uint32_t initial_ = 0;  // number of the SYN
    sequence_space space_;
    position origin_ = 0;  // first byte of the stream
    position floor_ = no_position;
    position next_ =
        0;  // everything below is handed over or given up; one beyond the FIN once that is done
    position highest_ = no_position;                  // end of what is known to exist
    position acked_ = no_position;                    // highest acknowledgement of the other side
    position settled_ = no_position;                  // E1: below this nothing is waited for
    position given_up_begin_ = 0, given_up_end_ = 0;  // the last final hole
    position fin_ = no_position, fin_acknowledges_ = no_position;
    position rst_ = no_position, rst_acknowledges_ = no_position;
    arrival fin_brought_, rst_brought_;
    std::int64_t start_time_ns_ = 0;  // A4: when the first byte was held
    std::uint64_t held_for_start_ = 0;
    arrival available_;  // segment that completed what was handed over last
    frame_ref first_data_;
    late_bytes late_;
    interval_set cut_;  // E5
    settle_clock clock_;
    ring_lease ring_;
};

}  // namespace cdcscope::tcp
