// Cheap typed access to the messages: one pass over the wire, strings and nested messages as views
// of the caller's bytes. Fields may come in any order and more than once (the last one wins); an
// absent field has its Java default.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "proto/canal/packet_types.h"
#include "proto/canal/wire.h"

namespace cdcscope::canal {

struct packet_view {
    fault why = fault::none;  // of the Packet itself, not of its body
    std::int32_t type = 0;
    std::optional<std::int32_t> magic;
    std::optional<std::int32_t> version;
    std::optional<std::int32_t> compression;
    bool has_body = false;
    byte_view body;
    std::size_t body_offset = 0;  // of `body` in the payload
    [[nodiscard]] bool ok() const noexcept { return why == fault::none; }
};
// `payload`: what follows the 4 length bytes.
[[nodiscard]] packet_view parse_packet(byte_view payload, port_kind port) noexcept;

// What all requests of the data port have, and what each adds (ClientAuth, Sub, Unsub, Get,
// ClientAck, ClientRollback).
struct request_view {
    fault why = fault::none;
    std::string_view destination;
    std::string_view client_id;
    std::string_view filter;    // Sub, Unsub, ClientAuth
    std::string_view username;  // ClientAuth
    byte_view password;         // ClientAuth
    std::int32_t net_read_timeout = 0;
    std::int32_t net_write_timeout = 0;
    std::int64_t batch_id = 0;  // ClientAck, ClientRollback
    std::int32_t fetch_size = 0;
    std::optional<std::int64_t> timeout;
    std::optional<std::int32_t> unit;
};
// `type`: the packet type, which names the message; types that are no request of the data port give
// nothing but `why`.
[[nodiscard]] request_view parse_request(std::int32_t type, byte_view body) noexcept;

struct handshake_view {
    fault why = fault::none;
    byte_view seeds;
};
[[nodiscard]] handshake_view parse_handshake(byte_view body) noexcept;  // either port

struct ack_view {
    fault why = fault::none;
    std::int32_t code = 0;
    std::string_view message;
};
[[nodiscard]] ack_view parse_ack(byte_view body) noexcept;  // either port

struct messages_view {
    fault why = fault::none;
    std::int64_t batch_id = 0;
    std::uint32_t entries = 0;  // those before the fault
};
[[nodiscard]] messages_view parse_messages(byte_view body) noexcept;

struct header_view {
    std::string_view logfile_name;
    std::int64_t logfile_offset = 0;
    std::int64_t server_id = 0;
    std::int64_t execute_time = 0;  // ms since 1970
    std::string_view schema;
    std::string_view table;
    std::int64_t event_length = 0;
    std::optional<std::int32_t> event_type;
    std::string_view gtid;
};

struct entry_view {
    fault why = fault::none;  // of the Entry and its header
    header_view header;
    std::int32_t type = static_cast<std::int32_t>(entry_type::rowdata);
    byte_view store;
};
[[nodiscard]] entry_view parse_entry(byte_view bytes) noexcept;

struct row_change_view {
    fault why = fault::none;  // of the RowChange, not of its rows
    std::int64_t table_id = 0;
    std::int32_t event_type = static_cast<std::int32_t>(event_type::update);
    bool is_ddl = false;
    std::string_view sql;
    std::string_view ddl_schema;
    std::uint32_t rows = 0;
};
[[nodiscard]] row_change_view parse_row_change(byte_view store) noexcept;

struct column_view {
    fault why = fault::none;
    std::int32_t index = 0;
    std::int32_t sql_type = 0;
    std::string_view name;
    bool is_key = false;
    bool updated = false;
    bool is_null = false;
    std::string_view value;  // absent and not is_null: the empty string
    std::string_view mysql_type;
};
[[nodiscard]] column_view parse_column(byte_view bytes) noexcept;

struct transaction_view {
    fault why = fault::none;
    std::string_view transaction_id;
    std::int64_t thread_id = 0;
};
[[nodiscard]] transaction_view parse_transaction(std::int32_t entry_type, byte_view store) noexcept;

struct pair_view {
    std::string_view key;
    std::string_view value;
};
[[nodiscard]] pair_view parse_pair(byte_view bytes) noexcept;

// Each occurrence of a length-delimited field: for (byte_view row : occurrences(store,
// fields::row_change::row_datas)). Ends early at a fault of the message around them.
class occurrences {
  public:
    occurrences(byte_view message, std::uint32_t number) noexcept
        : message_(message), number_(number) {}

    class iterator {
      public:
        iterator(byte_view message, std::uint32_t number) noexcept
            : reader_(message), number_(number) {
            ++*this;
        }
        byte_view operator*() const noexcept { return field_.bytes; }
        iterator& operator++() noexcept {
            do {
                more_ = reader_.next(field_);
            } while (more_ && (field_.number != number_ || field_.wire != wire_type::length));
            return *this;
        }
        bool operator!=(std::nullptr_t) const noexcept { return more_; }

      private:
        wire_reader reader_;
        wire_field field_;
        std::uint32_t number_;
        bool more_ = false;
    };
    [[nodiscard]] iterator begin() const noexcept { return {message_, number_}; }
    [[nodiscard]] static std::nullptr_t end() noexcept { return nullptr; }

  private:
    byte_view message_;
    std::uint32_t number_;
};

}  // namespace cdcscope::canal
