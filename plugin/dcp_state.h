// What the plugin remembers of each message: fed to the shared state machine on the first pass,
// read back on every pass.
#pragma once

#include "plugin/connection.h"
#include "proto/dcp/context.h"
#include "proto/dcp/frame.h"

namespace cdcscope {

struct dcp_memory {
    std::uint32_t id = 0;  // of this message; 0: not seen on the first pass
    dcp::track_record record;
};

}  // namespace cdcscope
