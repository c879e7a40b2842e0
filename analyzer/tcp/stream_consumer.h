// What the reordering hands on: the bytes of a connection's two directions in order, its holes by
// name, its ends. A hole is an event, never content.
#pragma once

#include <cstdint>
#include <limits>

#include "proto/wire/bytes.h"
#include "proto/wire/direction.h"
#include "proto/wire/frame_ref.h"

namespace cdcscope::tcp {

// A place in a direction's sequence space, unwrapped to 64 bits. Only differences mean something:
// offset 0 of a stream is at the position that on_start names.
using position = std::int64_t;
inline constexpr position no_position = std::numeric_limits<position>::min();

// A segment as the reason for something: its frame, and its place in the order in which segments
// were read.
struct arrival {
    frame_ref at;
    std::uint64_t order = 0;
};

enum class gap_reason : std::uint8_t {
    acked_unseen,  // the other side acknowledged all of it: the capture lost it
    not_acked,     // lost on the wire, or the capture ended first
    snaplen,       // tails of frames that the capture cut
    memory_cap,    // given up while it might still have been filled
};

enum class end_kind : std::uint8_t { fin, rst, reused, timed_out, end_of_capture };

struct chunk {
    direction dir = direction::c2s;
    position begin = 0;
    std::uint64_t size = 0;
    byte_view
        bytes;  // all `size` of them, valid during the call; empty if the consumer wants no content
    arrival brought;    // the segment that first brought them
    arrival available;  // the segment after which everything up to their end was there
    position acknowledges =
        no_position;  // of the other direction, by the segment that brought them
    arrival now;      // the segment being worked off: later, if they waited behind a hole
};

struct hole {
    direction dir = direction::c2s;
    position begin = 0;
    position end = 0;
    gap_reason reason = gap_reason::not_acked;
    arrival behind;  // the segment that brought the first byte behind it, else the last one seen
    arrival now;     // the segment at which it became final
};

// One a connection, owned by it. Directions are as far as the segments tell: `c2s` comes from who
// sent the SYN, else from who does not hold a known port, else from who was seen first.
class stream_consumer {
  public:
    stream_consumer() = default;
    stream_consumer(const stream_consumer&) = delete;
    stream_consumer& operator=(const stream_consumer&) = delete;
    virtual ~stream_consumer() = default;

    // A SYN without ACK was seen of this direction: it is the client's for certain.
    virtual void on_client(direction /*dir*/) {}
    // Before the first byte of a direction: where its stream begins, and whether its SYN was
    // captured.
    virtual void on_start(direction dir, position origin, bool from_syn) = 0;
    virtual void on_data(const chunk& c) = 0;
    virtual void on_hole(const hole& h) = 0;
    // Nothing below `upto` is waited for any more: what was acknowledged long ago was not captured
    // (E1).
    virtual void on_settled(direction dir, position upto, const arrival& now) = 0;
    // FIN or RST reached at its place. `acknowledges` as in chunk.
    virtual void on_end(direction dir, end_kind how, position at, position acknowledges,
                        const arrival& now) = 0;
    // Whether something is waited for that may still come, at the end of a segment: what this
    // connection says meanwhile is told later than what others say.
    virtual void on_behind(bool /*behind*/) {}
    // The last call.
    virtual void on_close(end_kind how, const arrival& last) = 0;

    // Bytes that it keeps for this connection, and the order to let go of the largest part of them.
    [[nodiscard]] virtual std::uint64_t held() const noexcept { return 0; }
    virtual void on_pressure(const arrival& /*now*/) {}
    // Whether on_time is to be called a few times a second of packet time though no segment comes.
    [[nodiscard]] virtual bool wants_timer() const noexcept { return false; }
    virtual void on_time(const arrival& /*now*/) {}
    // False: only the amounts count, late bytes need not be kept.
    [[nodiscard]] virtual bool wants_content() const noexcept { return true; }
};

}  // namespace cdcscope::tcp
