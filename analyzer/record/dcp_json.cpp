// Head, key, framing extras and extras; values are in dcp_value_json.cpp.
#include "analyzer/record/dcp_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "proto/dcp/names.h"
#include "proto/findings/redaction.h"

namespace cdcscope::record {

using namespace dcp;

namespace {

// "0x5d" into room for it.
std::string_view hex_text(std::span<char> room, std::uint64_t value, std::size_t digits) {
    room[0] = '0';
    room[1] = 'x';
    for (std::size_t i = 0; i < digits; ++i) {
        room[2 + i] = "0123456789abcdef"[value >> (4 * (digits - 1 - i)) & 0xfU];
    }
    return {room.data(), 2 + digits};
}

// Messages that flow in a stream: they are shown with the stream's vbucket uuid.
bool flows_in_stream(const opcode_row& row) {
    return row.of_stream && (row.answered != answer::always || row.flow_controlled);
}

}  // namespace

bool holds_stray_secret(const message_view& view) noexcept {
    constexpr std::uint8_t sasl_list_mechs = 0x20, sasl_auth = 0x21, sasl_step = 0x22;
    if (view.head.opcode == sasl_list_mechs)  // asks with nothing but a header
        return view.is_request() && view.head.body_length > 0;
    if (view.head.opcode != sasl_auth && view.head.opcode != sasl_step) return false;
    // RFC 4422 section 3.1: what a mechanism is called.
    const auto names_mechanism = [](byte_view key) {
        return key.size() <= 20 && std::ranges::all_of(key, [](std::uint8_t c) {
                   return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
               });
    };
    return view.kind() != value_kind::secret || view.problem != fault::none ||
           !view.parts.extras.empty() || !names_mechanism(view.parts.key);
}

dcp_json::dcp_json(const options& chosen, std::span<const std::string> files)
    : options_(chosen), wire_(files) {
    out_.int64_as_strings(options_.int64_as_strings);
}

std::string_view dcp_json::write(const recover::message& m, const message_view& view,
                                 const track_record& track, const connection_names& names,
                                 byte_view raw) {
    out_.clear();
    value_problem_ = fault::none;
    out_.begin_object();
    write_head(view, track, names);
    if (!options_.keep_secrets && holds_stray_secret(view)) {
        write_redacted("payload", m.bytes.size() - std::min(m.bytes.size(), header_size));
    } else {
        write_framing(view);
        write_key(view, names);
        write_extras(view);
        write_datatype(view.head.datatype);
        if (m.cut) {
            write_cut_value(view);
        } else {
            write_value(view, names);
        }
    }
    write_worked_out(view, track);
    const fault problem = view.problem != fault::none ? view.problem : value_problem_;
    if (problem != fault::none) out_.field("malformed", describe(problem));
    wire_.write(out_, m, view.head.opaque);
    if (!raw.empty()) out_.name("raw").base64(raw);
    out_.end_object();
    inflated_.shrink(std::size_t{1} << 20);
    return out_.text();
}

// What is there of a value is never taken apart: nothing is guessed.
void dcp_json::write_cut_value(const message_view& view) {
    const byte_view value = view.parts.value;
    if (value.empty()) return;
    if (view.kind() == value_kind::secret && !options_.keep_secrets) {
        write_secret(value);
    } else if (hides_values()) {
        write_redacted("content", value.size());
    } else {
        out_.name("contentBase64").base64(value);
    }
}

void dcp_json::write_event(const message_view& view) {
    char room[20] = "opcode_";
    if (view.row != nullptr) {
        out_.field("event", view.row->event);
    } else if (view.head.is_push()) {
        out_.field("event", "server_push");
    } else {
        const std::string_view digits = hex_text(std::span(room).subspan(7), view.head.opcode, 2);
        out_.field("event", std::string_view(room, 7 + digits.size()));
    }
    if (!view.head.is_push()) return;
    if (view.row != nullptr) {
        out_.field("push", view.row->name);
    } else {
        out_.field("push", hex_text(room, view.head.opcode, 2));
    }
}

void dcp_json::write_head(const message_view& view, const track_record& track,
                          const connection_names& names) {
    write_event(view);
    if (view.head.is_response()) {
        out_.field("response", true);
        const named_value* known = find_value(status_names, view.head.status());
        char room[8];
        out_.field("status",
                   known != nullptr ? known->name : hex_text(room, view.head.status(), 4));
    }
    const bool names_bucket =
        view.row != nullptr && rule_of(*view.row, view.head).key.field == field_id::bucket;
    const std::string_view bucket = names.bucket();
    if (!bucket.empty() && !names_bucket) out_.text_or_base64("bucket", as_bytes(bucket));
    write_partition(view, track);
    if (view.row != nullptr && flows_in_stream(*view.row) && track.vbucket_uuid != 0) {
        write_number(describe(field_id::vbucket_uuid), track.vbucket_uuid);
    }
}

void dcp_json::write_partition(const message_view& view, const track_record& track) {
    partition_written_ = false;
    if (view.row != nullptr && !view.row->has_vbucket) return;
    if (view.row == nullptr && view.head.vbucket() == 0) return;
    if (view.head.is_response() && !track.has_partition) return;
    out_.field("partition",
               std::uint32_t{view.head.is_response() ? track.partition : view.head.vbucket()});
    partition_written_ = true;
}

// The first frame of an id that is known has members of its own; others, and what comes again
// (privileges may), is listed: a name stands in an object once.
void dcp_json::write_framing(const message_view& view) {
    if (view.parts.framing.empty()) return;
    std::uint32_t seen = 0;
    const auto has_members = [&](const frame_view& frame) {
        if (find_frame(view.head.is_response(), frame.id) == nullptr) return false;
        const std::uint32_t bit = 1U << frame.id;  // known ids are small
        const bool first = (seen & bit) == 0;
        seen |= bit;
        return first;
    };
    frame_reader frames(view.parts);
    frame_view frame;
    bool others = false;
    while (frames.next(frame)) {
        if (has_members(frame)) {
            write_frame(view, frame);
        } else {
            others = true;
        }
    }
    if (!others) return;
    seen = 0;
    frames = frame_reader(view.parts);
    out_.name("frames").begin_array();
    while (frames.next(frame)) {
        if (has_members(frame)) continue;
        out_.begin_object().field("id", std::uint32_t{frame.id}).name("data");
        if (options_.redact == redact_mode::all) {
            scratch_ = findings::hidden_text(frame.data.size());
            out_.string(scratch_);
        } else {
            out_.hex(frame.data, {});
        }
        out_.end_object();
    }
    out_.end_array();
}

void dcp_json::write_frame(const message_view& view, const frame_view& frame) {
    const frame_rule& rule = *find_frame(view.head.is_response(), frame.id);
    const field& f = describe(rule.field);
    const std::size_t size = width(f.type);
    if (rule.field == field_id::frame_data) {  // its presence is what it says
        const std::span<const named_value> ids = describe(field_id::frame_id).values;
        if (const named_value* id = find_value(ids, frame.id)) out_.field(id->name, true);
        return;
    }
    if (f.type == field_type::text) {
        options_.redact == redact_mode::all ? write_redacted(f.json, frame.data.size())
                                            : write_text(f, frame.data);
        return;
    }
    if (frame.data.size() < size) return;
    const std::uint64_t value = number_at(frame.data, {rule.field, 0});
    if (rule.field == field_id::server_duration || rule.field == field_id::throttle_duration) {
        const double microseconds = frame_microseconds(static_cast<std::uint16_t>(value));
        out_.field(f.json, std::round(microseconds * 10) / 10);
        return;
    }
    write_number(f, value);
    if (rule.second == field_id::count) return;
    const field& second = describe(rule.second);
    if (frame.data.size() == size + width(second.type)) {
        write_number(second,
                     number_at(frame.data, {rule.second, static_cast<std::uint16_t>(size)}));
    }
}

void dcp_json::write_key(const message_view& view, const connection_names& names) {
    if (view.parts.key.empty()) return;
    const key_rule rule = view.row != nullptr ? rule_of(*view.row, view.head).key : key_rule{};
    if (rule.collection_prefix || view.row == nullptr) {
        write_document_key(view.key, &names);
        return;
    }
    // The key of a system event is a collection or a scope, as the event says.
    const field_id shown = view.event != nullptr ? view.event->key_field : rule.field;
    if (rule.is == presence::never) return;
    if (shown == field_id::key && hides_keys()) {
        write_redacted("key", view.parts.key.size());
        return;
    }
    write_text(describe(shown), view.parts.key);
    write_members(shown, view.parts.key);
}

// Members that have a name of their own beside the text that they stand in.
void dcp_json::write_members(field_id of, byte_view json) {
    if (!has_json_members(of) || !members_.read(of, json)) return;
    for (const member_list::item& m : members_.items())
        write_text(describe(m.field), as_bytes(members_.text(m)));
}

void dcp_json::write_document_key(const key_view& key, const connection_names* names) {
    if (key.prefixed) {
        out_.field("collectionId", key.collection);
        if (names != nullptr) {
            const connection_names::collection_name known = names->collection(key.collection);
            if (!known.scope.empty()) out_.field("scope", known.scope);
            if (!known.collection.empty()) out_.field("collection", known.collection);
        }
    }
    if (hides_keys()) {
        write_redacted("key", key.bytes.size());
    } else {
        out_.text_or_base64("key", key.bytes);
    }
}

void dcp_json::write_extras(const message_view& view) {
    const opcode_row* row = view.row;
    const bool items_cas = row != nullptr && row->data_change && row->has_cas && view.is_request();
    if (items_cas || view.head.cas != 0) write_number(describe(field_id::cas), view.head.cas);
    if (view.extras_layout != nullptr) {
        write_fields(*view.extras_layout, view.parts.extras);
        // Version 1 of a marker has no number of its own.
        if (view.extras_layout->fields.empty()) return;
        if (view.extras_layout->fields.front().field == field_id::snapshot_start) {
            out_.field("version", view.extras_layout->name);
        }
    } else if (!view.parts.extras.empty()) {
        out_.name("extras").hex(view.parts.extras, {});
    }
}

void dcp_json::write_worked_out(const message_view& view, const track_record& track) {
    if (view.row == nullptr) return;
    const auto milliseconds = [](std::int64_t ns) { return static_cast<double>(ns) / 1e6; };
    const bool completes_prepare =
        view.is_request() && view.number(field_id::prepared_seqno) && view.row->data_change;
    if (completes_prepare && track.prepare != 0 && track.elapsed_ns >= 0) {
        out_.field(describe(field_id::prepare_time).json, milliseconds(track.elapsed_ns));
    }
    if (track.flow_known && view.is_request() && view.number(field_id::ack_bytes)) {
        out_.field(describe(field_id::flow_unacked).json, track.outstanding);
    }
}

void dcp_json::write_fields(const dcp::layout& l, byte_view run) {
    if (run.size() < l.size) return;
    for (const field_at& where : l.fields) {
        if (where.field == field_id::observed_vbucket && partition_written_) continue;
        write_number(describe(where.field), number_at(run, where));
    }
}

void dcp_json::write_plain(const field& f, std::uint64_t value) {
    out_.name(f.json);
    if (f.type == field_type::i64) {
        out_.int64(static_cast<std::int64_t>(value));
    } else if (width(f.type) == 8) {
        out_.int64(value);
    } else {
        out_.number(value);
    }
}

void dcp_json::write_number(const field& f, std::uint64_t value) {
    switch (f.form) {
        case json_form::none:
        case json_form::text:
            return;
        case json_form::number:
            return write_plain(f, value);
        case json_form::nonzero:
            if (value != 0) write_plain(f, value);
            return;
        case json_form::number_hex:
            write_plain(f, value);
            return write_hex_twin(f.json, value);
        case json_form::boolean:
            out_.field(f.json, value != 0);
            return;
        case json_form::bit_names:
            return write_bits(f.json, f.id, value);
        case json_form::number_bits:
            write_plain(f, value);
            return write_bits("flagNames", f.id, value);
        case json_form::hex:
            return write_hex(f.json, {}, value);
        case json_form::opaque:
            return write_hex(f.json, "0x", value);
        case json_form::name:
            return write_name(f, value);
        case json_form::name_code:
            write_name(f, value);
            out_.name(scratch_.assign(f.json).append("Code")).number(value);
            return;
    }
}

void dcp_json::write_name(const field& f, std::uint64_t value) {
    const named_value* known = find_value(f.values, value);
    if (known == nullptr) return write_plain(f, value);
    out_.field(f.json, known->name);
}

// Digits without leading zeros.
void dcp_json::write_hex(std::string_view name, std::string_view prefix, std::uint64_t value) {
    std::array<char, 18> room;
    char* const digits = std::copy(prefix.begin(), prefix.end(), room.data());
    char* const end = std::to_chars(digits, room.data() + room.size(), value, 16).ptr;
    out_.field(name, std::string_view(room.data(), static_cast<std::size_t>(end - room.data())));
}

void dcp_json::write_text(const field& f, byte_view text) {
    out_.text_or_base64(f.json, text);
}

void dcp_json::write_datatype(std::uint8_t datatype) {
    if (datatype != 0) write_bits(describe(field_id::datatype).json, field_id::datatype, datatype);
}

void dcp_json::write_bits(std::string_view name, field_id id, std::uint64_t value) {
    if (value == 0) return;
    out_.name(name).begin_array();
    std::uint64_t unnamed = value;
    for (const field& bit : bits_of(id)) {
        if ((value & bit.mask) == 0) continue;
        out_.string(bit.json);
        unnamed &= ~bit.mask;
    }
    char room[18];
    if (unnamed != 0) out_.string(hex_text(room, unnamed, width(describe(id).type) * 2));
    out_.end_array();
}

void dcp_json::write_hex_twin(std::string_view name, std::uint64_t value) {
    out_.name(scratch_.assign(name).append("Hex")).hex64(value);
}

void dcp_json::write_redacted(std::string_view name, std::size_t size) {
    scratch_ = findings::hidden_text(size);
    out_.field(name, std::string_view(scratch_));
}

}  // namespace cdcscope::record
