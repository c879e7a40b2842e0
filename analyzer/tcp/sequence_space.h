// Sequence numbers of one direction, unwrapped from 32 to 64 bits.
#pragma once

#include "analyzer/tcp/stream_consumer.h"

namespace cdcscope::tcp {

// Farther than this from what is expected, a number belongs to nothing we follow (B2).
inline constexpr position far_away = position{1} << 29;

class sequence_space {
  public:
    [[nodiscard]] constexpr bool anchored() const noexcept { return anchored_; }

    // `sequence` is at position 0 from now on.
    constexpr void anchor(std::uint32_t sequence) noexcept {
        zero_ = sequence;
        anchored_ = true;
    }

    // The position of `sequence` that is nearest to `expected`, at most 2^31 away.
    [[nodiscard]] constexpr position position_of(std::uint32_t sequence,
                                                 position expected) const noexcept {
        const auto distance = static_cast<std::int32_t>(sequence - sequence_of(expected));
        return expected + distance;
    }
    [[nodiscard]] constexpr std::uint32_t sequence_of(position p) const noexcept {
        return zero_ + static_cast<std::uint32_t>(static_cast<std::uint64_t>(p));
    }

  private:
    std::uint32_t zero_ = 0;
    bool anchored_ = false;
};

}  // namespace cdcscope::tcp
