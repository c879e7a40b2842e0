#include "analyzer/capture/decoder.h"

#include "analyzer/capture/link_layers.h"
#include "analyzer/capture/tcp_header.h"
#include "analyzer/capture/tunnels.h"

namespace cdcscope::capture {
namespace {

// IP in IP in ...: more than any network does, few enough that a forged packet costs little.
constexpr int max_depth = 8;

}  // namespace

packet_kind decoder::decode(const packet& p) {
    at_ = p.at;
    const carried outer = peel_link(
        p.link_type,
        {p.bytes.data(), p.bytes.size(), std::max<std::size_t>(p.wire_length, p.bytes.size())});
    if (outer.what == carries::unknown_link) return packet_kind::unknown_link;
    if (outer.what == carries::exported_pdu) return on_exported(p);
    return on_carried(outer, 0);
}

packet_kind decoder::on_carried(const carried& inner, int depth) {
    carried next = inner;
    for (int frames = 0; next.what == carries::ethernet && frames < max_depth; ++frames)
        next = peel_ethernet(next.rest);
    return next.what == carries::ip && depth < max_depth ? on_ip(next.rest, depth)
                                                         : packet_kind::other;
}

packet_kind decoder::on_ip(layer_view bytes, int depth) {
    ip_packet packet;
    if (!parse_ip(bytes, packet)) return packet_kind::other;
    if (packet.is_fragment && !join(packet))
        return packet.protocol == ip_protocol::tcp ? packet_kind::tcp : packet_kind::other;
    return on_transport(packet, depth);
}

packet_kind decoder::on_transport(const ip_packet& packet, int depth) {
    if (packet.protocol != ip_protocol::tcp) return on_carried(peel_tunnel(packet), depth + 1);
    return on_tcp(packet);
}

// True when the fragment completes its datagram; `packet` is the whole then.
bool decoder::join(ip_packet& packet) {
    for (int headers = 0; packet.is_fragment && headers < max_depth; ++headers) {
        if (!packet.v6 && !may_carry_tcp(packet.protocol)) return false;
        if (!fragments_.add(packet, at_) || !skip_extensions(packet)) return false;
    }
    return !packet.is_fragment;
}

packet_kind decoder::on_tcp(const ip_packet& packet) {
    if (!parse_tcp(packet, segment_)) return packet_kind::other;
    segment_.at = at_;
    if (packet.payload.captured == packet.payload.wire)
        checksums_.see(segment_, tcp_checksum_is_good(packet));
    out_.segments->on_segment(segment_);
    return packet_kind::tcp;
}

packet_kind decoder::on_exported(const packet& p) const {
    exported_pdu pdu;
    if (out_.exported == nullptr || !parse_exported_pdu(p, pdu)) return packet_kind::other;
    out_.exported->on_exported_pdu(pdu);
    return packet_kind::exported_pdu;
}

void decoder::finish() {
    fragments_.finish();
    checksums_.report(*out_.observations);
}

}  // namespace cdcscope::capture
