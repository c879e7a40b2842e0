// What the two ends of a connection agreed on: HELLO, DCP_OPEN, accepted controls.

#pragma once

#include <algorithm>
#include <optional>

#include "proto/dcp/names.h"
#include "proto/dcp/track_story.h"

namespace cdcscope::dcp {

// In force now. A setting counts from its success response on.
struct agreement {
    std::uint32_t open_flags = 0;
    std::optional<direction>
        producer;  // which way data goes: DCP_OPEN, else the first message that tells

    bool collections = false, mutation_tokens = false;  // HELLO
    bool noop = false;
    std::int64_t noop_interval_ns = 0;  // 0: never set
    bool expiry = false, stream_ids = false, sync_writes = false, named_consumer = false,
         oso = false, flat_events = false, marker_22 = false, v7_statuses = false;

    [[nodiscard]] bool sync_replication() const noexcept { return sync_writes && named_consumer; }
    [[nodiscard]] bool opened_with(std::uint32_t flag) const noexcept {
        return (open_flags & flag) != 0;
    }
};

}  // namespace cdcscope::dcp
