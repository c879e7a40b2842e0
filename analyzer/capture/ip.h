// IPv4 and IPv6 headers, extension headers included.
#pragma once

#include "analyzer/capture/layer.h"
#include "analyzer/capture/segment.h"

namespace cdcscope::capture {

namespace ip_protocol {
inline constexpr std::uint8_t hop_by_hop = 0, ipv4 = 4, tcp = 6, udp = 17, ipv6 = 41, routing = 43,
                              fragment = 44, gre = 47, authentication = 51, destination = 60,
                              mobility = 135, hip = 139, shim6 = 140;
}

struct ip_packet {
    address source;
    address destination;
    bool v6 = false;
    std::uint8_t protocol = 0;  // of the payload
    std::uint32_t id = 0;       // IPv4 identification, or that of an IPv6 fragment header
    bool is_fragment = false;
    bool more_fragments = false;
    std::uint32_t fragment_offset = 0;  // bytes
    layer_view payload;                 // without padding
};

// False if the bytes are not such a packet, or too few were captured to tell where its payload is.
[[nodiscard]] bool parse_ip(layer_view bytes, ip_packet& out) noexcept;

// Steps over extension headers (IPv6, and AH in both) up to the payload proper or to a fragment
// header, which is taken off, too. parse_ip() has done it; a datagram put together from fragments
// needs it again.
[[nodiscard]] bool skip_extensions(ip_packet& packet) noexcept;

}  // namespace cdcscope::capture
