// Better words for the DCP findings whose story takes more than their own sentence.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analyzer/report/format.h"
#include "analyzer/report/word_dcp.h"
#include "analyzer/report/words.h"

namespace cdcscope::report {
namespace {

using findings::code;

// D42 looks only at streams of which this is true.
constexpr std::string_view announced =
    "The stream started at seqno 0 with collections on, so the collection should have been "
    "announced.";

std::uint64_t messages_named(const connection& c, std::string_view type) {
    for (const auto& t : c.by_type) {
        if (t.name == type) return t.count;
    }
    return 0;
}

// The first stream that waits inside a snapshot.
const stream_row* unfinished_stream(const card_draft& d) {
    for (const auto* s : d.streams()) {
        if (s->live && s->snapshot_known && !s->snapshot_complete) return s;
    }
    return nullptr;
}

std::string what_filled_it(const connection& c, std::uint64_t filled) {
    const auto markers = messages_named(c, "snapshot_marker"),
               mutations = messages_named(c, "mutation");
    // The list is right only if nothing else was counted and nothing was acknowledged.
    if (c.flow->acknowledgements > 0 || filled != c.flow->counted || markers + mutations == 0)
        return {};
    std::string out = " (";
    if (markers > 0) out += count(markers, "snapshot marker") + (mutations > 0 ? ", " : "");
    if (mutations > 0) out += count(mutations, "mutation");
    return out + ")";
}

double share_of_life(const connection& c, std::int64_t at) {
    return c.life.length() <= 0
               ? 0
               : static_cast<double>(at - c.life.from) / static_cast<double>(c.life.length());
}

mini_chart window_chart(const connection& c, std::int64_t since) {
    mini_chart chart;
    chart.kind = mini_kind::window;
    const auto top =
        static_cast<double>(std::max<std::uint64_t>({c.flow->peak, c.flow->window, 1}));
    const auto points = c.window.points();
    const auto every = points.size() / 120 + 1;
    for (std::size_t i = 0; i < points.size(); i += every) {
        chart.points.emplace_back(share_of_life(c, points[i].at),
                                  static_cast<double>(points[i].value) / top);
    }
    chart.limit = static_cast<double>(c.flow->window) / top;
    chart.mark = share_of_life(c, since);
    return chart;
}

// What was outstanding when the window became full: more may have come although it was.
std::uint64_t filled_with(const flow_figures& f, const hit& h) {
    if (f.full_at_end) return f.filled_by.empty() ? f.outstanding : f.filled_to;
    return figure_of(h, "unackedBytes") ? count_of(h, "unackedBytes") : f.peak;
}

// The message that filled the window, where it is the last one that did.
std::string filling_words(const flow_figures& f, std::uint64_t filled) {
    if (!f.full_at_end || f.filled_by.empty())
        return fmt::format("{}, window full", exact_bytes(filled));
    return fmt::format("{}: {} becomes {}, window full", f.filled_by, exact_bytes(f.filled_from),
                       exact_bytes(f.filled_to));
}

std::string limits_words(const card_draft& d, std::int64_t full_for) {
    using findings::limit;
    const auto stalled =
        d.limits.ns(full_for > d.limits.ns(limit::stalled_warning) ? limit::stalled_warning
                                                                   : limit::stalled_note);
    const auto* missing = d.part(code::dcp_flow_ack_missing);
    if (missing == nullptr || missing->hits.front().last.frame != d.first_hit().last.frame)
        return fmt::format("first message after the limit of {}", short_duration(stalled));
    return fmt::format("first message after the limits ({} without acknowledgement, {} full)",
                       short_duration(d.limits.ns(limit::ack_missing_time)),
                       short_duration(stalled));
}

std::string all_answered_words(std::uint64_t sent) {
    return sent == 1 ? std::string(" The keep-alive was answered.")
                     : fmt::format(" All {} were answered.", count(sent, "keep-alive"));
}

// ---- D13, with D11 and D15

void word_stall(card_draft& d) {
    if (d.owner == nullptr) return;
    const auto& owner = *d.owner;
    const auto& f = *owner.flow;
    const auto& h = d.first_hit();
    auto& c = d.c;
    const auto since = f.full_at_end && f.filled.frame != 0 ? f.filled : h.first;
    const auto until = f.full_at_end        ? owner.life.to
                       : h.until.frame != 0 ? h.until.time_ns
                                            : h.last.time_ns;
    const auto length = until - since.time_ns;
    const auto name = display_name(owner);
    const auto filled = filled_with(f, h);
    const auto none =
        f.acknowledgements == 0 || (f.full_at_end && f.last_ack.time_ns <= since.time_ns);
    const auto acknowledged = none ? exact_bytes(0) : std::string("too little");
    c.going_on = f.full_at_end && d.lasts;
    c.amount_ns = length;
    if (f.full_at_end) {
        c.title = fmt::format("{} stopped receiving at {} and never resumed", name,
                              time_words(d.m, since.time_ns));
        c.condition = fmt::format("stalled {}, {}", rough_duration(length),
                                  d.lasts ? std::string_view{"still at the end"} : until_its_end);
        c.state = d.lasts ? std::string_view{"still going on"} : until_its_end;
    } else {
        c.title = fmt::format("{} received no data for {} from {} on", name, rough_duration(length),
                              time_words(d.m, since.time_ns));
        c.condition = fmt::format("was stalled for {}", rough_duration(length));
        c.state = fmt::format("over after {}", duration(length));
    }
    c.clause = fmt::format("has received nothing for {}", rough_duration(length));
    c.brief = c.title;
    c.why = f.acknowledgements == 0
                ? fmt::format("It asked for a {} window and never acknowledged a byte.",
                              exact_bytes(f.window))
                : fmt::format("Its {} window is full; acknowledgements stopped.",
                              exact_bytes(f.window));
    if (f.full_at_end && owner.noop.answered > 0) c.why += " Keep-alives hide it.";
    c.text = fmt::format(
        "The server filled the {} window with {}{}. The client acknowledged {} in the {} that "
        "followed.",
        exact_bytes(f.window), exact_bytes(filled), what_filled_it(owner, filled), acknowledged,
        exact_duration(length));
    c.detail =
        fmt::format("window of {} full with {}, {} acknowledged in {}", exact_bytes(f.window),
                    exact_bytes(filled), acknowledged, exact_duration(length));
    const auto& data = owner.ticks[tick_kind::data];
    if (f.full_at_end && !data.empty() && data.last() <= since.time_ns)
        c.text += " No data came after that.";
    if (owner.noop.sent > 0) {
        c.text += owner.noop.sent == owner.noop.answered ? all_answered_words(owner.noop.sent)
                  : owner.noop.sent == 1
                      ? std::string(" The keep-alive was not answered.")
                      : fmt::format(" {} of {} {} answered.", number(owner.noop.answered),
                                    count(owner.noop.sent, "keep-alive"),
                                    owner.noop.answered == 1 ? "was" : "were");
    }
    if (const auto* s = f.full_at_end ? unfinished_stream(d) : nullptr; s != nullptr) {
        c.text +=
            fmt::format(" Stream vb {} stays at seqno {} of snapshot {}.", s->partition,
                        number(s->last_seqno), range(s->last_snapshot_start, s->last_snapshot_end));
    }
    c.shown.clear();
    d.evidence(f.asked, fmt::format("client asks for connection_buffer_size {}", f.window));
    d.evidence(since, filling_words(f, filled));
    d.evidence(h.last, limits_words(d, h.last.time_ns - since.time_ns));
    if (f.full_at_end) {
        if (owner.noop.last_answered.time_ns > since.time_ns)
            d.evidence(owner.noop.last_answered, fmt::format("last keep-alive answered, still {}",
                                                             exact_bytes(f.outstanding)));
        if (owner.closed.seen)
            d.evidence(owner.closed.at,
                       owner.closed.by == direction::c2s ? "client closes" : "server closes");
    } else {
        d.evidence(h.until, "freed");
    }
    c.evidence_left_out = c.evidence_unlisted = 0;
    c.chart = window_chart(owner, since.time_ns);
    c.chart.left = fmt::format("{} of {} unacknowledged", number(f.peak), exact_bytes(f.window));
    c.chart.right = fmt::format("for {}", rough_duration(length));
}

// ---- D11 alone

// How much of the window each acknowledgement freed, where the course of the window has all of
// them.
std::string freed_words(const connection& owner) {
    const auto& f = *owner.flow;
    const auto points = owner.window.points();
    if (owner.window.thinned() || f.full.size() != f.full_times || f.full_at_end) return {};
    auto least = UINT64_MAX;
    for (const auto& full : f.full) {
        const auto after = std::find_if(points.begin(), points.end(), [&](const point& p) {
            return p.at == full.to && p.value < f.window;
        });
        if (after == points.end() || after == points.begin()) return {};
        least = std::min(least, (after - 1)->value - after->value);
    }
    if (least == UINT64_MAX) return {};
    return least * 2 > f.window
               ? fmt::format(", by {} or more: over half of it", exact_bytes(least))
               : fmt::format(", by {} or more", exact_bytes(least));
}

void word_full(card_draft& d) {
    if (d.owner == nullptr) return;
    const auto& f = *d.owner->flow;
    auto& c = d.c;
    const auto times = d.lead().count;
    const auto span = durations(f.full_least_ns, f.full_most_ns);
    c.title = fmt::format("the receive window of {} was full {}, for {}", exact_bytes(f.window),
                          times == 1 ? std::string("once") : count(times, "time"), span);
    c.brief =
        fmt::format("{}, for {}", times == 1 ? std::string("once") : count(times, "time"), span);
    const auto freed = times - (f.full_at_end ? 1 : 0);
    c.text = fmt::format("The most that was unacknowledged is {}.", exact_bytes(f.peak));
    if (freed > 0)
        c.text += fmt::format(" {} an acknowledgement freed it{}; this is how flow control works.",
                              freed == times ? "Each time" : "Before", freed_words(*d.owner));
    if (f.full_at_end)
        c.text += fmt::format(" {} freed it before the connection or the capture ended.",
                              times == 1 ? "Nothing" : "The last time nothing");
    c.condition =
        fmt::format("window full {}", times == 1 ? std::string("once") : count(times, "time"));
    c.going_on = false;
    c.state = f.full_at_end ? std::string("not freed before the end")
                            : fmt::format("each freed within {}", duration(f.full_most_ns));
    c.shown.clear();
    for (const auto& h : d.lead().hits) {
        auto text = h.text;
        if (const auto at = text.find(" freed after "); at != std::string::npos)
            text.insert(at, ",");
        d.evidence(h.first.frame != 0 ? h.first : h.last, text);
    }
}

// ---- others

void word_ack_short(card_draft& d) {
    if (d.owner == nullptr) return;
    const auto& h = d.lead().hits.back();
    auto& c = d.c;
    const auto prepares = count_of(h, "prepares"), bytes_short = count_of(h, "shortfallBytes");
    c.title = fmt::format("acknowledgements are {} short, 2{}B for each of {}",
                          exact_bytes(bytes_short), no_break_space, count(prepares, "prepare"));
    c.brief = fmt::format("2{}B less for each of {}", no_break_space, count(prepares, "prepare"));
    c.condition = fmt::format("acknowledges {} short", exact_bytes(bytes_short));
    const auto left = count_of(h, "preparesLeft");
    const auto window = exact_bytes(count_of(h, "connectionBufferSize"));
    c.text = fmt::format(
        "{}: the server counts {}, the client acknowledges the {} that were on the wire. The "
        "missing {} stay in the window for good. After {} more ({} durable writes in all) the "
        "window of {} is full for good.",
        count(prepares, "prepare"), exact_bytes(count_of(h, "ackedBytes") + bytes_short),
        exact_bytes(count_of(h, "ackedBytes")), exact_bytes(bytes_short), count(left, "prepare"),
        number(prepares + left), window);
    c.state = d.owner->flow->outstanding >= bytes_short
                  ? fmt::format("at the end: {}", exact_bytes(d.owner->flow->outstanding))
                  : std::string{};
    c.shown.clear();
    for (const auto& one : d.lead().hits)
        d.evidence(one.last,
                   fmt::format("acknowledges {}, {} left", exact_bytes(count_of(one, "ackedBytes")),
                               exact_bytes(count_of(one, "shortfallBytes"))));
    c.amount = bytes_short;
}

// The server closes the older of two connections; here it did, or did not.
std::string end_of_older_words(const connection& older, std::int64_t since) {
    constexpr std::int64_t at_once_ns = 1'000'000'000;
    const auto lived = older.life.to - since;
    const auto closed = older.closed.seen && (older.closed.how == recover::end_kind::fin ||
                                              older.closed.how == recover::end_kind::rst);
    if (lived < 0) return {};
    const std::string_view by = older.closed.by == direction::c2s ? "client" : "server";
    if (closed && lived <= at_once_ns)
        return fmt::format(" The {} closed connection {} {} later.", by, older.id, duration(lived));
    return fmt::format(" Connection {} lived on for {}, {}.", older.id, duration(lived),
                       closed ? fmt::format("until the {} closed it", by)
                              : std::string("to the end of what was captured of it"));
}

void word_shared_name(card_draft& d) {
    const auto& h = d.first_hit();
    if (d.lead().count > 1 || text_of(h, "name").empty()) return;
    const auto other = count_of(h, "other");
    d.c.others.push_back(static_cast<std::uint32_t>(other));
    const auto json = d.owner != nullptr && !d.owner->short_name.empty();
    const auto name = json ? display_name(*d.owner) : text_of(h, "name");
    d.c.title = fmt::format("connections {} and {} both use the name {}",
                            std::min<std::uint64_t>(other, d.c.connection),
                            std::max<std::uint64_t>(other, d.c.connection), name);
    d.c.brief = fmt::format("{}, also c{}", name, other);
    const auto* older = d.m.find(static_cast<std::uint32_t>(other));
    const auto stalled = older != nullptr && older->flow->full_at_end &&
                         older->flow->filled.time_ns < h.last.time_ns;
    d.c.text = fmt::format("Connection {} was open{} when connection {} opened with the same name.",
                           other, stalled ? ", and stalled," : "", d.c.connection);
    if (older != nullptr) d.c.text += end_of_older_words(*older, h.last.time_ns);
    if (json) d.c.text += fmt::format(" In full: {}.", text_of(h, "name"));
    d.c.state = "while both were open";
    d.c.shown.clear();
    d.evidence(h.last, "second DCP_OPEN");
}

// "19 messages with 11 keys"; keys that cannot be told apart any more are not counted.
std::string keys_words(const rule_finding& f) {
    std::set<std::pair<std::uint64_t, std::string>> keys;
    auto all = f.count == f.hits.size();
    for (const auto& h : f.hits) {
        keys.emplace(count_of(h, "partition"), text_of(h, "key"));
        all = all && !text_of(h, "key").starts_with("(redacted, ");
    }
    const auto messages = count(f.count, "message");
    return all ? fmt::format("{} with {}", messages, count(keys.size(), "key"))
               : fmt::format("{} with keys", messages);
}

// A collection may have its name from elsewhere.
std::string collection_name_words(const card_draft& d, std::uint64_t id) {
    if (d.owner == nullptr) return {};
    const auto& all = d.owner->collections;
    const auto found = std::find_if(all.begin(), all.end(), [&](auto& c) { return c.first == id; });
    if (found == all.end() || found->second.empty()) return {};
    const auto& types = d.owner->by_type;
    const auto announces =
        std::any_of(types.begin(), types.end(), [](auto& t) { return t.name == "system_event"; });
    return fmt::format(" 0x{:x} is named {} by {}.", id, printable(found->second),
                       announces
                           ? "the manifest or another stream, not by a system event of this one"
                           : "the manifest, not by a system event");
}

void word_collections(card_draft& d) {
    const auto& hits = d.lead().hits;
    const auto id = count_of(hits.front(), "collectionId");
    d.c.state = count(d.lead().count, "message");
    if (d.lead().count < 2) {
        d.c.text = std::string(announced) + collection_name_words(d, id);
        return;
    }
    const auto one = std::all_of(hits.begin(), hits.end(),
                                 [&](auto& h) { return count_of(h, "collectionId") == id; });
    const auto keys = keys_words(d.lead());
    d.c.brief = fmt::format("{} of {}collection 0x{:x}", keys, one ? "" : "several, first ", id);
    d.c.title =
        one ? fmt::format("{} of collection 0x{:x}, which no system event announced", keys, id)
            : fmt::format("{} of collections that no system event announced, the first 0x{:x}",
                          keys, id);
    d.c.text = fmt::format("The first key is {} on vb {}. {}", text_of(hits.front(), "key"),
                           count_of(hits.front(), "partition"), announced) +
               collection_name_words(d, id);
}

void word_controls(card_draft& d) {
    std::string names;
    for (const auto& h : d.lead().hits) names += (names.empty() ? "" : ", ") + text_of(h, "name");
    if (names.size() < 3 || names.find_first_not_of(", ") == std::string::npos) return;
    d.c.brief = names;
    d.c.title = fmt::format("the server refused {}: {}", count(d.lead().count, "setting"), names);
    d.c.shown.clear();
    for (const auto& h : d.lead().hits) d.evidence(h.last, h.text);
    if (d.owner == nullptr) return;
    std::size_t told = 0;
    for (const auto& r : d.owner->steps->retries) {
        const auto refused = [&](const hit& h) {
            return text_of(h, "name") == printable(r.name) && h.last.time_ns < r.at.time_ns;
        };
        if (!std::any_of(d.lead().hits.begin(), d.lead().hits.end(), refused) || ++told > 4)
            continue;
        d.c.text += fmt::format(" The client then sent {} {}, which was accepted.",
                                printable(r.name), printable(r.value));
    }
    const auto& data = d.owner->ticks[tick_kind::data];
    if (!d.c.uncertain && !data.empty() && data.last() > d.lead().last.time_ns)
        d.c.state = "data came all the same";
}

void word_silent(card_draft& d) {
    if (d.owner == nullptr) return;
    const auto silent =
        static_cast<std::int64_t>(figure_of(d.first_hit(), "silentMs").value_or(0) * 1e6);
    if (silent <= 0) return;
    d.c.condition = fmt::format("silent for {}", rough_duration(silent));
    d.c.clause = fmt::format("{} was silent for {} and then reset", display_name(*d.owner),
                             rough_duration(silent));
}

struct wording {
    code of;
    void (*word)(card_draft&);
};
constexpr wording wordings[] = {
    {code::dcp_flow_stalled, word_stall},          {code::dcp_flow_full, word_full},
    {code::dcp_stream_refused, word_refused},      {code::dcp_stream_ended, word_ended},
    {code::dcp_stream_abandoned, word_abandoned},  {code::dcp_prepare_unresolved, word_prepares},
    {code::dcp_flow_ack_short, word_ack_short},    {code::dcp_stream_rollback, word_rollbacks},
    {code::dcp_rollback_loop, word_rollback_loop}, {code::dcp_collection_unknown, word_collections},
    {code::dcp_control_refused, word_controls},    {code::dcp_connection_silent, word_silent},
    {code::dcp_name_shared, word_shared_name},
};

}  // namespace

void word_dcp(card_draft& d) {
    for (const auto& w : wordings) {
        if (w.of == d.lead().what) w.word(d);
    }
}

}  // namespace cdcscope::report
