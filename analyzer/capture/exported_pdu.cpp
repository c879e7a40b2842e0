#include "analyzer/capture/exported_pdu.h"

#include <algorithm>

#include "proto/wire/cursor.h"

namespace cdcscope::capture {
namespace {

constexpr std::uint32_t port_type_tcp = 2;

enum tag : std::uint16_t {
    end_of_tags = 0,
    dissector_name = 12,
    ipv4_source = 20,
    ipv4_destination = 21,
    ipv6_source = 22,
    ipv6_destination = 23,
    port_type = 24,
    source_port = 25,
    destination_port = 26,
    original_frame = 30,
};

void set_address(address& to, byte_view value) noexcept {
    if (value.size() == 16) std::copy(value.begin(), value.end(), to.bytes.begin());
    if (value.size() != 4) return;
    to = {};
    to.bytes[10] = to.bytes[11] = 0xff;
    std::copy(value.begin(), value.end(), to.bytes.begin() + 12);
}

std::uint32_t number(byte_view value) noexcept {
    return value.size() == 4 ? load_be32(value.data()) : 0;
}

void take_tag(std::uint16_t kind, byte_view value, exported_pdu& out) noexcept {
    switch (kind) {
        case dissector_name: {
            const std::string_view padded = as_text(value);
            out.dissector = padded.substr(0, padded.find('\0'));
            return;
        }
        case ipv4_source:
        case ipv6_source:
            return set_address(out.source.ip, value);
        case ipv4_destination:
        case ipv6_destination:
            return set_address(out.destination.ip, value);
        case port_type:
            out.over_tcp = number(value) == port_type_tcp;
            return;
        case source_port:
            out.source.port = static_cast<std::uint16_t>(number(value));
            return;
        case destination_port:
            out.destination.port = static_cast<std::uint16_t>(number(value));
            return;
        case original_frame:
            out.original_frame = number(value);
            return;
        default:
            return;
    }
}

}  // namespace

bool parse_exported_pdu(const packet& record, exported_pdu& out) noexcept {
    out = {};
    out.at = record.at;
    cursor c(record.bytes);
    while (c.ok()) {
        const std::uint16_t kind = c.be16();
        const std::uint16_t size = c.be16();
        if (!c.ok()) return false;
        if (kind == end_of_tags) {
            out.bytes = c.rest();
            out.wire_length = static_cast<std::uint32_t>(record.wire_length - c.offset());
            return true;
        }
        take_tag(kind, c.take(size), out);
    }
    return false;
}

}  // namespace cdcscope::capture
