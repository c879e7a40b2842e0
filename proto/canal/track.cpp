// The client's packets: who asks what for which key.
#include "proto/canal/track.h"

#include <algorithm>
#include <charconv>
#include <functional>

#include "proto/canal/time_unit.h"
#include "proto/canal/track_connection.h"
#include "proto/canal/walk.h"
#include "proto/findings/words.h"

namespace cdcscope::canal {

using findings::printable;
using findings::sentence;

namespace {

constexpr std::int32_t java_idle_timeout_ms = 3'600'000;

// What Java's Short.valueOf takes.
bool is_java_short(std::string_view text) noexcept {
    if (!text.empty() && text.front() == '+') {
        text.remove_prefix(1);
        if (!text.empty() && text.front() == '-') return false;
    }
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() && value >= -32768 &&
           value <= 32767;
}

bool is_scramble(byte_view password) noexcept {
    const auto is_hex = [](std::uint8_t c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    };
    return password.size() == 40 && std::all_of(password.begin(), password.end(), is_hex);
}

}  // namespace

tracker::state::state(world::state& world, const connection_start& begin,
                      findings::finding_sink& out)
    : shared(world),
      sink(out),
      id(begin.id),
      server(begin.server),
      port(begin.port),
      from_start{begin.from_start[0], begin.from_start[1]},
      pairing_doubt(!begin.from_start[0] || !begin.from_start[1]) {
    if (pairing_doubt) doubt_number = after_next_answer;
    shared.live.emplace(id, &last_frame_ns);
}

tracker::state::~state() {
    shared.live.erase(id);
    shared.in_doubt.erase(id);
    shared.rivals_in_doubt.erase(id);
    shared.set_straggling(id, {});
}

track_record tracker::state::feed(const message_input& m) {
    begin_event(m.id, m.frames);
    const bool late = last_frame_ns == 0 && (!from_start[0] || !from_start[1]);
    if (late || in_hole[index(m.dir)]) shared.lost_ns = std::max(shared.lost_ns, now());
    over_hole(m.dir);
    track_record rec;
    rec.era = era;
    const packet_view packet = parse_packet(m.payload, port);
    const bool client = m.dir == direction::c2s;
    if (!client && !server_spoke) {
        server_spoke = true;
        const bool handshake_due = from_start[index(m.dir)] && !holes[index(m.dir)];
        foreign = handshake_due && !(packet.ok() && is(packet.type, packet_type::handshake));
    }
    if (foreign || reset || (client && server_fin)) {
        rec.ignored = true;
        if (!foreign && client) name_only(m, packet, rec);
        return rec;
    }
    check_times(now());
    if (first_frame_ns == 0) first_frame_ns = now();
    last_frame_ns = now();
    tell_rollbacks_of_mine();
    tell_rivals_of_mine();
    if (client) {
        answers_lost();
    } else {
        server_spoke_since = true;
    }
    if (!packet.ok()) {
        malformed("the Packet", text(packet.why));
    } else if (admin()) {
        admin_packet(m, packet, rec);
    } else if (client) {
        client_packet(m, packet, rec);
    } else {
        server_packet(m, packet, rec);
    }
    rec.era = era;
    rec.malformed = reported(code::canal_malformed);
    if (rec.destination == 0) rec.destination = last_destination;
    return rec;
}

// A request that nobody reads any more has no effect, but belongs to its destination.
void tracker::state::name_only(const message_input& /*m*/, const packet_view& packet,
                               track_record& rec) {
    const request_view q = parse_request(packet.type, packet.body);
    const destination_state* d = shared.destination(server, q.destination);
    rec.destination = d != nullptr ? d->index : last_destination;
}

void tracker::state::client_packet(const message_input& m, const packet_view& packet,
                                   track_record& rec) {
    const packet_row& row = row_of_type(port, packet.type);
    const bool auth = is(packet.type, packet_type::clientauthentication);
    const bool first =
        !client_spoke && from_start[index(direction::c2s)] && !holes[index(direction::c2s)];
    client_spoke = true;
    auth_seen = auth_seen || auth;

    request r;
    r.number = next_number++;
    r.after_get = get_seen;
    r.id = m.id;
    r.acknowledges = m.acknowledges;
    r.at = where.done;
    r.type = packet.type;
    r.login = auth || (first && !logged_in);
    r.how = r.login                           ? answered::always
            : row.how == answered::no_request ? answered::unsupported
                                              : row.how;
    if (first && !auth) {
        report(code::canal_request_too_early,
               {doubtful() ? severity::note : severity::error, doubtful(), {}},
               {{"packet", type_text(port, packet.type)}},
               sentence("the first request of the connection was ", type_text(port, packet.type),
                        ", not a login"));
    }
    if (row.from != sender::client) {
        report(code::canal_packet_unsupported, {severity::warning, false, {}},
               {{"packet", type_text(port, packet.type)}},
               sentence("the client sent ", type_text(port, packet.type),
                        ", which no server handles"));
    }
    check_body(packet);
    const request_view q = parse_request(packet.type, packet.body);
    name_request(r, q);
    if (auth) judge_login(q);
    judge_filter(r, q);
    if (is(packet.type, packet_type::get)) judge_get(r, q);
    r.batch_id = q.batch_id;
    if (is(packet.type, packet_type::clientack) && q.batch_id <= 0) {
        const bool poll = q.batch_id == -1;
        report(code::canal_ack_no_batch, {poll ? severity::chat : severity::warning, false, {}},
               {{"batchId", q.batch_id}},
               poll ? "the client acknowledged an empty poll, which the server ignores"
                    : sentence("the client acknowledged batch ", std::to_string(q.batch_id),
                               ", which the server refuses"));
    }
    const std::int64_t spread = m.first_ns != 0 ? now() - m.first_ns : 0;
    if (spread > shared.limits.ns(findings::limit::write_time)) {
        if (stalls++ == 0) first_stall = where.done;
        stalled_ns += spread;
    }
    fill(rec, r);
    key_state* key = r.key;
    if (sent_in_hole(r)) lose_answer(r);
    push(std::move(r));
    const request& kept = open_.back();
    if (is(kept.type, packet_type::clientack) && !kept.dropped.empty()) {
        const batch& acked = kept.dropped.begin()->second;
        rec.batch = acked.facts.message;
        rec.elapsed_ns = now() - acked.facts.delivered.time_ns;
    }
    after(rec, key);
}

void tracker::state::check_body(const packet_view& packet) {
    const packet_row& row = row_of_type(port, packet.type);
    if (row.body != message_id::none && row.body != message_id::messages) {
        const fault why = check_message(row.body, packet.body);
        if (why != fault::none)
            malformed(sentence("the body of ", type_text(port, packet.type)), text(why));
    }
    if (packet.compression.value_or(0) > static_cast<int>(enums::compression::none)) {
        report(code::canal_packet_unsupported, {severity::warning, false, {}},
               {{"packet", type_text(port, packet.type)},
                {"compression", std::int64_t{*packet.compression}}},
               sentence(type_text(port, packet.type),
                        " names a compression, which no peer implements"));
    }
}

// False if the connection names too many keys to keep.
bool tracker::state::use_key(key_state& key) {
    if (!is_named.contains(&key)) {
        if (named.size() >= most_named) return false;
        is_named.insert(&key);
        named.push_back(&key);
        if (live) key.users.push_back(id);
        if (pairing_doubt || holes[0] || holes[1]) key.begin_doubt();
    }
    last_key = &key;
    return true;
}

// Batches belong to server, destination and client id; a login has them only if it subscribes at
// once.
void tracker::state::name_request(request& r, const request_view& q) {
    const bool auth = is(r.type, packet_type::clientauthentication);
    r.no_name = q.destination.empty() || q.client_id.empty();
    if (!q.client_id.empty() && !is_java_short(q.client_id)) {
        malformed("the client id",
                  sentence("\"", printable(q.client_id), "\" is no 16-bit number"));
    }
    if (last_key != nullptr && q.destination == last_key->destination->name &&
        q.client_id == last_key->client_id) {
        r.destination = last_key->destination;
        r.key = last_key;
    } else {
        r.destination = shared.destination(server, q.destination);
        r.key = shared.key(r.destination, q.client_id);
    }
    if (r.key != nullptr && !use_key(*r.key)) r.key = nullptr;
    if (r.destination != nullptr) last_destination = r.destination->index;
    if (auth) {
        net_read_timeout = q.net_read_timeout != 0 ? q.net_read_timeout : java_idle_timeout_ms;
        timeout_asked = true;
    }
}

void tracker::state::judge_login(const request_view& q) {
    if (!q.password.empty() && !is_scramble(q.password)) {
        report(code::canal_auth_clear_text, {severity::warning, false, {}},
               {{"username", std::string(q.username)}},
               sentence("the login of user \"", printable(q.username),
                        "\" shows its password in clear text"));
    } else if (q.password.empty() && seeds_sent) {
        report(code::canal_auth_clear_text, {severity::note, false, {}},
               {{"username", std::string(q.username)}},
               sentence("user \"", printable(q.username), "\" logged in without a password"));
    }
}

void tracker::state::judge_filter(const request& r, const request_view& q) {
    const bool subscribes =
        is(r.type, packet_type::subscription) || is(r.type, packet_type::clientauthentication);
    if (!subscribes || r.destination == nullptr || q.filter.empty()) return;
    destination_state& d = *r.destination;
    const std::size_t hash = std::hash<std::string_view>()(q.filter);
    const std::string_view kept = q.filter.substr(0, most_of_filter);
    const bool differs =
        hash != d.filter_hash || q.filter.size() != d.filter_size || kept != d.filter;
    if (d.filter_size != 0 && differs) {
        report(code::canal_filter_changed, {severity::warning, false, {}},
               {{"destination", d.name}, {"filter", std::string(kept)}, {"filterBefore", d.filter}},
               sentence("the filter of ", printable(d.name), " became \"", printable(kept),
                        "\", before it was \"", printable(d.filter), "\""));
    }
    d.filter = kept;
    d.filter_size = q.filter.size();
    d.filter_hash = hash;
}

void tracker::state::judge_get(request& r, const request_view& q) {
    get_seen = true;
    r.fetch_size = q.fetch_size;
    // Absent fields: up to 1.1.3 the documented defaults, later 0.
    const bool old = era == server_era::up_to_1_1_3;
    const std::int64_t timeout = q.timeout.value_or(old ? -1 : 0);
    const std::int32_t unit = q.unit.value_or(old ? 2 : 0);
    r.never_late = timeout == 0;
    r.wait_ns = timeout > 0 ? wait_of(timeout, unit) : 0;
    if (timeout == 0) {
        std::vector<findings::figure> figures;
        add_key(figures, r.key);
        report(code::canal_connection_idle, {severity::note, false, {}}, std::move(figures),
               "a GET with time-out 0 waits until its fetch size is reached, perhaps for ever");
    }
    if (r.key == nullptr) return;
    const std::int64_t limit = shared.limits.ns(findings::limit::competing_time);
    std::vector<std::uint64_t> rivals;
    std::vector<getter>& getters = r.destination->getters;
    frame_ref first;
    bool doubt = true;  // of all of them
    for (const getter& g : getters) {
        if (g.connection == id || now() - g.at_ns > limit) continue;
        destination_state& d = *r.destination;
        if (d.told.size() >= most_keys) break;
        const std::uint64_t pair =
            std::uint64_t{std::min(id, g.connection)} << 32 | std::max(id, g.connection);
        if (d.told.contains(pair)) continue;
        // Heard late: whether this one was still there at the other's GET is not known yet.
        const bool late = g.at_ns > now();
        const bool unsure = late || may_be_over(g.connection);
        if (unsure && d.told_unsure.size() >= most_keys) continue;
        if (!(unsure ? d.told_unsure : d.told).insert(pair).second) continue;
        if (unsure) {
            std::vector<rival_in_doubt>& of = shared.rivals_in_doubt[late ? id : g.connection];
            const frame_ref later{std::max(g.at_ns, now()), late ? g.frame : where.done.frame,
                                  where.done.file};
            if (of.size() < most_pieces)
                of.push_back({late ? g.connection : id, later, r.destination, r.key});
        }
        if (doubt && !unsure) rivals.clear();
        if (unsure && !doubt) continue;
        doubt = unsure;
        rivals.push_back(g.connection);
        first = {g.at_ns, g.frame, where.done.file};
    }
    if (!rivals.empty()) tell_rivals(std::move(rivals), r.destination->name, r.key, first, doubt);
    const auto mine = std::find_if(getters.begin(), getters.end(),
                                   [&](const getter& g) { return g.connection == id; });
    const getter latest{id, now(), where.done.frame};
    if (mine != getters.end()) {
        *mine = latest;
    } else if (live) {
        getters.push_back(latest);
    }
}

void tracker::state::fill(track_record& rec, const request& r) {
    rec.key = r.key != nullptr ? r.key->index : 0;
    rec.destination = r.destination != nullptr ? r.destination->index : 0;
}

void tracker::state::after(track_record& rec, const key_state* key) {
    if (key == nullptr) return;
    rec.outstanding = static_cast<std::uint32_t>(key->open.size());
    rec.outstanding_bytes = key->open_bytes;
}

tracker::tracker(world& shared, const connection_start& start, findings::finding_sink& sink)
    : state_(std::make_unique<state>(*shared.state_, start, sink)) {}
tracker::~tracker() = default;

track_record tracker::feed(const message_input& m) noexcept {
    return state_->feed(m);
}
void tracker::hole(direction dir) noexcept {
    state_->hole(dir);
}
void tracker::hole_ends(direction dir, std::uint64_t offset) noexcept {
    state_->hole_ends(dir, offset);
}
void tracker::behind(bool is) noexcept {
    state_->fall_behind(is);
}
void tracker::order_unknown() noexcept {
    state_->unordered = true;
}
void tracker::bad_length(direction dir, std::uint32_t length, byte_view behind, std::uint32_t event,
                         const frame_span& frames) noexcept {
    state_->begin_event(event, frames);
    state_->bad_length(dir, length, behind);
}
void tracker::damaged(direction dir, byte_view head, std::uint32_t event,
                      const frame_span& frames) noexcept {
    if (dir != direction::s2c) return;
    state_->begin_event(event, frames);
    state_->damaged_batch(head);
}
void tracker::incomplete(direction dir, std::uint32_t event, const frame_span& frames) noexcept {
    state_->pending_incomplete[index(dir)] = true;
    state_->begin_event(event, frames);
    state_->cut_frames();
}
void tracker::end(direction dir, close_kind how, std::uint32_t event,
                  const frame_ref& at) noexcept {
    state_->begin_event(event, {at.frame, at.frame, at});
    state_->end(dir, how);
}
void tracker::finish(std::uint32_t event, const frame_ref& at) noexcept {
    state_->begin_event(event, {at.frame, at.frame, at});
    state_->finish();
}

}  // namespace cdcscope::canal
