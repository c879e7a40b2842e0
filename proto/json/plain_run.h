// How far a JSON string goes on without anything special.
#pragma once

#include <cstring>

#include "proto/wire/bytes.h"

namespace cdcscope {

[[nodiscard]] constexpr bool is_plain(std::uint8_t c) noexcept {
    return c >= 0x20 && c != '"' && c != '\\';
}

// Number of leading characters that need no look: no quote, no backslash, no control character.
// Eight at a time.
[[nodiscard]] inline std::size_t plain_run(byte_view text) noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101ULL;
    constexpr std::uint64_t tops = 0x8080808080808080ULL;
    const auto zero_byte = [](std::uint64_t v) { return (v - ones) & ~v & tops; };
    std::size_t i = 0;
    while (text.size() - i >= 8) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, text.data() + i, 8);
        const std::uint64_t control = (eight - ones * 0x20) & ~eight & tops;
        if ((control | zero_byte(eight ^ ones * '"') | zero_byte(eight ^ ones * '\\')) != 0) break;
        i += 8;
    }
    while (i < text.size() && is_plain(text[i])) ++i;
    return i;
}

}  // namespace cdcscope
