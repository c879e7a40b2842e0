#include "plugin/dcp_tree.h"

#include "plugin/dcp_fields.h"
#include "plugin/dcp_json.h"
#include "plugin/dcp_summary.h"
#include "plugin/text.h"
#include "proto/dcp/json_members.h"

namespace cdcscope {
namespace {

using dcp::field_at;
using dcp::field_id;

// The header; bytes 2 and 3 depend on the magic, bytes 6 and 7 on the direction.
constexpr field_at header_plain[] = {{field_id::key_length, 2}};
constexpr field_at header_framing[] = {{field_id::framing_length, 2},
                                       {field_id::short_key_length, 3}};
constexpr field_at header_middle[] = {{field_id::extras_length, 4}, {field_id::datatype, 5}};
constexpr field_at header_end[] = {
    {field_id::body_length, 8}, {field_id::opaque, 12}, {field_id::cas, 16}};

constexpr std::uint64_t infinite = ~std::uint64_t{0};

std::uint64_t load(const std::uint8_t* p, std::size_t size, unsigned encoding) {
    const bool little = encoding == ENC_LITTLE_ENDIAN;
    switch (size) {
        case 1:
            return *p;
        case 2:
            return little ? load_le16(p) : load_be16(p);
        case 4:
            return little ? load_le32(p) : load_be32(p);
        default:
            return little ? load_le64(p) : load_be64(p);
    }
}

// What a number means beyond its digits.
void explain_number(const dcp_tree_context& t, proto_item* item, const dcp::field& f,
                    std::uint64_t value) {
    if (!dcp::bits_of(f.id).empty()) {
        const char* titles = bit_titles(t.pinfo, f.id, value);
        proto_item_append_text(item, " (%s)", *titles == '\0' ? "none" : titles);
    } else if (f.display == dcp::field_display::utc_seconds) {
        if (value == 0) {
            proto_item_append_text(item, " (none)");
        } else {
            proto_item_append_text(item, " (%s)",
                                   abs_time_secs_to_str(t.pinfo->pool, static_cast<time_t>(value),
                                                        ABSOLUTE_TIME_UTC, true));
        }
    } else if (value == infinite && f.id == field_id::end_seqno) {
        proto_item_append_text(item, " (no end)");
    } else if (f.id == field_id::server_duration || f.id == field_id::throttle_duration) {
        proto_item_append_text(item, " (%.0f \xc2\xb5s)",
                               dcp::frame_microseconds(static_cast<std::uint16_t>(value)));
    }
}

void add_fields(const dcp_tree_context& t, proto_tree* tree, std::span<const field_at> fields) {
    for (const field_at& f : fields) add_dcp_number(t, tree, t.tvb, f.field, f.offset);
}

// "Extras: By Seqno 4, Revision Seqno 1"
void label_run(const dcp_tree_context& t, proto_item* item, const dcp::layout& l, byte_view run) {
    constexpr std::size_t room = 3;
    std::size_t shown = 0;
    for (const field_at& where : l.fields) {
        if (shown++ == room) break;
        const dcp::field& f = dcp::describe(where.field);
        const std::uint64_t value = dcp::number_at(run, where);
        const dcp::named_value* name = dcp::find_value(f.values, value);
        const char* joint = shown == 1 ? ": " : ", ";
        if (name != nullptr) {
            proto_item_append_text(item, "%s%s", joint, ws::c_str(name->title));
        } else if (f.display == dcp::field_display::hex) {
            proto_item_append_text(item, "%s%s 0x%" PRIx64, joint, ws::c_str(f.title), value);
        } else {
            proto_item_append_text(item, "%s%s %" PRIu64, joint, ws::c_str(f.title), value);
        }
    }
    if (!l.name.empty() && t.visible) proto_item_append_text(item, " (%s)", ws::c_str(l.name));
}

void add_frame_data(const dcp_tree_context& t, proto_tree* tree, const dcp::frame_view& frame) {
    const dcp::frame_rule* rule = dcp::find_frame(t.m->head.is_response(), frame.id);
    const std::size_t at = frame.at + frame.head_size;
    if (frame.data.empty()) return;
    if (rule == nullptr) {
        add_dcp_bytes(tree, t.tvb, field_id::frame_data, at, frame.data.size());
        return;
    }
    const dcp::field& first = dcp::describe(rule->field);
    if (first.type == dcp::field_type::text) {
        add_dcp_text(t, tree, t.tvb, rule->field, at, frame.data);
        return;
    }
    const std::size_t width = dcp::width(first.type);
    if (width == 0 || width > frame.data.size()) {
        add_dcp_bytes(tree, t.tvb, field_id::frame_data, at, frame.data.size());
        return;
    }
    add_dcp_number(t, tree, t.tvb, rule->field, at);
    std::size_t used = width;
    if (rule->second != field_id::count &&
        frame.data.size() >= used + dcp::width(dcp::describe(rule->second).type)) {
        add_dcp_number(t, tree, t.tvb, rule->second, at + used);
        used += dcp::width(dcp::describe(rule->second).type);
    }
    if (used < frame.data.size())
        add_dcp_bytes(tree, t.tvb, field_id::frame_data, at + used, frame.data.size() - used);
}

void add_frame(const dcp_tree_context& t, proto_tree* tree, const dcp::frame_view& frame) {
    const bool response = t.m->head.is_response();
    const field_id id = response ? field_id::response_frame_id : field_id::frame_id;
    proto_item* item = nullptr;
    proto_tree* sub = add_dcp_group(tree, t.tvb, field_id::frame_info, frame.at,
                                    frame.head_size + frame.data.size(), &item);
    const dcp::named_value* name = dcp::find_value(dcp::describe(id).values, frame.id);
    if (t.visible)
        proto_item_append_text(item, ": %s", name == nullptr ? "unknown" : ws::c_str(name->title));
    // Id and length share the first byte; with escapes they go on behind it.
    proto_tree_add_uint(sub, dcp_field(id), t.tvb, static_cast<int>(frame.at), frame.head_size,
                        frame.id);
    proto_tree_add_uint(sub, dcp_field(field_id::frame_length), t.tvb, static_cast<int>(frame.at),
                        frame.head_size, static_cast<std::uint32_t>(frame.data.size()));
    add_frame_data(t, sub, frame);
}

}  // namespace

proto_item* add_dcp_number(const dcp_tree_context& t, proto_tree* tree, tvbuff_t* tvb, field_id id,
                           std::size_t at, unsigned encoding) {
    const dcp::field& f = dcp::describe(id);
    const int size = static_cast<int>(dcp::width(f.type));
    proto_item* item =
        proto_tree_add_item(tree, dcp_field(id), tvb, static_cast<int>(at), size, encoding);
    const std::span<const dcp::field> bits = dcp::bits_of(id);
    if (!bits.empty()) {
        proto_tree* sub = proto_item_add_subtree(item, dcp_tree(id));
        for (const dcp::field& bit : bits) {
            proto_tree_add_item(sub, dcp_field(bit.id), tvb, static_cast<int>(at), size, encoding);
        }
    }
    if (t.visible) {
        const std::uint8_t* p = tvb_get_ptr(tvb, static_cast<int>(at), size);
        explain_number(t, item, f, load(p, static_cast<std::size_t>(size), encoding));
    }
    return item;
}

void add_dcp_layout(const dcp_tree_context& t, proto_tree* tree, tvbuff_t* tvb,
                    const dcp::layout& l, std::size_t at) {
    for (const field_at& f : l.fields) add_dcp_number(t, tree, tvb, f.field, at + f.offset);
}

proto_item* add_dcp_text(const dcp_tree_context& t, proto_tree* tree, tvbuff_t* tvb, field_id id,
                         std::size_t at, byte_view bytes) {
    if (!ws::is_wanted(tree, dcp_field(id))) return nullptr;
    return proto_tree_add_string(tree, dcp_field(id), tvb, static_cast<int>(at),
                                 static_cast<int>(bytes.size()), ws::field_text(t.pinfo, bytes));
}

proto_item* add_dcp_bytes(proto_tree* tree, tvbuff_t* tvb, field_id id, std::size_t at,
                          std::size_t size) {
    return proto_tree_add_item(tree, dcp_field(id), tvb, static_cast<int>(at),
                               static_cast<int>(size), ENC_NA);
}

proto_tree* add_dcp_group(proto_tree* tree, tvbuff_t* tvb, field_id id, std::size_t at,
                          std::size_t size, proto_item** item) {
    proto_item* made = add_dcp_bytes(tree, tvb, id, at, size);
    if (item != nullptr) *item = made;
    return proto_item_add_subtree(made, dcp_tree(id));
}

void add_dcp_header(const dcp_tree_context& t, proto_tree* tree) {
    const dcp::header& h = t.m->head;
    add_dcp_number(t, tree, t.tvb, field_id::magic, 0);
    add_dcp_number(t, tree, t.tvb, h.is_push() ? field_id::push_opcode : field_id::opcode, 1);
    add_fields(t, tree,
               dcp::has_framing(h.kind) ? std::span<const field_at>(header_framing) : header_plain);
    add_fields(t, tree, header_middle);
    add_dcp_number(t, tree, t.tvb, h.is_response() ? field_id::status : field_id::vbucket, 6);
    add_fields(t, tree, header_end);
}

void add_dcp_framing(const dcp_tree_context& t, proto_tree* tree) {
    const dcp::body_parts& parts = t.m->parts;
    if (parts.framing.empty()) return;
    proto_tree* sub =
        add_dcp_group(tree, t.tvb, field_id::framing, parts.framing_at, parts.framing.size());
    if (parts.framing_length_zero) {
        proto_item_set_generated(
            proto_tree_add_boolean(sub, dcp_field(field_id::framing_length_zero), t.tvb,
                                   static_cast<int>(parts.framing_at), 0, true));
    }
    dcp::frame_reader frames(parts);
    dcp::frame_view frame;
    std::size_t done = parts.framing_at;
    while (frames.next(frame)) {
        add_frame(t, sub, frame);
        done = frame.at + frame.head_size + frame.data.size();
    }
    const std::size_t end = parts.framing_at + parts.framing.size();
    if (frames.broken()) add_dcp_bytes(sub, t.tvb, field_id::undecoded, done, end - done);
}

void add_dcp_extras(const dcp_tree_context& t, proto_tree* tree) {
    const dcp::message_view& m = *t.m;
    if (m.parts.extras.empty()) return;
    proto_item* item = nullptr;
    proto_tree* sub = add_dcp_group(tree, t.tvb, field_id::extras, m.parts.extras_at,
                                    m.parts.extras.size(), &item);
    if (m.extras_layout == nullptr) {
        add_dcp_bytes(sub, t.tvb, field_id::undecoded, m.parts.extras_at, m.parts.extras.size());
        return;
    }
    if (t.visible) label_run(t, item, *m.extras_layout, m.parts.extras);
    add_dcp_layout(t, sub, t.tvb, *m.extras_layout, m.parts.extras_at);
    if (m.parts.framing_length_zero) {
        // A reader that takes the header's lengths at their word finds another number; it can be
        // filtered for, too.
        proto_item* literal = add_dcp_number(t, tree, t.tvb, m.extras_layout->fields.front().field,
                                             m.parts.framing_at);
        proto_item_set_generated(literal);
        proto_item_set_hidden(literal);
    }
}

void add_dcp_document_key(const dcp_tree_context& t, proto_tree* tree, const dcp::key_view& key) {
    const std::size_t start = key.at - key.prefix_size;
    const std::size_t size = key.prefix_size + key.bytes.size();
    if (!key.prefixed) {
        add_dcp_bytes(tree, t.tvb, field_id::key, start, size);
        proto_item_set_hidden(
            add_dcp_bytes(tree, t.tvb, field_id::document_key, key.at, key.bytes.size()));
        return;
    }
    proto_item* item = nullptr;
    proto_tree* sub = add_dcp_group(tree, t.tvb, field_id::key, start, size, &item);
    if (t.visible) {
        proto_item_set_text(item, "Key: %s, collection 0x%x", ws::printable(t.pinfo, key.bytes),
                            key.collection);
    }
    proto_tree_add_uint(sub, dcp_field(field_id::collection_id), t.tvb, static_cast<int>(start),
                        key.prefix_size, key.collection);
    add_dcp_bytes(sub, t.tvb, field_id::document_key, key.at, key.bytes.size());
}

void add_dcp_key(const dcp_tree_context& t, proto_tree* tree) {
    const dcp::message_view& m = *t.m;
    const dcp::body_parts& parts = m.parts;
    if (parts.key.empty()) return;
    const dcp::key_rule rule =
        m.row == nullptr ? dcp::key_rule{} : dcp::rule_of(*m.row, m.head).key;
    const field_id shown = m.event == nullptr ? rule.field : m.event->key_field;
    if (rule.collection_prefix || shown == field_id::key || shown == field_id::document_key) {
        add_dcp_document_key(t, tree, m.key);
        return;
    }
    if (dcp::has_json_members(shown) && parts.key[0] == '{') {
        add_dcp_json(t, tree, t.tvb, shown, parts.key_at, parts.key);
    } else {
        add_dcp_text(t, tree, t.tvb, shown, parts.key_at, parts.key);
    }
    proto_item_set_hidden(
        add_dcp_bytes(tree, t.tvb, field_id::key, parts.key_at, parts.key.size()));
}

}  // namespace cdcscope
