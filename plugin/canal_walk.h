// Turns the bytes of a canal message into a tree by the generated tables: every field of the .proto
// files where it stands, what is unknown as such.
#pragma once

#include "plugin/canal_fields.h"
#include "proto/canal/walk.h"

namespace cdcscope {

struct canal_walk {
    tvbuff_t* tvb = nullptr;
    packet_info* pinfo = nullptr;
    byte_view bytes;  // all captured bytes of `tvb`
    canal::port_kind port = canal::port_kind::data;
    bool visible = false;  // labels will be seen
    bool show_defaults = true;
    bool zero_defaults = false;    // peers from 1.1.4 on take 0 for absent fields of packets
    std::int32_t entry_type = -1;  // of the Entry that is being walked; -1: none
    const char* table = nullptr;   // "schema.table" of that Entry
    std::size_t items = 0;         // added so far
    std::size_t blobs = 0;         // shown as buffers of their own so far
};

// Adds the fields of the message at [from, to) of the walk's bytes to `tree`.
void add_canal_message(canal_walk& walk, proto_tree* tree, const canal_use& use, std::size_t from,
                       std::size_t to, int depth = 0);

void register_canal_walk(int proto);

}  // namespace cdcscope
