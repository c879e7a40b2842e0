// Wireshark's fields of canal, made of the tables that come from the .proto files: one field a
// *use* of a message field, so that the columns before and after a change can be filtered apart.

#pragma once

#include "plugin/ws_compat.h"
#include "proto/canal/packet_types.h"

namespace cdcscope {

inline constexpr std::size_t canal_message_count = std::size(canal::message_rows);

// A message where it stands: "canal.row.after.column". Lives as long as the process.
struct canal_use {
    canal::message_id message{};
    const char* title = "";
    int tree = -1;
    int value_bytes = -1;  // columns: the bytes of a binary value, worked out
    struct member {
        const canal::field_row* row = nullptr;
        int field = -1;
        int alias = -1;  // hidden field for one filter over several messages ("canal.destination");
                         // -1: none
        const canal_use* inner = nullptr;  // kind message, or bytes that hold one
    };
    member* members = nullptr;  // parallel to row_of(message).fields

    [[nodiscard]] const member* find(std::uint32_t number) const noexcept;
};

// Uses made for the bodies of packets and of entries, by message.
[[nodiscard]] const canal_use& canal_packet_use(canal::port_kind port);
[[nodiscard]] const canal_use* canal_body_use(canal::message_id body);  // null: no such use

// Registers all of them for protocol `proto`.
void register_canal_fields(int proto);

}  // namespace cdcscope
