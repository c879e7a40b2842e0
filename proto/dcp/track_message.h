// Helpers of the rules around one decoded message.
#pragma once

#include "proto/dcp/decode.h"
#include "proto/dcp/names.h"

namespace cdcscope::dcp {

// Client opcodes that the rules name.
namespace op {
inline constexpr std::uint8_t quit = 0x07, stat = 0x10, hello = 0x1f, tap_first = 0x40,
                              tap_last = 0x47, open = 0x50, add_stream = 0x51, close_stream = 0x52,
                              stream_req = 0x53, stream_end = 0x55, snapshot_marker = 0x56,
                              mutation = 0x57, deletion = 0x58, expiration = 0x59, flush = 0x5a,
                              set_vbucket_state = 0x5b, noop = 0x5c, buffer_ack = 0x5d,
                              control = 0x5e, system_event = 0x5f, prepare = 0x60, seqno_ack = 0x61,
                              commit = 0x62, abort = 0x63, seqno_advanced = 0x64,
                              oso_snapshot = 0x65, cache_transfer = 0x66, cache_transfer_end = 0x67,
                              select_bucket = 0x89, get_manifest = 0xba, range_scan_continue = 0xdb;
}

[[nodiscard]] inline bool is_client(const message_view& m, std::uint8_t opcode) noexcept {
    return m.head.opcode == opcode && !m.head.is_push();
}

[[nodiscard]] inline std::uint64_t number_or(const message_view& m, field_id id,
                                             std::uint64_t otherwise) noexcept {
    return m.number(id).value_or(otherwise);
}

// Names and keys as they are kept: no legal one is longer than 251 bytes.
[[nodiscard]] inline std::string_view kept_text(byte_view bytes) noexcept {
    constexpr std::size_t longest = 255;
    return as_text(bytes.first(bytes.size() < longest ? bytes.size() : longest));
}

// Records of a value that is a list, as far as the capture holds them.
[[nodiscard]] inline std::size_t list_size(const message_view& m) noexcept {
    if (m.kind() != value_kind::list || m.value_layout == nullptr || m.value_layout->size == 0)
        return 0;
    return m.parts.value.size() / m.value_layout->size;
}
// A field of record `n`, which must be below list_size().
[[nodiscard]] inline std::uint64_t listed(const message_view& m, std::size_t n,
                                          field_id id) noexcept {
    for (const field_at& each : m.value_layout->fields) {
        if (each.field == id)
            return number_at(m.parts.value.subspan(n * m.value_layout->size), each);
    }
    return 0;
}

// Data on a stream: 0x55 to 0x59, 0x5b, 0x5f, 0x60, 0x62 to 0x67.
[[nodiscard]] constexpr bool is_data(std::uint8_t opcode) noexcept {
    return opcode >= op::stream_end && opcode <= op::cache_transfer_end && opcode != op::flush &&
           opcode != op::noop && opcode != op::buffer_ack && opcode != op::control &&
           opcode != op::seqno_ack;
}
// What has a seqno and lies in a snapshot.
[[nodiscard]] constexpr bool is_item(std::uint8_t opcode) noexcept {
    return (opcode >= op::mutation && opcode <= op::expiration) || opcode == op::system_event ||
           opcode == op::prepare || (opcode >= op::commit && opcode <= op::seqno_advanced);
}
[[nodiscard]] constexpr bool is_document(std::uint8_t opcode) noexcept {
    return opcode >= op::mutation && opcode <= op::expiration;
}

}  // namespace cdcscope::dcp
