// Captured bytes that are in no message, to be named as one run.
#pragma once

#include <algorithm>
#include <array>

#include "analyzer/recover/frame_trail.h"

namespace cdcscope::recover {

class skipped_run {
  public:
    // As many of the first bytes as a length field and what stands behind it need.
    static constexpr std::size_t kept = 20;

    // `bytes` may be fewer than `count`: only the first ones of a run are kept.
    void add(tcp::position at, std::uint64_t count, byte_view bytes, const frame_trail& t) {
        if (size_ == 0) begin_ = at;
        if (size_ == head_size_) {
            const std::size_t more = std::min(bytes.size(), head_.size() - head_size_);
            std::copy_n(bytes.begin(), more, head_.begin() + head_size_);
            head_size_ = static_cast<std::uint8_t>(head_size_ + more);
        }
        size_ += count;
        trail_.add(t);
    }
    void clear() noexcept { *this = {}; }

    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] tcp::position begin() const noexcept { return begin_; }
    [[nodiscard]] tcp::position end() const noexcept {
        return begin_ + static_cast<tcp::position>(size_);
    }
    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
    [[nodiscard]] const frame_trail& trail() const noexcept { return trail_; }
    [[nodiscard]] byte_view head() const noexcept { return byte_view(head_).first(head_size_); }

  private:
    tcp::position begin_ = 0;
    std::uint64_t size_ = 0;
    frame_trail trail_;
    std::array<std::uint8_t, kept> head_{};
    std::uint8_t head_size_ = 0;
};

}  // namespace cdcscope::recover
