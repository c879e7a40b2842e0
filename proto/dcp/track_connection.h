// Everything one connection knows, and the rules as functions on it, a file a subject.
#pragma once

#include <set>

#include "proto/dcp/document.h"
#include "proto/dcp/track.h"
#include "proto/dcp/track_flow.h"
#include "proto/dcp/track_names.h"
#include "proto/dcp/track_noop.h"
#include "proto/dcp/track_stream.h"

namespace cdcscope::dcp {

struct world_state {
    world_sinks sinks;
    findings::thresholds limits;
    collections_choice collections = collections_choice::judge;
    shared_knowledge shared;
    std::uint32_t last_finding = 0;
    inflate_buffer inflated;
};

// Waits of one rule, all with the same limit, in order of time.
struct prepare_wait {
    std::uint32_t stream = 0, id = 0;
    std::uint64_t seqno = 0;
    std::int64_t since = 0;
};
struct ack_wait {
    std::uint32_t stream = 0;
    std::uint64_t seqno = 0;
    moment since;
};
struct lost_stream {
    std::shared_ptr<abandonment> left;
    std::uint16_t vbucket = 0;
    std::uint64_t last_seqno = 0;
    bool has_last = false;
    bool moved = false;  // STATE_CHANGED or NOT_MY_VBUCKET: the next request may be out of sight
    std::string why;
    moment since;
    std::uint64_t order = 0;  // among all events of the capture
    running told;
};

struct connection_state {
    connection_state(world_state& world, connection_setup given);

    world_state& all;
    connection_setup setup;
    connection_story story;
    reporter report;
    agreement agreed;
    learned_names names;
    prefix_judge judge;
    bool hello_answered = false;
    flow_account flow;
    noop_watch noops;
    request_table requests;
    stream_table streams;
    std::uint32_t holes = 0;
    std::size_t snapshot_keys = 0;  // hashes kept in all its streams

    std::uint64_t open_prepares = 0;  // on all its streams
    std::uint64_t prepares_left = 0;  // open when their stream ended

    fifo<prepare_wait> prepare_waits;
    fifo<ack_wait> ack_waits;
    std::set<std::pair<std::int64_t, std::uint32_t>> end_waits;  // since, stream
    fifo<lost_stream> lost, lost_told;

    // Rollbacks by vbucket and stream id: for D24 and D25.
    struct rollback_state {
        std::uint64_t to = 0, uuid = 0;
        bool fresh = false;  // no request since
        std::uint32_t in_a_row = 0;
    };
    std::unordered_map<std::uint64_t, rollback_state> rollbacks;

    text_id client_host = 0, server_place = 0, name = 0, bucket = 0;
    bool named = false;                  // holds its DCP name in the world
    bool closed = false;                 // first FIN or RST
    const opcode_row* last_row[2] = {};  // by direction: of its newest message

