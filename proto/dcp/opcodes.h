// The layout table: one row for each opcode of DCP and of the commands around it, and the names of
// all others. Whoever decodes, shows, encodes or searches for messages reads it from here.
#pragma once

#include <span>
#include <string_view>

#include "proto/dcp/fields.h"
#include "proto/dcp/frame.h"

namespace cdcscope::dcp {

// A field at its place in extras, a value, or one record of a list.
struct field_at {
    field_id field;
    std::uint16_t offset;
};

// Fixed-size run of fields, all big-endian. `name` tells variants apart ("V1", "V2").
struct layout {
    std::string_view name;
    std::uint16_t size = 0;
    std::span<const field_at> fields = {};
};

enum class presence : std::uint8_t { never, optional, mandatory };

struct key_rule {
    presence is = presence::never;
    field_id field = field_id::key;  // how it is shown
    bool collection_prefix = false;  // a document key: prefixed if collections are on
};

enum class value_kind : std::uint8_t {
    none,
    document,  // by datatype: Snappy, extended attributes, JSON
    fixed,     // the layout of that size
    list,      // records of the first layout, back to back
    text,      // `field` says which
    json,
    secret,          // never shown unless asked for
    system_event,    // by event id and version
    cache_transfer,  // records of variable size
    stream_filter,   // JSON although the datatype is 0
    error,           // what an error response carries: JSON if the datatype says so, else text
    raw,
};

struct value_rule {
    presence is = presence::never;
    value_kind kind = value_kind::none;
    field_id field = field_id::value;
    std::span<const layout> layouts = {};
};

// The value of responses with this status, where it is none of a result or of an error.
struct status_value {
    std::uint16_t status;
    value_rule value;
};

struct message_rule {
    std::span<const layout> extras = {};  // variants, told apart by length; empty: none allowed
    key_rule key;
    value_rule value;
    std::span<const status_value> by_status = {};
};

enum class sender : std::uint8_t {
    any,
    client,  // of the TCP connection
    server,
    producer,
    consumer,
    manager,  // cluster manager, to a consumer
    consumer_or_manager,
};

enum class answer : std::uint8_t { always, on_error, never };

struct opcode_row {
    std::uint8_t opcode = 0;
    std::string_view name;         // in capitals: "DCP_MUTATION"
    std::string_view title;        // for people: "Mutation"
    std::string_view event;        // in JSON: "mutation"
    sender from = sender::client;  // of the request
    answer answered = answer::always;
    bool described = false;     // layouts are known, deviations are malformed
    bool known_extras = false;  // `request.extras` and `response.extras` are all there can be
    bool has_vbucket = false;   // the header's vbucket means something
    bool of_stream = false;     // belongs to a stream: its vbucket and the opaque of the STREAM_REQ
    bool flow_controlled = false;  // counts with its size on the wire plus flow_extra
    std::uint8_t flow_extra = 0;
    bool frame_counts = true;  // flow control counts the stream id frame, too
    bool stream_id = false;    // may carry framing id 2
    bool data_change =
        false;  // layout `changes`: mutation, deletion, expiration, prepare, commit, abort
    bool has_cas = false;  // the CAS means something
    message_rule request;
    message_rule response;
};

// The row of an opcode in the space of its magic (server pushes have their own); null if it has
// none.
[[nodiscard]] const opcode_row* find_opcode(magic m, std::uint8_t opcode) noexcept;

// Nobody else on a Couchbase port says this: it opens DCP or belongs to a stream.
[[nodiscard]] inline bool tells_dcp(const opcode_row& row) noexcept {
    constexpr std::uint8_t dcp_open = 0x50;
    return row.opcode == dcp_open || row.of_stream;
}

// All rows, in order of opcode.
[[nodiscard]] std::span<const opcode_row> client_opcodes() noexcept;
[[nodiscard]] std::span<const opcode_row> push_opcodes() noexcept;

// What a message of this kind looks like.
[[nodiscard]] inline const message_rule& rule_of(const opcode_row& row, const header& h) noexcept {
    return h.is_response() ? row.response : row.request;
}
// What its value is, the status of a response considered.
[[nodiscard]] const value_rule& value_rule_of(const opcode_row& row, const header& h) noexcept;

// The variant of that size, or null.
[[nodiscard]] const layout* find_layout(std::span<const layout> variants,
                                        std::size_t size) noexcept;

// Why the lengths in a header contradict its row; none if they do not.
enum class fault : std::uint8_t {
    none,
    parts_exceed_body,
    extras_length,
    key_missing,
    key_unexpected,
    value_missing,
    value_unexpected,
    value_length,
    // found only when the bytes are read
    framing_extras,
    collection_prefix,
    system_event,
    cache_record,
    snappy,
    xattrs,
    extended_metadata,
    json,
    stream_filter,
    last = stream_filter,
};
[[nodiscard]] std::string_view describe(fault f) noexcept;

// Lengths only; `row` is that of the header's opcode. Rows that are not described are held only
// against what they say.
[[nodiscard]] fault check_lengths(const header& h, const opcode_row& row) noexcept;

// Bytes that flow control counts for this message, 0 if it does not count.
[[nodiscard]] std::uint64_t flow_bytes(const header& h, const opcode_row& row) noexcept;

// Layouts of values that a number in the extras chooses.
struct flat_field {
    std::uint8_t slot;  // of the FlatBuffers table
    field_id field;     // its type gives the width; text: a string
};
struct event_rule {
    std::uint32_t event;
    std::uint8_t version;
    presence key = presence::never;
    field_id key_field = field_id::collection_name;
    const layout* value = nullptr;           // versions 0 and 1
    std::span<const flat_field> table = {};  // version 2
};
[[nodiscard]] const event_rule* find_event(std::uint32_t event, std::uint8_t version) noexcept;
[[nodiscard]] std::span<const event_rule> event_rules() noexcept;

// Fixed part of a record of DCP_CACHE_TRANSFER; key and value follow.
[[nodiscard]] const layout& cache_record_layout() noexcept;

// Framing extras: what the data of an id is.
struct frame_rule {
    std::uint16_t id;
    field_id field;                     // of the first data; frame_data: none
    field_id second = field_id::count;  // at offset 1, if the data is that long
    std::uint8_t sizes[2] = {};         // lengths allowed; 0, 0: any
};
[[nodiscard]] const frame_rule* find_frame(bool response, std::uint16_t id) noexcept;

}  // namespace cdcscope::dcp
