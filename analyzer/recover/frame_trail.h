// Which frames brought the bytes of a message, and which one completed it.
#pragma once

#include <algorithm>

#include "analyzer/tcp/stream_consumer.h"

namespace cdcscope::recover {

// What is known of a run of bytes that one segment brought.
struct stamp {
    tcp::arrival brought;
    tcp::arrival available;
    tcp::position acknowledges = tcp::no_position;

    [[nodiscard]] static stamp of(const tcp::chunk& c) noexcept {
        return {c.brought, c.available, c.acknowledges};
    }
};

class frame_trail {
  public:
    // In stream order.
    void add(const stamp& s) noexcept {
        const bool completes = empty_ || s.available.order > done_.order;
        const std::uint32_t file = completes ? s.available.at.file : done_.at.file;
        const std::uint32_t frame = s.brought.at.file == file ? s.brought.at.frame : 1;
        if (empty_) {
            low_ = high_ = frame;
            first_ns_ = s.brought.at.time_ns;
        } else if (file != done_.at.file) {
            low_ = 1;  // what was there lies in an earlier file
            high_ = frame;
        } else {
            low_ = std::min(low_, frame);
            high_ = std::max(high_, frame);
        }
        if (completes) done_ = s.available;
        acknowledges_ = s.acknowledges;
        empty_ = false;
    }
    void add(const frame_trail& later) noexcept {
        if (later.empty_) return;
        if (empty_) {
            *this = later;
            return;
        }
        const bool same_file = later.done_.at.file == done_.at.file;
        low_ = same_file ? std::min(low_, later.low_) : 1;
        high_ = same_file ? std::max(high_, later.high_) : later.high_;
        if (later.done_.order > done_.order) done_ = later.done_;
        acknowledges_ = later.acknowledges_;
    }
    void clear() noexcept { *this = {}; }

    [[nodiscard]] frame_span span() const noexcept { return {low_, high_, done_.at}; }
    [[nodiscard]] const tcp::arrival& done() const noexcept { return done_; }
    // Time of the segment that brought the first byte.
    [[nodiscard]] std::int64_t first_ns() const noexcept { return first_ns_; }
    // By the segment that brought the last byte.
    [[nodiscard]] tcp::position acknowledges() const noexcept { return acknowledges_; }

  private:
    bool empty_ = true;
    std::uint32_t low_ = 0, high_ = 0;
    std::int64_t first_ns_ = 0;
    tcp::arrival done_;
    tcp::position acknowledges_ = tcp::no_position;
};

}  // namespace cdcscope::recover
