// The SeaStreamer file format, version 1: its numbers and the parts that frames are made of
// (docs/ss.md sections 1 to 8).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "proto/wire/bytes.h"

namespace cdcscope::ss {

inline constexpr std::size_t header_size = 128;
inline constexpr std::size_t max_file_name = 111;  // what the header has room for
inline constexpr std::uint8_t version = 1;
inline constexpr std::uint8_t mark = 0x0d;  // ends every structure, and starts a beacon

inline constexpr std::uint32_t min_interval = 128;
inline constexpr std::uint32_t default_interval = 1U << 20;
inline constexpr std::uint32_t first_indexed_interval = 571;  // below it beacons hold no markers

inline constexpr std::uint64_t max_timestamp_ms = 253402300799999;  // 9999-12-31T23:59:59.999Z
inline constexpr std::uint64_t default_file_limit = std::uint64_t{16} << 30;

// Stream keys. The field could hold 255 bytes; sea-streamer takes 249.
inline constexpr std::size_t max_key_size = 249;
inline constexpr std::string_view internal_key = "SEA_STREAMER_INTERNAL";
inline constexpr std::string_view wildcard_key = "SEA_STREAMER_WILDCARD";
inline constexpr std::string_view ruststream_key = "ruststream-internal";
inline constexpr std::string_view eos_payload = "EOS";

// Bytes of a message around its key and payload; bytes of a marker around its key; bytes of a
// beacon without markers.
inline constexpr std::size_t message_overhead = 32;
inline constexpr std::size_t marker_overhead = 27;
inline constexpr std::size_t beacon_overhead = 7;
inline constexpr std::size_t max_head_size = 1 + 255 + 28;  // of a message: key to payload size
inline constexpr std::size_t tail_size = 3;                 // checksum and mark
inline constexpr std::size_t max_marker_size = marker_overhead + 255;
inline constexpr std::size_t max_beacon_size = beacon_overhead + 255 * max_marker_size;

// Which message of which stream, and when. The key is borrowed.
struct label {
    std::string_view key;
    std::uint64_t shard = 0;
    std::uint64_t sequence = 0;
    std::uint64_t timestamp_ms = 0;  // since 1970, UTC

    friend bool operator==(const label&, const label&) = default;
};

// What a beacon says about one stream: highest sequence and time so far, each on its own, and the
// checksum of the checksums of its messages.
struct marker {
    label highest;
    std::uint16_t running = 0;

    friend bool operator==(const marker&, const marker&) = default;
};

// Markers that the reference writer puts in a beacon at most (docs/ss.md section 5).
[[nodiscard]] constexpr std::size_t marker_capacity(std::uint32_t interval) noexcept {
    if (interval < beacon_overhead) return 0;
    return std::min<std::size_t>(255, (interval - beacon_overhead) / max_marker_size) / 2;
}

[[nodiscard]] constexpr std::uint64_t frame_size(std::size_t key_size,
                                                 std::uint64_t payload_size) noexcept {
    return key_size + payload_size + message_overhead;
}

// Whether what is left of a frame behind its first byte fits the 32 bits of a beacon's `remaining`.
[[nodiscard]] constexpr bool fits_frame(std::size_t key_size, std::uint64_t payload_size) noexcept {
    return frame_size(key_size, payload_size) - 1 <= 0xffffffffULL;
}

inline constexpr std::array<bool, 256> key_characters = [] {
    std::array<bool, 256> allowed{};
    for (const char c :
         std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")) {
        allowed[static_cast<std::uint8_t>(c)] = true;
    }
    return allowed;
}();

// Position of the first character that no key may have; its size if there is none.
[[nodiscard]] constexpr std::size_t valid_key_prefix(std::string_view key) noexcept {
    std::size_t i = 0;
    while (i < key.size() && key_characters[static_cast<std::uint8_t>(key[i])]) ++i;
    return i;
}

// What sea-streamer accepts; the empty key is among it.
[[nodiscard]] constexpr bool is_valid_key(std::string_view key) noexcept {
    return key.size() <= max_key_size && valid_key_prefix(key) == key.size();
}

// Keys of messages that are not data: readers do not show them, our writers never use them.
[[nodiscard]] constexpr bool is_reserved_key(std::string_view key) noexcept {
    return key == internal_key || key == wildcard_key || key == ruststream_key;
}

// The end of the stream, whatever its shard and sequence (docs/ss.md section 7).
[[nodiscard]] inline bool is_eos(std::string_view key, byte_view payload) noexcept {
    return key == internal_key && as_text(payload) == eos_payload;
}

}  // namespace cdcscope::ss
