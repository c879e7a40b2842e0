// Tunnels that carry IP in IP: GRE and what rides on it, and those over UDP.
#pragma once

#include "analyzer/capture/ip.h"
#include "analyzer/capture/layer.h"

namespace cdcscope::capture {

// What an IP packet carries besides TCP; carries::nothing for protocols that are no tunnel.
[[nodiscard]] carried peel_tunnel(const ip_packet& packet) noexcept;

// Whether a protocol can lead to TCP, so that its fragments are worth keeping.
[[nodiscard]] bool may_carry_tcp(std::uint8_t protocol) noexcept;

}  // namespace cdcscope::capture
