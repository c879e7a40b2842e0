// The checksum of crc16.h by carry-less multiplication, where the processor has it.
#pragma once

#include "proto/wire/bytes.h"

namespace cdcscope {

// Below this size tables are as fast.
inline constexpr std::size_t min_folding_size = 64;

[[nodiscard]] bool can_fold_crc16() noexcept;

// Replaces the bytes by 16 others that have the same checksum when started with 0: `crc` is worked
// in. The size is a multiple of 16 and at least 64. Only if can_fold_crc16().
void fold_crc16(byte_view bytes, std::uint16_t crc, std::uint8_t (&folded)[16]) noexcept;

}  // namespace cdcscope
