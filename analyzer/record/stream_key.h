// Stream keys: names of buckets, tables, destinations as parts of a key.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "proto/wire/bytes.h"

namespace cdcscope::record {

inline constexpr std::size_t longest_key = 249;

// CRC-32 (zlib's), of the name as it was.
[[nodiscard]] std::uint32_t crc32(byte_view bytes) noexcept;

// `name` as a part of a key: bytes outside A-Z a-z 0-9 _ - become '_', and if that changed it, '-'
// and 8 hex digits of the CRC-32 of the name follow. An empty name stays empty.
[[nodiscard]] std::string key_part(std::string_view name);

// prefix.part.part...: the parts mapped by key_part. Where the key would pass 249, the parts that
// are longer than an equal share are cut to it, and get their CRC-32. `suffix` (".c2s", ".packets")
// is appended as it is.
[[nodiscard]] std::string stream_key(std::string_view prefix,
                                     std::span<const std::string_view> parts,
                                     std::string_view suffix = {});
[[nodiscard]] inline std::string stream_key(std::string_view prefix,
                                            std::initializer_list<std::string_view> parts,
                                            std::string_view suffix = {}) {
    return stream_key(prefix, std::span(parts.begin(), parts.size()), suffix);
}

// "c0007": a connection's part of a key, 4 digits or more.
[[nodiscard]] std::string connection_part(std::uint32_t connection);

// "example-1a2b3c4d": the destination of a second server of that name; `server` is "address:port".
[[nodiscard]] std::string with_crc(std::string_view part, std::string_view server);

}  // namespace cdcscope::record
