// What the state machine knows of a packet, as generated fields: links between frames, times,
// batches.
#pragma once

#include "plugin/canal_dissector.h"

namespace cdcscope {

void add_canal_links(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree,
                     const canal_packet& packet);

void register_canal_links(int proto);

}  // namespace cdcscope
