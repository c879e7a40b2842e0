#include "analyzer/record/canal_packet_json.h"

#include <algorithm>
#include <array>

#include "proto/canal/time_unit.h"

namespace cdcscope::record {

using namespace canal;

namespace {

// The last occurrence of each field of a message, in the order of the table; no message of a packet
// has more fields.
constexpr std::size_t most_fields = 16;
using last_fields = std::array<message_field, most_fields>;

fault read_last(message_id id, byte_view body, last_fields& fields) {
    const message_row& row = row_of(id);
    message_reader reader(id, body);
    message_field field;
    while (reader.next(field)) {
        if (field.row != nullptr)
            fields[static_cast<std::size_t>(field.row - row.fields.data())] = field;
    }
    return reader.why();
}

// A batch id says something even when it is 0, which proto3 does not send.
bool always_shown(message_id id, const field_row& field) noexcept {
    return (id == message_id::client_ack && field.number == fields::client_ack::batch_id) ||
           (id == message_id::client_rollback && field.number == fields::client_rollback::batch_id);
}

double milliseconds(std::int64_t ns) noexcept {
    return static_cast<double>(ns) / 1e6;
}

}  // namespace

std::string_view packet_label(port_kind port, std::int32_t type, std::string& scratch) {
    const std::string_view name = packet_type_name(port, type);
    if (!name.empty()) return name;
    scratch = "TYPE_" + std::to_string(type);
    return scratch;
}

canal_packet_json::canal_packet_json(const options& chosen, std::span<const std::string> files)
    : options_(chosen), wire_(files), values_(chosen) {
    out_.int64_as_strings(chosen.int64_as_strings);
}

std::string_view canal_packet_json::write(const recover::message& m, port_kind port,
                                          const packet_view& packet, const track_record& said,
                                          byte_view raw, bool with_raw) {
    out_.clear();
    out_.begin_object();
    out_.field("packet", packet_label(port, packet.type, scratch_));
    if (port == port_kind::admin) out_.field("admin", true);
    write_head(port, packet);
    if (packet.ok()) {
        write_body(port, packet, said.malformed);
    } else {
        write_malformed("Packet", packet.why);
    }
    write_answers(port, said);
    wire_.write(out_, m);
    if (with_raw) out_.name("raw").base64(raw);
    out_.end_object();
    return out_.text();
}

// Fields of the Packet that say something: magic and compression are never sent, version is 1 or
// absent.
void canal_packet_json::write_head(port_kind port, const packet_view& packet) {
    if (packet.magic) out_.field("magicNumber", *packet.magic);
    if (packet.version.value_or(1) != 1) out_.field("version", *packet.version);
    if (port == port_kind::admin || !packet.compression) return;
    const std::string_view name = row_of(enum_id::compression).find(*packet.compression);
    if (name.empty()) {
        out_.field("compression", *packet.compression);
    } else {
        out_.field("compression", name);
    }
}

void canal_packet_json::write_body(port_kind port, const packet_view& packet, bool malformed) {
    const message_id id = row_of_type(port, packet.type).body;
    if (id == message_id::messages) return write_messages(packet, malformed);
    if (id == message_id::none) {
        if (!packet.body.empty()) out_.name("bodyBase64").base64(packet.body);
        return;
    }
    last_fields fields{};
    const fault why = read_last(id, packet.body, fields);
    const message_row& row = row_of(id);
    for (std::size_t i = 0; i < row.fields.size(); ++i) {
        if (fields[i].row != nullptr) {
            write_field(fields[i], id == message_id::get);
        } else if (always_shown(id, row.fields[i])) {
            out_.field(row.fields[i].json_name, 0);
        }
    }
    if (why != fault::none) write_malformed("body", why);
}

void canal_packet_json::write_messages(const packet_view& packet, bool malformed) {
    const messages_view v = parse_messages(packet.body);
    out_.name("batchId").int64(v.batch_id);
    if (v.entries != 0) out_.field("entries", v.entries);
    if (v.why != fault::none) return write_malformed("body", v.why);
    if (!malformed) return;
    for (const byte_view bytes : occurrences(packet.body, fields::messages::messages)) {
        const entry_view e = parse_entry(bytes);
        if (e.why != fault::none) return write_malformed("entry", e.why);
        const message_id stored = stored_message(e.type);
        const fault why = stored == message_id::none ? fault::none : check_message(stored, e.store);
        if (why != fault::none) return write_malformed("entry", why);
    }
}

void canal_packet_json::write_field(const message_field& field, bool is_get) {
    const field_row& row = *field.row;
    switch (row.kind) {
        case field_kind::int32:
            if (is_get && row.number == fields::get::unit && field.as_int32() >= 0 &&
                field.as_int32() < static_cast<std::int32_t>(std::size(time_units))) {
                out_.field(row.json_name, time_units[field.as_int32()].name);
            } else {
                out_.field(row.json_name, field.as_int32());
            }
            return;
        case field_kind::int64:
            out_.name(row.json_name).int64(field.as_int64());
            return;
        case field_kind::boolean:
            out_.field(row.json_name, field.as_bool());
            return;
        case field_kind::enumeration: {
            const std::string_view name = row_of(row.enumeration).find(field.as_int32());
            name.empty() ? out_.field(row.json_name, field.as_int32())
                         : out_.field(row.json_name, name);
            return;
        }
        case field_kind::text:
            out_.text_or_base64(row.json_name, field.bytes);
            return;
        case field_kind::bytes:
            if (!row.secret) {
                out_.name(row.json_name).base64(field.bytes);
            } else if (options_.keep_secrets) {
                out_.text_or_base64(row.json_name, field.bytes);
            } else {
                out_.name(row.json_name);
                values_.write_redacted(out_, field.bytes.size());
            }
            return;
        case field_kind::message:
            return;  // no body of a packet nests messages but in `bytes`
    }
}

void canal_packet_json::write_answers(port_kind port, const track_record& said) {
    if (said.request == 0) return;
    out_.name("answers").begin_object();
    if (said.request_type >= 0)
        out_.field("packet", packet_label(port, said.request_type, scratch_));
    out_.field("frame", said.request_frame);
    out_.end_object();
    if (said.elapsed_ns >= 0) out_.field("waitedMs", milliseconds(said.elapsed_ns));
}

void canal_packet_json::write_malformed(std::string_view part, fault why) {
    scratch_.assign(part).append(": ").append(text(why));
    out_.field("malformed", std::string_view(scratch_));
}

namespace {

// Blanks secrets, and the values of rows that --redact hides.
struct blanker {
    const options& chosen;
    canal_values values;
    byte_view payload;
    std::vector<std::uint8_t>& out;
    bool touched = false;

