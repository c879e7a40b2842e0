#include "proto/canal/view.h"

namespace cdcscope::canal {

namespace {

// Calls take(field) for each field whose wire type is one of a known field's; returns the message's
// fault.
template <typename Take>
fault each_field(byte_view bytes, Take take) noexcept {
    wire_reader reader(bytes);
    wire_field field;
    while (reader.next(field)) {
        if (field.wire == wire_type::varint || field.wire == wire_type::length) take(field);
    }
    return reader.why();
}

// A field as (number, wire type) in one value, so that a known number with another wire type
// matches nothing.
constexpr std::uint64_t number(std::uint32_t n) noexcept {
    return std::uint64_t{n} << 3;
}
constexpr std::uint64_t text(std::uint32_t n) noexcept {
    return std::uint64_t{n} << 3 | static_cast<std::uint64_t>(wire_type::length);
}
constexpr std::uint64_t key_of(const wire_field& f) noexcept {
    return std::uint64_t{f.number} << 3 | static_cast<std::uint64_t>(f.wire);
}

fault parse_header(byte_view bytes, header_view& out) noexcept {
    namespace h = fields::header;
    return each_field(bytes, [&](const wire_field& f) {
        switch (key_of(f)) {
            case text(h::logfile_name):
                out.logfile_name = as_text(f.bytes);
                break;
            case number(h::logfile_offset):
                out.logfile_offset = f.as_int64();
                break;
            case number(h::server_id):
                out.server_id = f.as_int64();
                break;
            case number(h::execute_time):
                out.execute_time = f.as_int64();
                break;
            case text(h::schema_name):
                out.schema = as_text(f.bytes);
                break;
            case text(h::table_name):
                out.table = as_text(f.bytes);
                break;
            case number(h::event_length):
                out.event_length = f.as_int64();
                break;
            case number(h::event_type):
                out.event_type = f.as_int32();
                break;
            case text(h::gtid):
                out.gtid = as_text(f.bytes);
                break;
            default:
                break;
        }
    });
}

request_view parse_auth(byte_view body) noexcept {
    namespace a = fields::client_auth;
    request_view out;
    out.why = each_field(body, [&](const wire_field& f) {
        switch (key_of(f)) {
            case text(a::username):
                out.username = as_text(f.bytes);
                break;
            case text(a::password):
                out.password = f.bytes;
                break;
            case number(a::net_read_timeout):
                out.net_read_timeout = f.as_int32();
                break;
            case number(a::net_write_timeout):
                out.net_write_timeout = f.as_int32();
                break;
            case text(a::destination):
                out.destination = as_text(f.bytes);
                break;
            case text(a::client_id):
                out.client_id = as_text(f.bytes);
                break;
            case text(a::filter):
                out.filter = as_text(f.bytes);
                break;
            default:
                break;
        }
    });
    return out;
}

// Destination and client id have the numbers 1 and 2 in all of these.
request_view parse_named(std::int32_t type, byte_view body) noexcept {
    namespace g = fields::get;
    static_assert(g::destination == fields::sub::destination &&
                  g::client_id == fields::sub::client_id);
    static_assert(g::destination == fields::client_ack::destination &&
                  g::client_id == fields::client_ack::client_id);
    static_assert(fields::client_ack::batch_id == fields::client_rollback::batch_id);
    static_assert(fields::sub::filter == fields::unsub::filter);
    const bool get = type == static_cast<int>(packet_type::get);
    const bool sub = type == static_cast<int>(packet_type::subscription) ||
                     type == static_cast<int>(packet_type::unsubscription);
    request_view out;
    out.why = each_field(body, [&](const wire_field& f) {
        const std::uint64_t key = key_of(f);
        if (key == text(g::destination)) out.destination = as_text(f.bytes);
        if (key == text(g::client_id)) out.client_id = as_text(f.bytes);
        if (get) {
            if (key == number(g::fetch_size)) out.fetch_size = f.as_int32();
            if (key == number(g::timeout)) out.timeout = f.as_int64();
            if (key == number(g::unit)) out.unit = f.as_int32();
        } else if (sub) {
            if (key == text(fields::sub::filter)) out.filter = as_text(f.bytes);
        } else if (key == number(fields::client_ack::batch_id)) {
            out.batch_id = f.as_int64();
        }
    });
    return out;
}

}  // namespace

packet_view parse_packet(byte_view payload, port_kind port) noexcept {
    namespace p = fields::packet;
    const std::uint32_t body = port == port_kind::data ? p::body : fields::admin_packet::body;
    const bool data = port == port_kind::data;
    packet_view out;
    out.why = each_field(payload, [&](const wire_field& f) {
        const std::uint64_t key = key_of(f);
        if (key == number(p::magic_number)) out.magic = f.as_int32();
        if (key == number(p::version)) out.version = f.as_int32();
        if (key == number(p::type)) out.type = f.as_int32();
        if (data && key == number(p::compression)) out.compression = f.as_int32();
        if (key == text(body)) {
            out.has_body = true;
            out.body = f.bytes;
            out.body_offset = f.value;
        }
    });
    return out;
}

request_view parse_request(std::int32_t type, byte_view body) noexcept {
    switch (static_cast<packet_type>(type)) {
        case packet_type::clientauthentication:
            return parse_auth(body);
        case packet_type::subscription:
        case packet_type::unsubscription:
        case packet_type::get:
        case packet_type::clientack:
        case packet_type::clientrollback:
            return parse_named(type, body);
        default: {
            request_view out;
            out.why = each_field(body, [](const wire_field&) {});
            return out;
        }
    }
}

handshake_view parse_handshake(byte_view body) noexcept {
    static_assert(fields::handshake::seeds == fields::admin_handshake::seeds);
    handshake_view out;
    out.why = each_field(body, [&](const wire_field& f) {
        if (key_of(f) == text(fields::handshake::seeds)) out.seeds = f.bytes;
    });
    return out;
}

ack_view parse_ack(byte_view body) noexcept {
    static_assert(fields::ack::error_code == fields::admin_ack::code);
    static_assert(fields::ack::error_message == fields::admin_ack::message);
    ack_view out;
    out.why = each_field(body, [&](const wire_field& f) {
        if (key_of(f) == number(fields::ack::error_code)) out.code = f.as_int32();
        if (key_of(f) == text(fields::ack::error_message)) out.message = as_text(f.bytes);
    });
    return out;
}

messages_view parse_messages(byte_view body) noexcept {
    messages_view out;
    out.why = each_field(body, [&](const wire_field& f) {
        if (key_of(f) == number(fields::messages::batch_id)) out.batch_id = f.as_int64();
        if (key_of(f) == text(fields::messages::messages)) ++out.entries;
    });
    return out;
}

entry_view parse_entry(byte_view bytes) noexcept {
    entry_view out;
    fault inner = fault::none;
    out.why = each_field(bytes, [&](const wire_field& f) {
        switch (key_of(f)) {
            case text(fields::entry::header):
                if (const fault why = parse_header(f.bytes, out.header); why != fault::none)
                    inner = why;
                break;
            case number(fields::entry::entry_type):
                out.type = f.as_int32();
                break;
            case text(fields::entry::store_value):
                out.store = f.bytes;
                break;
            default:
                break;
        }
    });
    if (out.why == fault::none) out.why = inner;
    return out;
}

row_change_view parse_row_change(byte_view store) noexcept {
    namespace r = fields::row_change;
    row_change_view out;
    out.why = each_field(store, [&](const wire_field& f) {
        switch (key_of(f)) {
            case number(r::table_id):
                out.table_id = f.as_int64();
                break;
            case number(r::event_type):
                out.event_type = f.as_int32();
                break;
            case number(r::is_ddl):
                out.is_ddl = f.as_bool();
                break;
            case text(r::sql):
                out.sql = as_text(f.bytes);
                break;
            case text(r::ddl_schema_name):
                out.ddl_schema = as_text(f.bytes);
                break;
            case text(r::row_datas):
                ++out.rows;
                break;
            default:
                break;
        }
    });
    return out;
}

column_view parse_column(byte_view bytes) noexcept {
    namespace c = fields::column;
    column_view out;
    out.why = each_field(bytes, [&](const wire_field& f) {
        switch (key_of(f)) {
            case number(c::index):
                out.index = f.as_int32();
                break;
            case number(c::sql_type):
                out.sql_type = f.as_int32();
                break;
            case text(c::name):
                out.name = as_text(f.bytes);
                break;
            case number(c::is_key):
                out.is_key = f.as_bool();
                break;
            case number(c::updated):
                out.updated = f.as_bool();
                break;
            case number(c::is_null):
                out.is_null = f.as_bool();
                break;
            case text(c::value):
                out.value = as_text(f.bytes);
                break;
            case text(c::mysql_type):
                out.mysql_type = as_text(f.bytes);
                break;
            default:
                break;
        }
    });
    return out;
}

transaction_view parse_transaction(std::int32_t type, byte_view store) noexcept {
    static_assert(fields::transaction_begin::transaction_id ==
                  fields::transaction_end::transaction_id);
    const bool begin = type == static_cast<int>(entry_type::transactionbegin);
    transaction_view out;
    out.why = each_field(store, [&](const wire_field& f) {
        if (key_of(f) == text(fields::transaction_end::transaction_id))
            out.transaction_id = as_text(f.bytes);
        if (begin && key_of(f) == number(fields::transaction_begin::thread_id))
            out.thread_id = f.as_int64();
    });
    return out;
}

pair_view parse_pair(byte_view bytes) noexcept {
    pair_view out;
    (void)each_field(bytes, [&](const wire_field& f) {
        if (key_of(f) == text(fields::pair::key)) out.key = as_text(f.bytes);
        if (key_of(f) == text(fields::pair::value)) out.value = as_text(f.bytes);
    });
    return out;
}

}  // namespace cdcscope::canal
