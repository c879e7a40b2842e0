// Everything between the wire and IP: link types of tcpdump.org, Ethernet types, tags and labels.

#pragma once

#include "analyzer/capture/layer.h"

namespace cdcscope::capture {

// Whether packets of this LINKTYPE_ value can be read.
[[nodiscard]] bool knows_link_type(std::uint32_t link_type) noexcept;
// Takes off the link layer of a packet.
[[nodiscard]] carried peel_link(std::uint32_t link_type, layer_view packet) noexcept;

// Takes off an Ethernet header with its tags and labels.
[[nodiscard]] carried peel_ethernet(layer_view frame) noexcept;
// What an Ethernet type announces; `rest` begins behind the type.
[[nodiscard]] carried peel_ethertype(std::uint16_t type, layer_view rest) noexcept;
// A PPP frame, with or without its address and control bytes.
[[nodiscard]] carried peel_ppp(layer_view frame) noexcept;

}  // namespace cdcscope::capture
