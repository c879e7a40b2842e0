// The walker: wire fields joined with their rows of the tables, and the whole tree of a Packet
// through the messages that are held in `bytes` (Packet.body, Messages.messages, Entry.storeValue).
// No allocation; every field keeps its offsets.
#pragma once

#include "proto/canal/packet_types.h"
#include "proto/canal/tables.h"
#include "proto/canal/wire.h"

namespace cdcscope::canal {

struct message_field : wire_field {
    const field_row* row = nullptr;    // null: no such number, or sent with another wire type
    const field_row* meant = nullptr;  // the row of that number, whatever the wire type
};

// The wire type that a field of this kind has.
[[nodiscard]] constexpr wire_type wire_of(field_kind kind) noexcept {
    const bool length =
        kind == field_kind::text || kind == field_kind::bytes || kind == field_kind::message;
    return length ? wire_type::length : wire_type::varint;
}

// Reads one message, field by field.
class message_reader {
  public:
    message_reader(message_id message, byte_view bytes, std::size_t base = 0) noexcept
        : row_(row_of(message)), reader_(bytes, base) {}

    // False at the end of the message and at the first fault, which ends it.
    [[nodiscard]] bool next(message_field& field) noexcept {
        if (!reader_.next(field)) return false;
        field.meant = row_.find(field.number);
        field.row = field.meant != nullptr && wire_of(field.meant->kind) == field.wire ? field.meant
                                                                                       : nullptr;
        return true;
    }
    [[nodiscard]] fault why() const noexcept { return reader_.why(); }
    [[nodiscard]] std::size_t fault_offset() const noexcept { return reader_.fault_offset(); }

  private:
    const message_row& row_;
    wire_reader reader_;
};

// The first fault of a message and of the messages nested in it, as a protobuf parser sees it: what
// is held in `bytes` is not looked into. Text need not be UTF-8.
[[nodiscard]] fault check_message(message_id message, byte_view bytes) noexcept;

// Which message a field of kind `bytes` holds in this occurrence of its message: the type may come
// before or behind it.
[[nodiscard]] message_id held_message(message_id outer, byte_view outer_bytes,
                                      const field_row& field, port_kind port) noexcept;

// How a message ended: at its end (fault::none), or at the field that begins at `at`.
struct outcome {
    fault why = fault::none;
    std::size_t at = 0;
};

// Walks `message` and everything inside it, depth first, in wire order. The visitor has
//   bool enter(const message_field& field, message_id inner);  before a nested message; false skips
//   what is inside void leave(message_id inner, const outcome& end);          behind it void
//   field(const message_field& field);                    every other field, unknown ones and
//   groups, too
// A fault ends the message that it is in; what lies around that message goes on.
template <typename Visitor>
outcome walk(Visitor& visitor, message_id message, byte_view bytes, port_kind port,
             std::size_t base = 0, int depth = 0) {
    message_reader reader(message, bytes, base);
    message_field field;
    while (reader.next(field)) {
        const message_id inner = field.row == nullptr
                                     ? message_id::none
                                     : held_message(message, bytes, *field.row, port);
        if (inner == message_id::none) {
            visitor.field(field);
        } else if (visitor.enter(field, inner)) {
            visitor.leave(inner, depth + 1 < max_depth ? walk(visitor, inner, field.bytes, port,
                                                              field.value, depth + 1)
                                                       : outcome{fault::too_deep, field.value});
        }
    }
    return {reader.why(), reader.fault_offset()};
}

}  // namespace cdcscope::canal
