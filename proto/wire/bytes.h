// Views of captured bytes, and integers read from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace cdcscope {

// Borrowed bytes. Whoever hands one out says how long it lives.
using byte_view = std::span<const std::uint8_t>;

// Big-endian reads. The caller has checked that the bytes are there.
[[nodiscard]] constexpr std::uint16_t load_be16(const std::uint8_t* p) noexcept {
    return static_cast<std::uint16_t>(p[0] << 8 | p[1]);
}
[[nodiscard]] constexpr std::uint32_t load_be32(const std::uint8_t* p) noexcept {
    return std::uint32_t{p[0]} << 24 | std::uint32_t{p[1]} << 16 | std::uint32_t{p[2]} << 8 | p[3];
}
[[nodiscard]] constexpr std::uint64_t load_be64(const std::uint8_t* p) noexcept {
    return std::uint64_t{load_be32(p)} << 32 | load_be32(p + 4);
}

// Little-endian reads (FlatBuffers; pcapng sections written on such machines).
[[nodiscard]] constexpr std::uint16_t load_le16(const std::uint8_t* p) noexcept {
    return static_cast<std::uint16_t>(p[1] << 8 | p[0]);
}
[[nodiscard]] constexpr std::uint32_t load_le32(const std::uint8_t* p) noexcept {
    return std::uint32_t{p[3]} << 24 | std::uint32_t{p[2]} << 16 | std::uint32_t{p[1]} << 8 | p[0];
}
[[nodiscard]] constexpr std::uint64_t load_le64(const std::uint8_t* p) noexcept {
    return std::uint64_t{load_le32(p + 4)} << 32 | load_le32(p);
}

// Big-endian writes; the room must be there.
constexpr void store_be16(std::uint8_t* p, std::uint16_t v) noexcept {
    p[0] = static_cast<std::uint8_t>(v >> 8);
    p[1] = static_cast<std::uint8_t>(v);
}
constexpr void store_be32(std::uint8_t* p, std::uint32_t v) noexcept {
    store_be16(p, static_cast<std::uint16_t>(v >> 16));
    store_be16(p + 2, static_cast<std::uint16_t>(v));
}
constexpr void store_be64(std::uint8_t* p, std::uint64_t v) noexcept {
    store_be32(p, static_cast<std::uint32_t>(v >> 32));
    store_be32(p + 4, static_cast<std::uint32_t>(v));
}

// Text and bytes are the same memory; whether it is UTF-8 is another question (utf8.h).
[[nodiscard]] inline std::string_view as_text(byte_view bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
[[nodiscard]] inline byte_view as_bytes(std::string_view text) noexcept {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace cdcscope