    [[nodiscard]] certainty& sure() noexcept { return story.sure; }
    [[nodiscard]] bool unsettled() const noexcept { return story.sure.unsettled(); }
    [[nodiscard]] bool unsure(const dcp_stream& s) const noexcept {
        return !s.known || s.born_in != holes;
    }
    // Until its next marker: the marker may be what is missing.
    [[nodiscard]] bool marker_unsure(const dcp_stream& s) const noexcept {
        return s.marker_in != holes;
    }
    [[nodiscard]] observer& watch() const noexcept { return *all.sinks.watch; }
    [[nodiscard]] link_sink& links() const noexcept { return *all.sinks.links; }
    [[nodiscard]] const moment& now() const noexcept { return report.now(); }
    [[nodiscard]] decode_context context() const noexcept;
};

// The message that is being taken.
struct incoming {
    const message_event& event;
    const message_view& m;
    track_record& record;
    std::uint64_t order = 0;   // among all events of the capture
    bool window_full = false;  // before it
};

// --- track_setup.cpp: HELLO, DCP_OPEN, controls, buckets
void take_open(connection_state& c, const incoming& in);
void take_setup_answer(connection_state& c, const incoming& in, open_request& request);
// Of an answer whose request was not captured.
void take_lone_control_refusal(connection_state& c, const incoming& in);

// --- track_stream_requests.cpp
[[nodiscard]] stream_request read_stream_request(const incoming& in);
void take_stream_request(connection_state& c, const incoming& in, const stream_request& asked);
void take_stream_answer(connection_state& c, const incoming& in, const open_request& request);
// Of an answer whose request was not captured.
void take_lone_refusal(connection_state& c, const incoming& in);
void take_close_stream(connection_state& c, const incoming& in);
dcp_stream& open_stream(connection_state& c, const incoming& in, const open_request& request);
// A stream of which only data is seen.
dcp_stream& make_known(connection_state& c, const incoming& in, std::uint16_t stream_id);

// --- track_data.cpp
void take_data(connection_state& c, const incoming& in);
void take_data_answer(connection_state& c, const incoming& in);

// --- track_values.cpp: D37, D43 to D45, D49
void check_negotiated(connection_state& c, const incoming& in, const dcp_stream* stream);
void check_stateless(connection_state& c, const incoming& in);
void check_document(connection_state& c, const incoming& in);

// --- track_snapshots.cpp
void take_marker(connection_state& c, const incoming& in, dcp_stream& s);
void take_oso(connection_state& c, const incoming& in, dcp_stream& s);
void complete_snapshot(connection_state& c, dcp_stream& s);
void check_end_in_snapshot(connection_state& c, const dcp_stream& s, bool ok);  // at STREAM_END
// D10 for a key of the snapshot in force.
void see_key(connection_state& c, const incoming& in, dcp_stream& s, std::uint64_t seqno);

// --- track_items.cpp
void take_item(connection_state& c, const incoming& in, dcp_stream& s);
void settle_past_end(connection_state& c, dcp_stream& s, bool over);

// --- track_ends.cpp
void take_stream_end(connection_state& c, const incoming& in, dcp_stream& s);
void take_vbucket_state(connection_state& c, const incoming& in, dcp_stream& s);
void answer_vbucket_state(dcp_stream& s);
void wait_for_end(connection_state& c, dcp_stream& s);
void abandon(connection_state& c, std::uint16_t vbucket, const dcp_stream* s, bool moved,
             std::string why);
void check_end_times(connection_state& c);
void close_streams(connection_state& c);  // at the first FIN or RST, and at the end
void settle_streams(connection_state& c);

// --- track_durability.cpp
void take_prepare(connection_state& c, const incoming& in, dcp_stream& s, std::uint64_t seqno);
void take_outcome(connection_state& c, const incoming& in, dcp_stream& s,
                  std::uint64_t seqno);  // commit, abort
void complete_by_document(connection_state& c, const incoming& in, dcp_stream& s,
                          std::uint64_t seqno);
void complete_by_marker(connection_state& c, dcp_stream& s);
void take_seqno_ack(connection_state& c, const incoming& in);
void wait_for_ack(connection_state& c, dcp_stream& s);
void check_durability_times(connection_state& c);
// The stream ends, or is cut off. `pending`: notes; `forget`: nothing more will come of them here.
void leave_prepares(connection_state& c, dcp_stream& s, bool pending, std::string_view when,
                    bool forget);

// --- track_writes.cpp: key-value writes of the same capture
[[nodiscard]] request_detail read_durable_write(const incoming& in);
void take_write_answer(connection_state& c, const incoming& in, const open_request& request);
void check_late(connection_state& c, const incoming& in, const dcp_stream& s, std::uint64_t seqno);
void check_repeated(connection_state& c, dcp_stream& s, std::uint64_t seqno);
void settle_repeated(connection_state& c, dcp_stream& s, bool over);

// "vb 7", "vb 7 (sid 100)".
[[nodiscard]] std::string place_text(const dcp_stream& s);
// Figures that name a stream, then `more`.
[[nodiscard]] std::vector<findings::figure> of_stream(const dcp_stream& s,
                                                      std::vector<findings::figure> more = {});

}  // namespace cdcscope::dcp
