// Where Wireshark may not show every message: a hint, once a connection, at its first message
// behind a frame that TCP's analysis calls out of order, lost or acknowledged unseen.
#pragma once

#include "plugin/connection.h"

namespace cdcscope::ws {

// One a protocol, alive as long as the process.
class order_hint {
  public:
    // At registration; `filter` is static text: "cbdcp.order_unknown".
    void enroll(int proto, const char* filter);

    // First pass: message `id` was seen.
    static void saw(connection& c, std::uint32_t id) {
        if (c.disturbed != 0 && c.hinted == 0) c.hinted = id;
    }
    // End of the capture: where no message came behind the frame, the last one tells.
    static void finish(connection& c) { saw(c, c.last_message); }

    void show(packet_info* pinfo, proto_item* item, const connection& c, std::uint32_t id);

  private:
    expert_field expert_ = EI_INIT;
    ei_register_info row_[1] = {};
};

}  // namespace cdcscope::ws
