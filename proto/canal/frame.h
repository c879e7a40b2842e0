// Frames of canal: 4 bytes of length, then one Packet, and how to recognise one without state.

#pragma once

#include <cstddef>
#include <cstdint>

#include "proto/canal/packet_types.h"
#include "proto/wire/bytes.h"

namespace cdcscope::canal {

inline constexpr std::size_t length_size = 4;

// Neither side has a cap; this one is ours, an option.
inline constexpr std::uint32_t default_max_frame = 128U << 20;

enum class length_state : std::uint8_t {
    incomplete,  // fewer than 4 bytes
    good,
    negative,  // the server closes without an answer
    over_limit,
};

struct frame_length {
    length_state state = length_state::incomplete;
    std::uint32_t payload = 0;  // what follows the 4 bytes; 0 is legal
    [[nodiscard]] constexpr std::uint64_t whole() const noexcept {
        return std::uint64_t{payload} + length_size;
    }
};

// The length at the start of `bytes`, in sync: 0 to max_frame, whatever follows.
[[nodiscard]] constexpr frame_length read_length(
    byte_view bytes, std::uint32_t max_frame = default_max_frame) noexcept {
    if (bytes.size() < length_size) return {};
    const std::uint32_t length = load_be32(bytes.data());
    if (length > 0x7fffffffU) return {length_state::negative, length};
    return {length > max_frame ? length_state::over_limit : length_state::good, length};
}

enum class match : std::uint8_t {
    no,
    partial,  // right as far as the bytes go
    whole,
};

// Does a Packet of `size` bytes begin like this? Strict, for searching: first tag 08, 10 or 18,
// known fields in ascending order with their wire types, a type that has a name (but 0), the body
// ends where the Packet does, MESSAGES begin with a batch id and go on with an Entry. `captured`
// holds its first bytes, perhaps all; whole means all.
[[nodiscard]] match check_packet(byte_view captured, std::uint64_t size, port_kind port) noexcept;

// The same of bytes that are all there.
[[nodiscard]] inline bool check_packet(byte_view payload, port_kind port) noexcept {
    return check_packet(payload, payload.size(), port) == match::whole;
}

// The same from the length on: 2 <= length <= max_frame. `bytes` may end anywhere (then at best
// partial) and may go on behind the frame. With match::whole and partial, read_length tells how
// long it is (if 4 bytes are there).
[[nodiscard]] match check_frame(byte_view bytes, port_kind port,
                                std::uint32_t max_frame = default_max_frame) noexcept;

enum class server_start : std::uint8_t {
    undecided,  // too few bytes yet
    data,
    admin,
    neither,
};

// What a server's first bytes say, from the first byte of the stream: canal's data port, its admin
// port (whose HANDSHAKE has its body in field 4), or something else.
[[nodiscard]] server_start recognise_server(byte_view bytes) noexcept;

}  // namespace cdcscope::canal
