#include "analyzer/recover/recovery.h"

namespace cdcscope::recover {

recovery::recovery(const options& chosen, handler& to, capture::observation_sink& observations)
    : chosen_(chosen),
      to_(to),
      notes_(observations),
      table_(chosen_.tcp, chosen_.ports.all(), *this, observations) {}

std::unique_ptr<tcp::stream_consumer> recovery::open(const tcp::connection& c) {
    const tcp::connection_identity& who = c.who();
    const protocol promised = chosen_.ports.at(who.server.port);
    if (!who.from_syn && promised != protocol::unknown) to_.on_late_start(promised, who.first);
    return std::make_unique<recovered_connection>(who, &c, chosen_, to_, notes_);
}

void recovery::finish() {
    table_.finish();
    for (auto& [who, c] : exported_) c.records->on_close(end_kind::end_of_capture, c.last);
    exported_.clear();
}

recovery::pdu_connection& recovery::find(const capture::exported_pdu& pdu) {
    const auto who = std::minmax(pdu.source, pdu.destination);
    const auto [at, is_new] = exported_.try_emplace({who.first, who.second});
    if (!is_new) return at->second;
    const bool from_known = chosen_.ports.at(pdu.source.port) != protocol::unknown;
    const bool to_known = chosen_.ports.at(pdu.destination.port) != protocol::unknown;
    const bool from_server = from_known && !to_known;
    tcp::connection_identity identity;
    identity.id = table_.take_number();
    identity.client = from_server ? pdu.destination : pdu.source;
    identity.server = from_server ? pdu.source : pdu.destination;
    identity.roles_certain = from_known != to_known;
    identity.first = pdu.at;
    at->second.client = identity.client;
    at->second.records =
        std::make_unique<recovered_connection>(identity, nullptr, chosen_, to_, notes_);
    return at->second;
}

void recovery::on_exported_pdu(const capture::exported_pdu& pdu) {
    if (!pdu.over_tcp) return;
    pdu_connection& c = find(pdu);
    c.last = {pdu.at, ++records_};
    const direction side = pdu.source == c.client ? direction::c2s : direction::s2c;
    protocol carries = protocol::other;
    if (pdu.dissector == "couchbase" || pdu.dissector == "cbkv" || pdu.dissector == "cbdcp") {
        carries = protocol::dcp;
    } else if (pdu.dissector == "canal") {
        carries = protocol::canal;
    }
    c.records->on_record(side, carries, pdu.bytes, pdu.wire_length, c.last);
}

}  // namespace cdcscope::recover
