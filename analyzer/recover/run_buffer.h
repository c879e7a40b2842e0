// Bytes of one run that wait: a message that is not whole yet, or what a search has not decided.
// Grows as bytes arrive, never by a declared length.
#pragma once

#include <vector>

#include "analyzer/recover/frame_trail.h"

namespace cdcscope::recover {

class run_buffer {
  public:
    [[nodiscard]] bool empty() const noexcept { return head_ == bytes_.size(); }
    [[nodiscard]] std::size_t size() const noexcept { return bytes_.size() - head_; }
    [[nodiscard]] byte_view view() const noexcept { return byte_view(bytes_).subspan(head_); }
    [[nodiscard]] tcp::position begin() const noexcept { return begin_; }
    [[nodiscard]] tcp::position end() const noexcept {
        return begin_ + static_cast<tcp::position>(size());
    }
    // Memory in use.
    [[nodiscard]] std::uint64_t cost() const noexcept {
        return bytes_.size() + (marks_.size() - first_mark_) * sizeof(mark);
    }

    // `at` follows the last byte; only an empty buffer begins anywhere.
    void append(tcp::position at, byte_view bytes, const stamp& s);
    void drop_front(std::size_t count);
    // Gives large memory back.
    void clear();

    // The frames of the first `count` bytes.
    [[nodiscard]] frame_trail trail(std::size_t count) const { return trail(0, count); }
    [[nodiscard]] frame_trail trail(std::size_t from, std::size_t count) const;

  private:
    struct mark {
        tcp::position begin;
        stamp of;
    };
    static constexpr std::size_t kept_capacity = std::size_t{64} << 10;

    std::vector<std::uint8_t> bytes_;
    std::size_t head_ = 0;
    tcp::position begin_ = 0;
    std::vector<mark> marks_;
    std::size_t first_mark_ = 0;
};

}  // namespace cdcscope::recover
