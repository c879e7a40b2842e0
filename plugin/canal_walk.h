// Turns the bytes of a canal message into a tree by the generated tables: every field of the .proto
// files where it stands, what is unknown as such (wireshark.md section 5, canal.md section 3).
#pragma once

#include "plugin/canal_fields.h"
#include "proto/canal/wire.h"

namespace cdcscope {

struct canal_walk {
    tvbuff_t* tvb = nullptr;
    packet_info* pinfo = nullptr;
    byte_view bytes;  // all captured bytes of `tvb`
    canal::port_kind port = canal::port_kind::data;
    bool visible = false;   // labels will be seen
    std::size_t items = 0;  // added so far
    std::size_t blobs = 0;  // shown as buffers of their own so far
};

// Adds the fields of the message at [from, to) of the walk's bytes to `tree`. `body_type` is the
// packet type (of a Packet) or the entry type (of an Entry).
void add_canal_message(canal_walk& walk, proto_tree* tree, const canal_use& use, std::size_t from,
                       std::size_t to, std::int64_t body_type, int depth);

// The last occurrence of a field in the message at [from, to); false if it is not there or the
// message breaks before it.
[[nodiscard]] bool find_canal_field(byte_view bytes, std::size_t from, std::size_t to,
                                    std::uint32_t number, canal::wire_type wire,
                                    canal::wire_field& found);

void register_canal_walk(int proto);

}  // namespace cdcscope
