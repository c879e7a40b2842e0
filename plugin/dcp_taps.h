// Taps of `cbdcp`: statistics trees, response times, exported documents, followed streams.

#pragma once

#include "plugin/dcp_dissector.h"

namespace cdcscope {

// What the tap "cbdcp" hands out: one message.
struct dcp_tap_data {
    dcp_message message;
    unsigned size = 0;  // on the wire
    unsigned frame = 0;
};

void tap_dcp(tvbuff_t* tvb, packet_info* pinfo, const dcp_message& message);
void register_dcp_taps(int proto);

// Export objects and follow (dcp_exports.cpp).
struct dcp_export_taps {
    int objects = -1, follow = -1;
};
[[nodiscard]] dcp_export_taps register_dcp_exports(int proto);

}  // namespace cdcscope
