// Words for stream requests that were refused or rolled back, and for streams that ended.
#include <fmt/format.h>

#include <algorithm>

#include "analyzer/report/format.h"
#include "analyzer/report/one_direction.h"
#include "analyzer/report/word_dcp.h"
#include "analyzer/report/words.h"
#include "proto/dcp/names.h"

namespace cdcscope::report {
namespace {

using findings::code;

constexpr std::size_t most_told = 4;  // refusals in a text
constexpr std::size_t most_also = 8;  // frames beside the first one in a line of evidence
// A connection that closes so soon after the end of its stream could not ask again.
constexpr std::int64_t at_once_ns = 100'000'000;
// Who asks again sooner than that has not waited for a new cluster map.
constexpr std::int64_t soon_ns = 1'000'000'000;

bool same_frame(const frame_ref& a, const frame_ref& b) {
    return a.frame == b.frame && a.file == b.file;
}

// A stream of the same vbucket (and stream id) that was opened on the connection after `since`.
bool opened_later(const card_draft& d, const stream_row& s, std::int64_t since) {
    return d.rows.newest_opening(s) > since;
}

// ---- D20, with D21 and D22

// What is wrong with the position that was asked for: "start 50, end 40".
std::string position_words(const stream_row& s) {
    if (s.end != UINT64_MAX && s.start > s.end)
        return fmt::format("start {}, end {}", number(s.start), number(s.end));
    return fmt::format("start {}, snapshot {}", number(s.start),
                       range(s.snapshot_start, s.snapshot_end));
}

// "start 50 lies outside the requested snapshot 60..70".
std::string position_sentence(const stream_row& s) {
    if (s.end != UINT64_MAX && s.start > s.end)
        return fmt::format("start {} lies behind the requested end {}", number(s.start),
                           number(s.end));
    if (s.start >= s.snapshot_start && s.start <= s.snapshot_end) return position_words(s);
    return fmt::format("start {} lies outside the requested snapshot {}", number(s.start),
                       range(s.snapshot_start, s.snapshot_end));
}

std::string reason_of(const stream_row& s) {
    if (s.status == dcp::status::erange)
        return fmt::format("{}: {}", s.status_name, position_words(s));
    return s.status_name;
}

// Answers of one row: refusals alike one after the other.
std::vector<const hit*> answers_of(const card_draft& d, const stream_row& s) {
    std::vector<const hit*> out;
    for (const auto& h : d.lead().hits) {
        if (count_of(h, "partition") == s.partition && h.last.time_ns >= s.answered.time_ns &&
            out.size() < s.times)
            out.push_back(&h);
    }
    return out;
}

void show_refusal(card_draft& d, const stream_row& s, const std::vector<const hit*>& answers) {
    auto what = fmt::format("vb {} {}", s.partition, reason_of(s));
    evidence e{s.answered, std::move(what)};
    for (const auto* h : answers) {
        if (same_frame(h->last, s.answered) || h->last.file != s.answered.file) continue;
        if (e.also.size() >= most_also) break;
        e.what += fmt::format("{}#{}", e.also.empty() ? "; also " : ", ", h->last.frame);
        e.also.push_back(h->last.frame);
    }
    if (s.answered.frame != 0) d.c.shown.push_back(std::move(e));
}

std::string refusal_sentence(const stream_row& s, const std::vector<const hit*>& answers) {
    auto out = fmt::format(" vb {}: {} (0x{:02x})", s.partition, s.status_name, s.status);
    if (s.status == dcp::status::key_eexists) out += ", a stream is open already";
    if (s.status == dcp::status::erange) out += ", " + position_sentence(s);
    if (s.times > 1) {
        out += fmt::format(", asked {} times", number(s.times));
        if (answers.size() == s.times)
            out += fmt::format(
                " in {}", duration(answers.back()->last.time_ns - answers.front()->first.time_ns));
    }
    return out + ".";
}

// A client that asks again at once gets the same answer: how soon it did at the soonest.
std::string patience_advice(const stream_row& s, const std::vector<const hit*>& answers) {
    auto soonest = INT64_MAX;
    for (std::size_t i = 1; i < answers.size(); ++i)
        soonest = std::min(soonest, answers[i]->first.time_ns - answers[i - 1]->last.time_ns);
    if (s.status != dcp::status::not_my_vbucket || soonest < 0 || soonest >= soon_ns) return {};
    return fmt::format("For vb {} wait for the new map instead of asking again after {}.",
                       s.partition, duration(soonest));
}

// The table's words for those reasons that are there.
void refusal_advice(card_draft& d, bool duplicate, bool moved, bool position) {
    auto& c = d.c;
    std::string meaning;
    std::vector<std::string> advice;
    if (moved) {
        meaning += " Not my vbucket: the client works with an old cluster map.";
        advice.emplace_back("Let the client fetch the cluster map and ask the right node.");
    }
    if (position) {
        meaning += " Out of range: what it stored as position does not fit together.";
        advice.emplace_back(
            "Check what the client stores as (seqno, snapshot start, snapshot end): the seqno has "
            "to lie inside.");
    }
    if (duplicate) {
        meaning += " Duplicate: it asks for a stream that it has; that one goes on.";
        if (advice.empty())
            advice.emplace_back("Look for two workers of the client that share this connection.");
    }
    if (meaning.empty()) return;
    c.meaning = meaning.substr(1);
    c.advice = std::move(advice);
}

// How often each reason was given.
using reason_counts = std::vector<std::pair<std::string, std::uint64_t>>;

void add_reason(reason_counts& reasons, const std::string& name, std::uint64_t times) {
    const auto it =
        std::find_if(reasons.begin(), reasons.end(), [&](auto& r) { return r.first == name; });
    it == reasons.end() ? (void)reasons.emplace_back(name, times) : (void)(it->second += times);
}

// "duplicate, not my vbucket (4)".
std::string listed(const reason_counts& reasons) {
    std::string list;
    for (const auto& [reason, n] : reasons)
        list += fmt::format("{}{}{}", list.empty() ? "" : ", ", reason,
                            n > 1 ? fmt::format(" ({})", number(n)) : "");
    return list;
}

// Answers whose requests were not captured: there are no rows, and what was asked is not known.
void word_refusals_alone(card_draft& d) {
    reason_counts reasons;
    for (const auto& h : d.lead().hits)
        add_reason(reasons, refusal_words(static_cast<std::uint16_t>(count_of(h, "statusCode"))),
                   1);
    const auto refusals = d.lead().count;
    d.c.condition = fmt::format("{} refused", count(refusals, "request"));
    if (refusals < 2) return;
    d.c.title = fmt::format("{} were refused; the requests were not captured",
                            count(refusals, "stream request"));
    d.c.clause = d.c.title;
    d.c.brief = fmt::format("{} refused: {}", count(refusals, "stream request"), listed(reasons));
    d.c.text = fmt::format("Reasons: {}.", listed(reasons));
}

}  // namespace

void word_refused(card_draft& d) {
    auto& c = d.c;
    const auto refusals = d.lead().count;
    if (d.owner == nullptr) return;
    if (std::none_of(d.streams().begin(), d.streams().end(),
                     [](auto* s) { return s->state == stream_state::refused; }))
        return word_refusals_alone(d);
    std::uint64_t asked = 0, told = 0, rows = 0, answered = 0;
    bool duplicate = false, moved = false, position = false, other = false, resolved = true;
    reason_counts reasons;
    std::string sentences, patience;
    c.shown.clear();
    for (const auto* row : d.streams()) {
        const auto& s = *row;
        asked += s.state == stream_state::unknown_start ? 0 : s.times;
        if (s.state != stream_state::refused) continue;
        ++rows;
        answered += s.times;
        add_reason(reasons, s.status_name, s.times);
        const auto is_duplicate = s.status == dcp::status::key_eexists;
        duplicate = duplicate || is_duplicate;
        moved = moved || s.status == dcp::status::not_my_vbucket;
        position = position || s.status == dcp::status::erange;
        other = other || !(is_duplicate || s.status == dcp::status::not_my_vbucket ||
                           s.status == dcp::status::erange);
        resolved = resolved && (is_duplicate || opened_later(d, s, s.answered.time_ns));
        const auto answers = answers_of(d, s);
        show_refusal(d, s, answers);
        if (patience.empty()) patience = patience_advice(s, answers);
        if (told >= most_told) continue;
        ++told;
        sentences += refusal_sentence(s, answers);
    }
    // Not all have a row.
    asked = std::max(asked, refusals);
    c.evidence_left_out = c.evidence_unlisted =
        refusals - std::min<std::uint64_t>(refusals, answered);
    if (!other) refusal_advice(d, duplicate, moved, position);
    if (!patience.empty()) c.advice.push_back(patience);
    if (!resolved) c.state = "not resolved on this connection";
    const auto list = listed(reasons);
    c.condition = fmt::format("{} refused", count(refusals, "request"));
    c.clause =
        fmt::format("{} had {} refused", display_name(*d.owner), count(refusals, "stream request"));
    // The same reason for all of them is said once.
    if (rows > told && reasons.size() == 1 && d.lead().partitions.size() > 1) {
        sentences = fmt::format(" {}: {}.", capitalized(list), vbuckets_words(d.lead().partitions));
    } else if (rows > told) {
        sentences += fmt::format(" {}.", beyond_words(rows - told, 0));
    }
    if (!sentences.empty()) c.text = sentences.substr(1);
    if (refusals < 2) return;
    c.title =
        fmt::format("{} of {} were refused", number(refusals), count(asked, "stream request"));
    c.brief =
        fmt::format("{} of {} refused: {}", number(refusals), count(asked, "stream request"), list);
    c.why = capitalized(list) + ".";
    c.detail = list;
}

// ---- D23

// Many at once, as after a failover: all to the same seqno, each vbucket once.
void word_rollbacks_alike(card_draft& d) {
    const auto& lead = d.lead();
    const auto back = count_of(d.first_hit(), "rollbackSeqno");
    if (lead.count != lead.partitions.size()) return;
    std::uint64_t rows = 0, opened_after = 0, least = UINT64_MAX, most = 0;
    for (const auto* s : d.streams()) {
        if (s->state != stream_state::rolled_back || s->rollback_to != back || s->times > 1)
            continue;
        ++rows;
        opened_after += opened_later(d, *s, s->answered.time_ns) ? 1 : 0;
        least = std::min(least, s->start), most = std::max(most, s->start);
    }
    if (rows != lead.count) return;
    auto& c = d.c;
    const auto where = vbuckets_words(lead.partitions);
    c.title = fmt::format("{} were rolled back to {}", count(rows, "vbucket"), number(back));
    c.clause = c.title;
    c.brief = fmt::format("{} to {}: {}", count(rows, "vbucket"), number(back), where);
    c.condition = fmt::format("{} rolled back to {}", count(rows, "vbucket"), number(back));
    c.text = fmt::format("{}. The client asked from {}.", capitalized(where),
                         least == most ? number(least) : range(least, most));
    c.text += opened_after == rows
                  ? std::string(" The stream of each opened afterwards.")
                  : fmt::format(" {} opened afterwards.",
                                opened_after == 0 ? "None" : count(opened_after, "stream"));
    c.state = opened_after == rows ? "accepted" : "";
    c.shown.clear();
    for (const auto& h : lead.hits)
        d.evidence(h.last,
                   fmt::format("vb {}: ROLLBACK to {}", count_of(h, "partition"), number(back)));
}

void word_rollbacks(card_draft& d) {
    if (d.owner == nullptr) return;
    if (d.lead().count > 1) return word_rollbacks_alike(d);
    auto& c = d.c;
    const auto& h = d.first_hit();
    // The capture cut it, or lacks the request.
    if (!figure_of(h, "rollbackSeqno") || !figure_of(h, "partition")) return;
    const auto partition = count_of(h, "partition"), back = count_of(h, "rollbackSeqno");
    const auto start = number(count_of(h, "startSeqno"));
    c.brief = fmt::format("vb {}: {} to {}", partition, start, number(back));
    c.shown.clear();
    d.evidence(h.first, fmt::format("vb {} asked for from {}", partition, start));
    d.evidence(h.last, fmt::format("ROLLBACK to {}", number(back)));
    c.text = fmt::format("The client asked from {} and was told {}.", start, number(back));
    if (back > 0)
        c.advice = {
            fmt::format("Check that the client undoes what it applied above {}.", number(back))};
    for (const auto* s : d.streams()) {
        if (!opened(*s) || s->partition != partition || s->start > back ||
            s->asked.time_ns < h.last.time_ns)
            continue;
        const auto later = duration(s->asked.time_ns - h.last.time_ns);
        // The request that was rolled back had another branch in mind, or purged tombstones.
        const auto uuid =
            s->vbucket_uuid == count_of(h, "vBucketUuid")
                ? std::string{}
                : fmt::format(" with the right vbucket uuid (0x{:x})", s->vbucket_uuid);
        c.text += fmt::format(" It asked again from {}{} {} later; the stream opened.",
                              number(s->start), uuid, later);
        c.state = "accepted";
        d.evidence(s->asked, fmt::format("asked for again, from {}", number(s->start)));
        break;
    }
}

// ---- D25, with D23 and D24

void word_rollback_loop(card_draft& d) {
    auto& c = d.c;
    const auto partition = count_of(d.first_hit(), "partition");
    const auto one = std::all_of(d.lead().hits.begin(), d.lead().hits.end(),
                                 [&](auto& h) { return count_of(h, "partition") == partition; });
    std::vector<const stream_row*> rows;
    std::uint64_t times = 0;
    for (const auto* s : d.streams()) {
        if (s->state != stream_state::rolled_back || s->partition != partition) continue;
        rows.push_back(s);
        times += s->times;
    }
    const auto many = d.lead().partitions.size();
    if (!one && many > 1) {
        c.title = fmt::format("{} were rolled back again and again, and their streams never opened",
                              count(many, "vbucket"));
        c.clause = c.title;
        c.brief =
            fmt::format("{}: {}", count(many, "vbucket"), vbuckets_words(d.lead().partitions));
        c.condition = fmt::format("{} never opened", count(many, "vbucket"));
        c.text = capitalized(vbuckets_words(d.lead().partitions)) + ". " + c.text;
    }
    if (!one || rows.empty()) return;
    const auto& s = *rows.front();
    c.title = fmt::format("vb {} was rolled back {} times and its stream never opened", partition,
                          number(times));
    c.clause = c.title;
    c.brief = fmt::format("vb {}: {} times to {}", partition, number(times), number(s.rollback_to));
    c.condition = fmt::format("vb {} never opened", partition);
    c.text = fmt::format("The client asked from {} with uuid 0x{:x} and was told {}",
                         number(s.start), s.vbucket_uuid, number(s.rollback_to));
    c.text += s.times > 1 ? fmt::format("; it asked the same {} times.", number(s.times))
                          : std::string(".");
    c.shown.clear();
    for (const auto* f : d.parts) {
        if (f->what != code::dcp_stream_rollback) continue;
        for (const auto& h : f->hits) {
            const bool cut = !figure_of(h, "rollbackSeqno");
            d.evidence(h.last,
                       cut ? std::string("ROLLBACK, cut by the capture")
                           : fmt::format("ROLLBACK to {}", number(count_of(h, "rollbackSeqno"))));
        }
    }
}

// ---- D27, D51

namespace {

void reason_words(card_draft& d, const stream_row& s) {
    using namespace dcp;
    auto& c = d.c;
    switch (s.end_reason) {
        case end_reason::closed:
            c.meaning = "The normal end of a stream.";
            c.advice = {"Nothing."};
            break;
        case end_reason::state_changed:
            c.meaning = "The vbucket is no longer active on this node: rebalance or failover.";
            c.advice = {fmt::format("Let the client fetch the cluster map and ask the new active "
                                    "node, from seqno {}.",
                                    number(s.last_seqno)),
                        "Nothing, if a rebalance was running: the client asks there by itself."};
            break;
        default:
            break;
    }
}

// What the client asked for, and what became of asking again.
std::string close_words(const card_draft& d, const stream_row& s) {
    std::string out, again;
    if (d.owner == nullptr) return out;
    for (const auto& c : d.owner->steps->closes) {
        if (c.partition != s.partition || c.asked.time_ns < s.asked.time_ns) continue;
        if (out.empty() && c.asked.time_ns <= s.finished.time_ns) {
            out = "CLOSE_STREAM, then STREAM_END with reason closed. ";
        } else if (!out.empty() && again.empty() && c.status == dcp::status::key_enoent) {
            again = fmt::format("A second CLOSE_STREAM found no stream (0x{:02x}). ", c.status);
        }
    }
    return out + again;
}

}  // namespace

// Many at once, as in a rebalance: all with the same reason, each vbucket once.
void word_ends_alike(card_draft& d) {
    const auto& lead = d.lead();
    const auto reason = count_of(d.first_hit(), "reasonCode");
    if (lead.count != lead.partitions.size()) return;
    std::uint64_t rows = 0, again = 0;
    const stream_row* one = nullptr;
    for (const auto* s : d.streams()) {
        if (s->state != stream_state::ended && s->state != stream_state::closed) continue;
        if (s->end_reason != reason) continue;
        ++rows;
        again += opened_later(d, *s, s->finished.time_ns) ? 1 : 0;
        one = s;
    }
    if (one == nullptr || rows != lead.count) return;
    auto& c = d.c;
    const auto where = vbuckets_words(lead.partitions);
    const auto closed = reason == dcp::end_reason::closed;
    c.title = closed ? fmt::format("{} were closed by the client", count(rows, "stream"))
                     : fmt::format("{} were ended by the server: {}", count(rows, "stream"),
                                   one->end_name);
    c.clause = c.title;
    c.brief = fmt::format("{}: {}; {}", count(rows, "stream"), one->end_name, where);
    c.condition = fmt::format("{} ended", count(rows, "stream"));
    c.text = capitalized(where) + '.';
    reason_words(d, *one);
    if (closed || d.owner == nullptr || d.owner->one_direction) return;
    c.text += again == 0 ? std::string(" None opened again on this connection.")
                         : fmt::format(" {} opened again on this connection.",
                                       again == rows ? "Each" : number(again));
}

void word_ended(card_draft& d) {
    auto& c = d.c;
    const auto& h = d.first_hit();
    const auto partition = figure_of(h, "partition");
    if (!partition) return;
    if (d.lead().count > 1) return word_ends_alike(d);
    for (const auto* row : d.streams()) {
        const auto& s = *row;
        if (s.partition != static_cast<std::uint16_t>(*partition) ||
            !same_frame(s.finished, h.last))
            continue;
        c.title =
            s.end_reason == 1
                ? fmt::format("stream vb {} was closed by the client", s.partition)
                : fmt::format("stream vb {} was ended by the server: {}", s.partition, s.end_name);
        c.brief = fmt::format("vb {}: {}", s.partition, s.end_name);
        c.clause = c.title;
        c.condition = fmt::format("stream vb {} ended", s.partition);
        c.text = fmt::format("At seqno {}", number(s.last_seqno));
        if (s.snapshot_known) {
            c.text += fmt::format("{} snapshot {}", s.snapshot_complete ? ", end of" : ", inside",
                                  range(s.last_snapshot_start, s.last_snapshot_end));
        }
        c.text += ".";
        c.shown.clear();
        d.evidence(h.last, fmt::format("STREAM_END vb {}, reason {} ({})", s.partition,
                                       s.end_reason, s.end_name));
        reason_words(d, s);
        if (s.end_reason == 1) {
            c.state = "asked for by the client";
            c.text = close_words(d, s) + c.text;
        }
        if (s.end_reason != 1 && d.owner != nullptr && missing_side(*d.owner) == direction::c2s) {
            c.text += " What the client asked for was not captured.";
            return;
        }
        if (s.end_reason == 1 || opened_later(d, s, s.finished.time_ns)) return;
        const auto* owner = d.owner;
        const auto closed = owner != nullptr && owner->closed.seen
                                ? owner->closed.at.time_ns - s.finished.time_ns
                                : std::int64_t{-1};
        if (closed >= 0 && closed < at_once_ns) {
            c.state = fmt::format("connection closed {} later", duration(closed));
            return;
        }
        c.brief += ", not asked for again";
        c.state = "not asked for again on this connection";
        c.text += fmt::format(
            " The client did not ask for vb {} again on this connection{}.", s.partition,
            closed < 0 ? std::string{} : fmt::format(", which closed {} later", duration(closed)));
        return;
    }
}

void word_abandoned(card_draft& d) {
    auto& c = d.c;
    const auto n = d.lead().count;
    const auto one =
        n == 1 ? fmt::format("vb {}", count_of(d.first_hit(), "partition")) : count(n, "vbucket");
    if (d.owner == nullptr) return;
    c.clause = fmt::format("{} has had no stream for {} for {}", display_name(*d.owner), one,
                           rough_duration(c.amount_ns));
    c.condition = fmt::format("{} not asked for again", one);
    if (n != d.lead().partitions.size() || n == 1) return;
    const auto where = vbuckets_words(d.lead().partitions);
    c.title = fmt::format("{} were left without a stream, and none was asked for again in up to {}",
                          one, rough_duration(c.amount_ns));
    c.brief = fmt::format("{}: {}", one, where);
    c.text = capitalized(where) + '.';
}

}  // namespace cdcscope::report
