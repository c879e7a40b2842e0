// One stream of a connection as the rules see it, and where a message belongs.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "proto/dcp/track_keys.h"
#include "proto/dcp/track_message.h"
#include "proto/dcp/track_report.h"
#include "proto/dcp/track_requests.h"
#include "proto/dcp/track_story.h"
#include "proto/dcp/track_world.h"

namespace cdcscope::dcp {

// A prepare without commit or abort.
struct open_prepare {
    std::string key;           // as sent, with prefix
    std::uint32_t prefix = 0;  // size of the collection prefix
    std::uint64_t seqno = 0;
    std::uint8_t level = 0;
    std::uint32_t id = 0;
    moment at;
    std::uint32_t snapshot = 0;  // index of the snapshot it came in
    bool spared = false;  // in a disk snapshot that says it is completed: D30 does not ask for it
    bool told = false;    // D30 was given
    running told_running;
    std::int64_t replica_ns = -1;
    frame_ref acked;  // by the replica
};

// Sorted by seqno, found by key. Moves cheaply.
struct prepare_index {
    bool resting = false;  // too many are open: what is missing here says nothing
    std::map<std::uint64_t, open_prepare> by_seqno;
    std::unordered_map<std::string, std::uint64_t> by_key;
};

inline constexpr std::uint32_t no_marker = UINT32_MAX;

struct dcp_stream {
    stream_story story;
    std::uint32_t request_id = 0;  // message of the STREAM_REQ
    std::uint32_t born_in = 0;     // count of holes when it was opened
    bool known = true;             // false: its STREAM_REQ was not seen
    std::uint64_t asked_order = 0;
    std::int64_t asked_time = 0;
    text_id selection = 0;  // stream id, scope and collections asked for

    // Snapshot in force.
    std::uint32_t marker_id = 0;
    std::uint32_t ack_marker = 0;  // marker with the ACK flag that is not answered yet
    std::int64_t ack_asked = 0;
    bool has_marker = false;
    bool any_marker = false;  // D08 does not judge the first
    bool after_oso = false;   // the next marker is the first after an out-of-order snapshot
    std::uint32_t marker_in = no_marker;  // count of holes when it was taken
    std::uint32_t last_disk = 0;          // index of the last disk snapshot
    std::uint64_t completed = 0;          // high completed seqno of its marker
    key_set keys;
    bool keys_rest = false;
    std::uint64_t last_sync_prepare = 0;  // last prepare of level 1 or 2 in the snapshot

    // Out-of-order snapshot.
    std::uint64_t oso_highest = 0;

    std::uint64_t last_item_order = 0;
    std::int64_t end_wait_since = -1;  // requested end reached, STREAM_END not yet (D50)
    bool end_told = false;
    running end_running;

    std::unique_ptr<prepare_index> prepares;
    std::uint64_t acked = 0;  // SEQNO_ACK
    bool has_ack = false;

    std::uint32_t pending_unanswered = 0, states_unanswered = 0;  // SET_VBUCKET_STATE (D47)
    bool takeover_told = false;

    std::vector<std::uint32_t> collections;  // announced on it

    // D52: what an earlier connection had received.
    std::uint64_t earlier_highest = 0, earlier_resumable = 0;
    std::uint32_t earlier_connection = 0;
    bool earlier_unsure = false;  // a rollback between may be hidden
    frame_ref repeated_from;
    running repeated_told;

    running past_told[2];  // D55: note, warning
    bool past_seen[2] = {false, false};
    std::uint64_t past_end = 0;  // items above the requested end

    [[nodiscard]] bool ended() const noexcept { return story.state == stream_state::ended; }
    [[nodiscard]] bool open() const noexcept { return story.state == stream_state::open; }
    // The last seqno sent, out-of-order items included.
    [[nodiscard]] std::uint64_t sent() const noexcept {
        return story.in_oso && oso_highest > story.last_seqno ? oso_highest : story.last_seqno;
    }
    // A finite end that is in force as asked.
    [[nodiscard]] bool finite() const noexcept {
        constexpr std::uint32_t replaced =
            stream_flag::to_latest | stream_flag::disk_only | stream_flag::from_latest;
        return known && story.end != UINT64_MAX && (story.flags & replaced) == 0;
    }
};

// Where a data message belongs.
enum class belongs : std::uint8_t {
    to_stream,
    after_end,
    opaque_of_other_vbucket,
    other_opaque,
    nowhere,
    ended_before
};

struct place_found {
    belongs how = belongs::nowhere;
    dcp_stream* stream = nullptr;
};

class stream_table {
  public:
    // `stream_id` 0: none.
    dcp_stream& add(std::uint16_t vbucket, std::uint16_t stream_id, std::uint32_t opaque);

    [[nodiscard]] place_found find(std::uint16_t vbucket, std::uint16_t stream_id,
                                   std::uint32_t opaque) noexcept;
    // The newest stream of a vbucket and stream id; null if there was none.
    [[nodiscard]] dcp_stream* newest(std::uint16_t vbucket, std::uint16_t stream_id) noexcept;
    // The newest stream with this opaque and vbucket; null if there is none.
    [[nodiscard]] dcp_stream* by_opaque(std::uint32_t opaque, std::uint16_t vbucket) noexcept;
    // The newest stream with this opaque, of any vbucket; null if there is none.
    [[nodiscard]] dcp_stream* with_opaque(std::uint32_t opaque) noexcept;
    // By index from 1; null if it was dropped.
    [[nodiscard]] dcp_stream* at(std::uint32_t number) noexcept;

    // All that are kept, oldest first.
    [[nodiscard]] const std::vector<std::unique_ptr<dcp_stream>>& all() const noexcept {
        return streams_;
    }
    [[nodiscard]] std::uint32_t count() const noexcept { return count_; }

  private:
    using index = std::unordered_map<std::uint64_t, dcp_stream*>;
    static std::uint64_t place_key(std::uint16_t vbucket, std::uint16_t stream_id) noexcept {
        return std::uint64_t{vbucket} << 16 | stream_id;
    }
    void drop_oldest();
    void forget(const dcp_stream& gone);

    std::vector<std::unique_ptr<dcp_stream>> streams_;
    std::uint32_t count_ = 0;
    // The newest stream of each: place; opaque, vbucket and stream id; opaque and vbucket; opaque.
    index by_place_, by_all_, by_opaque_vbucket_, by_opaque_;
};

}  // namespace cdcscope::dcp
