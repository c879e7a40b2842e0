// Bytes that wait behind a hole, by position; the copy that came first stays, byte by byte.

#pragma once

#include <map>
#include <memory>

#include "analyzer/tcp/stream_consumer.h"

namespace cdcscope::tcp {

// Bytes that were captured twice with different values.
struct conflict {
    std::uint64_t bytes = 0;
    position at = 0;  // of the first one
    std::uint8_t kept = 0, other = 0;

    void add(position where, std::uint8_t first, std::uint8_t second) noexcept {
        if (bytes++ == 0) *this = {1, where, first, second};
    }
};

class late_bytes {
  public:
    struct piece {
        std::unique_ptr<std::uint8_t[]> bytes;  // empty if the content is not wanted
        std::uint32_t size = 0;
        arrival brought;
        position acknowledges = no_position;

        [[nodiscard]] byte_view view() const noexcept { return {bytes.get(), bytes ? size : 0}; }
    };
    struct outcome {
        std::uint64_t added = 0;
        std::uint64_t repeated = 0;
        conflict differing;
    };

    // What a piece costs beside its bytes.
    static constexpr std::uint64_t piece_cost = 112;

    // Keeps a copy of what is not there yet. Segments in order, or in reverse order, cost constant
    // time each. `compare` false: repeated bytes are not looked at.
    outcome insert(position begin, byte_view bytes, const arrival& brought, position acknowledges,
                   bool keep_content, bool compare);

    [[nodiscard]] bool empty() const noexcept { return pieces_.empty(); }
    [[nodiscard]] position first() const noexcept { return pieces_.begin()->first; }
    [[nodiscard]] const arrival& first_brought() const noexcept {
        return pieces_.begin()->second.brought;
    }
    [[nodiscard]] position last_end() const noexcept {
        const auto last = std::prev(pieces_.end());
        return last->first + last->second.size;
    }
    // Whether all of [begin, end) is here.
    [[nodiscard]] bool covers(position begin, position end) const noexcept;
    // Takes the first piece out.
    [[nodiscard]] piece take_first();
    [[nodiscard]] std::uint64_t cost() const noexcept {
        return bytes_ + pieces_.size() * piece_cost;
    }
    [[nodiscard]] std::size_t pieces() const noexcept { return pieces_.size(); }

  private:
    using map = std::map<position, piece>;
    void add(map::iterator before, position begin, byte_view bytes, const arrival& brought,
             position acknowledges, bool keep_content);

    map pieces_;
    std::uint64_t bytes_ = 0;
};

}  // namespace cdcscope::tcp