    void blank(std::size_t from, std::size_t to) {
        if (!touched) out.assign(payload.begin(), payload.end());
        touched = true;
        std::fill(out.begin() + static_cast<std::ptrdiff_t>(from),
                  out.begin() + static_cast<std::ptrdiff_t>(to), std::uint8_t{'*'});
    }

    bool enter(const message_field& field, message_id inner) {
        if (inner == message_id::column) {
            if (values.hides(parse_column(field.bytes).is_key)) blank_values(field);
            return false;
        }
        return true;
    }
    void blank_values(const message_field& column) {
        wire_reader reader(column.bytes, column.value);
        wire_field f;
        while (reader.next(f)) {
            if (f.number == fields::column::value && f.wire == wire_type::length)
                blank(f.value, f.end);
        }
    }
    void field(const message_field& f) {
        if (f.row == nullptr) return;
        const bool sql = f.row == row_of(message_id::row_change).find(fields::row_change::sql);
        if ((f.row->secret && !chosen.keep_secrets) || (sql && values.hides(false)))
            blank(f.value, f.end);
    }
    // What cannot be read may hold the secret.
    void leave(message_id inner, const outcome& end) {
        const bool login =
            inner == message_id::client_auth || inner == message_id::admin_client_auth;
        if (login && end.why != fault::none && !chosen.keep_secrets) blank(end.at, payload.size());
    }
};

}  // namespace

byte_view blanked_packet(byte_view payload, port_kind port, direction dir, const options& chosen,
                         std::vector<std::uint8_t>& out) {
    const bool rows = chosen.redact != redact_mode::nothing;
    if (chosen.keep_secrets && !rows) return payload;
    const packet_view packet = parse_packet(payload, port);
    const std::int32_t login = static_cast<std::int32_t>(packet_type::clientauthentication);
    if (packet.ok() && packet.type != login && !rows) return payload;
    blanker visitor{chosen, canal_values(chosen), payload, out};
    const outcome end = walk(visitor, packet_message(port), payload, port);
    if (end.why != fault::none && dir == direction::c2s && !chosen.keep_secrets)
        visitor.blank(end.at, payload.size());
    return visitor.touched ? byte_view(out) : payload;
}

}  // namespace cdcscope::record
