// Durable writes: prepares, their outcome, the replica's acknowledgements (D30 to D36).

#include <algorithm>

#include "proto/dcp/track_connection.h"

namespace cdcscope::dcp {
namespace {

using findings::seconds_text;

constexpr std::size_t most_prepares = 1U << 16;  // open at once on a connection
constexpr std::uint8_t persist_to_majority = 3;

std::string level_text(std::uint8_t level) {
    const named_value* known = find_value(durability_names, level);
    return known != nullptr ? std::string(known->name) : "level " + std::to_string(level);
}

std::string shown_key(const open_prepare& p) {
    return p.key.substr(std::min<std::size_t>(p.prefix, p.key.size()));
}

account prepare_account(const connection_state& c, const dcp_stream& s, const open_prepare& p,
                        std::string_view what) {
    const std::int64_t age = c.now().time - p.at.time;
    return {sentence("prepare of key ", findings::printable(shown_key(p)), " (", place_text(s),
                     ", seqno ", p.seqno, ", ", level_text(p.level), ") ", what, " ",
                     seconds_text(age)),
            of_stream(s, {{"key", shown_key(p)},
                          {"bySeqno", p.seqno},
                          {"durability", level_text(p.level)},
                          {"ageMs", as_ms(age)},
                          {"replicaAck", p.replica_ns >= 0}})};
}

void tell_open(connection_state& c, const dcp_stream& s, open_prepare& p, severity level,
               std::string_view what) {
    if (p.told || p.spared) return;
    p.told = true;
    p.told_running.add(c.report.tell(code::dcp_prepare_unresolved, level, c.unsure(s), p.at.at,
                                     prepare_account(c, s, p, what)));
}

void watch_outcome(connection_state& c, const dcp_stream& s, const open_prepare& p,
                   prepare_outcome outcome) {
    const bool done = outcome == prepare_outcome::committed || outcome == prepare_outcome::aborted;
    const std::string key = shown_key(p);
    c.watch().on_prepare(
        c.setup.id, c.now().at,
        {s.story.vbucket, p.seqno, p.level, outcome, done ? c.now().time - p.at.time : -1,
         p.replica_ns, key, p.at.at, p.acked});
}

// The prepare that a wait is for, null when it is open no more. It never becomes open again.
open_prepare* still_open(connection_state& c, const prepare_wait& wait) {
    const dcp_stream* s = c.streams.at(wait.stream);
    if (s == nullptr || s->prepares == nullptr) return nullptr;
    const auto found = s->prepares->by_seqno.find(wait.seqno);
    const bool there = found != s->prepares->by_seqno.end() && found->second.id == wait.id;
    return there ? &found->second : nullptr;
}

// The stream that a wait is for, null when it needs no acknowledgement any more. It never will
// again.
const dcp_stream* unacknowledged(connection_state& c, const ack_wait& wait) {
    const dcp_stream* s = c.streams.at(wait.stream);
    return s != nullptr && s->open() && s->acked < wait.seqno ? s : nullptr;
}

// Takes it out of the open ones.
open_prepare take(connection_state& c, dcp_stream& s, std::uint64_t seqno) {
    open_prepare p = std::move(s.prepares->by_seqno.extract(seqno).mapped());
    s.prepares->by_key.erase(p.key);
    --s.story.open_prepares;
    --c.open_prepares;
    return p;
}

open_prepare* find(dcp_stream& s, std::string_view key) {
    if (s.prepares == nullptr) return nullptr;
    const auto found = s.prepares->by_key.find(std::string(key));
    return found == s.prepares->by_key.end() ? nullptr : &s.prepares->by_seqno.at(found->second);
}

bool in_disk_snapshot(const dcp_stream& s) noexcept {
    return s.has_marker && (s.story.marker_flags & snapshot_flag::disk) != 0;
}

std::vector<findings::figure> outcome_figures(const incoming& in, const dcp_stream& s,
                                              std::uint64_t prepared, std::uint64_t seqno) {
    return of_stream(s, {{"key", std::string(as_text(in.m.key.bytes))},
                         {"preparedSeqno", prepared},
                         {"bySeqno", seqno}});
}

void check_outcome(connection_state& c, const incoming& in, const dcp_stream& s,
                   const open_prepare* open, std::uint64_t prepared, std::uint64_t seqno) {
    const bool aborts = in.m.head.opcode == op::abort;
    const std::string_view word = aborts ? "abort" : "commit";
    const std::string key = findings::printable(as_text(in.m.key.bytes));
    const bool other = open != nullptr && open->seqno != prepared && !in_disk_snapshot(s);
    if (seqno <= prepared || other) {
        (void)c.report.tell(
            code::dcp_commit_mismatch, severity::error, c.unsure(s),
            open != nullptr ? open->at.at : frame_ref{},
            {sentence(word, " of key ", key, " (", place_text(s), ", seqno ", seqno,
                      ") names prepare ", prepared,
                      other ? sentence(", its open prepare is ", open->seqno) : std::string{}),
             outcome_figures(in, s, prepared, seqno)});
    }
    if (open != nullptr || !s.known || prepared <= s.story.start ||
        (aborts && in_disk_snapshot(s)) || (s.prepares != nullptr && s.prepares->resting) ||
        seqno <= prepared) {
        return;
    }
    (void)c.report.tell(code::dcp_commit_without_prepare, severity::warning, c.unsure(s), {},
                        {sentence(word, " of key ", key, " (", place_text(s), ", seqno ", seqno,
                                  ") for prepare ", prepared, ", which is not open"),
                         outcome_figures(in, s, prepared, seqno)});
}

void finish_prepare(connection_state& c, const incoming& in, dcp_stream& s,
                    std::uint64_t prepared_seqno, std::uint64_t seqno) {
    open_prepare p = take(c, s, prepared_seqno);
    const bool commits = in.m.head.opcode == op::commit;
    const std::int64_t latency = c.now().time - p.at.time;
    in.record.prepare = p.id;
    in.record.elapsed_ns = latency;
    c.links().on_link(link_kind::prepare, p.id, in.event.id);
    watch_outcome(c, s, p, commits ? prepare_outcome::committed : prepare_outcome::aborted);
    p.told_running.settle(c.report, true,
                          prepare_account(c, s, p, commits ? "committed after" : "aborted after"));
    if (!commits) return;
    if (p.level >= 1 && p.level <= persist_to_majority)
        c.story.durability.commit_latency[p.level].add(latency);
    if (latency <= c.report.limits().ns(limit::prepare_slow)) return;
    std::vector<findings::figure> figures = outcome_figures(in, s, p.seqno, seqno);
    figures.push_back({"durability", level_text(p.level)});
    figures.push_back({"latencyMs", as_ms(latency)});
    (void)c.report.tell(
        code::dcp_prepare_slow, severity::note, false, p.at.at,
        {sentence("durable write of key ", findings::printable(shown_key(p)), " (", place_text(s),
                  ", ", level_text(p.level), ") took ", seconds_text(latency), " to commit"),
         std::move(figures)});
}

}  // namespace

void take_prepare(connection_state& c, const incoming& in, dcp_stream& s, std::uint64_t seqno) {
    ++c.story.durability.prepares;
    if (s.prepares == nullptr) s.prepares = std::make_unique<prepare_index>();
    const std::string_view key = kept_text(in.m.parts.key);
    if (const open_prepare* older = find(s, key)) {
        if (s.last_disk <= older->snapshot) {
            (void)c.report.tell(
                code::dcp_prepare_second, severity::warning, c.unsure(s), older->at.at,
                {sentence("second prepare of key ", findings::printable(as_text(in.m.key.bytes)),
                          " (", place_text(s), ", seqno ", seqno, ") while seqno ", older->seqno,
                          " is open"),
                 of_stream(s, {{"key", std::string(as_text(in.m.key.bytes))},
                               {"bySeqno", seqno},
                               {"preparedSeqno", older->seqno}})});
        }
        open_prepare gone = take(c, s, older->seqno);
        gone.told_running.settle(c.report, true, prepare_account(c, s, gone, "replaced after"));
    }
    if (c.open_prepares == most_prepares) {
        s.prepares->resting = true;
        return;
    }
    open_prepare p;
    p.key = std::string(key);
    p.prefix = in.m.key.prefix_size;
    p.seqno = seqno;
    p.level = static_cast<std::uint8_t>(number_or(in.m, field_id::durability, 0));
    p.id = in.event.id;
    p.at = c.now();
    p.snapshot = static_cast<std::uint32_t>(s.story.snapshots);
    p.spared = in_disk_snapshot(s) && seqno <= s.completed;
    if ((p.level == 1 || p.level == 2) && s.has_marker && !in_disk_snapshot(s))
        s.last_sync_prepare = seqno;
    if (!p.spared) {
        // What is settled is let go here, or all prepares of prepare_time would be kept.
        while (!c.prepare_waits.empty() && still_open(c, c.prepare_waits.front()) == nullptr)
            c.prepare_waits.pop_front();
        c.prepare_waits.push_back({s.story.index, p.id, seqno, c.now().time});
    }
    if (s.prepares->by_seqno.contains(seqno))
        (void)take(c, s, seqno);  // out-of-order snapshots may repeat one
    s.prepares->by_key.emplace(p.key, seqno);
    s.prepares->by_seqno.emplace(seqno, std::move(p));
    ++s.story.open_prepares;
    ++c.open_prepares;
}

void take_outcome(connection_state& c, const incoming& in, dcp_stream& s, std::uint64_t seqno) {
    ++(in.m.head.opcode == op::commit ? c.story.durability.commits : c.story.durability.aborts);
    const std::uint64_t prepared = number_or(in.m, field_id::prepared_seqno, 0);
    const open_prepare* open = find(s, kept_text(in.m.parts.key));
    check_outcome(c, in, s, open, prepared, seqno);
    if (open != nullptr) finish_prepare(c, in, s, open->seqno, seqno);
}

void complete_by_document(connection_state& c, const incoming& in, dcp_stream& s,
                          std::uint64_t seqno) {
    if (in.m.head.opcode == op::expiration || !in_disk_snapshot(s)) return;
    const open_prepare* open = find(s, kept_text(in.m.parts.key));
    if (open == nullptr || open->seqno >= seqno) return;
    open_prepare p = take(c, s, open->seqno);
    ++c.story.durability.by_snapshot;
    in.record.prepare = p.id;
    in.record.elapsed_ns = c.now().time - p.at.time;
    c.links().on_link(link_kind::prepare, p.id, in.event.id);
    watch_outcome(c, s, p, prepare_outcome::by_snapshot);
    p.told_running.settle(c.report, true,
                          prepare_account(c, s, p, "completed by a disk snapshot after"));
}

void complete_by_marker(connection_state& c, dcp_stream& s) {
    if (s.prepares == nullptr) return;
    auto& open = s.prepares->by_seqno;
    while (!open.empty() && open.begin()->first <= s.completed) {
        tell_open(c, s, open.begin()->second, severity::note,
                  "had no commit or abort; a disk snapshot says that it is completed, after");
        open_prepare p = take(c, s, open.begin()->first);
        ++c.story.durability.by_snapshot;
        watch_outcome(c, s, p, prepare_outcome::by_snapshot);
        p.told_running.settle(c.report, true,
                              prepare_account(c, s, p, "completed, says a disk snapshot, after"));
    }
}

void take_seqno_ack(connection_state& c, const incoming& in) {
    const std::optional<std::uint64_t> acked = in.m.number(field_id::prepared_seqno);
    const header& h = in.m.head;
    dcp_stream* s = c.streams.by_opaque(h.opaque, h.vbucket());
    if (s == nullptr) s = c.streams.newest(h.vbucket(), 0);
    if (!acked || s == nullptr) return;
    in.record.stream = s->story.index;
    in.record.opened_by = s->request_id;
    in.record.vbucket_uuid = s->story.log_uuid;
    ++c.story.durability.acks;
    const bool beyond = *acked > s->sent();
    const bool back = s->has_ack && *acked <= s->acked;
    if (beyond || back) {
        (void)c.report.tell(code::dcp_seqno_ack_invalid,
                            beyond ? severity::error : severity::warning, c.unsure(*s), {},
                            {sentence(place_text(*s), ": seqno ", *acked, " was acknowledged ",
                                      beyond ? sentence("although the last one sent is ", s->sent())
                                             : sentence("after ", s->acked)),
                             of_stream(*s, {{"preparedSeqno", *acked},
                                            {"lastSeqno", s->sent()},
                                            {"previousAck", s->acked}})});
    }
    if (s->prepares != nullptr && !back) {
        auto& open = s->prepares->by_seqno;
        const auto end = open.upper_bound(*acked);
        for (auto each = open.upper_bound(s->has_ack ? s->acked : 0);
             each != end && each != open.end(); ++each) {
            if (each->second.replica_ns >= 0) continue;
            each->second.replica_ns = c.now().time - each->second.at.time;
            each->second.acked = c.now().at;
        }
    }
    s->acked = std::max(s->acked, *acked);
    s->has_ack = true;
}

void wait_for_ack(connection_state& c, dcp_stream& s) {
    if (s.last_sync_prepare == 0 || !c.agreed.sync_replication() || s.acked >= s.last_sync_prepare)
        return;
    while (!c.ack_waits.empty() && unacknowledged(c, c.ack_waits.front()) == nullptr)
        c.ack_waits.pop_front();
    c.ack_waits.push_back({s.story.index, s.last_sync_prepare, c.now()});
}

void check_durability_times(connection_state& c) {
    const std::int64_t now = c.now().time;
    while (!c.ack_waits.empty() &&
           now - c.ack_waits.front().since.time > c.report.limits().ns(limit::prepare_ack_time)) {
        const ack_wait wait = c.ack_waits.front();
        c.ack_waits.pop_front();
        const dcp_stream* s = unacknowledged(c, wait);
        if (s == nullptr) continue;
        const std::int64_t waited = now - wait.since.time;
        (void)c.report.tell(
            code::dcp_prepare_unacknowledged, severity::note, c.unsure(*s), wait.since.at,
            {sentence(place_text(*s), ": the snapshot's prepares up to seqno ", wait.seqno,
                      " were not acknowledged in ", seconds_text(waited)),
             of_stream(*s, {{"preparedSeqno", wait.seqno}, {"waitedMs", as_ms(waited)}})});
    }
    while (!c.prepare_waits.empty() &&
           now - c.prepare_waits.front().since > c.report.limits().ns(limit::prepare_time)) {
        const prepare_wait wait = c.prepare_waits.front();
        c.prepare_waits.pop_front();
        open_prepare* open = still_open(c, wait);
        if (open == nullptr) continue;
        const dcp_stream& s = *c.streams.at(wait.stream);
        const bool closed_by_consumer = s.story.state == stream_state::closing;
        tell_open(c, s, *open, closed_by_consumer ? severity::note : severity::warning, "open for");
    }
}

void leave_prepares(connection_state& c, dcp_stream& s, bool pending, std::string_view when,
                    bool forget) {
    if (s.prepares == nullptr) return;
    for (auto& [seqno, p] : s.prepares->by_seqno) {
        tell_open(c, s, p, pending ? severity::note : severity::warning,
                  sentence("open ", when, ", after"));
        p.told_running.settle(c.report, false,
                              prepare_account(c, s, p, sentence("open ", when, ", after")));
        // A connection that was closed is looked at again at the end of the capture.
        if (s.story.state != stream_state::cut_off) watch_outcome(c, s, p, prepare_outcome::open);
    }
    if (!forget) return;
    c.prepares_left += s.prepares->by_seqno.size();
    c.open_prepares -= s.prepares->by_seqno.size();
    s.prepares.reset();
}

}  // namespace cdcscope::dcp
