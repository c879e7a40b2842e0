#include "plugin/dcp_dissector.h"

#include <iterator>

#include "plugin/dcp_fields.h"
#include "plugin/dcp_links.h"
#include "plugin/dcp_preferences.h"
#include "plugin/dcp_summary.h"
#include "plugin/dcp_taps.h"
#include "plugin/dcp_tree.h"
#include "plugin/dcp_value.h"
#include "plugin/experts.h"
#include "plugin/json.h"
#include "plugin/order_hint.h"
#include "plugin/protocols.h"
#include "plugin/text.h"

namespace cdcscope {
namespace {

using dcp::field_id;

int proto_cbdcp = -1;
int ett_cbdcp = -1;
ws::order_hint order;

// A mutation's CAS is the clock of its node: nanoseconds, the low 16 bits a counter.
void add_lag(const dcp_tree_context& t, proto_tree* tree) {
    constexpr std::uint64_t counter_bits = 0xffff;
    constexpr std::uint64_t nanoseconds = 1'000'000'000;
    const dcp::message_view& m = *t.m;
    if (m.row == nullptr || !m.row->of_stream || !m.row->has_cas || m.head.is_response() ||
        m.head.cas == 0)
        return;
    if (!ws::is_wanted(tree, dcp_field(field_id::stream_lag))) return;
    const std::uint64_t clock = m.head.cas & ~counter_bits;
    const nstime_t sent = {static_cast<time_t>(clock / nanoseconds),
                           static_cast<int>(clock % nanoseconds)};
    nstime_t lag;
    nstime_delta(&lag, &t.pinfo->abs_ts, &sent);
    proto_item_set_generated(
        proto_tree_add_time(tree, dcp_field(field_id::stream_lag), t.tvb, 16, 8, &lag));
}

// Filters that span messages whose fields have different names.
void add_aliases(const dcp_tree_context& t, proto_tree* tree, const dcp_message& message) {
    const dcp::message_view& m = *t.m;
    if (const auto seqno = m.own_seqno();
        seqno && ws::is_wanted(tree, dcp_field(field_id::seqno))) {
        proto_item* item =
            proto_tree_add_uint64(tree, dcp_field(field_id::seqno), t.tvb, 0, 0, *seqno);
        proto_item_set_generated(item);
        proto_item_set_hidden(item);
    }
    const bool of_stream = m.row != nullptr && m.row->of_stream && !m.head.is_response();
    const bool known = message.memory.has_partition;
    if (!of_stream && !known) return;
    const std::uint32_t vbucket = of_stream ? m.head.vbucket() : message.memory.partition;
    proto_item* item =
        proto_tree_add_uint(tree, dcp_field(field_id::partition), t.tvb, 6, 2, vbucket);
    proto_item_set_generated(item);
    if (of_stream) proto_item_set_hidden(item);
}

void add_message(const dcp_tree_context& t, proto_tree* tree, const dcp_message& message) {
    add_dcp_header(t, tree);
    add_aliases(t, tree, message);
    add_dcp_links(t, tree, message);
    add_lag(t, tree);
    add_dcp_framing(t, tree);
    add_dcp_extras(t, tree);
    add_dcp_key(t, tree);
    add_dcp_value(t, tree);
}

void show_experts(packet_info* pinfo, proto_item* top, const dcp_message& message) {
    show_dcp_findings(pinfo, top, message.memory);
    if (message.c != nullptr) order.show(pinfo, top, *message.c, message.memory.id);
    // Without a memory nobody else tells.
    if (message.memory.id == 0 && message.view.problem != dcp::fault::none) {
        add_expert(pinfo, top, findings::code::dcp_malformed, findings::severity::error,
                   ws::c_str(dcp::describe(message.view.problem)));
    }
}

}  // namespace

int dcp_protocol() {
    return proto_cbdcp;
}
bool is_dcp_enabled() {
    return proto_is_protocol_enabled(find_protocol_by_id(proto_cbdcp)) != 0;
}

void dissect_dcp(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, const dcp_message& message) {
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "CB-DCP");
    col_append_sep_str(pinfo->cinfo, COL_INFO, message.ordinal == 0 ? nullptr : " | ",
                       summarise_dcp(pinfo, message, summary_style::column));
    col_set_fence(pinfo->cinfo, COL_INFO);
    proto_item* top = proto_tree_add_item(tree, proto_cbdcp, tvb, 0, -1, ENC_NA);
    show_experts(pinfo, top, message);  // also for who counts them without a tree
    if (tree != nullptr) {
        const dcp_tree_context t{.tvb = tvb,
                                 .pinfo = pinfo,
                                 .m = &message.view,
                                 .decoding = message.memory.context,
                                 .visible = ws::is_visible(tree)};
        if (t.visible) {
            proto_item_append_text(top, ", %s", summarise_dcp(pinfo, message, summary_style::item));
        }
        add_message(t, proto_item_add_subtree(top, ett_cbdcp), message);
    }
    tap_dcp(tvb, pinfo, message);
    // Of a message that the capture cut, epan says so.
    tvb_ensure_bytes_exist(tvb, 0, static_cast<int>(tvb_reported_length(tvb)));
}

void dissect_lone_dcp(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree) {
    const unsigned size = tvb_captured_length(tvb);
    const byte_view bytes{tvb_get_ptr(tvb, 0, static_cast<int>(size)), size};
    if (dcp::parse_header(bytes).state != dcp::parse_state::complete) {
        call_data_dissector(tvb, pinfo, tree);
        return;
    }
    dcp_message message{.c = nullptr, .ordinal = 1, .view = {}, .memory = {}};
    if (dcp_preferences().collections == collections_choice::on) {
        message.memory.context.collections = dcp::collection_keys::on;
    }
    message.view = dcp::decode(bytes, message.memory.context);
    dissect_dcp(tvb, pinfo, tree, message);
}

void register_dcp() {
    static int* trees[] = {&ett_cbdcp};
    proto_cbdcp = proto_register_protocol("Couchbase Database Change Protocol", "CB-DCP", "cbdcp");
    proto_register_subtree_array(trees, static_cast<int>(std::size(trees)));
    register_dcp_preferences(proto_cbdcp);
    register_dcp_fields(proto_cbdcp);
    register_dcp_values(proto_cbdcp);
    register_dcp_taps(proto_cbdcp);
    order.enroll(proto_cbdcp, "cbdcp.order_unknown");
    register_experts(proto_cbdcp, findings::protocol::dcp);
}

void handoff_dcp() {
    ws::find_json(proto_cbdcp);
}

}  // namespace cdcscope
