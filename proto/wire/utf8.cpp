#include "proto/wire/utf8.h"

#include <cstring>

namespace cdcscope {
namespace {

constexpr bool continues(std::uint8_t b) noexcept {
    return (b & 0xc0U) == 0x80;
}

}  // namespace

code_point decode_utf8(byte_view bytes) noexcept {
    const std::uint32_t lead = bytes[0];
    if (lead < 0x80) return {lead, 1};
    if (lead < 0xc2 || lead > 0xf4) return {};
    const std::size_t size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (bytes.size() < size) return {};
    std::uint32_t value = lead & (0xffU >> (size + 1));
    for (std::size_t i = 1; i < size; ++i) {
        if (!continues(bytes[i])) return {};
        value = value << 6 | (bytes[i] & 0x3fU);
    }
    const bool overlong = (size == 3 && value < 0x800) || (size == 4 && value < 0x10000);
    const bool surrogate = value >= 0xd800 && value <= 0xdfff;
    if (overlong || surrogate || value > 0x10ffff) return {};
    return {value, static_cast<std::uint8_t>(size)};
}

std::size_t valid_utf8_prefix(byte_view bytes) noexcept {
    std::size_t i = 0;
    while (i < bytes.size()) {
        // Most text is ASCII: eight bytes at a time as long as no top bit is set.
        while (bytes.size() - i >= 8) {
            std::uint64_t eight = 0;
            std::memcpy(&eight, bytes.data() + i, 8);
            if ((eight & 0x8080808080808080ULL) != 0) break;
            i += 8;
        }
        while (i < bytes.size() && bytes[i] < 0x80) ++i;
        if (i == bytes.size()) break;
        const code_point c = decode_utf8(bytes.subspan(i));
        if (c.size == 0) return i;
        i += c.size;
    }
    return i;
}

}  // namespace cdcscope
