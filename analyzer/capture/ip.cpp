#include "analyzer/capture/ip.h"

#include <cstring>

namespace cdcscope::capture {
namespace {

constexpr std::size_t ipv4_header = 20;
constexpr std::size_t ipv6_header = 40;
constexpr int max_extensions = 16;

address v4_address(const std::uint8_t* p) noexcept {
    address a;
    a.bytes[10] = a.bytes[11] = 0xff;
    std::memcpy(&a.bytes[12], p, 4);
    return a;
}

address v6_address(const std::uint8_t* p) noexcept {
    address a;
    std::memcpy(a.bytes.data(), p, a.bytes.size());
    return a;
}

bool parse_ipv4(layer_view bytes, ip_packet& out) noexcept {
    if (!bytes.has(ipv4_header)) return false;
    const std::size_t header = std::size_t{bytes.data[0] & 0x0fU} * 4;
    const std::size_t total = load_be16(bytes.data + 2);
    if (header < ipv4_header || !bytes.has(header)) return false;
    // 0: the network card cuts the segment later and fills the length in (G1).
    if (total != 0) {
        if (total < header) return false;
        bytes.end_at(total);
    }
    const unsigned fragment = load_be16(bytes.data + 6);
    out.v6 = false;
    out.source = v4_address(bytes.data + 12);
    out.destination = v4_address(bytes.data + 16);
    out.protocol = bytes.data[9];
    out.id = load_be16(bytes.data + 4);
    out.more_fragments = (fragment & 0x2000U) != 0;
    out.fragment_offset = (fragment & 0x1fffU) * 8U;
    out.is_fragment = out.more_fragments || out.fragment_offset != 0;
    bytes.skip(header);
    out.payload = bytes;
    return out.is_fragment || skip_extensions(out);
}

// The length of a jumbogram (RFC 2675), or 0 without that option.
std::size_t jumbo_length(layer_view options) noexcept {
    constexpr std::uint8_t jumbo = 0xc2;
    if (!options.has(2)) return 0;
    const std::size_t end =
        std::min<std::size_t>(options.captured, (std::size_t{options.data[1]} + 1) * 8);
    for (std::size_t at = 2; at + 1 < end;) {
        if (options.data[at] == 0) {  // one byte of padding
            ++at;
            continue;
        }
        const std::size_t size = options.data[at + 1];
        if (options.data[at] == jumbo && size == 4 && at + 6 <= end)
            return load_be32(options.data + at + 2);
        at += 2 + size;
    }
    return 0;
}

bool parse_ipv6(layer_view bytes, ip_packet& out) noexcept {
    if (!bytes.has(ipv6_header)) return false;
    std::size_t length = load_be16(bytes.data + 4);
    out.v6 = true;
    out.source = v6_address(bytes.data + 8);
    out.destination = v6_address(bytes.data + 24);
    out.protocol = bytes.data[6];
    out.id = 0;
    out.is_fragment = out.more_fragments = false;
    out.fragment_offset = 0;
    bytes.skip(ipv6_header);
    if (length == 0 && out.protocol == ip_protocol::hop_by_hop) length = jumbo_length(bytes);
    if (length != 0) bytes.end_at(length);
    out.payload = bytes;
    return skip_extensions(out);
}

// Takes one extension header off. False if too few bytes were captured.
bool skip_one(ip_packet& packet, std::size_t unit, std::size_t more) noexcept {
    layer_view& rest = packet.payload;
    if (!rest.has(2)) return false;
    const std::size_t size = (rest.data[1] + more) * unit;
    if (!rest.has(size)) return false;
    packet.protocol = rest.data[0];
    rest.skip(size);
    return true;
}

bool take_fragment_header(ip_packet& packet) noexcept {
    layer_view& rest = packet.payload;
    if (!rest.has(8)) return false;
    const unsigned field = load_be16(rest.data + 2);
    packet.protocol = rest.data[0];
    packet.id = load_be32(rest.data + 4);
    packet.fragment_offset = field & 0xfff8U;
    packet.more_fragments = (field & 1U) != 0;
    packet.is_fragment = packet.more_fragments || packet.fragment_offset != 0;
    rest.skip(8);
    return true;
}

}  // namespace

bool skip_extensions(ip_packet& packet) noexcept {
    for (int n = 0; n < max_extensions; ++n) {
        switch (packet.protocol) {
            case ip_protocol::hop_by_hop:
            case ip_protocol::routing:
            case ip_protocol::destination:
            case ip_protocol::mobility:
            case ip_protocol::hip:
            case ip_protocol::shim6:
                if (!packet.v6) return true;
                if (!skip_one(packet, 8, 1)) return false;
                break;
            case ip_protocol::authentication:
                if (!skip_one(packet, 4, 2)) return false;
                break;
            case ip_protocol::fragment:
                if (!packet.v6) return true;
                if (!take_fragment_header(packet)) return false;
                if (packet.is_fragment) return true;  // an atomic one (RFC 6946) stands for itself
                break;
            default:
                return true;
        }
    }
    return false;
}

bool parse_ip(layer_view bytes, ip_packet& out) noexcept {
    if (!bytes.has(1)) return false;
    switch (bytes.data[0] >> 4U) {
        case 4:
            return parse_ipv4(bytes, out);
        case 6:
            return parse_ipv6(bytes, out);
        default:
            return false;
    }
}

}  // namespace cdcscope::capture
