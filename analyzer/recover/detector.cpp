#include "analyzer/recover/detector.h"

#include "analyzer/recover/foreign.h"
#include "analyzer/recover/search.h"
#include "proto/canal/frame.h"
#include "proto/canal/packet_types.h"
#include "proto/dcp/opcodes.h"

namespace cdcscope::recover {

namespace {

constexpr bool is_canal(protocol p) noexcept {
    return p == protocol::canal || p == protocol::canal_admin;
}

// Clients of these commands are clients of TCP; on a replication connection they are not, but there
// the port is known.
bool is_of_client(dcp::sender from) noexcept {
    return from == dcp::sender::client || from == dcp::sender::consumer ||
           from == dcp::sender::consumer_or_manager || from == dcp::sender::manager;
}

// Where two messages stand in a row, or one ends the bytes; bytes.size() if nowhere.
std::size_t find_two(const framing& rules, byte_view bytes, bool ended) {
    // A packet of a few bytes may stand anywhere by chance.
    constexpr std::size_t shortest_proof = 48;
    boundary_search search;
    for (std::size_t at = 0; at + shortest_proof <= bytes.size();) {
        const auto found = search.look(rules, static_cast<tcp::position>(at), bytes.subspan(at),
                                       ended ? run_end::closed : run_end::open);
        if (found.what == boundary_search::answer::rejected) {
            at += found.bytes;
            continue;
        }
        if (found.what == boundary_search::answer::accepted || search.whole_messages() >= 2) {
            return at;
        }
        break;
    }
    return bytes.size();
}

}  // namespace

std::optional<detector::verdict> detector::look(direction dir, byte_view bytes) {
    judge(dir, bytes, false);
    return settle();
}

std::optional<detector::verdict> detector::look_before_hole(direction dir, byte_view bytes) {
    side& s = sides_[index(dir)];
    if (!bytes.empty()) judge(dir, bytes, true);
    if (s.says == opinion::none || (s.says == opinion::foreign && s.foreign.empty())) {
        s.says = promised_ != protocol::unknown ? opinion::promise : opinion::open;
    }
    s.from_syn = false;
    s.look_again_at = 0;
    return settle();
}

detector::verdict detector::decide(const byte_view (&bytes)[2]) {
    for (const direction dir : {direction::c2s, direction::s2c}) {
        if (sides_[index(dir)].says == opinion::open && !bytes[index(dir)].empty()) {
            judge(dir, bytes[index(dir)], true);
        }
    }
    if (const auto settled = settle()) return *settled;
    for (const side& s : sides_) {
        if (s.says == opinion::foreign) return {protocol::other, s.foreign, false};
    }
    return {promised_ == protocol::unknown ? protocol::other : promised_, {}, false};
}

void detector::judge(direction dir, byte_view bytes, bool last) {
    side& s = sides_[index(dir)];
    if (is_tls_record(bytes)) {
        s.says = opinion::tls;
    } else if (s.from_syn && !last && bytes.size() < 5 && may_begin_tls(bytes)) {
        s.says = opinion::open;
    } else if (s.from_syn) {
        s.says = judge_start(dir, bytes, last);
    } else {
        // Nothing in the tail of a document speaks against what the port promises.
        s.says = promised_ != protocol::unknown ? opinion::promise : judge_middle(s, bytes, last);
    }
    if (s.says == opinion::foreign) s.foreign = name_foreign(bytes);
}

// The first bytes of a stream stand at a message boundary.
detector::opinion detector::judge_start(direction dir, byte_view bytes, bool last) const {
    if (dcp::is_magic(bytes[0])) {
        if (dcp::is_candidate(bytes, {.max_body = limit_.dcp_body})) return opinion::dcp;
        if (bytes.size() < dcp::header_size && !last) return opinion::open;
        if (promised_ == protocol::dcp) return opinion::dcp;
    }
    bool open = false;
    if (dir == direction::s2c || !roles_certain_) {
        switch (canal::recognise_server(bytes)) {
            case canal::server_start::data:
                return opinion::canal;
            case canal::server_start::admin:
                return opinion::canal_admin;
            case canal::server_start::undecided:
                open = true;
                break;
            case canal::server_start::neither:
                break;
        }
    }
    if (dir == direction::c2s) {
        for (const canal::port_kind port : {canal::port_kind::data, canal::port_kind::admin}) {
            const canal::match found = canal::check_frame(bytes, port);
            if (found == canal::match::partial) open = true;
            if (found != canal::match::whole) continue;
            return port == canal::port_kind::data ? opinion::canal : opinion::canal_admin;
        }
    }
    return open && !last ? opinion::open : opinion::foreign;
}

// Somewhere in a stream, on a port that promises nothing: messages must be found. Two in a row say
// what it is; where exactly they begin is for the search of the framer to say.
detector::opinion detector::judge_middle(side& s, byte_view bytes, bool last) const {
    if (!name_foreign(bytes).empty()) return opinion::foreign;
    const bool enough = last || bytes.size() >= longest_look;
    // Looking again pays when there is a quarter more.
    if (!enough && bytes.size() < s.look_again_at) return opinion::open;
    s.look_again_at = bytes.size() + bytes.size() / 4;
    for (const protocol what : {protocol::dcp, protocol::canal, protocol::canal_admin}) {
        const std::size_t found = find_two(framing(what, limit_), bytes, enough);
        if (found == bytes.size()) continue;
        note_sender(s, what, bytes.subspan(found));
        if (what == protocol::dcp) return opinion::dcp;
        return what == protocol::canal ? opinion::canal : opinion::canal_admin;
    }
    return enough ? opinion::foreign : opinion::open;
}

void detector::note_sender(side& s, protocol what, byte_view message) const {
    if (what == protocol::dcp) {
        const dcp::header h = dcp::parse_header(message).value;
        const dcp::opcode_row* row = dcp::find_opcode(h.kind, h.opcode);
        if (row == nullptr || row->from == dcp::sender::any) return;
        const bool of_client = h.is_response() != is_of_client(row->from);
        (of_client ? s.sent_by_client : s.sent_by_server) = true;
        return;
    }
    // The type stands behind the version, if there is one.
    const std::uint8_t* packet = message.data() + canal::length_size;
    const std::uint8_t type = packet[0] == 0x18 ? packet[1] : packet[3];
    for (const canal::packet_row& row : canal::packet_rows) {
        if (row.type != type || what != protocol::canal) continue;
        s.sent_by_client = row.from == canal::sender::client;
        s.sent_by_server = row.from == canal::sender::server;
    }
}

// One direction that is sure decides for both. What the server says counts more: on canal's ports
// it speaks first, and a probe that speaks HTTP to it is no reason to give up its own packets.
std::optional<detector::verdict> detector::settle() const {
    const side& client = sides_[0];
    const side& server = sides_[1];
    for (const side* s : {&server, &client}) {
        switch (s->says) {
            case opinion::dcp:
                return verdict{protocol::dcp, {}, must_flip()};
            case opinion::canal:
                return verdict{protocol::canal, {}, must_flip()};
            case opinion::canal_admin:
                return verdict{protocol::canal_admin, {}, must_flip()};
            case opinion::tls:
                return verdict{protocol::tls, "TLS", false};
            default:
                break;
        }
    }
    // What was searched in vain says less than what was recognised.
    const auto gives_up = [](const side& s, const side& other) {
        return s.says == opinion::foreign &&
               (s.from_syn || !s.foreign.empty() || other.says == opinion::foreign);
    };
    if (gives_up(server, client)) return verdict{protocol::other, server.foreign, false};
    if (gives_up(client, server) && !is_canal(promised_)) {
        return verdict{protocol::other, client.foreign, false};
    }
    if (client.says == opinion::promise || server.says == opinion::promise) {
        return verdict{promised_, {}, false};
    }
    return std::nullopt;
}

bool detector::must_flip() const noexcept {
    return !roles_certain_ && (sides_[0].sent_by_server || sides_[1].sent_by_client);
}

}  // namespace cdcscope::recover
