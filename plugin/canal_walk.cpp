#include "plugin/canal_walk.h"

#include <iterator>

#include <algorithm>

#include "plugin/canal_labels.h"
#include "plugin/text.h"
#include "proto/canal/view.h"

namespace cdcscope {
namespace {

using canal::field_kind;
using canal::message_field;
using canal::message_id;
using canal::wire_type;

// Beyond this a list is of no use to a person and Wireshark gives up at a million; the rest of the
// message is one item.
constexpr std::size_t most_items = 400'000;

int hf_unknown_field = -1;
int hf_not_readable = -1;
int hf_not_shown = -1;
int ett_opaque = -1;
dissector_table_t
    table_of_tables;  // "canal.table": RowChange by "schema.table", for others to hang in
expert_field ei_unknown_field = EI_INIT;
expert_field ei_not_readable = EI_INIT;
expert_field ei_not_shown = EI_INIT;

int at(std::size_t offset) {
    return static_cast<int>(offset);
}
int size_of(const message_field& f) {
    return static_cast<int>(f.end - f.tag);
}

void add_unknown(canal_walk& w, proto_tree* tree, const message_field& f) {
    proto_item* item =
        proto_tree_add_bytes_format(tree, hf_unknown_field, w.tvb, at(f.tag), size_of(f), nullptr,
                                    "Unknown Field: %u", f.number);
    expert_add_info(w.pinfo, item, &ei_unknown_field);
}

// A number at [from, from + size); of size 0 where it was not sent.
proto_item* add_value(canal_walk& w, proto_tree* tree, int id, int from, int size, std::int64_t v) {
    switch (proto_registrar_get_ftype(id)) {
        case FT_INT32:
            return proto_tree_add_int(tree, id, w.tvb, from, size, static_cast<std::int32_t>(v));
        case FT_INT64:
            return proto_tree_add_int64(tree, id, w.tvb, from, size, v);
        case FT_BOOLEAN:
            return proto_tree_add_boolean(tree, id, w.tvb, from, size, v != 0);
        case FT_ABSOLUTE_TIME: {
            const nstime_t time = canal_time(v);
            return proto_tree_add_time(tree, id, w.tvb, from, size, &time);
        }
        default:
            return nullptr;
    }
}

void add_text(canal_walk& w, proto_tree* tree, const canal_use::member& m, const message_field& f) {
    if (m.alias >= 0 && ws::is_wanted(tree, m.alias)) {
        proto_item_set_hidden(proto_tree_add_string(tree, m.alias, w.tvb, at(f.tag), size_of(f),
                                                    ws::field_text(w.pinfo, f.bytes)));
    }
    if (!ws::is_wanted(tree, m.field)) return;
    proto_tree_add_string(tree, m.field, w.tvb, at(f.tag), size_of(f),
                          ws::field_text(w.pinfo, f.bytes));
}

void add_bytes(canal_walk& w, proto_tree* tree, const canal_use::member& m,
               const message_field& f) {
    if (!ws::is_wanted(tree, m.field)) return;
    proto_tree_add_bytes_with_length(tree, m.field, w.tvb, at(f.tag), size_of(f), f.bytes.data(),
                                     static_cast<int>(f.bytes.size()));
}

void add_opaque(canal_walk& w, proto_tree* tree, const canal_use::member& m,
                const message_field& f) {
    proto_item* item = proto_tree_add_item(tree, m.field, w.tvb, at(f.tag), size_of(f), ENC_NA);
    proto_tree* sub = proto_item_add_subtree(item, ett_opaque);
    const int size = static_cast<int>(f.end - f.value);
    call_data_dissector(tvb_new_subset_length(w.tvb, at(f.value), size), w.pinfo, sub);
}

// Where the message inside stands: in a field of its own kind, or in bytes that hold it.
const canal_use* use_of(const canal_use::member& m, message_id inner) {
    return m.inner != nullptr ? m.inner : canal_body_use(inner);
}

void add_inner(canal_walk& w, proto_tree* tree, const canal_use::member& m, const message_field& f,
               message_id inner, int depth) {
    const canal_use* use = inner == message_id::none ? nullptr : use_of(m, inner);
    if (use == nullptr) return add_opaque(w, tree, m, f);
    if (inner == message_id::entry) {
        w.entry_type = canal::parse_entry(f.bytes).type;
        w.table = canal_table_name(w.pinfo, f.bytes);
    }
    proto_item* item = proto_tree_add_item(tree, m.field, w.tvb, at(f.tag), size_of(f), ENC_NA);
    proto_tree* sub = proto_item_add_subtree(item, use->tree);
    if (w.visible) label_canal_message(w, item, *use, f);
    add_canal_message(w, sub, *use, f.value, f.end, depth + 1);
    add_canal_generated(w, sub, *use, f);
    if (inner == message_id::row_change && w.table != nullptr) {
        tvbuff_t* change =
            tvb_new_subset_length(w.tvb, at(f.value), static_cast<int>(f.end - f.value));
        (void)ws::dissector_try(table_of_tables, w.table, change, w.pinfo, sub, nullptr);
    }
    if (inner == message_id::entry) w.entry_type = -1;
}

bool holds_message(const canal::field_row& row) {
    return row.kind == field_kind::message || row.holds != canal::content::plain;
}

void add_field(canal_walk& w, proto_tree* tree, const canal_use& use, const message_field& f,
               byte_view outer, int depth) {
    ++w.items;
    if (f.row == nullptr) return add_unknown(w, tree, f);
    const canal_use::member& m = *use.find(f.number);
    if (holds_message(*f.row)) {
        const message_id inner = canal::held_message(use.message, outer, *f.row, w.port);
        return add_inner(w, tree, m, f, inner, depth);
    }
    switch (f.row->kind) {
        case field_kind::text:
            return add_text(w, tree, m, f);
        case field_kind::bytes:
            return add_bytes(w, tree, m, f);
        default: {
            proto_item* item = add_value(w, tree, m.field, at(f.tag), size_of(f), f.as_int64());
            if (w.visible) label_canal_number(item, use, f);
        }
    }
}

// A field that begins within the captured bytes and ends behind them, in a message that goes on
// there.
bool read_cut_field(const canal_walk& w, const canal_use& use, std::size_t from, std::size_t to,
                    message_field& f) {
    const byte_view rest = w.bytes.subspan(from);
    const varint tag = read_varint(rest);
    const auto length_type = static_cast<unsigned>(wire_type::length);
    if (tag.state != varint_state::complete || (tag.value & 7U) != length_type) return false;
    const varint length = read_varint(rest.subspan(tag.size));
    if (length.state != varint_state::complete) return false;
    f = {};
    f.number = static_cast<std::uint32_t>(tag.value >> 3);
    f.wire = wire_type::length;
    f.tag = from;
    f.value = from + tag.size + length.size;
    if (f.value > to || length.value > to - f.value) return false;
    f.end = f.value + length.value;
    f.bytes = w.bytes.subspan(f.value);
    f.row = canal::row_of(use.message).find(f.number);
    return f.row != nullptr && holds_message(*f.row);
}

// The message goes on behind the captured bytes: shows what begins in front of the cut, then lets
// epan say why it ends.
void add_cut(canal_walk& w, proto_tree* tree, const canal_use& use, byte_view outer,
             std::size_t from, std::size_t to, int depth) {
    message_field f;
    if (from < w.bytes.size() && read_cut_field(w, use, from, to, f)) {
        const message_id inner = canal::held_message(use.message, outer, *f.row, w.port);
        add_inner(w, tree, *use.find(f.number), f, inner, depth);
    }
    tvb_ensure_bytes_exist(w.tvb, at(from), at(to - from));
}

// What the receiver takes for fields that were not sent. Begin and end of a transaction have no
// event type at all.
void add_defaults(canal_walk& w, proto_tree* tree, const canal_use& use, std::uint32_t sent,
                  std::size_t end) {
    const std::span<const canal::field_row> rows = canal::row_of(use.message).fields;
    const bool in_entry = w.entry_type >= 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const canal::field_row& row = rows[i];
        if ((sent >> i & 1U) != 0) continue;
        // The type of a packet is always there: 0 is not written.
        const bool is_type = use.message == canal::packet_message(w.port) &&
                             row.kind == field_kind::enumeration && !row.presence;
        if (!is_type && (!w.show_defaults || !row.has_default)) continue;
        if (use.message == message_id::header && row.number == canal::fields::header::event_type &&
            w.entry_type != static_cast<std::int32_t>(canal::entry_type::rowdata)) {
            continue;
        }
        const int id = use.members[i].field;
        const bool zero = !in_entry && w.zero_defaults;
        proto_item* item = row.kind == field_kind::text
                               ? proto_tree_add_string(tree, id, w.tvb, at(end), 0,
                                                       zero ? "" : ws::c_str(row.default_text))
                               : add_value(w, tree, id, at(end), 0, zero ? 0 : row.default_number);
        proto_item_set_generated(item);
        if (w.visible) proto_item_append_text(item, " (not sent)");
    }
}

void add_end(canal_walk& w, proto_tree* tree, const canal_use& use, canal::fault why,
             std::size_t from, std::size_t to) {
    if (why == canal::fault::none) return;
    proto_item* item =
        proto_tree_add_item(tree, hf_not_readable, w.tvb, at(from), at(to - from), ENC_NA);
    expert_add_info_format(w.pinfo, item, &ei_not_readable, "Not readable as %s: %s",
                           ws::c_str(canal::row_of(use.message).name), ws::c_str(canal::text(why)));
}

std::uint32_t bit_of(const canal_use& use, const canal::field_row* row) {
    return 1U << static_cast<unsigned>(row - canal::row_of(use.message).fields.data());
}

}  // namespace

