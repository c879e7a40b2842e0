// Flow control of a connection, by the server's account and by the bytes on the wire (D11 to D16,
// D56).
#pragma once

#include "proto/dcp/track_links.h"
#include "proto/dcp/track_queue.h"
#include "proto/dcp/track_report.h"
#include "proto/dcp/track_story.h"

namespace cdcscope::dcp {

// One flow-controlled message of the producer.
struct counted_message {
    std::uint32_t id = 0;
    std::uint64_t counted = 0;  // by the server's account
    std::uint64_t wire = 0;     // as sent
    bool prepare = false;
};

// D56: do the acknowledgements follow the wire or the server's account. Message boundaries count
// from the second prepare on: before it both accounts differ by less than a header, so no boundary
// of one can be met by a later one of the other.
class ack_audit {
  public:
    void add(const counted_message& m) noexcept;
    void restart() noexcept;
    // An acknowledgement beyond what is outstanding: the consumer follows neither account.
    void give_up() noexcept;

    struct verdict {
        std::uint64_t prepares = 0;     // before the boundary
        std::uint64_t bytes_short = 0;  // 2 for each
    };
    // `acked`: all acknowledged since both accounts started. Tells if only the wire's account fits.
    [[nodiscard]] std::optional<verdict> check(std::uint64_t acked) noexcept;

  private:
    struct boundary {
        std::uint64_t wire, counted, prepares;
    };
    std::uint64_t wire_ = 0, counted_ = 0, prepares_ = 0;
    fifo<boundary> boundaries_;
    bool resting_ = false;
};

class flow_account {
  public:
    explicit flow_account(flow_story& story) noexcept : story_(&story) {}

    void add(reporter& report, observer& watch, bool uncertain, const counted_message& m) noexcept;
    void acknowledge(reporter& report, observer& watch, link_sink& links, const certainty& sure,
                     std::uint32_t id, std::uint64_t bytes) noexcept;
    // connection_buffer_size was accepted.
    void set_window(reporter& report, observer& watch, std::uint32_t size) noexcept;
    // Time-outs D13 and D15, before the event at `report.now()` is taken.
    void check_time(reporter& report, bool uncertain) noexcept;
    // The connection or the capture ends: what still goes on is settled.
    void close(reporter& report, observer& watch) noexcept;

    [[nodiscard]] std::uint32_t window() const noexcept { return window_; }
    [[nodiscard]] std::uint64_t outstanding() const noexcept { return outstanding_; }
    [[nodiscard]] bool full() const noexcept { return window_ != 0 && outstanding_ >= window_; }

  private:
    void enter_full(reporter& report, observer& watch, bool told) noexcept;
    void leave_full(reporter& report, observer& watch, bool over) noexcept;
    void watch_share(reporter& report) noexcept;
    void end_missing_ack(reporter& report, bool over) noexcept;
    [[nodiscard]] account stall_account(const reporter& report) const;
    [[nodiscard]] account full_account(const reporter& report, bool over) const;
    [[nodiscard]] account missing_account(const reporter& report) const;

    flow_story* story_;
    std::uint32_t window_ = 0;
    std::uint64_t outstanding_ = 0;
    std::uint64_t acked_ = 0;  // since both accounts started
    std::uint64_t peak_ = 0;   // outstanding after the last message, before acknowledgements

    // Full: since when, and what was said of it.
    bool is_full_ = false;
    moment full_since_;
    std::uint64_t filled_to_ = 0;  // outstanding at that moment
    bool stall_noted_ = false, stall_warned_ = false;
    running full_told_, stall_told_;

    // At or above the share of the window from which an acknowledgement is due.
    bool due_ = false;
    moment due_since_;
    bool missing_warned_ = false;
    running missing_told_;

    ack_audit audit_;
    bool short_noted_ = false, short_warned_ = false;

    // Messages that no acknowledgement covers yet, for links: counted bytes up to their end.
    struct unacknowledged {
        std::uint64_t end;
        std::uint32_t id;
    };
    fifo<unacknowledged> waiting_;
    std::uint64_t counted_end_ = 0, acked_end_ = 0;
};

}  // namespace cdcscope::dcp
