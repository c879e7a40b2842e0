#include "plugin/dcp_taps.h"

#include <algorithm>

#include "plugin/statistics.h"
#include "plugin/text.h"

namespace cdcscope {
namespace {

using dcp::field_id;

int tap_id = -1;
dcp_export_taps exports;

const char* vbucket_name(const dcp_tap_data& d, packet_info* pinfo) {
    const dcp_message& m = d.message;
    if (!m.memory.has_partition && (m.view.row == nullptr || !m.view.row->of_stream))
        return nullptr;
    const unsigned vbucket = m.memory.has_partition ? m.memory.partition : m.view.head.vbucket();
    return wmem_strdup_printf(pinfo->pool, "vBucket %u", vbucket);
}

const char* title_of(const dcp_tap_data& d) {
    return d.message.view.row == nullptr ? "Unknown" : ws::c_str(d.message.view.row->title);
}

const char* name_of(field_id id, std::uint64_t value) {
    const dcp::named_value* name = dcp::find_value(dcp::describe(id).values, value);
    return name == nullptr ? "Unknown" : ws::c_str(name->title);
}

// Messages: by type, bytes and messages by vBucket.
int messages_node, types_node, vbuckets_node, bytes_node;

void init_messages(const ws::stats& s) {
    messages_node = s.node("Messages");
    types_node = s.node("By type", messages_node);
    vbuckets_node = s.node("By vBucket", messages_node);
    bytes_node = s.node("Bytes by vBucket", 0);
}

void count_message(const ws::stats& s, packet_info* pinfo, const dcp_tap_data& d) {
    s.count("Messages", 0, true);
    s.count("By type", messages_node, true);
    const bool response = d.message.view.head.is_response();
    s.count(response ? wmem_strdup_printf(pinfo->pool, "%s Response", title_of(d)) : title_of(d),
            types_node);
    const char* vbucket = vbucket_name(d, pinfo);
    if (vbucket == nullptr) return;
    s.count("By vBucket", messages_node, true);
    s.count(vbucket, vbuckets_node);
    const int size = static_cast<int>(std::min(d.size, 0x7fffffffU));
    s.add("Bytes by vBucket", 0, size);
    s.add(vbucket, bytes_node, size);
}

// Streams: ends by reason, refusals, sizes of snapshots, unacknowledged bytes.
int ends_node, answers_node, snapshots_node;

void init_streams(const ws::stats& s) {
    answers_node = s.node("Stream requests");
    ends_node = s.node("Stream ends");
    snapshots_node =
        stats_tree_create_range_node(s.tree(), "Snapshot size (seqnos)", 0, "0-1", "2-10", "11-100",
                                     "101-1000", "1001-10000", "10001-", nullptr);
    stats_tree_create_node(s.tree(), "Unacknowledged bytes", 0, STAT_DT_INT, false);
    stats_tree_create_node(s.tree(), "Window fill (%)", 0, STAT_DT_INT, false);
}

void count_stream(const ws::stats& s, packet_info*, const dcp_tap_data& d) {
    const dcp::message_view& m = d.message.view;
    if (m.head.is_response() && m.row != nullptr && m.row->event == "stream_request") {
        s.count("Stream requests", 0, true);
        s.count(name_of(field_id::status, m.head.status()), answers_node);
    }
    if (const auto reason = m.number(field_id::end_reason)) {
        s.count("Stream ends", 0, true);
        s.count(name_of(field_id::end_reason, *reason), ends_node);
    }
    const auto start = m.number(field_id::snapshot_start);
    const auto end = m.number(field_id::snapshot_end);
    if (start && end && *end >= *start) {
        const std::uint64_t size = std::min<std::uint64_t>(*end - *start + 1, 0x7fffffff);
        s.range("Snapshot size (seqnos)", 0, static_cast<int>(size));
    }
    const dcp_memory& r = d.message.memory;
    if (!r.flow_known || !m.is_request()) return;
    s.average("Unacknowledged bytes", 0, static_cast<int>(std::min(r.outstanding, 0x7fffffffU)));
    if (r.window > 0) {
        s.average("Window fill (%)", 0,
                  static_cast<int>(std::uint64_t{100} * r.outstanding / r.window));
    }
}

// Prepares: what became of them, how long it took by level.
int levels_node, outcomes_node, latency_node;

void init_durability(const ws::stats& s) {
    levels_node = s.node("Prepares by level");
    outcomes_node = s.node("Outcomes");
    latency_node = s.reals("Time since prepare (ms)");
}

void count_durability(const ws::stats& s, packet_info*, const dcp_tap_data& d) {
    constexpr float nanoseconds = 1e6F;
    const dcp::message_view& m = d.message.view;
    const dcp_memory& memory = d.message.memory;
    if (!m.is_request()) return;
    if (m.number(field_id::durability)) {
        s.count("Prepares by level", 0, true);
        s.count(name_of(field_id::durability, m.number(field_id::durability).value_or(0)),
                levels_node);
    }
    if (memory.prepare == 0) return;
    const char* outcome = m.number(field_id::abort_seqno) ? "Aborted" : "Committed";
    s.count("Outcomes", 0, true);
    s.count(outcome, outcomes_node);
    if (memory.elapsed_ns < 0) return;
    const float ms = static_cast<float>(memory.elapsed_ns) / nanoseconds;
    s.average("Time since prepare (ms)", 0, ms);
    s.average(outcome, latency_node, ms);
}

// Response times: a row an opcode, and prepare to commit.
constexpr int opcode_rows = 256;

void init_times(struct register_srt*, GArray* tables) {
    srt_stat_table* answers = init_srt_table("Couchbase DCP responses", "Responses", tables,
                                             opcode_rows, "Opcode", "cbdcp.opcode", nullptr);
    for (int opcode = 0; opcode < opcode_rows; ++opcode) {
        const dcp::opcode_row* row =
            dcp::find_opcode(dcp::magic::request, static_cast<std::uint8_t>(opcode));
        init_srt_table_row(answers, opcode, row == nullptr ? "Unknown" : ws::c_str(row->title));
    }
    srt_stat_table* commits = init_srt_table("Couchbase durability", "Durability", tables, 2,
                                             "Outcome", nullptr, nullptr);
    init_srt_table_row(commits, 0, "Prepare to commit");
    init_srt_table_row(commits, 1, "Prepare to abort");
}

nstime_t before(const packet_info* pinfo, std::int64_t ns) {
    constexpr std::int64_t second = 1'000'000'000;
    const nstime_t span = {static_cast<time_t>(ns / second), static_cast<int>(ns % second)};
    nstime_t start;
    nstime_delta(&start, &pinfo->abs_ts, &span);
    return start;
}

void add_time(srt_data_t* tables, unsigned table, int row, packet_info* pinfo, std::int64_t ns) {
    const nstime_t start = before(pinfo, ns);
    add_srt_table_data(g_array_index(tables->srt_array, srt_stat_table*, table), row, &start,
                       pinfo);
}

tap_packet_status count_times(void* where, packet_info* pinfo, epan_dissect_t*, const void* data,
                              tap_flags_t) {
    const auto& d = *static_cast<const dcp_tap_data*>(data);
    auto* tables = static_cast<srt_data_t*>(where);
    const dcp_memory& memory = d.message.memory;
    const std::int64_t elapsed = memory.elapsed_ns;
    if (elapsed < 0) return TAP_PACKET_DONT_REDRAW;
    if (memory.request != 0 && !d.message.view.head.is_push()) {
        add_time(tables, 0, d.message.view.head.opcode, pinfo, elapsed);
    } else if (memory.prepare != 0) {
        add_time(tables, 1, d.message.view.number(field_id::abort_seqno) ? 1 : 0, pinfo, elapsed);
    } else {
        return TAP_PACKET_DONT_REDRAW;
    }
    return TAP_PACKET_REDRAW;
}

char* stream_filter(packet_info* pinfo) {
    conversation_t* conversation = find_conversation_pinfo(pinfo, 0);
    if (conversation == nullptr || !proto_is_frame_protocol(pinfo->layers, "cbdcp")) return nullptr;
    const tcp_analysis* tcp = get_tcp_conversation_data(conversation, pinfo);
    return tcp == nullptr ? nullptr : g_strdup_printf("tcp.stream eq %u and cbdcp", tcp->stream);
}

}  // namespace

void tap_dcp(tvbuff_t* tvb, packet_info* pinfo, const dcp_message& message) {
    const bool secret = message.view.kind() == dcp::value_kind::secret;
    if (have_tap_listener(exports.follow) && !secret) tap_queue_packet(exports.follow, pinfo, tvb);
    if (!have_tap_listener(tap_id) && !have_tap_listener(exports.objects)) return;
    auto* data = wmem_new0(pinfo->pool, dcp_tap_data);
    *data = {.message = message, .size = tvb_reported_length(tvb), .frame = pinfo->num};
    tap_queue_packet(tap_id, pinfo, data);
    tap_queue_packet(exports.objects, pinfo, data);
}

void register_dcp_taps(int proto) {
    tap_id = register_tap("cbdcp");
    exports = register_dcp_exports(proto);
    ws::register_stats<dcp_tap_data, init_messages, count_message>(
        "cbdcp", "dcp", "Couchbase DCP" CDC_MENU_SEPARATOR "Messages");
    ws::register_stats<dcp_tap_data, init_streams, count_stream>(
        "cbdcp", "dcp_streams", "Couchbase DCP" CDC_MENU_SEPARATOR "Streams and flow control");
    ws::register_stats<dcp_tap_data, init_durability, count_durability>(
        "cbdcp", "dcp_durability", "Couchbase DCP" CDC_MENU_SEPARATOR "Durability");
    register_srt_table(proto, nullptr, 2, count_times, init_times, nullptr);
    ws::register_conversation_filter<stream_filter>("cbdcp", "DCP connection");
}

}  // namespace cdcscope
