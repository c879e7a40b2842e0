// Taps of `canal`: statistics trees, response times, exported row changes, followed streams.

#pragma once

#include "plugin/canal_dissector.h"

namespace cdcscope {

// What the tap "canal" hands out: one packet. Its bytes live as long as the frame is dissected.
struct canal_tap_data {
    canal_packet packet;
    byte_view payload;  // the Packet
    std::int32_t type = 0;
    unsigned frame = 0;
};

void tap_canal(tvbuff_t* tvb, packet_info* pinfo, const canal_packet& packet, byte_view payload);
void register_canal_taps(int proto);

// Export objects and follow (canal_exports.cpp).
struct canal_export_taps {
    int objects = -1, follow = -1;
};
[[nodiscard]] canal_export_taps register_canal_exports(int proto);

}  // namespace cdcscope
