// A TCP segment, out of all its layers.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

#include "proto/wire/bytes.h"
#include "proto/wire/frame_ref.h"

namespace cdcscope::capture {

// IPv4 addresses are kept as ::ffff:a.b.c.d, so that one type compares and hashes.
struct address {
    std::array<std::uint8_t, 16> bytes{};
    [[nodiscard]] bool is_v4() const noexcept;
    auto operator<=>(const address&) const = default;
};

struct endpoint {
    address ip;
    std::uint16_t port = 0;
    auto operator<=>(const endpoint&) const = default;
};

// "10.0.0.1:11210", "[fd00::1]:11210" (RFC 5952).
[[nodiscard]] std::string to_string(const endpoint& e);
[[nodiscard]] std::string to_string(const address& a);

namespace tcp_flag {
inline constexpr std::uint8_t fin = 0x01, syn = 0x02, rst = 0x04, psh = 0x08, ack = 0x10,
                              urg = 0x20;
}

struct segment {
    endpoint source;
    endpoint destination;
    std::uint32_t sequence = 0;
    std::uint32_t acknowledgement = 0;  // meaningful with tcp_flag::ack
    std::uint16_t window = 0;           // as sent, not scaled
    std::uint8_t flags = 0;
    std::int8_t window_scale = -1;  // option of a SYN; -1: absent
    bool has_timestamp = false;     // TCP time stamp option
    std::uint32_t timestamp = 0;
    std::uint32_t ip_id = 0;  // IPv4 identification; IPv6: 0 (or that of its fragment header)
    std::uint32_t wire_payload =
        0;  // payload bytes on the wire; payload.size() is what was captured, from its start
    byte_view payload;  // valid during the call
    frame_ref at;       // of the packet that completed it (IP fragments: the last one)
};

class segment_sink {
  public:
    segment_sink() = default;
    segment_sink(const segment_sink&) = delete;
    segment_sink& operator=(const segment_sink&) = delete;
    virtual ~segment_sink() = default;
    virtual void on_segment(const segment& s) = 0;
};

}  // namespace cdcscope::capture
