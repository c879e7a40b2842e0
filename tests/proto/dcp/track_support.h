// What the tests of the state machine share: messages built by hand, findings collected.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace cdcscope::dcp::test {

inline std::vector<std::uint8_t> from_hex(std::string_view text) {
    const auto digit = [](char c) {
        return static_cast<std::uint8_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    };
    std::vector<std::uint8_t> out;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
        out.push_back(static_cast<std::uint8_t>(digit(text[i]) << 4 | digit(text[i + 1])));
    }
    return out;
}

}  // namespace cdcscope::dcp::test
