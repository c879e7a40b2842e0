// Time-outs, holes, closes and the end of the capture.
#include <algorithm>
#include <utility>

#include "proto/canal/track_connection.h"
#include "proto/findings/words.h"

namespace cdcscope::canal {

using findings::duration_text;
using findings::plural;
using findings::sentence;

namespace {

// "batch 7", "batch 7 and 2 more".
std::string batches_text(const std::vector<std::uint64_t>& batches) {
    const std::uint64_t more = batches.size() - 1;
    return sentence("batch ", batches.front(), more != 0 ? sentence(" and ", more, " more") : "");
}

// Batches of one finding of rule 13. Those that a hole may have closed are told of only if there
// are no others.
struct unclosed {
    std::vector<batch*> all;
    const key_state* of = nullptr;  // of the first
    frame_ref first;
    bool doubt = true;

    void add(const key_state& key, batch& b, bool unsure) {
        unsure = unsure || b.number <= key.doubt;
        if (unsure && !doubt) return;
        if (of == nullptr || (doubt && !unsure)) {
            all.clear();
            of = &key;
            first = b.facts.delivered;
            doubt = unsure;
        }
        all.push_back(&b);
    }
    [[nodiscard]] std::vector<std::uint64_t> ids() const {
        std::vector<std::uint64_t> some;
        for (const batch* b : all) {
            if (some.size() < most_pieces) some.push_back(static_cast<std::uint64_t>(b->facts.id));
        }
        return some;
    }
};

// What a GET said of waiting itself.
std::string asked(const request& r) {
    return r.wait_ns > 0 ? sentence(", it asked to wait for ", duration_text(r.wait_ns))
                         : std::string();
}

}  // namespace

void tracker::state::check_times(std::int64_t now_ns) {
    if (foreign || admin()) return;
    check_requests(now_ns);
    if (live) check_batches(now_ns);
}

// Rule 1, by time: the oldest request that is always answered, from its sending or the answer
// before it.
void tracker::state::check_requests(std::int64_t now_ns) {
    const bool one_sided = !server_spoke && !from_start[index(direction::s2c)];
    const std::size_t at = first_always();
    if (at == open_.size() || one_sided) return;
    request& r = open_[at];
    if (r.told || r.never_late || server_fin || reset) return;
    const std::int64_t waited = now_ns - std::max(r.at.time_ns, last_answer_ns);
    if (waited <= r.wait_ns + shared.limits.ns(findings::limit::request_time)) return;
    r.told = true;
    r.waits_from = now_ns - waited;
    const bool doubt = doubtful();
    r.finding = report(
        code::canal_request_unanswered,
        {doubt ? severity::note : severity::warning, doubt, r.at, true}, wait_figures(r, waited),
        sentence(type_text(port, r.type), " had no answer for ", duration_text(waited), asked(r)));
}

std::vector<findings::figure> tracker::state::wait_figures(const request& r,
                                                           std::int64_t waited) const {
    std::vector<findings::figure> figures{{"packet", type_text(port, r.type)},
                                          {"waitedMs", static_cast<double>(waited) / 1e6}};
    add_key(figures, r.key);
    return figures;
}

// `until`: what it still waited at.
void tracker::state::settle_request(request& r, bool over, std::string_view until) {
    if (r.finding == 0) return;
    const std::int64_t waited = now() - r.waits_from;
    settle(std::exchange(r.finding, 0), over, where.done, wait_figures(r, waited),
           sentence(type_text(port, r.type), over ? " was answered after " : " had no answer for ",
                    duration_text(waited), asked(r), over ? "" : ", until ", until));
}

// Rule 13, by time: batches that this connection brought.
void tracker::state::check_batches(std::int64_t now_ns) {
    const std::int64_t limit = shared.limits.ns(findings::limit::batch_time);
    unclosed late;
    const auto finding = std::make_shared<lasting_finding>();
    for (; !unacked.empty() && now_ns - unacked.front().at_ns > limit; unacked.pop_front()) {
        const delivered& oldest = unacked.front();
        const auto found = oldest.key->open.find(oldest.id);
        if (found == oldest.key->open.end() || found->second.number != oldest.number) continue;
        batch& each = found->second;
        if (each.told_unacked) continue;
        each.told_unacked = true;
        late.add(*oldest.key, each, others_behind(*oldest.key));
    }
    const key_state* of = late.of;
    if (of == nullptr) return;
    for (batch* each : late.all) each->overdue = finding;
    finding->open = late.all.size();
    finding->since = late.first;
    finding->batches = late.ids();
    const std::int64_t age = now_ns - late.first.time_ns;
    finding->id = report(
        code::canal_batch_unacknowledged,
        {late.doubt ? severity::note : severity::warning, late.doubt, late.first, true},
        age_figures(finding->batches, age, *of),
        sentence(batches_text(finding->batches), plural(finding->batches.size(), " is", " are"),
                 " not acknowledged after ", duration_text(age)));
    std::erase_if(overdue, [](const overdue_batches& o) { return o.finding->id == 0; });
    if (finding->id != 0) overdue.push_back({finding, of});
}

std::vector<findings::figure> tracker::state::age_figures(const std::vector<std::uint64_t>& batches,
                                                          std::int64_t age, const key_state& key) {
    std::vector<findings::figure> figures{{"batchId", std::int64_t(batches.front())},
                                          {"ageMs", static_cast<double>(age) / 1e6},
                                          {"batches", batches}};
    add_key(figures, &key);
    return figures;
}

// What became of a batch is certain.
void tracker::state::closed(const batch& b, const key_state& key, std::string_view how,
                            const frame_ref& at) {
    if (b.overdue == nullptr || --b.overdue->open != 0) return;
    settle_batches(*b.overdue, key, plural(b.overdue->batches.size(), " was ", " were "), how, true,
                   at);
}

void tracker::state::settle_batches(lasting_finding& of, const key_state& key,
                                    std::string_view verb, std::string_view how, bool over,
                                    const frame_ref& at) {
    if (of.id == 0) return;
    const std::int64_t age = at.time_ns - of.since.time_ns;
    settle(std::exchange(of.id, 0), over, at, age_figures(of.batches, age, key),
           sentence(batches_text(of.batches), verb, how, over ? " only after " : " after ",
                    duration_text(age)));
}

void tracker::state::settle_sums(key_state& key, bool over) {
    lasting_finding& sums = key.sums;
    if (sums.id == 0) return;
    std::vector<findings::figure> figures{{"outstandingBatches", sums.most},
                                          {"outstandingBytes", sums.most_bytes},
                                          {"oldestOpen", sums.oldest}};
    add_key(figures, &key);
    settle(
        std::exchange(sums.id, 0), over, where.done, std::move(figures),
        sentence("up to ", sums.most, " batches with ", findings::bytes_text(sums.most_bytes),
                 over ? sentence(" were outstanding, over after ",
                                 duration_text(now() - sums.since.time_ns))
                      : sentence(" are outstanding, the oldest is ", std::to_string(sums.oldest))));
}

// Nothing that is open will be answered.
void tracker::state::settle_requests(std::string_view until) {
    for (request& r : open_) settle_request(r, false, until);
}

// Batches that are open when their connection ends, or the capture. Those whose acknowledgement
// took effect are not: that is told when it is certain.
void tracker::state::settle_keys() {
    for (const overdue_batches& o : overdue) {
        const bool any = std::any_of(o.key->open.begin(), o.key->open.end(), [&](const auto& each) {
            return each.second.overdue == o.finding;
        });
        if (!any) continue;
        settle_batches(*o.finding, *o.key,
                       plural(o.finding->batches.size(), " was still not ", " were still not "),
                       "acknowledged", false, where.done);
    }
    overdue.clear();
    for (key_state* key : named) {
        if (key->users.empty()) settle_sums(*key, false);
    }
}

void tracker::state::hole(direction dir) {
    holes[index(dir)] = true;
    pairing_doubt = true;
    doubt_number = dir == direction::c2s ? after_next_answer : std::max(doubt_number, next_number);
    if (dir == direction::s2c) lost_before = next_number;
    for (key_state* key : named) {
        key->begin_doubt();
        key->transaction.lose();
    }
    in_hole[index(dir)] = true;
    shared.lost_ns = std::max(shared.lost_ns, last_frame_ns);
    shared.lossy = true;
    // It may have closed the batches that others are said to have dropped.
    shared.in_doubt.erase(id);
    tell_straggling();
}

void tracker::state::tell_straggling() {
    shared.set_straggling(id,
                          {.behind = is_behind, .may_be_over = live && (in_hole[0] || in_hole[1])});
}

// What was sent before all of the server's direction up to there had come may have been answered in
// the hole, too.
void tracker::state::hole_ends(direction dir, std::uint64_t offset) {
    if (dir != direction::s2c) return;
    lost_upto = std::max(lost_upto, static_cast<std::int64_t>(offset));
    for (const request& r : open_) {
        if (sent_in_hole(r)) lose_answer(r);
    }
    if (lost_before < next_number) answers_lost();
}

bool tracker::state::sent_in_hole(const request& r) const noexcept {
    return r.acknowledges >= 0 && r.acknowledges < lost_upto;
}

void tracker::state::lose_answer(const request& r) noexcept {
    pairing_doubt = true;
    lost_before = std::max(lost_before, r.number + 1);
    doubt_number = std::max(doubt_number, r.number + 1);
}

// What lies behind it was heard: it did not hold the end.
void tracker::state::over_hole(direction dir) {
    if (!in_hole[index(dir)]) return;
    in_hole[index(dir)] = false;
    tell_straggling();
}

void tracker::state::fall_behind(bool is) {
    is_behind = is;
    tell_straggling();
}

// Another connection that counts as live may have ended: that was not heard yet, or lies in a hole,
// or among what the capture lacks since it was heard. Where the capture lacks some packets it may
// lack an end as well: only who was heard since this connection began is there for certain.
bool tracker::state::may_be_over(std::uint32_t other) const noexcept {
    const auto found = shared.live.find(other);
    const std::int64_t heard = found != shared.live.end() ? *found->second : INT64_MIN;
    if (heard >= now()) return false;
    const straggler known = shared.straggling(other);
    if (is_behind || known.behind || known.may_be_over) return true;
    if (found == shared.live.end()) return false;
    const bool lacking = shared.lossy || !shared.stragglers.empty();
    return heard < shared.lost_ns || (lacking && heard < first_frame_ns);
}

bool tracker::state::others_behind(const key_state& key) const noexcept {
    if (shared.unheard > 0) return true;
    if (shared.stragglers.empty()) return false;
    if (is_behind && key.users.size() > 1) return true;
    return std::any_of(key.users.begin(), key.users.end(), [&](std::uint32_t user) {
        return user != id && shared.straggling(user).behind;
    });
}

// What the others of a key say is not heard in the order in which it was said.
void tracker::state::meet_others(key_state& key) const {
    if (others_behind(key) || heard_late(key)) key.begin_doubt();
    key.heard_ns = std::max(key.heard_ns, now());
}

bool tracker::state::heard_late(const key_state& key) const noexcept {
    return now() < key.heard_ns;
}

// Told when the search for a next packet is over, perhaps behind the end: what counts is when the
// bytes came.
void tracker::state::bad_length(direction dir, std::uint32_t length, byte_view behind) {
    const bool closed = reset || (dir == direction::c2s && server_fin);
    const bool came_before = where.done.file == unread_from.file && where.first < unread_from.frame;
    if (foreign || (closed && !came_before)) return;
    const bool negative = length > 0x7fffffffU;
    if (!negative && check_packet(behind, length, port) != match::no && !behind.empty()) {
        if (admin()) return;
        report(code::canal_packet_large, {severity::warning, false, {}},
               {{"bytes", std::uint64_t{length}}},
               sentence("a packet of ", findings::bytes_text(length),
                        " is beyond the cap and was not decoded"));
        return;
    }
    malformed("the length of a packet",
              negative ? "it is negative"
                       : sentence("it is ", std::uint64_t{length}, ", and no Packet follows it"));
}

// Rule 1 at a close: nothing that is open will be answered.
void tracker::state::unanswered(std::string_view why, bool answers_unseen) {
    std::uint64_t count = 0;
    const request* first = nullptr;
    for (request& r : open_) {
        if (r.how == answered::on_error || r.told) continue;
        r.told = true;
        if (count++ == 0) first = &r;
    }
    if (first == nullptr || admin()) return;
    const bool doubt = doubtful() || answers_unseen;
    std::vector<findings::figure> figures{{"packet", type_text(port, first->type)},
                                          {"requests", count}};
    add_key(figures, first->key);
    report(code::canal_request_unanswered,
           {doubt ? severity::note : severity::warning, doubt, first->at}, std::move(figures),
           sentence(type_text(port, first->type),
                    count > 1 ? sentence(" and ", count - 1,
                                         plural(count - 1, " request", " requests"), " after it")
                              : std::string(),
                    " had no answer when ", why));
}

void tracker::state::end(direction dir, close_kind how) {
    const bool server_ends = how == close_kind::rst || dir == direction::s2c;
    const bool first_end = live;
    if (!foreign) {
        check_times(now());
        tell_rollbacks_of_mine();
        tell_rivals_of_mine();
        if (server_ends && !server_fin && !reset) {
            const std::string_view why = how == close_kind::fin ? "the server closed"
                                         : dir == direction::s2c
                                             ? "the server reset the connection"
                                             : "the client reset the connection";
            // A reset behind one's own FIN answers what the other side sent meanwhile.
            unanswered(why, how == close_kind::rst && dir == direction::c2s && client_fin &&
                                !server_spoke_since);
            settle_requests(why);
        }
        if (first_end) judge_close(dir, how);
    }
    if (unread_from.frame == 0 && (how == close_kind::rst || dir == direction::s2c))
        unread_from = where.done;
    (how == close_kind::rst ? reset : dir == direction::c2s ? client_fin : server_fin) = true;
    server_spoke_since = false;
    if (first_end) {
        live = false;
        shared.live.erase(id);
        tell_straggling();
        leave_keys(true);
        settle_keys();
    }
    cut_frames();
}

// Rule 20: a last packet that is not whole, once its stream has ended.
void tracker::state::cut_frames() {
    for (const direction each : {direction::c2s, direction::s2c}) {
        const bool client = each == direction::c2s;
        const bool ended = reset || (client ? client_fin : server_fin);
        if (!pending_incomplete[index(each)] || !ended) continue;
        pending_incomplete[index(each)] = false;
        malformed("the last packet", client ? "the client's stream ends inside it"
                                            : "the server's stream ends inside it");
    }
}

// Rules 9 and 22, at the first FIN or RST.
void tracker::state::judge_close(direction dir, close_kind how) {
    if (admin()) return;
    if (server_spoke && era == server_era::up_to_1_1_3 && !version_sent && !auth_seen &&
        from_start[0] && !holes[0]) {
        report(code::canal_version_mismatch, {severity::error, false, {}}, {},
               "the connection closed without a login after a handshake without version");
    }
    const std::int64_t idle = now() - last_frame_ns;
    const std::int64_t limit = net_read_timeout * std::int64_t{1'000'000};
    if (how == close_kind::fin && dir == direction::s2c && timeout_asked && limit > 0 &&
        idle >= limit) {
        std::vector<findings::figure> figures{{"netReadTimeoutMs", std::int64_t{net_read_timeout}},
                                              {"idleMs", static_cast<double>(idle) / 1e6}};
        add_key(figures, last_key);
        report(code::canal_connection_idle, {severity::note, false, {}}, std::move(figures),
               sentence("the server closed after ", duration_text(idle),
                        " without a packet; the login asked for ", std::int64_t{net_read_timeout},
                        " ms"));
    }
}

// The connection no longer counts among those that use its keys (rules 12, 13, 17).
void tracker::state::leave_keys(bool tell) {
    unclosed left;
    for (const request& r : open_) {
        if (is(r.type, packet_type::get) && r.key != nullptr) ++r.key->lost_gets;
    }
    for (key_state* key : named) {
        std::erase(key->users, id);
        std::erase_if(key->destination->getters,
                      [&](const getter& g) { return g.connection == id; });
        if (!key->users.empty() || !tell) continue;
        for (auto& [n, each] : key->open) {
            if (each.told_unacked) continue;
            each.told_unacked = true;
            left.add(*key, each, others_behind(*key));
        }
    }
    if (left.of == nullptr || foreign || !tell) return;
    std::vector<std::uint64_t> batches = left.ids();
    const std::uint64_t count = batches.size();
    std::string text =
        sentence(plural(count, "batch ", "batches from "), std::to_string(batches.front()),
                 plural(count, " was", " on were"), " not acknowledged when no connection of ",
                 key_text(left.of), " was open any more");
    std::vector<findings::figure> figures{
        {"batchId", std::int64_t(batches.front())},
        {"ageMs", static_cast<double>(now() - left.first.time_ns) / 1e6},
        {"batches", std::move(batches)}};
    add_key(figures, left.of);
    report(code::canal_batch_unacknowledged,
           {left.doubt ? severity::note : severity::warning, left.doubt, left.first},
           std::move(figures), std::move(text));
}

void tracker::state::finish() {
    shared.set_straggling(id, {});
    if (foreign) return;
    check_times(now());
    if (client_fin && !server_fin && !reset)
        unanswered("the capture ended; the client had closed", false);
    settle_requests("the capture ended");
    if (live) {
        live = false;
        shared.live.erase(id);
        leave_keys(false);
        settle_keys();
    }
    while (!open_.empty()) commit(pop());
    if (stalls == 0 || admin()) return;
    report(code::canal_write_delayed, {severity::chat, false, first_stall},
           {{"packets", stalls}, {"delayedMs", static_cast<double>(stalled_ns) / 1e6}},
           sentence(stalls, plural(stalls, " packet", " packets"), " of the client waited ",
                    duration_text(stalled_ns), " in all between the first and the last byte"));
    stalls = 0;
}

}  // namespace cdcscope::canal
