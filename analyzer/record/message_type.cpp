#include "analyzer/record/message_type.h"

#include <algorithm>
#include <charconv>

#include "proto/canal/view.h"
#include "proto/dcp/frame.h"
#include "proto/dcp/opcodes.h"

namespace cdcscope::record {

std::string_view message_types::numbered(std::string_view prefix, std::uint32_t value,
                                         int base) noexcept {
    char* to = std::ranges::copy(prefix, text_.data()).out;
    if (base == 16 && value < 16) *to++ = '0';
    return {text_.data(), std::to_chars(to, text_.data() + text_.size(), value, base).ptr};
}

message_type message_types::of(const recover::message& m) noexcept {
    if (m.carries == recover::protocol::dcp) {
        const dcp::header_outcome parsed = dcp::parse_header(m.bytes, 0xffffffffU);
        const dcp::header& h = parsed.value;
        if (const dcp::opcode_row* row = dcp::find_opcode(h.kind, h.opcode))
            return {row->event, h.is_response(), dcp::tells_dcp(*row)};
        if (h.is_push()) return {"server_push", h.is_response()};
        return {numbered("opcode_0x", h.opcode, 16), h.is_response()};
    }
    const bool admin = m.carries == recover::protocol::canal_admin;
    const canal::port_kind port = admin ? canal::port_kind::admin : canal::port_kind::data;
    const canal::packet_view packet = canal::parse_packet(m.bytes.subspan(4), port);
    if (!packet.ok()) return {"malformed"};
    const std::string_view name = canal::packet_type_name(port, packet.type);
    if (!name.empty()) return {name};
    return {numbered("TYPE_", static_cast<std::uint32_t>(packet.type), 10)};
}

}  // namespace cdcscope::record
