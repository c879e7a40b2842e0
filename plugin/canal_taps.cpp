#include "plugin/canal_taps.h"

#include <algorithm>

#include "plugin/canal_labels.h"
#include "plugin/statistics.h"
#include "plugin/text.h"
#include "proto/canal/view.h"

namespace cdcscope {
namespace {

using canal::packet_type;

int tap_id = -1;
canal_export_taps exports;

const char* type_name(packet_info* pinfo, const canal_tap_data& d) {
    const std::string_view name = canal::packet_type_name(d.packet.port, d.type);
    return name.empty() ? wmem_strdup_printf(pinfo->pool, "Type %d", d.type) : ws::c_str(name);
}

bool is(const canal_tap_data& d, packet_type type) {
    return d.packet.port == canal::port_kind::data && d.type == static_cast<std::int32_t>(type);
}

// Packets by type, rows by table and event type.
int packets_node, rows_node;

void init_packets(const ws::stats& s) {
    packets_node = s.node("Packets");
    rows_node = s.node("Rows by table");
}

void count_entry(const ws::stats& s, packet_info* pinfo, byte_view bytes) {
    const canal::entry_view entry = canal::parse_entry(bytes);
    if (entry.type != static_cast<std::int32_t>(canal::entry_type::rowdata)) return;
    const canal::row_change_view change = canal::parse_row_change(entry.store);
    const char* table = canal_table_name(pinfo, bytes);
    if (*table == '\0') table = "(none)";
    const std::string_view event =
        canal::row_of(canal::enum_id::event_type).find(change.event_type);
    const int rows =
        static_cast<int>(std::min<std::uint32_t>(std::max(change.rows, 1U), 0x7fffffff));
    s.add("Rows by table", 0, rows);
    const int table_node = increase_stat_node(s.tree(), table, rows_node, true, rows);
    s.add(event.empty() ? "other" : ws::c_str(event), table_node, rows);
}

void count_packet(const ws::stats& s, packet_info* pinfo, const canal_tap_data& d) {
    s.count("Packets", 0, true);
    s.count(type_name(pinfo, d), packets_node);
    if (!is(d, packet_type::messages)) return;
    const canal::packet_view packet = canal::parse_packet(d.payload, d.packet.port);
    for (const byte_view entry :
         canal::occurrences(packet.body, canal::fields::messages::messages)) {
        count_entry(s, pinfo, entry);
    }
}

// Batches: how large, how old, what became of them.
int batches_node;

void init_batches(const ws::stats& s) {
    batches_node = s.node("Answers to GET");
    stats_tree_create_range_node(s.tree(), "Entries of a batch", 0, "0-1", "2-10", "11-100",
                                 "101-1000", "1001-", nullptr);
    s.reals("Lag of the newest entry (s)");
    s.reals("From batch to acknowledgement (ms)");
    stats_tree_create_node(s.tree(), "Outstanding batches", 0, STAT_DT_INT, false);
}

void count_batch(const ws::stats& s, packet_info*, const canal_tap_data& d) {
    constexpr float second = 1e9F;
    constexpr float millisecond = 1e6F;
    const canal::track_record& r = d.packet.memory.record;
    if (r.key != 0) s.average("Outstanding batches", 0, static_cast<int>(r.outstanding));
    if (is(d, packet_type::clientrollback)) s.count("Rollbacks", batches_node);
    if (is(d, packet_type::clientack) && r.batch != 0 && r.elapsed_ns >= 0) {
        s.average("From batch to acknowledgement (ms)", 0,
                  static_cast<float>(r.elapsed_ns) / millisecond);
    }
    if (!is(d, packet_type::messages)) return;
    const canal::packet_view packet = canal::parse_packet(d.payload, d.packet.port);
    const canal::messages_view messages = canal::parse_messages(packet.body);
    s.count("Answers to GET", 0, true);
    s.count(messages.entries == 0 ? "Empty" : "With entries", batches_node);
    if (messages.entries > 0) s.range("Entries of a batch", 0, static_cast<int>(messages.entries));
    if (r.has_lag)
        s.average("Lag of the newest entry (s)", 0, static_cast<float>(r.lag_ns) / second);
}

// Response times: a row a request, and batch to acknowledgement.
constexpr int type_rows = 16;

void init_times(struct register_srt*, GArray* tables) {
    srt_stat_table* answers = init_srt_table("Canal responses", "Responses", tables, type_rows,
                                             "Request", nullptr, nullptr);
    for (int type = 0; type < type_rows; ++type) {
        const std::string_view name = canal::packet_type_name(canal::port_kind::data, type);
        init_srt_table_row(answers, type, name.empty() ? "other" : ws::c_str(name));
    }
    srt_stat_table* acks =
        init_srt_table("Canal batches", "Batches", tables, 1, "Step", nullptr, nullptr);
    init_srt_table_row(acks, 0, "MESSAGES to CLIENTACK");
}

tap_packet_status count_times(void* where, packet_info* pinfo, epan_dissect_t*, const void* data,
                              tap_flags_t) {
    constexpr std::int64_t second = 1'000'000'000;
    const canal::track_record& r = static_cast<const canal_tap_data*>(data)->packet.memory.record;
    if (r.elapsed_ns < 0 || (r.request == 0 && r.batch == 0)) return TAP_PACKET_DONT_REDRAW;
    const nstime_t span = {static_cast<time_t>(r.elapsed_ns / second),
                           static_cast<int>(r.elapsed_ns % second)};
    nstime_t start;
    nstime_delta(&start, &pinfo->abs_ts, &span);
    const unsigned table = r.request != 0 ? 0 : 1;
    const int row = table == 0 ? std::clamp<int>(r.request_type, 0, type_rows - 1) : 0;
    auto* tables = static_cast<srt_data_t*>(where);
    add_srt_table_data(g_array_index(tables->srt_array, srt_stat_table*, table), row, &start,
                       pinfo);
    return TAP_PACKET_REDRAW;
}

char* connection_filter(packet_info* pinfo) {
    conversation_t* conversation = find_conversation_pinfo(pinfo, 0);
    if (conversation == nullptr || !proto_is_frame_protocol(pinfo->layers, "canal")) return nullptr;
    const tcp_analysis* tcp = get_tcp_conversation_data(conversation, pinfo);
    return tcp == nullptr ? nullptr : g_strdup_printf("tcp.stream eq %u and canal", tcp->stream);
}

}  // namespace

void tap_canal(tvbuff_t* tvb, packet_info* pinfo, const canal_packet& packet, byte_view payload) {
    const std::int32_t type = canal::parse_packet(payload, packet.port).type;
    const bool secret =
        canal::row_of_type(packet.port, type).body == canal::message_id::client_auth ||
        canal::row_of_type(packet.port, type).body == canal::message_id::admin_client_auth;
    if (have_tap_listener(exports.follow) && !secret) tap_queue_packet(exports.follow, pinfo, tvb);
    if (!have_tap_listener(tap_id) && !have_tap_listener(exports.objects)) return;
    auto* data = wmem_new0(pinfo->pool, canal_tap_data);
    *data = {.packet = packet, .payload = payload, .type = type, .frame = pinfo->num};
    tap_queue_packet(tap_id, pinfo, data);
    tap_queue_packet(exports.objects, pinfo, data);
}

void register_canal_taps(int proto) {
    tap_id = register_tap("canal");
    exports = register_canal_exports(proto);
    ws::register_stats<canal_tap_data, init_packets, count_packet>(
        "canal", "canal", "Canal" CDC_MENU_SEPARATOR "Packets and rows");
    ws::register_stats<canal_tap_data, init_batches, count_batch>(
        "canal", "canal_batches", "Canal" CDC_MENU_SEPARATOR "Batches");
    register_srt_table(proto, nullptr, 2, count_times, init_times, nullptr);
    ws::register_conversation_filter<connection_filter>("canal", "Canal connection");
}

}  // namespace cdcscope
