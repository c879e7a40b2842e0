// `canal`: one packet shown field by field, with the bytes of each. Framing is canal_stream's.
#pragma once

#include "plugin/canal_fields.h"
#include "plugin/canal_state.h"
#include "plugin/connection.h"

namespace cdcscope {

struct canal_packet {
    ws::connection* c = nullptr;
    direction dir = direction::c2s;
    unsigned ordinal = 0;  // of the packet in its frame
    canal::port_kind port = canal::port_kind::data;
    bool zero_defaults = false;  // the server is 1.1.4 or newer: absent fields are 0
    canal_memory memory;
    bool bare = false;  // without the 4 bytes of length in front
};

// `tvb` is one frame: 4 bytes of length, then the Packet.
void dissect_canal(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, const canal_packet& packet);

// The same where the length cannot be.
void dissect_canal_bad_length(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree,
                              const canal_packet& packet);

[[nodiscard]] int canal_protocol();
void register_canal_dissector(int proto);

}  // namespace cdcscope
