// Headers, the parts of a body, and candidates.
#include "proto/dcp/frame.h"

#include <algorithm>

#include "proto/dcp/opcodes.h"

namespace cdcscope::dcp {
namespace {

constexpr std::uint8_t stream_id_frame = 0x22;  // id 2, two bytes of data
constexpr std::uint8_t stream_id_frame_size = 3;

header read_header(const std::uint8_t* p) noexcept {
    header h;
    h.kind = static_cast<magic>(p[0]);
    h.opcode = p[1];
    if (has_framing(h.kind)) {
        h.framing_length = p[2];
        h.key_length = p[3];
    } else {
        h.key_length = load_be16(p + 2);
    }
    h.extras_length = p[4];
    h.datatype = p[5];
    h.vbucket_or_status = load_be16(p + 6);
    h.body_length = load_be32(p + 8);
    h.opaque = load_be32(p + 12);
    h.cas = load_be64(p + 16);
    return h;
}

// Deletions and expirations of some servers carry the stream id but leave its length at 0.
bool lacks_framing_length(const header& h, byte_view body, const decode_context& context) noexcept {
    if (!context.stream_ids || h.kind != magic::alt_request || h.framing_length != 0) return false;
    const bool opcode_fits =
        (h.opcode == 0x58 && h.extras_length == 21) || (h.opcode == 0x59 && h.extras_length == 20);
    return opcode_fits && !body.empty() && body[0] == stream_id_frame &&
           h.parts_length() + stream_id_frame_size <= h.body_length;
}

}  // namespace

header_outcome parse_header(byte_view bytes, std::uint32_t max_body) noexcept {
    header_outcome out;
    if (bytes.empty()) {
        out.need = header_size;
        return out;
    }
    if (!is_magic(bytes[0])) {
        out.state = parse_state::broken;
        out.why = "no magic byte";
        return out;
    }
    if (bytes.size() < header_size) {
        out.need = header_size - bytes.size();
        return out;
    }
    out.value = read_header(bytes.data());
    if (out.value.body_length > max_body) {
        out.state = parse_state::broken;
        out.where = 8;
        out.why = "body length above the limit";
        return out;
    }
    out.state = parse_state::complete;
    return out;
}

body_parts split(const header& h, byte_view message, const decode_context& context) noexcept {
    body_parts parts;
    const std::size_t end = std::min<std::uint64_t>(h.total_length(), message.size());
    const byte_view whole = message.first(end);
    const byte_view body = whole.size() > header_size ? whole.subspan(header_size) : byte_view{};
    parts.cut = whole.size() < h.total_length();
    parts.framing_length_zero = lacks_framing_length(h, body, context);
    const std::size_t framing_length =
        parts.framing_length_zero ? stream_id_frame_size : h.framing_length;

    std::size_t at = std::min(header_size, end);
    const auto next = [&](std::size_t length, std::uint32_t& offset) {
        offset = static_cast<std::uint32_t>(at);
        const byte_view part = whole.subspan(at, std::min(length, end - at));
        at += part.size();
        return part;
    };
    parts.framing = next(framing_length, parts.framing_at);
    parts.extras = next(h.extras_length, parts.extras_at);
    parts.key = next(h.key_length, parts.key_at);
    parts.value = next(end - at, parts.value_at);
    const std::uint64_t used = std::uint64_t{framing_length} + h.extras_length + h.key_length;
    parts.malformed = used > h.body_length;
    parts.value_length = parts.malformed ? 0 : static_cast<std::uint32_t>(h.body_length - used);
    return parts;
}

bool is_candidate(byte_view bytes, const candidate_hints& hints) noexcept {
    if (bytes.size() < header_size || !is_magic(bytes[0])) return false;
    const header h = read_header(bytes.data());
    if ((has_framing(h.kind) && !hints.framing) || (h.is_push() && !hints.push)) return false;
    if (h.datatype > datatype_bit::all || h.body_length > hints.max_body) return false;
    if (h.is_response() && !is_known_status(h.status())) return false;
    // The longest keys are documents' (251 bytes); names, statistics and agents stay below that,
    // too.
    constexpr std::uint16_t longest_key = 255;
    if (h.key_length > longest_key) return false;
    const opcode_row* row = find_opcode(h.kind, h.opcode);
    return row != nullptr && check_lengths(h, *row) == fault::none;
}

}  // namespace cdcscope::dcp
