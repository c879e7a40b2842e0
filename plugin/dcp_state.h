// What the plugin remembers of each Couchbase message: fed to the shared state machine on the first
// pass, read back on every pass.
#pragma once

#include "plugin/connection.h"
#include "plugin/tcp_watch.h"
#include "proto/dcp/decode.h"
#include "proto/findings/thresholds.h"

namespace cdcscope {

// Frames of other messages; 0: none, or not yet. The rest is as in dcp::track_record.
struct dcp_memory {
    std::uint32_t id = 0;  // of this message; 0: not seen on the first pass
    dcp::decode_context context;
    bool has_partition = false, flow_known = false;
    std::uint16_t partition = 0;
    std::uint32_t stream = 0, snapshot = 0;
    std::uint32_t outstanding = 0, window = 0;
    std::uint64_t snapshot_end = 0;
    std::int64_t elapsed_ns = -1;
    std::uint32_t request = 0, response = 0;
    std::uint32_t prepare = 0, commit = 0, abort = 0;
    std::uint32_t opened_by = 0, marker = 0, acknowledged_in = 0;
    std::int64_t completion_ns = -1;  // prepare: to its commit or abort; request: to its response
    const char* scope = nullptr;      // names of the key's collection, learned on the connection
    const char* collection = nullptr;
};
static_assert(std::is_trivially_destructible_v<dcp_memory>);

// First pass: feeds `bytes`, the captured ones of a message. Any pass: what is remembered of the
// frame's message `ordinal`.
[[nodiscard]] dcp_memory observe_dcp(packet_info* pinfo, ws::connection& c, direction dir,
                                     unsigned ordinal, byte_view bytes, bool cut);

// The same where a message should begin, after others that are whole, and `size` bytes begin none.
[[nodiscard]] dcp_memory observe_dcp_break(packet_info* pinfo, ws::connection& c, direction dir,
                                           unsigned ordinal, std::size_t size);

// Expert items of what became certain at this message.
void show_dcp_findings(packet_info* pinfo, proto_item* item, const dcp_memory& memory);

// Thresholds of the rules, in force from the next capture or redissection on.
[[nodiscard]] findings::thresholds& dcp_limits();

// `show_end`: called for each frame, as ws::tcp_watcher::show.
void register_dcp_state(int connection_proto, ws::tcp_watcher::shower show_end);

}  // namespace cdcscope
