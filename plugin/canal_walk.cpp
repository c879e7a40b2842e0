#include "plugin/canal_walk.h"

#include <algorithm>

#include "plugin/canal_labels.h"
#include "plugin/experts.h"
#include "plugin/text.h"

namespace cdcscope {
namespace {

using canal::field_kind;
using canal::message_id;
using canal::wire_field;
using canal::wire_type;

// Beyond this a list is of no use to a person and Wireshark gives up at a million; the rest of the
// message is one item.
constexpr std::size_t most_items = 400'000;

int hf_unknown_field = -1;
int hf_unknown_type = -1;
int hf_not_shown = -1;
int ett_opaque = -1;
expert_field ei_unknown_field = EI_INIT;
expert_field ei_not_readable = EI_INIT;
expert_field ei_not_shown = EI_INIT;

int at(std::size_t offset) {
    return static_cast<int>(offset);
}
int size_of(const wire_field& f) {
    return static_cast<int>(f.end - f.tag);
}

wire_type wire_of(field_kind kind) {
    switch (kind) {
        case field_kind::text:
        case field_kind::bytes:
        case field_kind::message:
            return wire_type::length;
        default:
            return wire_type::varint;
    }
}

void add_unknown(canal_walk& w, proto_tree* tree, const wire_field& f) {
    proto_item* item =
        proto_tree_add_bytes_format(tree, hf_unknown_field, w.tvb, at(f.tag), size_of(f), nullptr,
                                    "Unknown Field: %u", f.number);
    expert_add_info(w.pinfo, item, &ei_unknown_field);
}

proto_item* add_number(canal_walk& w, proto_tree* tree, const canal_use::member& m,
                       const wire_field& f) {
    const int id = m.field;
    switch (proto_registrar_get_ftype(id)) {
        case FT_INT32:
            return proto_tree_add_int(tree, id, w.tvb, at(f.tag), size_of(f), f.as_int32());
        case FT_INT64:
            return proto_tree_add_int64(tree, id, w.tvb, at(f.tag), size_of(f), f.as_int64());
        case FT_BOOLEAN:
            return proto_tree_add_boolean(tree, id, w.tvb, at(f.tag), size_of(f), f.as_bool());
        case FT_ABSOLUTE_TIME: {
            const nstime_t time = canal_time(f.as_int64());
            return proto_tree_add_time(tree, id, w.tvb, at(f.tag), size_of(f), &time);
        }
        default:
            return nullptr;
    }
}

void add_text(canal_walk& w, proto_tree* tree, const canal_use::member& m, const wire_field& f) {
    if (m.alias >= 0 && ws::is_wanted(tree, m.alias)) {
        proto_item* item = proto_tree_add_string(tree, m.alias, w.tvb, at(f.tag), size_of(f),
                                                 ws::field_text(w.pinfo, f.bytes));
        proto_item_set_hidden(item);
    }
    if (!ws::is_wanted(tree, m.field)) return;
    proto_tree_add_string(tree, m.field, w.tvb, at(f.tag), size_of(f),
                          ws::field_text(w.pinfo, f.bytes));
}

void add_bytes(canal_walk& w, proto_tree* tree, const canal_use::member& m, const wire_field& f) {
    if (!ws::is_wanted(tree, m.field)) return;
    proto_tree_add_bytes_with_length(tree, m.field, w.tvb, at(f.tag), size_of(f), f.bytes.data(),
                                     static_cast<int>(f.bytes.size()));
}

// What is in a field that holds a message, and null for bytes that hold none we know.
const canal_use* use_inside(const canal_walk& w, const canal_use::member& m,
                            std::int64_t body_type) {
    switch (m.row->holds) {
        case canal::content::by_packet_type:
            return canal_body_use(canal::row_of_type(w.port, body_type).body);
        case canal::content::by_entry_type:
            return canal_body_use(canal::stored_message(body_type));
        default:
            return m.inner;
    }
}

// Type of the message inside, where that message has bytes whose meaning depends on a field of its
// own.
std::int64_t type_inside(const canal_walk& w, const canal_use& inner, const wire_field& f) {
    if (inner.message != message_id::entry) return 0;
    wire_field type;
    const bool sent = find_canal_field(w.bytes, f.value, f.end, canal::fields::entry::entry_type,
                                       wire_type::varint, type);
    return sent ? type.as_int64()
                : static_cast<std::int64_t>(canal::entry_type::rowdata);  // its default
}

void add_opaque(canal_walk& w, proto_tree* tree, const canal_use::member& m, const wire_field& f) {
    proto_item* item = proto_tree_add_item(tree, m.field, w.tvb, at(f.tag), size_of(f), ENC_NA);
    proto_tree* sub = proto_item_add_subtree(item, ett_opaque);
    tvbuff_t* content =
        tvb_new_subset_length(w.tvb, at(f.value), static_cast<int>(f.end - f.value));
    call_data_dissector(content, w.pinfo, sub);
}

void add_inner(canal_walk& w, proto_tree* tree, const canal_use::member& m, const wire_field& f,
               std::int64_t body_type, int depth) {
    const canal_use* inner = use_inside(w, m, body_type);
    if (inner == nullptr) return add_opaque(w, tree, m, f);
    proto_item* item = proto_tree_add_item(tree, m.field, w.tvb, at(f.tag), size_of(f), ENC_NA);
    proto_tree* sub = proto_item_add_subtree(item, inner->tree);
    const std::int64_t type = type_inside(w, *inner, f);
    if (w.visible) label_canal_message(w, item, *inner, f.value, f.end, type);
    add_canal_message(w, sub, *inner, f.value, f.end, type, depth + 1);
    add_canal_generated(w, sub, *inner, f.value, f.end);
}

void add_field(canal_walk& w, proto_tree* tree, const canal_use& use, const wire_field& f,
               std::int64_t body_type, int depth) {
    ++w.items;
    const canal_use::member* m = use.find(f.number);
    if (m == nullptr || wire_of(m->row->kind) != f.wire) return add_unknown(w, tree, f);
    switch (m->row->kind) {
        case field_kind::text:
            return add_text(w, tree, *m, f);
        case field_kind::message:
            return add_inner(w, tree, *m, f, body_type, depth);
        case field_kind::bytes:
            return m->row->holds == canal::content::plain
                       ? add_bytes(w, tree, *m, f)
                       : add_inner(w, tree, *m, f, body_type, depth);
        default: {
            proto_item* item = add_number(w, tree, *m, f);
            if (w.visible) label_canal_number(w, item, use, f);
        }
    }
}

// A field that begins within the captured bytes and ends behind them, in a message that goes on
// there.
bool read_cut_field(const canal_walk& w, std::size_t from, std::size_t to, wire_field& f) {
    const byte_view rest = w.bytes.subspan(from);
    const varint tag = read_varint(rest);
    if (tag.state != varint_state::complete ||
        (tag.value & 7U) != static_cast<unsigned>(wire_type::length))
        return false;
    const varint length = read_varint(rest.subspan(tag.size));
    if (length.state != varint_state::complete) return false;
    f = {.number = static_cast<std::uint32_t>(tag.value >> 3),
         .wire = wire_type::length,
         .tag = from,
         .value = from + tag.size + length.size,
         .end = 0,
         .bits = 0,
         .bytes = {}};
    if (length.value > to - f.value) return false;
    f.end = f.value + length.value;
    f.bytes = w.bytes.subspan(f.value);
    return true;
}

// The message goes on behind the captured bytes: shows what begins in front of the cut, then lets
// epan say why it ends.
void add_cut(canal_walk& w, proto_tree* tree, const canal_use& use, std::size_t from,
             std::size_t to, std::int64_t body_type, int depth) {
    wire_field f;
    if (from < w.bytes.size() && read_cut_field(w, from, to, f)) {
        const canal_use::member* m = use.find(f.number);
        const bool holds_message = m != nullptr && (m->row->kind == field_kind::message ||
                                                    m->row->holds != canal::content::plain);
        if (holds_message) add_inner(w, tree, *m, f, body_type, depth);
    }
    tvb_ensure_bytes_exist(w.tvb, at(from), at(to - from));
}

}  // namespace

bool find_canal_field(byte_view bytes, std::size_t from, std::size_t to, std::uint32_t number,
                      wire_type wire, wire_field& found) {
    from = std::min(from, bytes.size());
    to = std::min(to, bytes.size());
    canal::wire_reader reader(bytes.subspan(from, to - from), from);
    wire_field f;
    bool any = false;
    while (reader.next(f)) {
        if (f.number != number || f.wire != wire) continue;
        found = f;
        any = true;
    }
    return any;
}

void add_canal_message(canal_walk& w, proto_tree* tree, const canal_use& use, std::size_t from,
                       std::size_t to, std::int64_t body_type, int depth) {
    if (depth > canal::max_depth) return;
    const std::size_t end = std::min(to, w.bytes.size());
    canal::wire_reader reader(w.bytes.subspan(std::min(from, end), end - std::min(from, end)),
                              from);
    wire_field f;
    std::size_t done = from;
    while (reader.next(f)) {
        if (w.items >= most_items) {
            proto_item* item =
                proto_tree_add_item(tree, hf_not_shown, w.tvb, at(f.tag), at(end - f.tag), ENC_NA);
            expert_add_info(w.pinfo, item, &ei_not_shown);
            return;
        }
        add_field(w, tree, use, f, body_type, depth);
        done = f.end;
    }
    if (to > end) return add_cut(w, tree, use, done, to, body_type, depth);
    if (reader.why() == canal::fault::none) return;
    proto_item* item =
        proto_tree_add_item(tree, hf_unknown_type, w.tvb, at(done), at(end - done), ENC_NA);
    expert_add_info_format(w.pinfo, item, &ei_not_readable, "Not readable as %s: %s",
                           ws::c_str(canal::row_of(use.message).name),
                           ws::c_str(canal::text(reader.why())));
}

void register_canal_walk(int proto) {
    static hf_register_info fields[] = {
        {&hf_unknown_field,
         {"Unknown Field", "canal.unknown_field", FT_BYTES, BASE_NONE, nullptr, 0,
          "A field whose number or wire type the protocol's .proto files do not have", HFILL}},
        {&hf_unknown_type,
         {"Not Readable", "canal.not_readable", FT_BYTES, BASE_NONE, nullptr, 0, nullptr, HFILL}},
        {&hf_not_shown,
         {"Not Shown", "canal.not_shown", FT_BYTES, BASE_NONE, nullptr, 0,
          "The message has too many fields", HFILL}},
    };
    static ei_register_info experts[] = {
        {&ei_unknown_field,
         {"canal.unknown_field.expert", PI_UNDECODED, PI_NOTE,
          "Field unknown to the protocol's .proto files", EXPFILL}},
        {&ei_not_readable,
         {"canal.not_readable.expert", PI_MALFORMED, PI_ERROR,
          "Not readable as the message it should be", EXPFILL}},
        {&ei_not_shown,
         {"canal.not_shown.expert", PI_UNDECODED, PI_NOTE, "Too many fields: the rest is not shown",
          EXPFILL}},
    };
    static int* trees[] = {&ett_opaque};
    proto_register_field_array(proto, fields, array_length(fields));
    proto_register_subtree_array(trees, array_length(trees));
    expert_register_field_array(expert_register_protocol(proto), experts, array_length(experts));
}

}  // namespace cdcscope
