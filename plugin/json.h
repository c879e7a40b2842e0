// JSON in a tree, by Wireshark's own dissector.
#pragma once

#include "plugin/ws_compat.h"

namespace cdcscope::ws {

// At hand-off, on behalf of protocol `parent`.
void find_json(int parent);

// Leaves the columns alone. Nothing where Wireshark was started without the JSON dissector, or
// nobody looks.
void dissect_json(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree);

}  // namespace cdcscope::ws
