// UTF-8, strictly (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include "proto/wire/bytes.h"

namespace cdcscope {

struct code_point {
    std::uint32_t value = 0;
    std::uint8_t size = 0;  // bytes used; 0 if the bytes are not valid UTF-8 there
};

// The code point at the start of `bytes`, which must not be empty.
[[nodiscard]] code_point decode_utf8(byte_view bytes) noexcept;

// How many bytes from the start are valid UTF-8: the size of `bytes` if all are.
[[nodiscard]] std::size_t valid_utf8_prefix(byte_view bytes) noexcept;

[[nodiscard]] inline bool is_utf8(byte_view bytes) noexcept {
    return valid_utf8_prefix(bytes) == bytes.size();
}

}  // namespace cdcscope
