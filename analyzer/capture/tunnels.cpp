#include "analyzer/capture/tunnels.h"

#include <array>

#include "analyzer/capture/link_layers.h"

namespace cdcscope::capture {
namespace {

constexpr carried nothing{};

// ERSPAN type II: 8 bytes; type III: 12 bytes and perhaps 8 of a platform's own
// (draft-foschiano-erspan).
carried peel_erspan(layer_view rest, std::size_t header) noexcept {
    if (header == 12 && rest.has(12) && (rest.data[11] & 1U) != 0) header += 8;
    if (!rest.has(header)) return nothing;
    rest.skip(header);
    return {carries::ethernet, rest};
}

// RFC 2784 and 2890; version 1 (PPTP, RFC 2637) has a key always and perhaps an acknowledgement.
carried peel_gre(layer_view rest) noexcept {
    constexpr unsigned checksum = 0x8000;
    constexpr unsigned source_routing = 0x4000;
    constexpr unsigned key = 0x2000;
    constexpr unsigned sequence = 0x1000;
    constexpr unsigned acknowledgement = 0x0080;
    constexpr std::uint16_t erspan_2 = 0x88be;
    constexpr std::uint16_t erspan_3 = 0x22eb;
    if (!rest.has(4)) return nothing;
    const unsigned flags = load_be16(rest.data);
    const std::uint16_t type = load_be16(rest.data + 2);
    const unsigned version = flags & 7U;
    if (version > 1 || (flags & source_routing) != 0) return nothing;
    std::size_t header = 4;
    if ((flags & checksum) != 0) header += 4;
    if ((flags & key) != 0) header += 4;
    if ((flags & sequence) != 0) header += 4;
    if (version == 1 && (flags & acknowledgement) != 0) header += 4;
    if (!rest.has(header)) return nothing;
    rest.skip(header);
    if (type == erspan_2) return peel_erspan(rest, (flags & sequence) != 0 ? 8 : 0);
    if (type == erspan_3) return peel_erspan(rest, 12);
    return peel_ethertype(type, rest);
}

carried peel_vxlan(layer_view rest) noexcept {
    // A network identifier, and perhaps a group policy.
    if (!rest.has(8) || (rest.data[0] & 0x7fU) != 0x08) return nothing;
    rest.skip(8);
    return {carries::ethernet, rest};
}

carried peel_vxlan_gpe(layer_view rest) noexcept {
    if (!rest.has(8) || (rest.data[0] & 0x08U) == 0) return nothing;
    const bool names_protocol = (rest.data[0] & 0x04U) != 0;
    const unsigned protocol = names_protocol ? rest.data[3] : 3U;
    rest.skip(8);
    if (protocol == 1 || protocol == 2) return {carries::ip, rest};
    return protocol == 3 ? carried{carries::ethernet, rest} : nothing;
}

carried peel_geneve(layer_view rest) noexcept {
    if (!rest.has(8) || rest.data[0] >> 6U != 0) return nothing;
    const std::size_t header = 8 + std::size_t{rest.data[0] & 0x3fU} * 4;
    const std::uint16_t type = load_be16(rest.data + 2);
    if (!rest.has(header)) return nothing;
    rest.skip(header);
    return peel_ethertype(type, rest);
}

// GTP-U, version 1: a user packet behind optional fields and a chain of extension headers (3GPP
// TS 29.281).
carried peel_gtp(layer_view rest) noexcept {
    constexpr unsigned user_packet = 255;
    if (!rest.has(8) || (rest.data[0] & 0xf0U) != 0x30 || rest.data[1] != user_packet)
        return nothing;
    const bool optional = (rest.data[0] & 0x07U) != 0;
    const bool extended = (rest.data[0] & 0x04U) != 0;
    const std::size_t length = load_be16(rest.data + 2);
    rest.skip(8);
    if (length <= rest.wire) rest.end_at(length);
    if (!optional) return {carries::ip, rest};
    if (!rest.has(4)) return nothing;
    unsigned next = extended ? rest.data[3] : 0U;
    rest.skip(4);
    while (next != 0) {
        if (!rest.has(1)) return nothing;
        const std::size_t size = std::size_t{rest.data[0]} * 4;
        if (size == 0 || !rest.has(size)) return nothing;
        next = rest.data[size - 1];
        rest.skip(size);
    }
    return {carries::ip, rest};
}

carried peel_mpls_in_udp(layer_view rest) noexcept {
    return peel_ethertype(0x8847, rest);
}

// TaZmen Sniffer Protocol, as routers mirror: tagged fields, then a whole frame.
carried peel_tzsp(layer_view rest) noexcept {
    constexpr std::uint8_t padding = 0;
    constexpr std::uint8_t end = 1;
    if (!rest.has(4) || rest.data[0] != 1 || load_be16(rest.data + 2) != 1) return nothing;
    rest.skip(4);
    while (rest.has(1)) {
        const std::uint8_t kind = rest.data[0];
        const std::size_t size = kind == padding || kind == end ? 1
                                 : rest.has(2)                  ? 2U + rest.data[1]
                                                                : 2U;
        if (!rest.has(size)) return nothing;
        rest.skip(size);
        if (kind == end) return {carries::ethernet, rest};
    }
    return nothing;
}

struct udp_row {
    std::uint16_t port;
    carried (*peel)(layer_view) noexcept;
};
constexpr std::array<udp_row, 7> udp_tunnels{{
    {4789, peel_vxlan},
    {8472, peel_vxlan},  // as Linux had it before the port was assigned; flannel still
    {4790, peel_vxlan_gpe},
    {6081, peel_geneve},
    {2152, peel_gtp},
    {6635, peel_mpls_in_udp},
    {37008, peel_tzsp},
}};

carried peel_udp(layer_view rest) noexcept {
    if (!rest.has(8)) return nothing;
    const std::uint16_t port = load_be16(rest.data + 2);
    for (const udp_row& row : udp_tunnels) {
        if (row.port != port) continue;
        const std::size_t length = load_be16(rest.data + 4);
        if (length >= 8 && length <= rest.wire) rest.end_at(length);
        rest.skip(8);
        return row.peel(rest);
    }
    return nothing;
}

}  // namespace

carried peel_tunnel(const ip_packet& packet) noexcept {
    switch (packet.protocol) {
        case ip_protocol::ipv4:
        case ip_protocol::ipv6:
            return {carries::ip, packet.payload};
        case ip_protocol::gre:
            return peel_gre(packet.payload);
        case ip_protocol::udp:
            return peel_udp(packet.payload);
        default:
            return nothing;
    }
}

bool may_carry_tcp(std::uint8_t protocol) noexcept {
    constexpr std::array<std::uint8_t, 6> protocols{ip_protocol::tcp,  ip_protocol::udp,
                                                    ip_protocol::gre,  ip_protocol::ipv4,
                                                    ip_protocol::ipv6, ip_protocol::authentication};
    return std::find(protocols.begin(), protocols.end(), protocol) != protocols.end();
}

}  // namespace cdcscope::capture
