// Where patience and memory end.
#pragma once

#include <cstdint>

namespace cdcscope::tcp {

struct limits {
    // E1: what was acknowledged and then not captured for this many bytes or this long will not
    // come any more.
    std::uint64_t settle_bytes = std::uint64_t{1} << 20;
    std::int64_t settle_ns = 2'000'000'000;

    // A4: how much is looked at before the first byte of a stream without SYN is taken for its
    // beginning.
    std::uint32_t start_segments = 16;
    std::uint64_t start_bytes = std::uint64_t{64} << 10;
    std::int64_t start_ns = 200'000'000;

    // I1: bytes held back for a direction, and in all (with what the consumers hold).
    std::uint64_t held_per_direction = std::uint64_t{16} << 20;
    std::uint64_t held_total = std::uint64_t{512} << 20;

    // D7
    std::int64_t forget_closed_ns = 120'000'000'000;
    std::int64_t forget_idle_ns = 24LL * 3600 * 1'000'000'000;
};

}  // namespace cdcscope::tcp
