// Bytes written as hex in tests; blanks are for the reader.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace cdcscope::support {

inline std::vector<std::uint8_t> hex(std::string_view digits) {
    std::vector<std::uint8_t> out;
    int high = -1;
    for (const char c : digits) {
        if (c == ' ') continue;
        const int value = c <= '9' ? c - '0' : c - 'a' + 10;
        if (high < 0) {
            high = value;
        } else {
            out.push_back(static_cast<std::uint8_t>(high << 4 | value));
            high = -1;
        }
    }
    return out;
}

}  // namespace cdcscope::support
