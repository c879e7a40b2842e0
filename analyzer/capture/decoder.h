// Packets in, TCP segments out: link layers, tunnels and IP taken off, fragments put together.
#pragma once

#include "analyzer/capture/checksum_watch.h"
#include "analyzer/capture/exported_pdu.h"
#include "analyzer/capture/fragments.h"
#include "analyzer/capture/ip.h"
#include "analyzer/capture/layer.h"
#include "analyzer/capture/observation.h"
#include "analyzer/capture/packet.h"
#include "analyzer/capture/segment.h"

namespace cdcscope::capture {

// Where what was found goes. `exported` may be null: then such records count as other packets.
struct sinks {
    segment_sink* segments = nullptr;
    observation_sink* observations = nullptr;
    exported_pdu_sink* exported = nullptr;
};

enum class packet_kind : std::uint8_t {
    tcp,  // a segment, or a fragment of one
    exported_pdu,
    other,
    unknown_link,  // its link type is not read
};

class decoder {
  public:
    explicit decoder(const sinks& out, const fragment_limits& limits = {})
        : out_(out), fragments_(*out.observations, limits) {}

    // Takes one packet apart; calls the sinks before it returns.
    packet_kind decode(const packet& p);
    // The capture is over: what still waits is reported.
    void finish();

  private:
    packet_kind on_ip(layer_view bytes, int depth);
    packet_kind on_transport(const ip_packet& packet, int depth);
    bool join(ip_packet& packet);
    packet_kind on_tcp(const ip_packet& packet);
    packet_kind on_carried(const carried& inner, int depth);
    [[nodiscard]] packet_kind on_exported(const packet& p) const;

    sinks out_;
    fragment_table fragments_;
    checksum_watch checksums_;
    segment segment_;  // used again for each packet
    frame_ref at_;     // packet being taken apart
};

}  // namespace cdcscope::capture
