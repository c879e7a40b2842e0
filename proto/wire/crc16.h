// CRC-16/CDMA2000, the checksum of SeaStreamer files: polynomial 0xC867, initial 0xFFFF, not
// reflected, no final XOR.
#pragma once

#include "proto/wire/bytes.h"

namespace cdcscope {

inline constexpr std::uint16_t crc16_initial = 0xffff;

// Goes on from `crc`; starts with crc16_initial. Eight bytes a step by tables, or sixty-four by
// carry-less multiplication where the processor has it.
[[nodiscard]] std::uint16_t crc16(byte_view bytes, std::uint16_t crc = crc16_initial) noexcept;

}  // namespace cdcscope
