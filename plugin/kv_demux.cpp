// The demultiplexer `cbkv` on Couchbase's ports: frames the messages of a stream and gives each to
// `cbdcp` or to Wireshark's own `couchbase` dissector.
#include <algorithm>

#include "plugin/boundary.h"

#include <iterator>
#include "plugin/connection.h"
#include "plugin/dcp_dissector.h"
#include "plugin/dcp_preferences.h"
#include "plugin/experts.h"
#include "plugin/protocols.h"
#include "plugin/tcp_watch.h"
#include "proto/dcp/frame.h"
#include "proto/dcp/opcodes.h"

namespace cdcscope {
namespace {

constexpr unsigned tls_port = 11207;

int proto_cbkv = -1;
int hf_out_of_step = -1;
int ett_cbkv = -1;
expert_field ei_out_of_step = EI_INIT, ei_ends_inside = EI_INIT;

dissector_handle_t cbkv_handle;
dissector_handle_t message_handle;    // cbdcp, for one whole message
dissector_handle_t couchbase_handle;  // null: Wireshark was started without it

bool is_kv_port(std::uint32_t port) {
    return port == tls_port || value_is_in_range(prefs_get_range_value("cbkv", "tcp.port"), port);
}

byte_view head_of(tvbuff_t* tvb, int offset) {
    const int size = std::min(tvb_captured_length_remaining(tvb, offset), int{dcp::header_size});
    return size <= 0 ? byte_view{}
                     : byte_view{tvb_get_ptr(tvb, offset, size), static_cast<std::size_t>(size)};
}

// Nothing is missing or out of its place up to this frame: what is no message was sent as such.
bool is_orderly(const ws::connection& c, packet_info* pinfo) {
    return (c.disturbed == 0 || pinfo->num <= c.disturbed) &&
           !ws::tcp_verdict_of(pinfo).disturbed();
}
// A message should begin at the start of this buffer, after others that are whole.
bool is_expected(const ws::connection& c, direction dir, packet_info* pinfo) {
    const bool whole_only = dcp_preferences().desegment && pinfo->can_desegment != 0;
    return whole_only && ws::is_framed(c, dir, pinfo) && is_orderly(c, pinfo);
}

// Whether the stream has a message border at the start of this buffer.
bool begins_message(ws::connection& c, direction dir, packet_info* pinfo, byte_view head) {
    if (head.empty() || !dcp::is_magic(head[0])) {
        ws::set_in_step(c, dir, pinfo, false);
        return false;
    }
    const bool in_step = ws::is_in_step(c, dir, pinfo) && !ws::leaves_step(pinfo);
    if (head.size() < dcp::header_size) return in_step;
    const bool accepted = in_step
                              ? dcp::parse_header(head, dcp_preferences().max_body).state ==
                                    dcp::parse_state::complete
                              : dcp::is_candidate(head, {.max_body = dcp_preferences().max_body});
    ws::set_in_step(c, dir, pinfo, accepted);
    return accepted;
}

// Length of the message at `offset`. Without a header there nothing of the buffer can be framed:
// all the rest.
unsigned message_length(packet_info*, tvbuff_t* tvb, int offset, void*) {
    const dcp::header_outcome h =
        dcp::parse_header(head_of(tvb, offset), dcp_preferences().max_body);
    if (h.state != dcp::parse_state::complete) {
        return static_cast<unsigned>(
            std::max(tvb_reported_length_remaining(tvb, offset), int{dcp::header_size}));
    }
    return static_cast<unsigned>(h.value.total_length());
}

// A message that our tables have no row for.
void hand_over(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, unsigned ordinal) {
    if (ordinal > 0) col_append_str(pinfo->cinfo, COL_INFO, " | ");
    col_set_fence(pinfo->cinfo, COL_INFO);
    if (couchbase_handle == nullptr ||
        call_dissector_only(couchbase_handle, tvb, pinfo, tree, nullptr) == 0) {
        call_data_dissector(tvb, pinfo, tree);
    }
    col_set_fence(pinfo->cinfo, COL_INFO);
}

// Begins the columns of a frame with its first message; gives the message's place in the frame.
unsigned begin_message(packet_info* pinfo) {
    const unsigned ordinal = ws::next_ordinal(pinfo, proto_cbkv);
    if (ordinal == 0) {
        col_set_str(pinfo->cinfo, COL_PROTOCOL, "CB-KV");
        col_clear(pinfo->cinfo, COL_INFO);
    }
    return ordinal;
}

// Bytes that begin no message. `expected`: one should begin here.
void show_out_of_step(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, ws::connection& c,
                      direction dir, unsigned ordinal, bool expected) {
    ws::set_in_step(c, dir, pinfo, false);
    const std::size_t size = tvb_reported_length(tvb);
    const dcp_memory memory = expected && is_orderly(c, pinfo)
                                  ? observe_dcp_break(pinfo, c, dir, ordinal, size)
                                  : dcp_memory{};
    proto_item* item = proto_tree_add_item(tree, proto_cbkv, tvb, 0, -1, ENC_NA);
    proto_tree* sub = proto_item_add_subtree(item, ett_cbkv);
    item = proto_tree_add_item(sub, hf_out_of_step, tvb, 0, -1, ENC_NA);
    expert_add_info(pinfo, item, &ei_out_of_step);
    show_dcp_findings(pinfo, item, memory);
    col_append_sep_str(pinfo->cinfo, COL_INFO, " | ", "[not in step]");
    col_set_fence(pinfo->cinfo, COL_INFO);
}

bool is_described(const dcp::header& h) {
    const dcp::opcode_row* row = dcp::find_opcode(h.kind, h.opcode);
    return row != nullptr && row->described;
}

bool is_ours(const dcp::header& h) {
    return dcp_preferences().non_dcp == non_dcp_choice::short_summary || is_described(h);
}

void show_message(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, ws::connection& c) {
    const direction dir = ws::direction_of(c, pinfo);
    const unsigned ordinal = begin_message(pinfo);
    tvb_ensure_bytes_exist(tvb, 0, dcp::header_size);  // less only where the capture cut it
    const byte_view head = head_of(tvb, 0);
    const dcp::header_outcome h = dcp::parse_header(head, dcp_preferences().max_body);
    if (h.state != dcp::parse_state::complete) {
        // Behind another in this buffer: the first of it was looked at before.
        return show_out_of_step(tvb, pinfo, tree, c, dir, ordinal, !dcp::is_magic(head[0]));
    }
    const unsigned size = tvb_captured_length(tvb);
    const byte_view bytes{tvb_get_ptr(tvb, 0, static_cast<int>(size)), size};
    dcp_message message{.c = &c, .ordinal = ordinal, .view = {}, .memory = {}};
    message.memory = observe_dcp(pinfo, c, dir, ordinal, bytes, size < h.value.total_length());
    if (is_ours(h.value)) {
        message.view = dcp::decode(bytes, message.memory.context);
        call_dissector_only(message_handle, tvb, pinfo, tree, &message);
    } else {
        hand_over(tvb, pinfo, tree, ordinal);
    }
}

// Below epan's own C frames, so with a boundary of its own.
int dissect_message(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void* data) {
    ws::dissector_boundary(
        [&] { show_message(tvb, pinfo, tree, *static_cast<ws::connection*>(data)); });
    return static_cast<int>(tvb_captured_length(tvb));
}

// Where the messages of a buffer end: the rest is the beginning of another, or, with `broken`, too
// little to be framed and no beginning of any.
struct message_run {
    int end = 0;
    bool broken = false;
};
message_run messages_in(tvbuff_t* tvb) {
    const int size = static_cast<int>(tvb_reported_length(tvb));
    int at = 0;
    while (size - at >= int{dcp::header_size}) {
        const dcp::header_outcome h =
            dcp::parse_header(head_of(tvb, at), dcp_preferences().max_body);
        if (h.state != dcp::parse_state::complete) return {.end = size};  // show_message() tells
        if (h.value.total_length() > static_cast<std::uint64_t>(size - at)) return {.end = at};
        at += static_cast<int>(h.value.total_length());
    }
    const bool whole = tvb_captured_length(tvb) == tvb_reported_length(tvb);
    return {.end = at, .broken = at < size && whole && !dcp::is_magic(ws::u8(tvb, at))};
}

// Bytes in place of a message, at the end of a buffer or all of it.
void dissect_no_message(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, ws::connection& c,
                        direction dir) {
    show_out_of_step(tvb, pinfo, tree, c, dir, begin_message(pinfo), true);
}

// A direction that ends where a message goes on has nothing of its own to show that.
void show_end_inside(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, const ws::connection& c) {
    if (c.ended_inside[index(ws::direction_of(c, pinfo))] != pinfo->num) return;
    proto_item* item = proto_tree_add_item(tree, proto_cbkv, tvb, 0, 0, ENC_NA);
    expert_add_info(pinfo, item, &ei_ends_inside);
}

int dissect_stream(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree) {
    ws::connection& c = ws::connection_of(pinfo, proto_cbkv, is_kv_port);
    const direction dir = ws::direction_of(c, pinfo);
    const int size = static_cast<int>(tvb_captured_length(tvb));
    const bool expected = is_expected(c, dir, pinfo);
    if (!begins_message(c, dir, pinfo, head_of(tvb, 0))) {
        if (!expected || size == 0 || dcp::is_magic(ws::u8(tvb, 0))) return 0;
        dissect_no_message(tvb, pinfo, tree, c, dir);
        return size;
    }
    const message_run run = messages_in(tvb);
    const bool ends_inside = run.end < static_cast<int>(tvb_reported_length(tvb)) && !run.broken;
    if (!PINFO_FD_VISITED(pinfo)) {
        c.begun[index(dir)] = ends_inside ? ws::frame_of(pinfo) : frame_ref{};
    }
    tvbuff_t* messages = run.broken ? tvb_new_subset_length(tvb, 0, run.end) : tvb;
    tcp_dissect_pdus(messages, pinfo, tree, dcp_preferences().desegment, dcp::header_size,
                     message_length, dissect_message, &c);
    if (run.broken) {
        dissect_no_message(tvb_new_subset_remaining(tvb, run.end), pinfo, tree, c, dir);
    }
    return size;
}

// Who disabled us or leaves the ports to `couchbase` wants it inside TLS, too: there no table of
// Decode As stands between.
bool is_theirs(const packet_info* pinfo) {
    const bool on_tls_port = pinfo->srcport == tls_port || pinfo->destport == tls_port;
    return !is_dcp_enabled() || (on_tls_port && !dcp_preferences().take_ports);
}

int dissect_cbkv(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void*) {
    return ws::dissector_boundary([&] {
        if (is_theirs(pinfo) && couchbase_handle != nullptr) {
            // One more level of nesting must not cost the built-in dissector its reassembly.
            pinfo->can_desegment = pinfo->saved_can_desegment;
            return call_dissector_only(couchbase_handle, tvb, pinfo, tree, nullptr);
        }
        return dissect_stream(tvb, pinfo, tree);
    });
}

int dissect_dcp_message(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void* data) {
    ws::dissector_boundary(
        [&] { dissect_dcp(tvb, pinfo, tree, *static_cast<const dcp_message*>(data)); });
    return static_cast<int>(tvb_captured_length(tvb));
}

// `cbdcp` chosen by Decode As.
int dissect_cbdcp(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void*) {
    return ws::dissector_boundary([&] { return dissect_stream(tvb, pinfo, tree); });
}

// A DCP_OPEN request, by everything that is fixed about it.
bool is_dcp_open(byte_view head, tvbuff_t* tvb) {
    constexpr std::uint32_t known_flags = 0x3ff;
    constexpr unsigned longest_name = 200;
    if (!dcp::is_candidate(head, {.max_body = dcp_preferences().max_body})) return false;
    const dcp::header h = dcp::parse_header(head).value;
    const dcp::opcode_row* row = dcp::find_opcode(h.kind, h.opcode);
    if (h.kind != dcp::magic::request || row == nullptr || row->event != "open") return false;
    if (h.key_length == 0 || h.key_length > longest_name) return false;
    if (tvb_captured_length(tvb) < dcp::header_size + 8) return false;
    return tvb_get_ntohl(tvb, dcp::header_size) == 0 &&
           (tvb_get_ntohl(tvb, dcp::header_size + 4) & ~known_flags) == 0;
}

ws::boolean heuristic_dcp_open(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void*) {
    return ws::dissector_boundary([&]() -> ws::boolean {
        if (!is_dcp_open(head_of(tvb, 0), tvb)) return false;
        conversation_set_dissector(find_or_create_conversation(pinfo), cbkv_handle);
        return dissect_stream(tvb, pinfo, tree) > 0;
    });
}

// Unconditionally this would wipe a Decode As entry of the user's.
void give_port(std::uint32_t port, dissector_handle_t owner) {
    if (dissector_get_default_uint_handle("tcp.port", port) != owner) {
        dissector_add_uint("tcp.port", port, owner);
    }
}

// Before each capture: a user's `couchbase.tcp.port` may have taken the ports away meanwhile.
void take_ports() {
    const range_t* ports = prefs_get_range_value("cbkv", "tcp.port");
    dissector_handle_t owner = dcp_preferences().take_ports ? cbkv_handle : couchbase_handle;
    if (ports == nullptr || owner == nullptr) return;
    for (unsigned i = 0; i < ports->nranges; ++i) {
        const range_admin_t& r = ports->ranges[i];
        for (std::uint32_t port = r.low; port <= r.high && port <= 0xffff; ++port)
            give_port(port, owner);
    }
}

}  // namespace

int kv_protocol() {
    return proto_cbkv;
}

void register_kv_demux() {
    static hf_register_info fields[] = {
        {&hf_out_of_step,
         {"Not in step", "cbkv.out_of_step", FT_BYTES, BASE_NONE, nullptr, 0,
          "Bytes that do not begin with a message; the next one is looked for at the start of a "
          "segment",
          HFILL}},
    };
    static int* trees[] = {&ett_cbkv};
    static ei_register_info experts[] = {
        {&ei_out_of_step,
         {"cbkv.out_of_step.expert", PI_MALFORMED, PI_NOTE,
          "No message begins here: the stream is out of step", EXPFILL}},
        {&ei_ends_inside,
         {"cbkv.ends_inside", PI_SEQUENCE, PI_NOTE,
          "The stream ends inside a message: the sender was stopped, or a length is wrong",
          EXPFILL}},
    };
    proto_cbkv = proto_register_protocol("Couchbase key-value/DCP", "CB-KV", "cbkv");
    proto_set_cant_toggle(proto_cbkv);
    proto_register_field_array(proto_cbkv, fields, static_cast<int>(std::size(fields)));
    proto_register_subtree_array(trees, static_cast<int>(std::size(trees)));
    expert_register_field_array(expert_register_protocol(proto_cbkv), experts,
                                static_cast<int>(std::size(experts)));
    cbkv_handle = register_dissector("cbkv", dissect_cbkv, proto_cbkv);
    register_init_routine(take_ports);
    ws::register_tcp_watch(proto_cbkv);
    register_dcp_state(proto_cbkv, show_end_inside);
    register_experts(proto_cbkv, findings::protocol::cap, "cbkv.cap");
}

void handoff_kv_demux() {
    couchbase_handle = find_dissector_add_dependency("couchbase", proto_cbkv);
    message_handle = create_dissector_handle(dissect_dcp_message, dcp_protocol());
    dissector_add_uint_range_with_preference("tcp.port", "11210", cbkv_handle);
    ssl_dissector_add(tls_port, cbkv_handle);
    dissector_handle_t dcp_handle = register_dissector_with_description(
        "cbdcp", "Couchbase Database Change Protocol", dissect_cbdcp, dcp_protocol());
    dissector_add_for_decode_as("tcp.port", dcp_handle);
    heur_dissector_add("tcp", heuristic_dcp_open, "Couchbase DCP_OPEN over TCP", "cbdcp_tcp",
                       dcp_protocol(), HEURISTIC_ENABLE);
}

}  // namespace cdcscope
