#include "proto/canal/walk.h"

namespace cdcscope::canal {

namespace {

fault check_nested(message_id message, byte_view bytes, int depth) noexcept {
    if (depth >= max_depth) return fault::too_deep;
    message_reader reader(message, bytes);
    message_field field;
    while (reader.next(field)) {
        if (field.row == nullptr || field.row->kind != field_kind::message) continue;
        if (const fault f = check_nested(field.row->message, field.bytes, depth + 1);
            f != fault::none)
            return f;
    }
    return reader.why();
}

// The last value of a varint field, or `absent`.
std::int64_t last_number(byte_view bytes, std::uint32_t number, std::int64_t absent) noexcept {
    wire_reader reader(bytes);
    wire_field field;
    while (reader.next(field)) {
        if (field.number == number && field.wire == wire_type::varint) absent = field.as_int32();
    }
    return absent;
}

}  // namespace

fault check_message(message_id message, byte_view bytes) noexcept {
    return check_nested(message, bytes, 0);
}

message_id held_message(message_id outer, byte_view outer_bytes, const field_row& field,
                        port_kind port) noexcept {
    if (field.kind == field_kind::message) return field.message;
    switch (field.holds) {
        case content::plain:
            return message_id::none;
        case content::one_message:
            return field.message;
        case content::by_packet_type:
            return row_of_type(port, last_number(outer_bytes, fields::packet::type, 0)).body;
        case content::by_entry_type: {
            const field_row& type = *row_of(outer).find(fields::entry::entry_type);
            return stored_message(last_number(outer_bytes, type.number, type.default_number));
        }
    }
    return message_id::none;
}

}  // namespace cdcscope::canal
