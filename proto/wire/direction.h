// Which way a message went: by TCP client and server, never by DCP role.
#pragma once

#include <cstdint>
#include <string_view>

namespace cdcscope {

enum class direction : std::uint8_t { c2s, s2c };

[[nodiscard]] constexpr direction opposite(direction d) noexcept {
    return d == direction::c2s ? direction::s2c : direction::c2s;
}
[[nodiscard]] constexpr std::string_view name(direction d) noexcept {
    return d == direction::c2s ? "c2s" : "s2c";
}
[[nodiscard]] constexpr std::size_t index(direction d) noexcept {
    return static_cast<std::size_t>(d);
}

}  // namespace cdcscope
