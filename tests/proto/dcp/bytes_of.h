// Bytes from hex digits, white space between them skipped.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace cdcscope::test {

inline std::vector<std::uint8_t> bytes_of(std::string_view hex) {
    const auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
    std::vector<std::uint8_t> out;
    int high = -1;
    for (const char c : hex) {
        if (c == ' ' || c == '\n') continue;
        if (high < 0) {
            high = digit(c);
        } else {
            out.push_back(static_cast<std::uint8_t>(high << 4 | digit(c)));
            high = -1;
        }
    }
    return out;
}

}  // namespace cdcscope::test
