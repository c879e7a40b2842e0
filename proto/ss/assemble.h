// Puts a message together without trusting the places of beacons: for files whose beacons are
// missing, doubled, damaged, or not where the header says (R22).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "proto/ss/reader.h"

namespace cdcscope::ss {

class assembler {
  public:
    explicit assembler(byte_source& source) : window_(source, reader::default_window) {}

    // The message that starts at `offset`, if its checksum says that it is one. A beacon is known
    // by what it says to remain of the message. beacons() then tells where they stand.
    [[nodiscard]] bool at(std::uint64_t offset);

    // The same with a beacon at `beacon`, whose own bytes are not to be trusted: every length that
    // it could have is tried.
    [[nodiscard]] bool at(std::uint64_t offset, std::uint64_t beacon);

    [[nodiscard]] std::span<const placed_beacon> beacons() const noexcept { return beacons_; }

    // A beacon that is right in itself: marks, markers, length. Its size, or 0.
    [[nodiscard]] std::size_t beacon_size(std::uint64_t offset, std::uint32_t& remaining);

    // Bytes that were hashed so far: what all attempts together cost.
    [[nodiscard]] std::uint64_t cost() const noexcept { return cost_; }

  private:
    [[nodiscard]] bool read_head();
    [[nodiscard]] bool read_body();
    [[nodiscard]] bool try_with(std::uint64_t offset, std::optional<placed_beacon> forced);
    [[nodiscard]] bool step_over_beacon();
    [[nodiscard]] bool head_can_go_on() const noexcept;
    [[nodiscard]] std::uint64_t left() const noexcept { return frame_ - taken_; }
    // How many of the held bytes surely are no beacon's.
    [[nodiscard]] std::size_t plain_run(byte_view held) const noexcept;

    window window_;
    std::optional<placed_beacon> forced_;
    std::vector<placed_beacon> beacons_;
    std::vector<std::uint32_t> remaining_;  // what the beacons in the head say
    std::array<std::uint8_t, max_head_size> head_{};
    std::uint64_t position_ = 0;
    std::uint64_t taken_ = 0;  // message bytes
    std::uint64_t frame_ = 0;  // size of the message; 0 until the head is read
    std::uint64_t cost_ = 0;
};

}  // namespace cdcscope::ss
