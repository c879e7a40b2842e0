#include "plugin/canal_dissector.h"

#include "plugin/canal_labels.h"
#include "plugin/canal_walk.h"
#include "plugin/experts.h"
#include "plugin/text.h"
#include "proto/canal/frame.h"

namespace cdcscope {
namespace {

using canal::wire_field;
using canal::wire_type;

int hf_length = -1;
int ett_canal = -1;

// What the list and the top item say of a packet, read from its outermost fields.
struct outline {
    std::int64_t type = 0;
    const char* name = "";
    std::size_t body = 0, body_end = 0;
};

outline outline_of(const canal_walk& w, std::size_t to) {
    const canal::message_row& row = canal::row_of(canal::packet_message(w.port));
    outline o;
    wire_field f;
    const canal::field_row* type = nullptr;
    const canal::field_row* body = nullptr;
    for (const canal::field_row& r : row.fields) {
        if (r.kind == canal::field_kind::enumeration && type == nullptr) type = &r;
        if (r.holds == canal::content::by_packet_type) body = &r;
    }
    if (find_canal_field(w.bytes, canal::length_size, to, type->number, wire_type::varint, f))
        o.type = f.as_int64();
    if (find_canal_field(w.bytes, canal::length_size, to, body->number, wire_type::length, f)) {
        o.body = f.value;
        o.body_end = f.end;
    }
    const std::string_view name = canal::packet_type_name(w.port, o.type);
    o.name =
        name.empty() ? wmem_strdup_printf(w.pinfo->pool, "Type %" PRIi64, o.type) : ws::c_str(name);
    return o;
}

const char* text_of(const canal_walk& w, const outline& o, std::uint32_t number) {
    wire_field f;
    if (!find_canal_field(w.bytes, o.body, o.body_end, number, wire_type::length, f) ||
        f.bytes.empty())
        return nullptr;
    return ws::printable(w.pinfo, f.bytes, 80);
}

std::int64_t number_of(const canal_walk& w, const outline& o, std::uint32_t number,
                       std::int64_t absent = 0) {
    wire_field f;
    return find_canal_field(w.bytes, o.body, o.body_end, number, wire_type::varint, f)
               ? f.as_int64()
               : absent;
}

// Figures behind the packet's name: the few fields that identify it, in the order of the .proto.
void append_fields(const canal_walk& w, const outline& o, const canal::message_row& row,
                   wmem_strbuf_t* out) {
    for (const canal::field_row& f : row.fields) {
        if (f.secret || f.repeated) continue;
        if (f.kind == canal::field_kind::text) {
            const char* text = text_of(w, o, f.number);
            if (text != nullptr) wmem_strbuf_append_printf(out, " %s:%s", ws::c_str(f.name), text);
            continue;
        }
        wire_field found;
        if (f.kind != canal::field_kind::int32 && f.kind != canal::field_kind::int64) continue;
        if (!find_canal_field(w.bytes, o.body, o.body_end, f.number, wire_type::varint, found))
            continue;
        wmem_strbuf_append_printf(out, " %s:%" PRIi64, ws::c_str(f.name), found.as_int64());
    }
}

// " batch:3 entries:4 shop.orders"
void append_batch(const canal_walk& w, const outline& o, wmem_strbuf_t* out) {
    namespace messages = canal::fields::messages;
    wmem_strbuf_append_printf(out, " batch:%" PRIi64, number_of(w, o, messages::batch_id));
    const std::size_t end = std::min(o.body_end, w.bytes.size());
    if (o.body >= end) return;
    canal::wire_reader reader(w.bytes.subspan(o.body, end - o.body), o.body);
    wire_field f;
    std::size_t entries = 0;
    const char* table = "";
    while (reader.next(f)) {
        if (f.number != messages::messages || f.wire != wire_type::length) continue;
        ++entries;
        wire_field header;
        if (*table != '\0' ||
            !find_canal_field(w.bytes, f.value, f.end, canal::fields::entry::header,
                              wire_type::length, header)) {
            continue;
        }
        table = canal_table_name(w, header.value, header.end);
    }
    if (entries > 0) wmem_strbuf_append_printf(out, " entries:%zu", entries);
    if (*table != '\0') wmem_strbuf_append_printf(out, " %s", table);
}

const char* summary_of(const canal_walk& w, const outline& o) {
    wmem_strbuf_t* out = wmem_strbuf_new(w.pinfo->pool, o.name);
    const canal::message_id body = canal::row_of_type(w.port, o.type).body;
    if (body == canal::message_id::messages) {
        append_batch(w, o, out);
    } else if (body != canal::message_id::none && o.body < o.body_end) {
        append_fields(w, o, canal::row_of(body), out);
    }
    return wmem_strbuf_get_str(out);
}

}  // namespace

void dissect_canal(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree,
                   const canal_packet& packet) {
    if (packet.ordinal == 0) {
        col_set_str(pinfo->cinfo, COL_PROTOCOL, "Canal");
        col_clear(pinfo->cinfo, COL_INFO);
    }
    const unsigned size = tvb_captured_length(tvb);
    canal_walk walk{.tvb = tvb,
                    .pinfo = pinfo,
                    .bytes = {tvb_get_ptr(tvb, 0, static_cast<int>(size)), size},
                    .port = packet.port,
                    .visible = ws::is_visible(tree)};
    const std::size_t end = tvb_reported_length(tvb);
    const outline o = outline_of(walk, end);
    const char* summary = summary_of(walk, o);
    col_append_sep_str(pinfo->cinfo, COL_INFO, packet.ordinal == 0 ? nullptr : " | ", summary);
    col_set_fence(pinfo->cinfo, COL_INFO);
    if (tree == nullptr) return;

    proto_item* top = proto_tree_add_item(tree, canal_protocol(), tvb, 0, -1, ENC_NA);
    if (walk.visible) proto_item_append_text(top, ", %s", summary);
    proto_tree* sub = proto_item_add_subtree(top, ett_canal);
    proto_tree_add_item(sub, hf_length, tvb, 0, canal::length_size, ENC_BIG_ENDIAN);
    add_canal_message(walk, sub, canal_packet_use(packet.port), canal::length_size, end, o.type, 0);
}

void register_canal_dissector(int proto) {
    static hf_register_info fields[] = {
        {&hf_length,
         {"Length", "canal.length", FT_UINT32, BASE_DEC, nullptr, 0, "Of the packet that follows",
          HFILL}},
    };
    static int* trees[] = {&ett_canal};
    proto_register_field_array(proto, fields, array_length(fields));
    proto_register_subtree_array(trees, array_length(trees));
    register_canal_fields(proto);
    register_canal_walk(proto);
    register_canal_labels(proto);
    register_experts(proto, findings::protocol::canal, "canal");
}

}  // namespace cdcscope
