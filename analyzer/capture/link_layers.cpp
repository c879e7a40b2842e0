#include "analyzer/capture/link_layers.h"

#include <array>

namespace cdcscope::capture {
namespace {

constexpr carried nothing{};

carried ip(layer_view rest) noexcept {
    return {carries::ip, rest};
}

// Tags between Ethernet header and payload: bytes from behind the tag's type up to the next type.
struct tag_row {
    std::uint16_t type;
    std::uint8_t skip;
};
constexpr std::array<tag_row, 8> tags{{
    {0x8100, 2},  // 802.1Q
    {0x88a8, 2},  // 802.1ad
    {0x9100, 2},  // older double tags
    {0x9200, 2},
    {0x9300, 2},
    {0x8926, 4},  // VN-Tag
    {0x892f, 4},  // HSR
    {0x8909, 6},  // Cisco metadata
}};

const tag_row* tag_of(std::uint16_t type) noexcept {
    for (const tag_row& row : tags) {
        if (row.type == type) return &row;
    }
    return nullptr;
}

bool is_common_type(std::uint16_t type) noexcept {
    return type == 0x0800 || type == 0x86dd || type == 0x8100 || type == 0x88a8;
}

carried peel_mpls(layer_view rest) noexcept {
    bool bottom = false;
    while (!bottom) {
        if (!rest.has(4)) return nothing;
        bottom = (rest.data[2] & 1U) != 0;
        rest.skip(4);
    }
    if (!rest.has(1)) return nothing;
    const unsigned version = rest.data[0] >> 4U;
    if (version == 4 || version == 6) return ip(rest);
    // A pseudowire: a whole frame, perhaps behind a control word of four bytes; the type of the
    // frame tells.
    if (version == 0 && rest.has(18) && is_common_type(load_be16(rest.data + 16))) rest.skip(4);
    return {carries::ethernet, rest};
}

carried peel_pppoe(layer_view rest) noexcept {
    constexpr std::size_t header = 6;
    if (!rest.has(header) || rest.data[1] != 0) return nothing;
    const std::size_t length = load_be16(rest.data + 4);
    rest.skip(header);
    if (length <= rest.wire) rest.end_at(length);
    return peel_ppp(rest);
}

// 802.3 with a length instead of a type: IP is in a SNAP header then.
carried peel_llc(layer_view rest) noexcept {
    constexpr std::array<std::uint8_t, 6> snap{0xaa, 0xaa, 0x03, 0, 0, 0};
    if (!rest.has(8) || !std::equal(snap.begin(), snap.end(), rest.data)) return nothing;
    const std::uint16_t type = load_be16(rest.data + 6);
    rest.skip(8);
    return type == 0x0800 || type == 0x86dd ? ip(rest) : nothing;
}

// BSD loopback: an address family in the byte order of the machine that captured.
carried peel_null(layer_view packet) noexcept {
    if (!packet.has(4)) return nothing;
    const std::uint32_t big = load_be32(packet.data);
    const std::uint32_t family = big < 0x10000 ? big : load_le32(packet.data);
    constexpr std::array<std::uint32_t, 6> families{2,  10, 23,
                                                    24, 28, 30};  // IPv4; IPv6 of each system
    if (std::find(families.begin(), families.end(), family) == families.end()) return nothing;
    packet.skip(4);
    return ip(packet);
}

carried peel_raw(layer_view packet) noexcept {
    return ip(packet);
}

// Link types with an Ethernet type at a fixed place.
template <std::size_t TypeAt, std::size_t Header>
carried peel_typed(layer_view packet) noexcept {
    if (!packet.has(Header)) return nothing;
    const std::uint16_t type = load_be16(packet.data + TypeAt);
    packet.skip(Header);
    return peel_ethertype(type, packet);
}

carried peel_pppoe_link(layer_view packet) noexcept {
    return peel_pppoe(packet);
}

carried peel_ppp_with_direction(layer_view packet) noexcept {
    if (!packet.has(1)) return nothing;
    packet.skip(1);
    return peel_ppp(packet);
}

// macOS: length of this header, and the link type that follows it, both little-endian.
carried peel_pktap(layer_view packet) noexcept {
    constexpr std::uint32_t pktap = 258;
    if (!packet.has(12)) return nothing;
    const std::uint32_t header = load_le32(packet.data);
    const std::uint32_t inner = load_le32(packet.data + 8);
    if (header < 12 || !packet.has(header) || inner == pktap) return nothing;
    packet.skip(header);
    const carried result = peel_link(inner, packet);
    return result.what == carries::unknown_link ? nothing : result;
}

// Linux netfilter log: attributes of 16-bit length and type in the host's order; number 9 is the
// packet.
carried peel_nflog(layer_view packet) noexcept {
    constexpr std::uint16_t payload = 9;
    if (!packet.has(4)) return nothing;
    packet.skip(4);
    while (packet.has(4)) {
        const std::size_t length = load_le16(packet.data);
        if (length < 4) return nothing;
        if (load_le16(packet.data + 2) == payload) {
            packet.end_at(std::min(length, packet.wire));
            packet.skip(4);
            return ip(packet);
        }
        const std::size_t padded = (length + 3) / 4 * 4;
        if (!packet.has(padded)) return nothing;
        packet.skip(padded);
    }
    return nothing;
}

carried exported(layer_view packet) noexcept {
    return {carries::exported_pdu, packet};
}

struct link_row {
    std::uint32_t link_type;
    carried (*peel)(layer_view) noexcept;
};
constexpr std::array<link_row, 19> links{{
    {0, peel_null},                  // NULL
    {1, peel_ethernet},              // ETHERNET
    {9, peel_ppp},                   // PPP
    {12, peel_raw},                  // RAW of most systems
    {14, peel_raw},                  // RAW of OpenBSD
    {50, peel_ppp},                  // PPP_HDLC
    {51, peel_pppoe_link},           // PPP_ETHER
    {101, peel_raw},                 // RAW
    {104, peel_typed<2, 4>},         // C_HDLC
    {108, peel_null},                // LOOP
    {113, peel_typed<14, 16>},       // LINUX_SLL
    {204, peel_ppp_with_direction},  // PPP_WITH_DIR
    {219, peel_mpls},                // MPLS
    {228, peel_raw},                 // IPV4
    {229, peel_raw},                 // IPV6
    {239, peel_nflog},               // NFLOG
    {252, exported},                 // WIRESHARK_UPPER_PDU
    {258, peel_pktap},               // PKTAP
    {276, peel_typed<0, 20>},        // LINUX_SLL2
}};

}  // namespace

carried peel_ethertype(std::uint16_t type, layer_view rest) noexcept {
    for (const tag_row* tag = tag_of(type); tag != nullptr; tag = tag_of(type)) {
        if (!rest.has(tag->skip + 2U)) return nothing;
        type = load_be16(rest.data + tag->skip);
        rest.skip(tag->skip + 2U);
    }
    switch (type) {
        case 0x0800:
        case 0x86dd:
            return ip(rest);
        case 0x8847:
        case 0x8848:
            return peel_mpls(rest);
        case 0x8864:
            return peel_pppoe(rest);
        case 0x880b:
            return peel_ppp(rest);
        case 0x6558:
            return {carries::ethernet, rest};  // transparent Ethernet bridging
        case 0x88e7:  // provider backbone bridges: service tag, then a whole frame
            if (!rest.has(4)) return nothing;
            rest.skip(4);
            return {carries::ethernet, rest};
        default:
            return type < 0x0600 ? peel_llc(rest) : nothing;
    }
}

carried peel_ethernet(layer_view frame) noexcept {
    return peel_typed<12, 14>(frame);
}

carried peel_ppp(layer_view frame) noexcept {
    if (frame.has(2) && frame.data[0] == 0xff && frame.data[1] == 0x03) frame.skip(2);
    if (!frame.has(2)) return nothing;
    const bool one_byte = (frame.data[0] & 1U) != 0;
    const unsigned protocol = one_byte ? frame.data[0] : load_be16(frame.data);
    frame.skip(one_byte ? 1 : 2);
    switch (protocol) {
        case 0x0021:
        case 0x0057:
            return ip(frame);
        case 0x0281:
            return peel_mpls(frame);
        default:
            return nothing;
    }
}

carried peel_link(std::uint32_t link_type, layer_view packet) noexcept {
    for (const link_row& row : links) {
        if (row.link_type == link_type) return row.peel(packet);
    }
    return {carries::unknown_link, packet};
}

bool knows_link_type(std::uint32_t link_type) noexcept {
    return std::any_of(links.begin(), links.end(),
                       [&](const link_row& row) { return row.link_type == link_type; });
}

}  // namespace cdcscope::capture
