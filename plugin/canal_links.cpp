#include "plugin/canal_links.h"

#include <iterator>

#include "plugin/text.h"

namespace cdcscope {
namespace {

int hf_request_in = -1;
int hf_response_in = -1;
int hf_response_time = -1;
int hf_ack_in = -1;
int hf_ack_time = -1;
int hf_rollback_in = -1;
int hf_acked_batch_in = -1;
int hf_outstanding = -1;
int hf_outstanding_bytes = -1;
int hf_server_version = -1;

nstime_t duration(std::int64_t ns) {
    constexpr std::int64_t second = 1'000'000'000;
    return {static_cast<time_t>(ns / second), static_cast<int>(ns % second)};
}

struct link_context {
    tvbuff_t* tvb;
    proto_tree* tree;

    void frame(int id, const frame_ref& at) const {
        if (at.frame != 0)
            proto_item_set_generated(proto_tree_add_uint(tree, id, tvb, 0, 0, at.frame));
    }
    void time(int id, std::int64_t ns) const {
        if (ns < 0) return;
        const nstime_t t = duration(ns);
        proto_item_set_generated(proto_tree_add_time(tree, id, tvb, 0, 0, &t));
    }
};

}  // namespace

void add_canal_links(tvbuff_t* tvb, packet_info*, proto_tree* tree, const canal_packet& packet) {
    const canal_memory& m = packet.memory;
    if (m.id == 0) return;
    const link_context links{tvb, tree};
    links.frame(hf_request_in, m.request);
    links.frame(hf_response_in, m.response);
    links.frame(hf_acked_batch_in, m.batch);
    if (m.record.request != 0) links.time(hf_response_time, m.record.elapsed_ns);
    if (m.record.batch != 0) links.time(hf_ack_time, m.record.elapsed_ns);
    if (m.acked.frame != 0) {
        links.frame(hf_ack_in, m.acked);
        links.time(hf_ack_time, m.acked.time_ns - m.at.time_ns);
    }
    links.frame(hf_rollback_in, m.rolled_back);
    if (m.record.key != 0) {
        proto_item_set_generated(
            proto_tree_add_uint(tree, hf_outstanding, tvb, 0, 0, m.record.outstanding));
        proto_item_set_generated(proto_tree_add_uint64(tree, hf_outstanding_bytes, tvb, 0, 0,
                                                       m.record.outstanding_bytes));
    }
    if (m.record.era != canal::server_era::unknown && ws::is_wanted(tree, hf_server_version)) {
        proto_item_set_generated(proto_tree_add_string(tree, hf_server_version, tvb, 0, 0,
                                                       ws::c_str(canal::name(m.record.era))));
    }
}

void register_canal_links(int proto) {
    static hf_register_info fields[] = {
        {&hf_request_in,
         {"Request In", "canal.request_in", FT_FRAMENUM, BASE_NONE,
          FRAMENUM_TYPE(FT_FRAMENUM_REQUEST), 0, nullptr, HFILL}},
        {&hf_response_in,
         {"Response In", "canal.response_in", FT_FRAMENUM, BASE_NONE,
          FRAMENUM_TYPE(FT_FRAMENUM_RESPONSE), 0, nullptr, HFILL}},
        {&hf_response_time,
         {"Response Time", "canal.response_time", FT_RELATIVE_TIME, BASE_NONE, nullptr, 0,
          "Of a GET: includes the wait that the client asked for", HFILL}},
        {&hf_ack_in,
         {"Acknowledged In", "canal.ack_in", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_ACK),
          0, "The CLIENTACK of this batch", HFILL}},
        {&hf_ack_time,
         {"Time to Acknowledgement", "canal.ack_time", FT_RELATIVE_TIME, BASE_NONE, nullptr, 0,
          "From a batch to its CLIENTACK", HFILL}},
        {&hf_rollback_in,
         {"Rolled Back In", "canal.rollback_in", FT_FRAMENUM, BASE_NONE,
          FRAMENUM_TYPE(FT_FRAMENUM_NONE), 0, "The CLIENTROLLBACK that dropped this batch", HFILL}},
        {&hf_acked_batch_in,
         {"Batch In", "canal.acked_batch_in", FT_FRAMENUM, BASE_NONE,
          FRAMENUM_TYPE(FT_FRAMENUM_ACK), 0, "The batch that this CLIENTACK acknowledges", HFILL}},
        {&hf_outstanding,
         {"Outstanding Batches", "canal.outstanding", FT_UINT32, BASE_DEC, nullptr, 0,
          "Handed out to this client and neither acknowledged nor rolled back, after this packet",
          HFILL}},
        {&hf_outstanding_bytes,
         {"Outstanding Bytes", "canal.outstanding_bytes", FT_UINT64, BASE_DEC, nullptr, 0, nullptr,
          HFILL}},
        {&hf_server_version,
         {"Server Version", "canal.server_version", FT_STRING, BASE_NONE, nullptr, 0,
          "As the traffic tells", HFILL}},
    };
    proto_register_field_array(proto, fields, static_cast<int>(std::size(fields)));
}

}  // namespace cdcscope
