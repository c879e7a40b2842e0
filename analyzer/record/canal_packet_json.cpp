#include "analyzer/record/canal_packet_json.h"

#include <algorithm>
#include <array>

#include "proto/canal/frame.h"
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

namespace {

// Of a client, and perhaps a login though its type does not say so: no type at all, or a login's in
// front of the one that counts. What is secret may stand anywhere in its body.
bool holds_stray_secret(byte_view payload, port_kind port, direction dir,
                        const packet_view& packet) {
    constexpr auto login = static_cast<std::int32_t>(packet_type::clientauthentication);
    if (dir != direction::c2s || port != port_kind::data || packet.type == login) return false;
    if (packet.type == 0) return true;
    message_reader reader(packet_message(port), payload);
    message_field field;
    while (reader.next(field)) {
        if (field.row != nullptr && field.number == fields::packet::type &&
            field.as_int32() == login)
            return true;
    }
    return false;
}

}  // namespace

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
    const byte_view payload = m.bytes.subspan(std::min(length_size, m.bytes.size()));
    const bool stray = !options_.keep_secrets && holds_stray_secret(payload, port, m.dir, packet);
    if (!packet.ok()) {
        write_malformed("Packet", packet.why);
    } else if (!stray) {
        write_body(port, packet, said.malformed);
    } else if (!packet.body.empty()) {
        out_.name("bodyBase64");
        values_.write_redacted(out_, packet.body.size());
    }
    write_unknown(payload, port, packet, stray);
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
        if (packet.body.empty()) return;
        out_.name("bodyBase64");
        options_.redact == redact_mode::nothing ? void(out_.base64(packet.body))
                                                : values_.write_redacted(out_, packet.body.size());
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

// Fields of Packet and body that have no row, or another wire type than their row says.
void canal_packet_json::write_unknown(byte_view payload, port_kind port, const packet_view& packet,
                                      bool stray) {
    const bool login = packet.type == static_cast<std::int32_t>(packet_type::clientauthentication);
    const bool hidden =
        stray || options_.redact != redact_mode::nothing || (login && !options_.keep_secrets);
    bool any = false;
    const auto list = [&](message_id id, byte_view bytes) {
        message_reader reader(id, bytes);
        message_field field;
        while (reader.next(field)) {
            if (field.row != nullptr) continue;
            if (!any) out_.name("unknownFields").begin_array();
            any = true;
            write_unknown_field(row_of(id), field, hidden);
        }
    };
    list(packet_message(port), payload);
    const message_id body = row_of_type(port, packet.type).body;
    if (body != message_id::none && !stray) list(body, packet.body);
    if (any) out_.end_array();
}

