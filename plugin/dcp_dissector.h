// `cbdcp`: one message of a Couchbase connection, shown and counted. Framing is the
// demultiplexer's.
#pragma once

#include "plugin/connection.h"
#include "plugin/dcp_state.h"
#include "proto/dcp/frame.h"

namespace cdcscope {

struct dcp_message {
    ws::connection* c = nullptr;
    direction dir = direction::c2s;
    unsigned ordinal = 0;  // of the message in its frame
    dcp::header head;
    bool shown_here = true;  // false: goes to the built-in dissector
    dcp_memory memory;       // what the state machine said of it
};
static_assert(std::is_trivially_destructible_v<dcp_message>);

// First pass: feeds the state machine. Any pass: fills in `message.memory`.
void observe_dcp(tvbuff_t* tvb, packet_info* pinfo, dcp_message& message);
void dissect_dcp(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, const dcp_message& message);

[[nodiscard]] int dcp_protocol();
[[nodiscard]] bool is_dcp_enabled();

}  // namespace cdcscope
