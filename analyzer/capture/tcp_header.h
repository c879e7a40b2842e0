// The TCP header: from the payload of an IP packet to a segment.
#pragma once

#include "analyzer/capture/ip.h"
#include "analyzer/capture/segment.h"

namespace cdcscope::capture {

// False if the bytes are not a TCP header, or the capture holds too little of it to place the
// segment (14 bytes).
[[nodiscard]] bool parse_tcp(const ip_packet& packet, segment& out) noexcept;

// Whether the TCP checksum is right. Only for a packet that was captured whole.
[[nodiscard]] bool tcp_checksum_is_good(const ip_packet& packet) noexcept;

}  // namespace cdcscope::capture