void add_canal_message(canal_walk& w, proto_tree* tree, const canal_use& use, std::size_t from,
                       std::size_t to, int depth) {
    if (depth > canal::max_depth) return;
    const std::size_t end = std::min(to, w.bytes.size());
    const std::size_t begin = std::min(from, end);
    const byte_view bytes = w.bytes.subspan(begin, end - begin);
    canal::message_reader reader(use.message, bytes, begin);
    message_field f;
    std::size_t done = begin;
    std::uint32_t sent = 0;
    while (reader.next(f)) {
        if (w.items >= most_items) {
            proto_item* item =
                proto_tree_add_item(tree, hf_not_shown, w.tvb, at(f.tag), at(end - f.tag), ENC_NA);
            expert_add_info(w.pinfo, item, &ei_not_shown);
            return;
        }
        add_field(w, tree, use, f, bytes, depth);
        if (f.row != nullptr) sent |= bit_of(use, f.row);
        done = f.end;
    }
    if (to > end) return add_cut(w, tree, use, bytes, done, to, depth);
    if (reader.why() == canal::fault::none) add_defaults(w, tree, use, sent, end);
    add_end(w, tree, use, reader.why(), done, end);
}

void register_canal_walk(int proto) {
    static hf_register_info fields[] = {
        {&hf_unknown_field,
         {"Unknown Field", "canal.unknown_field", FT_BYTES, BASE_NONE, nullptr, 0,
          "A field whose number or wire type the protocol's .proto files do not have", HFILL}},
        {&hf_not_readable,
         {"Not Readable", "canal.not_readable", FT_BYTES, BASE_NONE, nullptr, 0, nullptr, HFILL}},
        {&hf_not_shown,
         {"Not Shown", "canal.not_shown", FT_BYTES, BASE_NONE, nullptr, 0,
          "The message has too many fields", HFILL}},
    };
    static int* trees[] = {&ett_opaque};
    table_of_tables = register_dissector_table("canal.table", "Canal table", proto, FT_STRING,
                                               ws::case_sensitive);
    static ei_register_info experts[] = {
        {&ei_unknown_field,
         {"canal.unknown_field.expert", PI_UNDECODED, PI_NOTE,
          "Field unknown to the protocol's .proto files", EXPFILL}},
        {&ei_not_readable,
         {"canal.not_readable.expert", PI_MALFORMED, PI_NOTE,
          "Not readable as the message it should be", EXPFILL}},
        {&ei_not_shown,
         {"canal.not_shown.expert", PI_UNDECODED, PI_NOTE, "Too many fields: the rest is not shown",
          EXPFILL}},
    };
    proto_register_field_array(proto, fields, static_cast<int>(std::size(fields)));
    proto_register_subtree_array(trees, static_cast<int>(std::size(trees)));
    expert_register_field_array(expert_register_protocol(proto), experts,
                                static_cast<int>(std::size(experts)));
}

}  // namespace cdcscope
