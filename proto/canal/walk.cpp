#include "proto/canal/walk.h"

#include <array>

namespace cdcscope::canal {

namespace {

// Which fields of a message, by number, are messages themselves: a bit each.
constexpr std::size_t message_count = std::size(message_rows);
constexpr std::array<std::uint32_t, message_count> nested_fields = [] {
    std::array<std::uint32_t, message_count> bits{};
    for (std::size_t i = 0; i < message_count; ++i) {
        for (const field_row& f : message_rows[i].fields) {
            if (f.kind == field_kind::message) bits[i] |= 1U << f.number;
        }
    }
    return bits;
}();

fault check_nested(message_id message, byte_view bytes, int depth) noexcept {
    if (depth >= max_depth) return fault::too_deep;
    const std::uint32_t nested = nested_fields[static_cast<std::size_t>(message) - 1];
    wire_reader reader(bytes);
    wire_field field;
    while (reader.next(field)) {
        if (field.number > 31 || (nested >> field.number & 1U) == 0 ||
            field.wire != wire_type::length)
            continue;
        const message_id inner = row_of(message).find(field.number)->message;
        if (const fault f = check_nested(inner, field.bytes, depth + 1); f != fault::none) return f;
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
