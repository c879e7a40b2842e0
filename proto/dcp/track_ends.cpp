// How streams end, and what should have come after it (D27, D47, D50, D51).

#include <algorithm>

#include "proto/dcp/track_connection.h"

namespace cdcscope::dcp {
namespace {

using findings::seconds_text;

constexpr std::size_t most_lost = 1U << 16;

bool harmful(std::uint32_t reason) noexcept {
    return reason == end_reason::state_changed || reason == end_reason::too_slow ||
           reason == end_reason::backfill_failed || reason == end_reason::rollback ||
           reason == end_reason::lost_privileges;
}

std::string reason_text(std::uint32_t reason) {
    const named_value* known = find_value(end_reason_names, reason);
    return known != nullptr ? std::string(known->title) : "reason " + std::to_string(reason);
}

void tell_end(connection_state& c, const dcp_stream& s, std::uint32_t reason) {
    if (reason == end_reason::ok) return;
    const named_value* known = find_value(end_reason_names, reason);
    std::vector<findings::figure> figures =
        of_stream(s, {{"reason", std::string(known != nullptr ? known->name : "")},
                      {"reasonCode", std::uint64_t{reason}},
                      {"lastSeqno", s.sent()}});
    if (s.story.in_snapshot) {
        figures.push_back({"snapshotStartSeqno", s.story.marker_start});
        figures.push_back({"snapshotEndSeqno", s.story.marker_end});
    }
    (void)c.report.tell(code::dcp_stream_ended,
                        harmful(reason) ? severity::warning : severity::note, false, {},
                        {sentence("stream ", place_text(s), " ended at seqno ", s.sent(), ": ",
                                  reason_text(reason)),
                         std::move(figures)});
}

void check_takeover(connection_state& c, dcp_stream& s, std::string_view when) {
    if (s.states_unanswered == 0 || s.takeover_told) return;
    s.takeover_told = true;
    (void)c.report.tell(
        code::dcp_takeover_unfinished, severity::warning, c.unsure(s), {},
        {sentence(place_text(s), ": SET_VBUCKET_STATE was not answered ", when), of_stream(s)});
}

account end_account(const connection_state& c, const dcp_stream& s) {
    const std::int64_t waited = c.now().time - s.end_wait_since;
    return {sentence(place_text(s), ": seqno ", s.sent(), " reached the requested end ",
                     s.story.end, ", no STREAM_END in ", seconds_text(waited)),
            of_stream(s, {{"requestedEnd", s.story.end},
                          {"lastSeqno", s.sent()},
                          {"waitedMs", as_ms(waited)}})};
}

void tell_end_missing(connection_state& c, dcp_stream& s, severity level) {
    s.end_told = true;
    const frame_ref& first = s.story.has_items ? s.story.last_item : s.story.opened;
    s.end_running.add(
        c.report.tell(code::dcp_stream_end_missing, level, c.unsure(s), first, end_account(c, s)));
}

void end_wait_over(connection_state& c, dcp_stream& s) {
    if (s.end_wait_since < 0) return;
    if (s.end_running.any()) s.end_running.settle(c.report, true, end_account(c, s));
    c.end_waits.erase({s.end_wait_since, s.story.index});
    s.end_wait_since = -1;
}

account lost_account(const lost_stream& lost, std::int64_t until) {
    const std::int64_t idle = until - lost.since.time;
    std::vector<findings::figure> figures{{"partition", std::uint64_t{lost.vbucket}},
                                          {"idleMs", as_ms(idle)}};
    if (lost.has_last) figures.push_back({"lastSeqno", lost.last_seqno});
    return {
        sentence("stream ", vb_text(lost.vbucket), " ", lost.why, lost.has_last ? " at seqno " : "",
                 lost.has_last ? findings::grouped(lost.last_seqno) : "",
                 "; not asked for again in ", seconds_text(idle)),
        std::move(figures)};
}

void check_lost(connection_state& c) {
    while (!c.lost.empty() && c.lost.front().left->deadline < c.now().time) {
        lost_stream lost = std::move(c.lost.front());
        c.lost.pop_front();
        if (lost.left->asked_again) continue;
        const bool elsewhere =
            c.all.shared.opened_elsewhere(c.client_host, c.bucket, c.server_place);
        const bool out_of_sight = (lost.moved && !elsewhere) || c.agreed.named_consumer;
        lost.told.add(c.report.tell(
            code::dcp_stream_abandoned, out_of_sight ? severity::note : severity::warning,
            c.story.sure.hole || c.all.shared.hole_since(c.client_host, lost.order), lost.since.at,
            lost_account(lost, c.now().time)));
        if (c.lost_told.size() < most_lost) c.lost_told.push_back(std::move(lost));
    }
}

}  // namespace

void take_stream_end(connection_state& c, const incoming& in, dcp_stream& s) {
    const auto reason = static_cast<std::uint32_t>(number_or(in.m, field_id::end_reason, 0));
    const bool closing = s.story.state == stream_state::closing;
    check_end_in_snapshot(c, s, reason == end_reason::ok);
    tell_end(c, s, reason);
    const bool pending =
        closing || reason == end_reason::closed || (s.story.flags & stream_flag::takeover) != 0;
    leave_prepares(c, s, pending, "when its stream ended", true);
    check_takeover(c, s, "when the stream ended");
    end_wait_over(c, s);
    settle_past_end(c, s, true);
    settle_repeated(c, s, true);
    s.story.state = stream_state::ended;
    s.story.ended = c.now().at;
    s.story.reason = reason;
    s.story.has_reason = true;
    c.snapshot_keys -= s.keys.size();
    s.keys = {};
    c.watch().on_stream_ended(c.setup.id, c.now().at, s.story.index);
    const bool wanted = reason == end_reason::ok || reason == end_reason::closed ||
                        reason == end_reason::filter_empty;
    if (!wanted && !closing) {
        abandon(c, s.story.vbucket, &s, reason == end_reason::state_changed,
                "ended: " + reason_text(reason));
    }
}

void take_vbucket_state(connection_state& c, const incoming& in, dcp_stream& s) {
    const std::uint64_t state = number_or(in.m, field_id::vbucket_state, 0);
    if (state == vbucket_state::active && s.pending_unanswered > 0 && !s.takeover_told) {
        s.takeover_told = true;
        (void)c.report.tell(
            code::dcp_takeover_unfinished, severity::warning, c.unsure(s), {},
            {sentence(place_text(s), ": state active was sent before pending was answered"),
             of_stream(s)});
    }
    ++s.states_unanswered;
    if (state == vbucket_state::pending) ++s.pending_unanswered;
}

void answer_vbucket_state(dcp_stream& s) {
    if (s.states_unanswered > 0) --s.states_unanswered;
    if (s.pending_unanswered > 0) --s.pending_unanswered;  // sent first, answered first
}

void wait_for_end(connection_state& c, dcp_stream& s) {
    if (!s.finite() || !s.open() || s.end_told || s.story.last_seqno < s.story.end) return;
    if (s.end_wait_since >= 0) c.end_waits.erase({s.end_wait_since, s.story.index});
    s.end_wait_since = c.now().time;
    c.end_waits.insert({s.end_wait_since, s.story.index});
}

void abandon(connection_state& c, std::uint16_t vbucket, const dcp_stream* s, bool moved,
             std::string why) {
    if (c.closed || c.lost.size() == most_lost) return;
    lost_stream lost;
    lost.left = c.all.shared.abandon(c.client_host, c.bucket, vbucket, c.now().time,
                                     c.report.limits().ns(limit::abandoned_time));
    lost.vbucket = vbucket;
    lost.has_last = s != nullptr;
    lost.last_seqno = s != nullptr ? s->sent() : 0;
    lost.moved = moved;
    lost.why = std::move(why);
    lost.since = c.now();
    lost.order = c.all.shared.order();
    c.lost.push_back(std::move(lost));
}

void check_end_times(connection_state& c) {
    const std::int64_t limit_ns = c.report.limits().ns(limit::stream_end_time);
    while (!c.end_waits.empty() && c.now().time - c.end_waits.begin()->first > limit_ns) {
        const std::uint32_t index = c.end_waits.begin()->second;
        c.end_waits.erase(c.end_waits.begin());
        if (dcp_stream* s = c.streams.at(index)) tell_end_missing(c, *s, severity::warning);
    }
    check_lost(c);
}

void close_streams(connection_state& c) {
    c.lost.clear();
    const bool cut_off = c.story.closed.frame != 0;
    c.story.durability.open = c.prepares_left;
    for (const auto& each : c.streams.all()) {
        dcp_stream& s = *each;
        if (s.ended()) continue;
        leave_prepares(c, s, true,
                       cut_off ? "when its connection closed" : "at the end of the capture", false);
        c.story.durability.open += s.story.open_prepares;
        if (cut_off) check_takeover(c, s, "when the connection closed");
        if (cut_off && s.end_wait_since >= 0 && !s.end_told) tell_end_missing(c, s, severity::note);
        if (s.end_running.any()) s.end_running.settle(c.report, false, end_account(c, s));
        if (cut_off) s.story.state = stream_state::cut_off;
    }
    c.end_waits.clear();
}

void settle_streams(connection_state& c) {
    for (lost_stream& lost : c.lost_told) {
        const bool over = lost.left->over;
        lost.told.settle(c.report, over,
                         lost_account(lost, over ? lost.left->over_at : c.now().time));
    }
    c.lost_told.clear();
    for (const auto& each : c.streams.all()) {
        settle_past_end(c, *each, false);
        settle_repeated(c, *each, false);
    }
}

}  // namespace cdcscope::dcp
