// `cbdcp`: one message of a Couchbase connection, shown and counted. Framing is the
// demultiplexer's.
#pragma once

#include "plugin/connection.h"
#include "plugin/dcp_state.h"
#include "proto/dcp/decode.h"

namespace cdcscope {

struct dcp_message {
    const ws::connection* c = nullptr;
    unsigned ordinal = 0;    // of the message in its frame
    dcp::message_view view;  // decoded as the state machine says
    dcp_memory memory;       // what it says
};
static_assert(std::is_trivially_destructible_v<dcp_message>);

// `tvb` is one message.
void dissect_dcp(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, const dcp_message& message);

// A message without its connection, as files of messages hold it.
void dissect_lone_dcp(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree);

[[nodiscard]] int dcp_protocol();
[[nodiscard]] bool is_dcp_enabled();

}  // namespace cdcscope
