// Values of DCP and key-value messages as JSON.
#include <algorithm>

#include "analyzer/record/dcp_json.h"
#include "proto/dcp/flat_table.h"
#include "proto/dcp/names.h"
#include "proto/json/base64.h"
#include "proto/json/json_document.h"
#include "proto/wire/utf8.h"

namespace cdcscope::record {

using namespace dcp;

namespace {

// A document without the JSON bit is taken for JSON only if it begins as an object or a list: text
// and numbers stay what they are.
bool may_be_json(byte_view body, std::uint8_t datatype) {
    if (body.empty()) return false;
    return (datatype & datatype_bit::json) != 0 || body[0] == '{' || body[0] == '[';
}

bool holds_name(const message_view& view) {
    const std::optional<flat_table> table =
        view.event->table.empty() ? std::nullopt : flat_table::open(view.parts.value);
    if (!table) return false;
    return std::ranges::any_of(view.event->table, [&](const flat_field& entry) {
        return describe(entry.field).type == field_type::text && table->string(entry.slot);
    });
}

std::uint16_t nmeta_of(const message_view& view) {
    return static_cast<std::uint16_t>(view.number(field_id::nmeta).value_or(0));
}

}  // namespace

bool dcp_json::json_into_scratch(byte_view value) {
    scratch_.clear();
    return append_compact_json(scratch_, value);
}

void dcp_json::write_value(const message_view& view, const connection_names& names) {
    const byte_view value = view.parts.value;
    if (view.kind() == value_kind::system_event)
        return write_event_table(view), write_event_names(view, names);
    if (value.empty()) return;
    switch (view.kind()) {
        case value_kind::system_event:
            return;
        case value_kind::document:
            return write_document(value, view.head.datatype, nmeta_of(view));
        case value_kind::fixed:
            if (view.value_layout != nullptr) return write_fields(*view.value_layout, value);
            break;
        case value_kind::list:
            if (value.size() % view.value_layout->size == 0) return write_list(view);
            break;
        case value_kind::text:
            return write_text(describe(view.value->field), value), write_meaning(view);
        case value_kind::json:
            return write_json_value("content", value, view.head.datatype);
        case value_kind::stream_filter:
            return write_json_value("filter", value, view.head.datatype);
        case value_kind::secret:
            return write_secret(value);
        case value_kind::cache_transfer:
            return write_cache_records(view);
        case value_kind::error:
            return write_error(view);
        case value_kind::raw:
            return write_document(value, view.head.datatype, 0);
        case value_kind::none:
            break;
    }
    out_.name("contentBase64").base64(value);
}

void dcp_json::write_document(byte_view value, std::uint8_t datatype, std::uint16_t nmeta) {
    const document_view doc = open_document(value, datatype, nmeta, inflated_);
    value_problem_ = doc.problem;
    if (!doc.xattrs.empty()) write_xattrs(doc.xattrs);
    if (!doc.extended_metadata.empty()) write_metadata(doc.extended_metadata);
    if (doc.body.empty()) return;
    if (doc.too_large) out_.field("notInflated", doc.claimed);
    if (hides_values()) {
        write_redacted("content", doc.body.size());
    } else if (doc.problem == fault::none && may_be_json(doc.body, datatype) &&
               json_into_scratch(doc.body)) {
        out_.name("content").raw(scratch_);
    } else {
        out_.name("contentBase64").base64(doc.body);
    }
}

void dcp_json::write_xattrs(byte_view pairs) {
    out_.name("xattrs").begin_object();
    xattr_reader reader(pairs);
    xattr_view pair;
    while (reader.next(pair)) write_xattr(pair);
    out_.end_object();
}

void dcp_json::write_xattr(const xattr_view& pair) {
    std::string_view name = as_text(pair.key);
    std::string coded;
    if (hides_keys()) {
        name = "(redacted)";
    } else if (!is_utf8(pair.key)) {
        append_base64(coded, pair.key);
        name = coded;
    }
    if (hides_values()) {
        write_redacted(name, pair.value.size());
    } else if (json_into_scratch(pair.value)) {
        out_.name(name).raw(scratch_);
    } else {
        out_.text_or_base64(name, pair.value);
    }
}

void dcp_json::write_metadata(byte_view metadata) {
    out_.name(describe(field_id::ext_meta).json).begin_object();
    write_number(describe(field_id::ext_meta_version), metadata[0]);
    out_.name("entries").begin_array();
    meta_reader reader(metadata);
    meta_view entry;
    while (reader.next(entry)) {
        out_.begin_object();
        write_number(describe(field_id::ext_meta_id), entry.id);
        out_.name("data").hex(entry.data, {}).end_object();
    }
    out_.end_array().end_object();
}

void dcp_json::write_list(const message_view& view) {
    const dcp::layout& record = *view.value_layout;
    const bool single = record.fields.size() == 1;
    out_.name(describe(view.value->field).json).begin_array();
    for (byte_view rest = view.parts.value; !rest.empty(); rest = rest.subspan(record.size)) {
        if (single) {
            const std::uint64_t value = number_at(rest, record.fields.front());
            const named_value* known =
                find_value(describe(record.fields.front().field).values, value);
            known != nullptr ? out_.string(known->name) : out_.number(value);
            continue;
        }
        out_.begin_object();
        write_fields(record, rest.first(record.size));
        out_.end_object();
    }
    out_.end_array();
}

// Of an event that is known: its fields. Numbers that every event has are written even when a table
// leaves them at 0.
void dcp_json::write_event_table(const message_view& view) {
    const byte_view value = view.parts.value;
    if (view.event == nullptr || view.problem == fault::system_event) {
        if (!value.empty()) out_.name("contentBase64").base64(value);
        return;
    }
    if (view.event->value != nullptr) return write_fields(*view.event->value, value);
    const std::optional<flat_table> table = flat_table::open(value);
    if (!table) return;
    for (const flat_field& entry : view.event->table) {
        const field& f = describe(entry.field);
        if (f.type == field_type::text) {
            const std::optional<byte_view> text = table->string(entry.slot);
            if (text && view.parts.key.empty()) write_text(f, *text);
            continue;
        }
        const bool always = entry.field == field_id::manifest_uid ||
                            entry.field == field_id::scope_id ||
                            entry.field == field_id::collection_id;
        const std::optional<std::uint64_t> number = table->number(entry.slot, width(f.type));
        if (number || always) write_number(f, number.value_or(0));
    }
}

// What an event leaves out but an earlier one told.
void dcp_json::write_event_names(const message_view& view, const connection_names& names) {
    if (view.event == nullptr) return;
    const std::optional<std::uint64_t> scope = view.number(field_id::scope_id);
    const std::optional<std::uint64_t> collection = view.number(field_id::collection_id);
    const bool named = !view.parts.key.empty() || holds_name(view);
    if (scope && (collection || !named)) {
        const std::string_view name = names.scope(static_cast<std::uint32_t>(*scope));
        if (!name.empty()) out_.field(describe(field_id::scope_name).json, name);
    }
    if (collection && !named) {
        const std::string_view name =
            names.collection(static_cast<std::uint32_t>(*collection)).collection;
        if (!name.empty()) out_.field(describe(field_id::collection_name).json, name);
    }
}

void dcp_json::write_cache_records(const message_view& view) {
    out_.name(describe(field_id::cache_record).json).begin_array();
    cache_record_reader reader(view, {});
    cache_record_view record;
    while (reader.next(record)) {
        out_.begin_object();
        write_document_key(record.key, nullptr);
        write_fields(cache_record_layout(), record.fixed);
        // An empty value may carry the datatype of the stored document.
        if (!record.value.empty()) write_document(record.value, record.datatype, 0);
        out_.end_object();
    }
    out_.end_array();
}

void dcp_json::write_json_value(std::string_view name, byte_view value, std::uint8_t datatype) {
    const document_view plain = inflate(value, datatype, inflated_);
    value_problem_ = plain.problem;
    if (plain.too_large) out_.field("notInflated", plain.claimed);
    if (plain.problem == fault::none && json_into_scratch(plain.body)) {
        out_.name(name).raw(scratch_);
    } else {
        out_.name(scratch_.assign(name).append("Base64")).base64(plain.body);
    }
}

void dcp_json::write_error(const message_view& view) {
    const document_view plain = inflate(view.parts.value, view.head.datatype, inflated_);
    const bool json = (view.head.datatype & datatype_bit::json) != 0 ||
                      (!plain.body.empty() && plain.body[0] == '{');
    if (json && json_into_scratch(plain.body)) {
        out_.name("content").raw(scratch_);
    } else {
        write_text(describe(field_id::error_text), plain.body);
    }
}

// What a setting with this value means.
void dcp_json::write_meaning(const message_view& view) {
    if (view.value->field != field_id::control_value) return;
    const control_key* setting = find_control(as_text(view.parts.key));
    if (setting == nullptr) return;
    const std::string_view meaning = meaning_of(*setting, as_text(view.parts.value));
    if (!meaning.empty()) out_.field(describe(field_id::control_meaning).json, meaning);
}

void dcp_json::write_secret(byte_view value) {
    if (options_.keep_secrets) {
        out_.text_or_base64("payload", value);
    } else {
        write_redacted("payload", value.size());
    }
}

}  // namespace cdcscope::record
