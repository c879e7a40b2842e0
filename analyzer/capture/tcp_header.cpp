#include "analyzer/capture/tcp_header.h"

#include <array>
#include <cstring>

namespace cdcscope::capture {
namespace {

constexpr std::size_t header_minimum = 20;
constexpr std::size_t needed = 14;  // ports, numbers, header length, flags
constexpr std::uint8_t option_end = 0, option_none = 1, option_window_scale = 3,
                       option_timestamp = 8;

void read_options(byte_view options, segment& out) noexcept {
    std::size_t at = 0;
    while (at < options.size() && options[at] != option_end) {
        if (options[at] == option_none) {
            ++at;
            continue;
        }
        if (at + 1 >= options.size()) return;
        const std::size_t size = options[at + 1];
        if (size < 2 || at + size > options.size()) return;
        if (options[at] == option_window_scale && size == 3 && (out.flags & tcp_flag::syn) != 0) {
            out.window_scale = static_cast<std::int8_t>(std::min<unsigned>(options[at + 2], 14));
        }
        if (options[at] == option_timestamp && size == 10) {
            out.has_timestamp = true;
            out.timestamp = load_be32(&options[at + 2]);
        }
        at += size;
    }
}

// Sum of 16-bit words for the internet checksum (RFC 1071), in the byte order of this machine, not
// folded.
std::uint64_t sum_words(const std::uint8_t* p, std::size_t n) noexcept {
    std::uint64_t sum = 0;
    for (; n >= 4; p += 4, n -= 4) {
        std::uint32_t word = 0;
        std::memcpy(&word, p, 4);
        sum += word;
    }
    std::uint32_t last = 0;
    std::memcpy(&last, p, n);
    return sum + last;
}

}  // namespace

bool parse_tcp(const ip_packet& packet, segment& out) noexcept {
    layer_view bytes = packet.payload;
    if (!bytes.has(needed)) return false;
    const std::uint8_t* p = bytes.data;
    const std::size_t header = std::size_t{p[12]} / 16 * 4;
    if (header < header_minimum || header > bytes.wire) return false;
    out.source = {packet.source, load_be16(p)};
    out.destination = {packet.destination, load_be16(p + 2)};
    out.sequence = load_be32(p + 4);
    out.acknowledgement = load_be32(p + 8);
    out.flags = p[13];
    out.window = bytes.has(16) ? load_be16(p + 14) : std::uint16_t{0};
    out.window_scale = -1;
    out.has_timestamp = false;
    out.timestamp = 0;
    out.ip_id = packet.id;
    const std::size_t header_captured = std::min(header, bytes.captured);
    if (header_captured > header_minimum) {
        read_options({p + header_minimum, header_captured - header_minimum}, out);
    }
    out.wire_payload = static_cast<std::uint32_t>(bytes.wire - header);
    out.payload = {p + header_captured, bytes.captured - header_captured};
    return true;
}

bool tcp_checksum_is_good(const ip_packet& packet) noexcept {
    const layer_view& bytes = packet.payload;
    // Pseudo header: both addresses, length and protocol.
    const std::size_t skip = packet.v6 ? 0 : 12;
    std::uint64_t sum = sum_words(packet.source.bytes.data() + skip, 16 - skip);
    sum += sum_words(packet.destination.bytes.data() + skip, 16 - skip);
    std::array<std::uint8_t, 8> tail{0, 0, 0, 0, 0, 0, 0, ip_protocol::tcp};
    store_be32(tail.data(), static_cast<std::uint32_t>(bytes.wire));
    sum += sum_words(tail.data(), tail.size());
    sum += sum_words(bytes.data, bytes.captured);
    while (sum >> 16U != 0) sum = (sum & 0xffffU) + (sum >> 16U);
    return sum == 0xffff;
}

}  // namespace cdcscope::capture
