// What a connection and its streams did, in figures of bounded size: what a report tells of them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "proto/wire/direction.h"
#include "proto/wire/frame_ref.h"

namespace cdcscope::dcp {

// How much of a connection's past the capture shows: what rests on an unseen part is uncertain.
struct certainty {
    bool late_start = false;  // the capture starts in mid-stream
    bool open_seen = false;   // DCP_OPEN
    bool hole = false;
    bool one_sided = false;  // late_start, and of one direction nothing was captured so far
    bool setup_cut = false;  // a setting or the answer to HELLO is not whole

    // What was negotiated, or what was sent, may be out of sight.
    [[nodiscard]] bool unsettled() const noexcept {
        return hole || !open_seen || one_sided || setup_cut;
    }
};

enum class dcp_role : std::uint8_t { unknown, client_consumes, client_produces };

struct stall {
    frame_ref since, until;
    bool over = false;  // false: still full at the end
    std::uint64_t outstanding = 0;
};

struct flow_story {
    std::uint32_t window = 0;  // in force at the end
    std::uint32_t largest_window = 0;
    std::uint64_t counted = 0;  // bytes by the server's account
    std::uint64_t wire = 0;     // the same messages as sent
    std::uint64_t acked = 0;
    std::uint64_t acks = 0;
    std::uint64_t outstanding = 0;  // at the end
    std::uint64_t highest = 0;
    std::uint64_t prepares = 0;  // counted with 2 bytes more than they have
    std::uint64_t fills = 0;     // times the window was full
    std::int64_t full_ns = 0;    // in all
    std::vector<stall> stalls;   // the first `most_stalls`
    frame_ref last_ack;
};
inline constexpr std::size_t most_stalls = 4096;

struct latency_figures {
    std::uint64_t count = 0;
    std::int64_t least = 0, most = 0;
    double sum = 0;
    void add(std::int64_t ns) noexcept {
        if (count == 0 || ns < least) least = ns;
        if (count == 0 || ns > most) most = ns;
        sum += static_cast<double>(ns);
        ++count;
    }
};

struct durability_story {
    std::uint64_t prepares = 0, commits = 0, aborts = 0;
    std::uint64_t by_snapshot = 0;  // completed by a mutation or marker of a disk snapshot
    std::uint64_t open = 0;         // at the end
    std::array<latency_figures, 4> commit_latency;  // by level, 1 to 3
    std::uint64_t acks = 0;                         // SEQNO_ACKs
};

struct noop_story {
    bool enabled = false;
    bool ever_enabled = false;
    double interval_seconds = 0;  // as accepted; 0: never set
    std::uint64_t sent = 0, answered = 0;
};

struct setting {
    std::string name, value;
    bool accepted = false;
    std::uint16_t status = 0;
    frame_ref at;  // of the answer
};
inline constexpr std::size_t most_settings = 256;

enum class stream_state : std::uint8_t {
    open,
    closing,
    ended,
    cut_off
};  // cut_off: the connection ended first

struct stream_story {
    std::uint32_t index = 0;  // from 1
    std::uint16_t vbucket = 0;
    std::uint32_t opaque = 0;  // wire order read as big-endian
    bool has_stream_id = false;
    std::uint16_t stream_id = 0;
    bool request_seen = false;
    std::uint32_t flags = 0;
    std::uint64_t start = 0, end = 0, uuid = 0, snapshot_start = 0, snapshot_end = 0;  // as asked
    std::string filter;  // JSON as sent, cut at 256 bytes
    frame_ref asked, opened, ended, last_item, last_message;
    stream_state state{};
    std::uint32_t reason = 0;  // of STREAM_END; with state ended
    bool has_reason = false;
    std::uint64_t log_uuid = 0, log_seqno = 0;  // newest entry of the failover log in the answer

    std::uint64_t mutations = 0, deletions = 0, expirations = 0, prepares = 0, commits = 0,
                  aborts = 0, system_events = 0, advances = 0, snapshots = 0, bytes = 0;
    std::uint64_t first_seqno = 0, last_seqno = 0;
    bool has_items = false;
    bool in_snapshot = false;  // a marker was seen
    std::uint64_t marker_start = 0, marker_end = 0;
    std::uint32_t marker_flags = 0;
    bool marker_complete = false;
    bool in_oso = false;
    std::uint64_t open_prepares = 0;

    // Delivered again (D52).
    std::uint64_t repeated = 0, repeated_first = 0, repeated_last = 0;
    std::uint64_t resumable_from = 0;  // where the earlier connection could have been resumed

    // Where the stream can be resumed: uuid of the newest log entry, last seqno, and the snapshot
    // it lies in.
    [[nodiscard]] std::uint64_t resume_snapshot_start() const noexcept {
        return in_snapshot && !marker_complete ? marker_start : last_seqno;
    }
    [[nodiscard]] std::uint64_t resume_snapshot_end() const noexcept {
        return in_snapshot && !marker_complete ? marker_end : last_seqno;
    }
};

struct refusal {
    std::uint16_t vbucket = 0;
    std::uint16_t status = 0;
    std::uint32_t opaque = 0;
    std::uint64_t start = 0, end = 0, uuid = 0, snapshot_start = 0, snapshot_end = 0;
    frame_ref asked, answered;
};
struct rollback {
    std::uint16_t vbucket = 0;
    std::uint64_t start = 0, uuid = 0, to = 0;
    frame_ref asked, answered;
};
inline constexpr std::size_t most_refusals = 4096;

struct connection_story {
    std::uint32_t id = 0;
    std::string client, server;  // "address:port"
    std::string name, bucket, agent;
    dcp_role role = dcp_role::unknown;
    bool opens_dcp = false;
    std::uint32_t open_flags = 0;
    bool hello_seen = false;
    std::vector<std::uint16_t> features;  // granted
    std::vector<setting> settings;        // DCP_CONTROL, in order of the answers
    certainty sure;
    flow_story flow;
    durability_story durability;
    noop_story noops;
    std::uint64_t messages[2] = {0, 0};  // by direction
    std::uint64_t stream_requests = 0, streams_opened = 0;
    std::uint64_t refused = 0, rolled_back = 0;
    std::vector<refusal> refusals;  // the first `most_refusals`
    std::vector<rollback> rollbacks;
    frame_ref first, last;
    frame_ref closed;  // first FIN or RST; frame 0: none
    bool reset = false;
    direction closed_by{};
    std::int64_t longest_silence_ns = 0;  // between two messages
    frame_ref longest_silence_from, longest_silence_to;
};

}  // namespace cdcscope::dcp
