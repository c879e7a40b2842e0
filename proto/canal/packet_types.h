// What the protocol does with its packet and entry types: one row a type.

#pragma once

#include <cstdint>
#include <span>

#include "proto/canal/tables.h"

namespace cdcscope::canal {

using enums::entry_type;
using enums::event_type;
using enums::packet_type;

// The data port (11111) or the admin port (11110): same framing, other packets.
enum class port_kind : std::uint8_t { data, admin };

enum class sender : std::uint8_t { nobody, client, server };

// Whether the server answers a request of this type.
enum class answered : std::uint8_t {
    always,
    on_error,     // silent when it succeeds
    unsupported,  // always, with an error
    no_request,   // from the server
};

struct packet_row {
    std::int32_t type = 0;
    message_id body = message_id::none;
    sender from = sender::nobody;
    answered how = answered::unsupported;
};

// Indexed by type.
inline constexpr packet_row packet_rows[] = {
    {0, message_id::none, sender::nobody, answered::unsupported},
    {1, message_id::handshake, sender::server, answered::no_request},
    {2, message_id::client_auth, sender::client, answered::always},
    {3, message_id::ack, sender::server, answered::no_request},
    {4, message_id::sub, sender::client, answered::always},
    {5, message_id::unsub, sender::client, answered::always},
    {6, message_id::get, sender::client, answered::always},
    {7, message_id::messages, sender::server, answered::no_request},
    {8, message_id::client_ack, sender::client, answered::on_error},
    {9, message_id::none, sender::nobody, answered::unsupported},
    {10, message_id::dump, sender::nobody, answered::unsupported},
    {11, message_id::heart_beat, sender::nobody, answered::unsupported},
    {12, message_id::client_rollback, sender::client, answered::on_error},
};

inline constexpr packet_row admin_packet_rows[] = {
    {0, message_id::none, sender::nobody, answered::unsupported},
    {1, message_id::admin_handshake, sender::server, answered::no_request},
    {2, message_id::admin_client_auth, sender::client, answered::always},
    {3, message_id::admin_ack, sender::server, answered::no_request},
    {4, message_id::admin_server_admin, sender::client, answered::always},
    {5, message_id::admin_instance_admin, sender::client, answered::always},
    {6, message_id::admin_log_admin, sender::client, answered::always},
};

// Unknown types have the row of type 0.
[[nodiscard]] constexpr const packet_row& row_of_type(port_kind port, std::int64_t type) noexcept {
    const std::span<const packet_row> rows =
        port == port_kind::data ? std::span<const packet_row>(packet_rows) : admin_packet_rows;
    return type > 0 && type < static_cast<std::int64_t>(rows.size())
               ? rows[static_cast<std::size_t>(type)]
               : rows[0];
}

[[nodiscard]] constexpr message_id packet_message(port_kind port) noexcept {
    return port == port_kind::data ? message_id::packet : message_id::admin_packet;
}

// "GET"; nothing for a number without a name.
[[nodiscard]] constexpr std::string_view packet_type_name(port_kind port,
                                                          std::int64_t type) noexcept {
    return row_of(port == port_kind::data ? enum_id::packet_type : enum_id::admin_packet_type)
        .find(type);
}

// What Entry.storeValue holds.
[[nodiscard]] constexpr message_id stored_message(std::int64_t type) noexcept {
    switch (static_cast<entry_type>(type)) {
        case entry_type::transactionbegin:
            return message_id::transaction_begin;
        case entry_type::rowdata:
            return message_id::row_change;
        case entry_type::transactionend:
            return message_id::transaction_end;
        case entry_type::gtidlog:
            return message_id::pair;
        default:
            return message_id::none;
    }
}

}  // namespace cdcscope::canal