void canal_packet_json::write_unknown_field(const message_row& in, const message_field& field,
                                            bool hidden) {
    out_.begin_object().field("message", in.name).field("number", field.number);
    const auto bytes_as = [&](std::string_view name) {
        out_.name(name);
        hidden ? values_.write_redacted(out_, field.bytes.size()) : void(out_.base64(field.bytes));
    };
    switch (field.wire) {
        case wire_type::varint:
            out_.name("varint").int64(field.bits);
            break;
        case wire_type::fixed32:
            out_.name("fixed32").int64(field.bits);
            break;
        case wire_type::fixed64:
            out_.name("fixed64").int64(field.bits);
            break;
        case wire_type::length:
            bytes_as("base64");
            break;
        case wire_type::group:
        case wire_type::group_end:
            bytes_as("groupBase64");
            break;
    }
    out_.end_object();
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

std::size_t varint_size(std::uint64_t value) noexcept {
    std::size_t size = 1;
    for (; value >= 0x80; value >>= 7) ++size;
    return size;
}

// Blanks secrets, and what --redact hides of rows. What cannot be read or has no name may hold
// either.
struct blanker {
    const options& chosen;
    canal_values values;
    byte_view payload;
    bool login;
    std::vector<std::uint8_t>& out;
    bool touched = false;
    std::array<std::size_t, max_depth + 1> ends{};  // of the messages that are open
    std::size_t depth = 0;

    [[nodiscard]] bool rows() const noexcept { return chosen.redact != redact_mode::nothing; }
    [[nodiscard]] bool careful() const noexcept {
        return rows() || (login && !chosen.keep_secrets);
    }

    void blank(std::size_t from, std::size_t to) {
        if (!touched) out.assign(payload.begin(), payload.end());
        touched = true;
        std::fill(out.begin() + static_cast<std::ptrdiff_t>(from),
                  out.begin() + static_cast<std::ptrdiff_t>(to), std::uint8_t{'*'});
    }
    void blank_unknown(const wire_field& f) {
        const bool fixed = f.wire == wire_type::fixed32 || f.wire == wire_type::fixed64;
        if (f.wire == wire_type::length || fixed) blank(f.value, f.end);
        // All of a group but its end tag, which may be longer than need be.
        if (f.wire == wire_type::group)
            blank(f.value, f.end - varint_size(std::uint64_t{f.number} << 3));
    }

    bool enter(const message_field& field, message_id inner) {
        if (inner == message_id::column) {
            if (rows()) blank_column(field);
            return false;
        }
        ends[++depth] = field.end;
        return true;
    }
    void blank_column(const message_field& column) {
        const bool hidden = values.hides(parse_column(column.bytes).is_key);
        message_reader reader(message_id::column, column.bytes, column.value);
        message_field f;
        while (reader.next(f)) {
            if (f.row == nullptr) {
                blank_unknown(f);
            } else if (hidden && f.number == fields::column::value) {
                blank(f.value, f.end);
            }
        }
        if (reader.why() != fault::none) blank(reader.fault_offset(), column.end);
    }
    void field(const message_field& f) {
        if (f.row == nullptr) {
            if (careful()) blank_unknown(f);
            return;
        }
        const bool sql = f.row == row_of(message_id::row_change).find(fields::row_change::sql);
        // Of an entry type without a name; a known one is entered.
        const bool stored = f.row == row_of(message_id::entry).find(fields::entry::store_value);
        // Likewise of a packet type.
        const bool body = f.row->holds == content::by_packet_type;
        if ((f.row->secret && !chosen.keep_secrets) || (sql && values.hides(false)) ||
            (stored && rows()) || (body && careful()))
            blank(f.value, f.end);
    }
    void leave(message_id, const outcome& end) {
        if (end.why != fault::none && careful())
            blank(end.at, login ? payload.size() : ends[depth]);
        --depth;
    }
};

}  // namespace

byte_view blanked_packet(byte_view payload, port_kind port, direction dir, const options& chosen,
                         std::vector<std::uint8_t>& out) {
    const bool rows = chosen.redact != redact_mode::nothing;
    if (chosen.keep_secrets && !rows) return payload;
    const packet_view packet = parse_packet(payload, port);
    const std::int32_t login = static_cast<std::int32_t>(packet_type::clientauthentication);
    const bool stray = !chosen.keep_secrets && holds_stray_secret(payload, port, dir, packet);
    if (packet.ok() && packet.type != login && !rows && !stray) return payload;
    blanker visitor{chosen, canal_values(chosen), payload, packet.type == login, out};
    if (stray) {
        message_reader reader(packet_message(port), payload);
        message_field field;
        while (reader.next(field)) {
            if (field.row == nullptr || field.number == fields::packet::body)
                visitor.blank_unknown(field);
        }
        if (reader.why() != fault::none) visitor.blank(reader.fault_offset(), payload.size());
        return visitor.touched ? byte_view(out) : payload;
    }
    const outcome end = walk(visitor, packet_message(port), payload, port);
    if (end.why != fault::none && (rows || (dir == direction::c2s && !chosen.keep_secrets)))
        visitor.blank(end.at, payload.size());
    return visitor.touched ? byte_view(out) : payload;
}

}  // namespace cdcscope::record
