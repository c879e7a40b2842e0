// Filters that choose a TCP connection: for "Follow stream" and "Conversation Filter" of our
// protocols.
#pragma once

#include "plugin/ws_compat.h"

namespace cdcscope::ws {

// Registers "Follow stream" for `proto` and gives the tap that its messages are queued to, as tvbs.
[[nodiscard]] int register_follow(int proto, const char* tap_name);

}  // namespace cdcscope::ws
