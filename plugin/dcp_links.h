// What the state machine knows of a message, as generated fields: links between frames, times,
// streams, snapshots, flow control.
#pragma once

#include "plugin/dcp_tree.h"

namespace cdcscope {

void add_dcp_links(const dcp_tree_context& t, proto_tree* tree, const dcp_message& message);

}  // namespace cdcscope
