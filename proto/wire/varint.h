// Variable-length integers: protobuf's varint (up to 64 bits, 10 bytes) and the unsigned LEB128 of
// Couchbase collection ids (32 bits, 5 bytes, shortest form only).
#pragma once

#include "proto/wire/bytes.h"

namespace cdcscope {

enum class varint_state : std::uint8_t {
    complete,
    truncated,  // the bytes end before the last byte of the number
    malformed,  // too long, or (LEB128) not the shortest form
};

struct varint {
    std::uint64_t value = 0;
    std::uint8_t size = 0;  // bytes used; 0 unless complete
    varint_state state = varint_state::truncated;
};

// Protobuf's varint. Bits beyond 64 in the tenth byte are dropped, as protobuf does.
[[nodiscard]] constexpr varint read_varint(byte_view bytes) noexcept {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (i == 10) return {0, 0, varint_state::malformed};
        value |= std::uint64_t{bytes[i] & 0x7fU} << (7 * i);
        if ((bytes[i] & 0x80U) == 0) {
            return {value, static_cast<std::uint8_t>(i + 1), varint_state::complete};
        }
    }
    return {0, 0, bytes.size() >= 10 ? varint_state::malformed : varint_state::truncated};
}

// A collection id in front of a key.
[[nodiscard]] constexpr varint read_leb128_u32(byte_view bytes) noexcept {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (i == 5) return {0, 0, varint_state::malformed};
        value |= std::uint64_t{bytes[i] & 0x7fU} << (7 * i);
        if ((bytes[i] & 0x80U) != 0) continue;
        const bool longer_than_needed = i > 0 && bytes[i] == 0;
        if (longer_than_needed || value > 0xffffffffULL) return {0, 0, varint_state::malformed};
        return {value, static_cast<std::uint8_t>(i + 1), varint_state::complete};
    }
    return {0, 0, bytes.size() >= 5 ? varint_state::malformed : varint_state::truncated};
}

}  // namespace cdcscope
