// What the plugin remembers of each canal packet: fed to the shared state machine on the first
// pass, read back on every pass.
#pragma once

#include "plugin/connection.h"
#include "proto/canal/track.h"

namespace cdcscope {

struct canal_memory {
    std::uint32_t id = 0;  // of this packet; 0: not seen on the first pass
    canal::track_record record;
    frame_ref at;  // of this packet
    frame_ref response, acked,
        rolled_back;           // frames of later packets about this one; frame 0: none (yet)
    frame_ref request, batch;  // of earlier ones
};
static_assert(std::is_trivially_destructible_v<canal_memory>);

// First pass: feeds the packet (its bytes behind the length; one that the capture cut is a hole).
// Any pass: what is remembered of the frame's packet `ordinal`.
[[nodiscard]] canal_memory observe_canal(packet_info* pinfo, ws::connection& c, direction dir,
                                         canal::port_kind port, unsigned ordinal, byte_view payload,
                                         bool cut, bool first_of_buffer);
// A length that cannot be, in place of a packet.
[[nodiscard]] canal_memory observe_bad_length(packet_info* pinfo, ws::connection& c, direction dir,
                                              canal::port_kind port, unsigned ordinal,
                                              std::uint32_t length, byte_view behind);

// Expert items of what became certain at this packet.
void show_canal_findings(packet_info* pinfo, proto_item* item, const canal_memory& memory);

// Thresholds of the rules, in force from the next capture or redissection on.
[[nodiscard]] findings::thresholds& canal_limits();

void register_canal_state(int proto);

}  // namespace cdcscope
