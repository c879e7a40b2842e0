#include "plugin/canal_dissector.h"

#include <iterator>

#include <algorithm>

#include "plugin/canal_labels.h"
#include "plugin/canal_links.h"
#include "plugin/canal_preferences.h"
#include "plugin/canal_taps.h"
#include "plugin/canal_walk.h"
#include "plugin/experts.h"
#include "plugin/order_hint.h"
#include "plugin/text.h"
#include "proto/canal/frame.h"
#include "proto/canal/view.h"

namespace cdcscope {
namespace {

constexpr std::size_t longest_text = 80;

int hf_length = -1;
int ett_canal = -1;
ws::order_hint order;

void show_experts(packet_info* pinfo, proto_item* top, const canal_packet& packet) {
    show_canal_findings(pinfo, top, packet.memory);
    if (packet.c != nullptr) order.show(pinfo, top, *packet.c, packet.memory.id);
}

const char* type_name(packet_info* pinfo, canal::port_kind port, std::int32_t type) {
    const std::string_view name = canal::packet_type_name(port, type);
    return name.empty() ? wmem_strdup_printf(pinfo->pool, "Type %d", type) : ws::c_str(name);
}

// The short fields of a body, in wire order: what identifies the packet.
void append_fields(packet_info* pinfo, wmem_strbuf_t* out, canal::message_id body,
                   byte_view bytes) {
    canal::message_reader reader(body, bytes);
    canal::message_field f;
    while (reader.next(f)) {
        if (f.row == nullptr || f.row->secret || f.row->repeated) continue;
        if (f.row->kind == canal::field_kind::text && !f.bytes.empty()) {
            wmem_strbuf_append_printf(out, " %s:%s", ws::c_str(f.row->name),
                                      ws::printable(pinfo, f.bytes, longest_text));
        } else if (f.wire == canal::wire_type::varint) {
            wmem_strbuf_append_printf(out, " %s:%" PRIi64, ws::c_str(f.row->name), f.as_int64());
        }
    }
}

// " batch:3 entries:4 shop.orders"
void append_batch(packet_info* pinfo, wmem_strbuf_t* out, byte_view bytes) {
    const canal::messages_view messages = canal::parse_messages(bytes);
    wmem_strbuf_append_printf(out, " batch:%" PRIi64, messages.batch_id);
    if (messages.entries == 0) return;
    wmem_strbuf_append_printf(out, " entries:%u", messages.entries);
    for (const byte_view entry : canal::occurrences(bytes, canal::fields::messages::messages)) {
        const char* table = canal_table_name(pinfo, entry);
        if (*table == '\0') continue;
        wmem_strbuf_append_printf(out, " %s", table);
        return;
    }
}

const char* summarise(packet_info* pinfo, canal::port_kind port, byte_view payload) {
    const canal::packet_view packet = canal::parse_packet(payload, port);
    wmem_strbuf_t* out = wmem_strbuf_new(pinfo->pool, type_name(pinfo, port, packet.type));
    const canal::message_id body = canal::row_of_type(port, packet.type).body;
    if (body == canal::message_id::messages) {
        append_batch(pinfo, out, packet.body);
    } else if (body != canal::message_id::none) {
        append_fields(pinfo, out, body, packet.body);
    }
    return wmem_strbuf_get_str(out);
}

void begin_columns(packet_info* pinfo, const canal_packet& packet) {
    if (packet.ordinal != 0) return;
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "Canal");
    col_clear(pinfo->cinfo, COL_INFO);
}

}  // namespace

void dissect_canal(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree,
                   const canal_packet& packet) {
    begin_columns(pinfo, packet);
    const unsigned size = tvb_captured_length(tvb);
    const byte_view bytes{tvb_get_ptr(tvb, 0, static_cast<int>(size)), size};
    const std::size_t begin = packet.bare ? 0 : canal::length_size;
    const char* summary =
        summarise(pinfo, packet.port, bytes.subspan(std::min(bytes.size(), begin)));
    col_append_sep_str(pinfo->cinfo, COL_INFO, packet.ordinal == 0 ? nullptr : " | ", summary);
    col_set_fence(pinfo->cinfo, COL_INFO);
    proto_item* top = proto_tree_add_item(tree, canal_protocol(), tvb, 0, -1, ENC_NA);
    show_experts(pinfo, top, packet);  // also for who counts them without a tree
    if (tree != nullptr) {
        canal_walk walk{.tvb = tvb,
                        .pinfo = pinfo,
                        .bytes = bytes,
                        .port = packet.port,
                        .visible = ws::is_visible(tree),
                        .show_defaults = canal_preferences().show_defaults != 0,
                        .zero_defaults = packet.zero_defaults};
        if (walk.visible) proto_item_append_text(top, ", %s", summary);
        proto_tree* sub = proto_item_add_subtree(top, ett_canal);
        if (!packet.bare) {
            proto_tree_add_item(sub, hf_length, tvb, 0, canal::length_size, ENC_BIG_ENDIAN);
        }
        add_canal_links(tvb, pinfo, sub, packet);
        add_canal_message(walk, sub, canal_packet_use(packet.port), begin,
                          tvb_reported_length(tvb));
    }
    tap_canal(tvb, pinfo, packet, bytes.subspan(std::min(bytes.size(), begin)));
    // Of a packet that the capture cut, epan says so.
    tvb_ensure_bytes_exist(tvb, 0, static_cast<int>(tvb_reported_length(tvb)));
}

void dissect_canal_bad_length(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree,
                              const canal_packet& packet) {
    begin_columns(pinfo, packet);
    col_append_sep_str(pinfo->cinfo, COL_INFO, packet.ordinal == 0 ? nullptr : " | ",
                       wmem_strdup_printf(pinfo->pool, "[length %d]", tvb_get_ntohil(tvb, 0)));
    col_set_fence(pinfo->cinfo, COL_INFO);
    proto_item* top = proto_tree_add_item(tree, canal_protocol(), tvb, 0, -1, ENC_NA);
    proto_item_append_text(top, ", length that cannot be");
    proto_tree* sub = proto_item_add_subtree(top, ett_canal);
    proto_tree_add_item(sub, hf_length, tvb, 0, canal::length_size, ENC_BIG_ENDIAN);
    show_experts(pinfo, top, packet);
    const int rest = tvb_reported_length_remaining(tvb, canal::length_size);
    if (rest > 0) {
        call_data_dissector(tvb_new_subset_remaining(tvb, canal::length_size), pinfo, sub);
    }
}

void register_canal_dissector(int proto) {
    static hf_register_info fields[] = {
        {&hf_length,
         {"Length", "canal.length", FT_UINT32, BASE_DEC, nullptr, 0, "Of the packet that follows",
          HFILL}},
    };
    static int* trees[] = {&ett_canal};
    proto_register_field_array(proto, fields, static_cast<int>(std::size(fields)));
    proto_register_subtree_array(trees, static_cast<int>(std::size(trees)));
    register_canal_fields(proto);
    register_canal_walk(proto);
    register_canal_labels(proto);
    register_canal_links(proto);
    register_canal_taps(proto);
    order.enroll(proto, "canal.order_unknown");
    register_experts(proto, findings::protocol::canal);
}

}  // namespace cdcscope
