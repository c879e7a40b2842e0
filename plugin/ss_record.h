// What the wiretap plugin puts in front of each record of a .ss file, for the dissector to read.
#pragma once

#include <cstdint>

namespace cdcscope::ss_record {

enum class kind : std::uint8_t { header = 1, message = 2, beacon = 3 };

// One byte each of kind and flags, two of the number of beacons inside a message, four of zeros,
// eight of the offset in the file; all big-endian. What follows are the bytes of the file, a
// message's without the beacons inside it.
inline constexpr std::size_t size = 16;
inline constexpr std::size_t kind_at = 0, flags_at = 1, beacons_at = 2, offset_at = 8;

inline constexpr std::uint8_t checksum_ok = 0x01, end_of_stream = 0x02;

inline constexpr const char* encapsulation = "seastreamer";

}  // namespace cdcscope::ss_record
