#include "plugin/dcp_value.h"

#include <algorithm>

#include "plugin/dcp_fields.h"
#include "plugin/dcp_json.h"
#include "plugin/text.h"
#include "proto/dcp/document.h"
#include "proto/dcp/flat_table.h"
#include "proto/dcp/names.h"
#include "proto/wire/utf8.h"

namespace cdcscope {
namespace {

using dcp::field_id;
using dcp::value_kind;

dissector_table_t control_table;  // "cbdcp.control": a setting's value by its name
dissector_table_t value_table;    // "cbdcp.value": by datatype, for others to hang in

// Values are inflated here and copied out at once: nothing that owns memory is alive while epan is
// called.
dcp::inflate_buffer inflated;
constexpr std::size_t keep_inflated = 1U << 20;

bool is_text(byte_view bytes) {
    return is_utf8(bytes) && std::find(bytes.begin(), bytes.end(), 0) == bytes.end();
}

void add_xattrs(const dcp_tree_context& t, proto_tree* tree, tvbuff_t* tvb, std::size_t at,
                byte_view pairs) {
    constexpr std::size_t length_size = 4;  // in front of the pairs, and of each pair
    proto_item* item = nullptr;
    proto_tree* sub = add_dcp_group(tree, tvb, field_id::xattrs, at - length_size,
                                    pairs.size() + length_size, &item);
    dcp::xattr_reader reader(pairs);
    dcp::xattr_view pair;
    std::size_t n = 0;
    while (reader.next(pair)) {
        ++n;
        const std::size_t start = at + pair.at;
        const std::size_t key = start + length_size;
        const std::size_t value = key + pair.key.size() + 1;
        proto_item* pair_item = nullptr;
        proto_tree* inner = add_dcp_group(sub, tvb, field_id::xattr, start,
                                          value + pair.value.size() + 1 - start, &pair_item);
        if (t.visible) {
            proto_item_append_text(pair_item, ": %s = %s", ws::printable(t.pinfo, pair.key),
                                   ws::printable(t.pinfo, pair.value, 80));
        }
        add_dcp_text(t, inner, tvb, field_id::xattr_key, key, pair.key);
        add_dcp_json(t, inner, tvb, field_id::xattr_value, value, pair.value);
    }
    if (t.visible) proto_item_append_text(item, ": %zu", n);
}

void add_metadata(const dcp_tree_context& t, proto_tree* tree, tvbuff_t* tvb, std::size_t at,
                  byte_view bytes) {
    proto_tree* sub = add_dcp_group(tree, tvb, field_id::ext_meta, at, bytes.size());
    add_dcp_number(t, sub, tvb, field_id::ext_meta_version, at);
    dcp::meta_reader reader(bytes);
    dcp::meta_view entry;
    while (reader.next(entry)) {
        add_dcp_number(t, sub, tvb, field_id::ext_meta_id, at + entry.at);
        add_dcp_number(t, sub, tvb, field_id::ext_meta_length, at + entry.at + 1);
        if (!entry.data.empty())
            add_dcp_bytes(sub, tvb, field_id::ext_meta_data, at + entry.at + 3, entry.data.size());
    }
}

// The document without its attributes.
void add_body(const dcp_tree_context& t, proto_tree* tree, tvbuff_t* tvb, std::size_t at,
              byte_view body, std::uint8_t datatype) {
    if (body.empty()) return;
    tvbuff_t* content =
        tvb_new_subset_length(tvb, static_cast<int>(at), static_cast<int>(body.size()));
    if ((datatype & dcp::datatype_bit::json) != 0) {
        add_dcp_json(t, tree, tvb, field_id::document, at, body);
    } else if (is_text(body)) {
        add_dcp_text(t, tree, tvb, field_id::document, at, body);
    } else {
        add_dcp_bytes(tree, tvb, field_id::body, at, body.size());
    }
    ws::dissector_try(value_table, datatype, content, t.pinfo, tree, nullptr);
}

// The parts of an opened document. `tvb` holds the value in the clear from `at` on.
void add_parts(const dcp_tree_context& t, proto_tree* tree, tvbuff_t* tvb, std::size_t at,
               const dcp::document_view& d, std::uint8_t datatype) {
    if (!d.xattrs.empty()) add_xattrs(t, tree, tvb, at + d.xattrs_at, d.xattrs);
    add_body(t, tree, tvb, at + d.body_at, d.body, datatype);
    if (!d.extended_metadata.empty())
        add_metadata(t, tree, tvb, at + d.extended_metadata_at, d.extended_metadata);
}

// A value that claims to be Snappy and was not inflated, as it was sent.
bool stays_packed(const dcp::document_view& d) {
    return d.too_large || d.problem == dcp::fault::snappy;
}
void add_packed(const dcp_tree_context& t, proto_tree* tree, std::size_t at,
                const dcp::document_view& d) {
    if (d.too_large) {
        proto_item* item = proto_tree_add_uint(tree, dcp_field(field_id::inflated_length), t.tvb,
                                               static_cast<int>(at), 0, d.claimed);
        proto_item_append_text(item, " (not inflated: above the limit)");
        proto_item_set_generated(item);
    }
    add_dcp_bytes(tree, t.tvb, field_id::body, at, d.body.size());
}

void add_document(const dcp_tree_context& t, proto_tree* tree, std::size_t at, byte_view value,
                  std::uint8_t datatype, std::uint16_t nmeta) {
    if (value.empty()) return;
    proto_tree* sub = add_dcp_group(tree, t.tvb, field_id::value, at, value.size());
    dcp::document_view d = dcp::open_document(value, datatype, nmeta, inflated);
    if (stays_packed(d)) return add_packed(t, sub, at, d);
    if (!d.inflated) return add_parts(t, sub, t.tvb, at, d, datatype);

    const std::size_t size = d.value.size();
    auto* copy = static_cast<std::uint8_t*>(wmem_memdup(t.pinfo->pool, d.value.data(), size));
    const auto moved = [&](byte_view part, std::uint32_t from) {
        return byte_view{copy + from, part.size()};
    };
    d.xattrs = moved(d.xattrs, d.xattrs_at);
    d.body = moved(d.body, d.body_at);
    d.extended_metadata = moved(d.extended_metadata, d.extended_metadata_at);
    inflated.shrink(keep_inflated);
    tvbuff_t* clear =
        tvb_new_child_real_data(t.tvb, copy, static_cast<unsigned>(size), static_cast<int>(size));
    add_new_data_source(t.pinfo, clear, "Inflated value");
    proto_item_set_generated(
        proto_tree_add_uint(sub, dcp_field(field_id::inflated_length), t.tvb, static_cast<int>(at),
                            static_cast<int>(value.size()), static_cast<std::uint32_t>(size)));
    add_parts(t, sub, clear, 0, d, datatype);
}

// What a setting with this value means.
void add_meaning(const dcp_tree_context& t, proto_tree* tree, byte_view value) {
    const dcp::control_key* setting = dcp::find_control(as_text(t.m->parts.key));
    if (setting == nullptr) return;
    const std::string_view meaning = dcp::meaning_of(*setting, as_text(value));
    if (meaning.empty()) return;
    proto_item_set_generated(proto_tree_add_string(tree, dcp_field(field_id::control_meaning),
                                                   t.tvb, 0, 0, ws::c_str(meaning)));
}

// JSON and text that is not a document may be Snappy, too (cluster maps).
void add_plain(const dcp_tree_context& t, proto_tree* tree, field_id id, bool json) {
    const dcp::message_view& m = *t.m;
    tvbuff_t* tvb = t.tvb;
    std::size_t at = m.parts.value_at;
    byte_view bytes = m.parts.value;
    const dcp::document_view d = dcp::inflate(bytes, m.head.datatype, inflated);
    if (stays_packed(d)) return add_packed(t, tree, at, d);
    proto_item* whole = add_dcp_bytes(tree, tvb, field_id::value, at, bytes.size());
    if (!d.inflated) {
        proto_item_set_hidden(whole);  // what is shown says the same
    } else {
        const std::size_t size = d.value.size();
        auto* copy = static_cast<std::uint8_t*>(wmem_memdup(t.pinfo->pool, d.value.data(), size));
        inflated.shrink(keep_inflated);
        tvb = tvb_new_child_real_data(t.tvb, copy, static_cast<unsigned>(size),
                                      static_cast<int>(size));
        add_new_data_source(t.pinfo, tvb, "Inflated value");
        at = 0;
        bytes = {copy, size};
    }
    if (json) {
        add_dcp_json(t, tree, tvb, id, at, bytes);
    } else {
        add_dcp_text(t, tree, tvb, id, at, bytes);
    }
    if (id != field_id::control_value) return;
    add_meaning(t, tree, bytes);
    const char* setting = ws::field_text(t.pinfo, m.parts.key);
    (void)ws::dissector_try(
        control_table, setting,
        tvb_new_subset_length(tvb, static_cast<int>(at), static_cast<int>(bytes.size())), t.pinfo,
        tree, nullptr);
}

void add_list(const dcp_tree_context& t, proto_tree* tree) {
    const dcp::message_view& m = *t.m;
    const dcp::layout& record = *m.value_layout;
    const field_id id = m.value->field;
    const bool grouped = dcp::describe(id).type == dcp::field_type::group;
    std::size_t at = m.parts.value_at;
    const std::size_t end = at + m.parts.value.size();
    proto_item* item = nullptr;
    proto_tree* list = add_dcp_group(tree, t.tvb, field_id::value, at, end - at, &item);
    if (t.visible) {
        proto_item_set_text(
            item, "%s: %zu",
            ws::c_str(dcp::describe(grouped ? id : record.fields.front().field).title),
            (end - at) / record.size);
    }
    for (; at + record.size <= end; at += record.size) {
        proto_tree* sub = grouped ? add_dcp_group(list, t.tvb, id, at, record.size) : list;
        add_dcp_layout(t, sub, t.tvb, record, at);
    }
    if (at < end) add_dcp_bytes(list, t.tvb, field_id::undecoded, at, end - at);
}

// A FlatBuffers table: fields lie anywhere in the value, little-endian.
void add_table(const dcp_tree_context& t, proto_tree* tree) {
    const dcp::message_view& m = *t.m;
    const std::size_t base = m.parts.value_at;
    proto_tree* sub = add_dcp_group(tree, t.tvb, field_id::value, base, m.parts.value.size());
    const std::optional<dcp::flat_table> table = dcp::flat_table::open(m.parts.value);
    if (!table) return;
    for (const dcp::flat_field& entry : m.event->table) {
        const dcp::field& f = dcp::describe(entry.field);
        if (f.type == dcp::field_type::text) {
            const auto text = table->string(entry.slot);
            if (!text) continue;
            const std::size_t at =
                base + static_cast<std::size_t>(text->data() - m.parts.value.data());
            add_dcp_text(t, sub, t.tvb, entry.field, at, *text);
            continue;
        }
        const auto at = table->find(entry.slot, dcp::width(f.type));
        if (at) add_dcp_number(t, sub, t.tvb, entry.field, base + *at, ENC_LITTLE_ENDIAN);
    }
}

void add_event(const dcp_tree_context& t, proto_tree* tree) {
    const dcp::message_view& m = *t.m;
    if (m.event != nullptr && !m.event->table.empty()) return add_table(t, tree);
    if (m.value_layout == nullptr || m.value_layout->size != m.parts.value.size()) {
        add_dcp_bytes(tree, t.tvb, field_id::undecoded, m.parts.value_at, m.parts.value.size());
        return;
    }
    proto_tree* sub =
        add_dcp_group(tree, t.tvb, field_id::value, m.parts.value_at, m.parts.value.size());
    add_dcp_layout(t, sub, t.tvb, *m.value_layout, m.parts.value_at);
}

void add_record(const dcp_tree_context& t, proto_tree* tree, const dcp::cache_record_view& r) {
    const std::size_t end = r.value_at + r.value.size();
    proto_item* item = nullptr;
    proto_tree* sub = add_dcp_group(tree, t.tvb, field_id::cache_record, r.at, end - r.at, &item);
    if (t.visible) proto_item_append_text(item, ": %s", ws::printable(t.pinfo, r.key.bytes, 80));
    add_dcp_layout(t, sub, t.tvb, dcp::cache_record_layout(), r.at);
    add_dcp_document_key(t, sub, r.key);
    add_document(t, sub, r.value_at, r.value, r.datatype, 0);
}

void add_records(const dcp_tree_context& t, proto_tree* tree) {
    const dcp::message_view& m = *t.m;
    dcp::cache_record_reader records(m, t.decoding);
    dcp::cache_record_view r;
    std::size_t done = m.parts.value_at;
    proto_tree* list =
        add_dcp_group(tree, t.tvb, field_id::value, m.parts.value_at, m.parts.value.size());
    while (records.next(r)) {
        add_record(t, list, r);
        done = r.value_at + r.value.size();
    }
    const std::size_t end = m.parts.value_at + m.parts.value.size();
    if (done < end) add_dcp_bytes(list, t.tvb, field_id::undecoded, done, end - done);
}

void add_fixed(const dcp_tree_context& t, proto_tree* tree) {
    const dcp::message_view& m = *t.m;
    if (m.value_layout == nullptr || m.value_layout->size > m.parts.value.size()) {
        add_dcp_bytes(tree, t.tvb, field_id::value, m.parts.value_at, m.parts.value.size());
        return;
    }
    proto_item* item = nullptr;
    proto_tree* sub =
        add_dcp_group(tree, t.tvb, field_id::value, m.parts.value_at, m.parts.value.size(), &item);
    if (t.visible && !m.value_layout->name.empty())
        proto_item_append_text(item, " (%s)", ws::c_str(m.value_layout->name));
    add_dcp_layout(t, sub, t.tvb, *m.value_layout, m.parts.value_at);
}

// Bytes that nobody should read over a shoulder or in an export: how many there are, not what they
// say.
void add_secret(const dcp_tree_context& t, proto_tree* tree, field_id length) {
    const byte_view value = t.m->parts.value;
    proto_item* item = nullptr;
    proto_tree* sub =
        add_dcp_group(tree, t.tvb, field_id::secret, t.m->parts.value_at, value.size(), &item);
    const auto size = static_cast<std::uint32_t>(value.size());
    if (t.visible) proto_item_append_text(item, " (not shown), %u bytes", size);
    proto_item_set_generated(proto_tree_add_uint(sub, dcp_field(length), t.tvb, 0, 0, size));
}

}  // namespace

void add_dcp_value(const dcp_tree_context& t, proto_tree* tree) {
    const dcp::message_view& m = *t.m;
    if (m.parts.value.empty()) return;
    switch (m.kind()) {
        case value_kind::document: {
            const auto nmeta = static_cast<std::uint16_t>(m.number(field_id::nmeta).value_or(0));
            // Only the whole value can be taken apart.
            if (m.parts.cut) break;
            return add_document(t, tree, m.parts.value_at, m.parts.value, m.head.datatype, nmeta);
        }
        case value_kind::fixed:
            return add_fixed(t, tree);
        case value_kind::list:
            return add_list(t, tree);
        case value_kind::text:
            return add_plain(t, tree, m.value->field, false);
        case value_kind::json:
        case value_kind::stream_filter:
            return add_plain(t, tree, m.value->field, true);
        case value_kind::error:
            return add_plain(t, tree, m.value->field,
                             (m.head.datatype & dcp::datatype_bit::json) != 0);
        case value_kind::secret:
            return add_secret(t, tree, m.value->field);
        case value_kind::system_event:
            return add_event(t, tree);
        case value_kind::cache_transfer:
            return add_records(t, tree);
        case value_kind::none:
        case value_kind::raw:
            break;
    }
    add_dcp_bytes(tree, t.tvb, field_id::value, m.parts.value_at, m.parts.value.size());
}

void register_dcp_values(int proto) {
    control_table = register_dissector_table("cbdcp.control", "Couchbase DCP setting", proto,
                                             FT_STRING, ws::case_sensitive);
    value_table = register_dissector_table("cbdcp.value", "Couchbase DCP document by datatype",
                                           proto, FT_UINT8, BASE_HEX);
}

}  // namespace cdcscope
