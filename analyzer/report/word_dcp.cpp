// Better words for the DCP findings whose story takes more than their own sentence.
#include <fmt/format.h>

#include <algorithm>

#include "analyzer/report/cards.h"
#include "analyzer/report/format.h"
#include "analyzer/report/words.h"

namespace cdcscope::report {
namespace {

using findings::code;

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

std::string what_filled_it(const connection& c) {
    const auto markers = messages_named(c, "snapshot_marker"),
               mutations = messages_named(c, "mutation");
    // The list is right only if nothing else was counted and nothing was acknowledged.
    if (c.flow.acknowledgements > 0 || c.flow.peak != c.flow.counted || markers + mutations == 0)
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
    const auto top = static_cast<double>(std::max<std::uint64_t>({c.flow.peak, c.flow.window, 1}));
    const auto points = c.window.points();
    const auto every = points.size() / 120 + 1;
    for (std::size_t i = 0; i < points.size(); i += every) {
        chart.points.emplace_back(share_of_life(c, points[i].at),
                                  static_cast<double>(points[i].value) / top);
    }
    chart.limit = static_cast<double>(c.flow.window) / top;
    chart.mark = share_of_life(c, since);
    return chart;
}

// ---- D13, with D11 and D15

void word_stall(card_draft& d) {
    if (d.owner == nullptr) return;
    const auto& owner = *d.owner;
    const auto& f = owner.flow;
    const auto& h = d.first_hit();
    auto& c = d.c;
    const auto since = f.full_at_end && f.filled.frame != 0 ? f.filled : h.first;
    const auto until = f.full_at_end        ? owner.life.to
                       : h.until.frame != 0 ? h.until.time_ns
                                            : h.last.time_ns;
    const auto length = until - since.time_ns;
    const auto name = display_name(owner);
    c.going_on = f.full_at_end;
    c.amount_ns = length;
    if (f.full_at_end) {
        c.title = fmt::format("{} stopped receiving at {} and never resumed", name,
                              time_words(d.m, since.time_ns));
        c.condition = fmt::format("stalled {}, still at the end", rough_duration(length));
        c.state = "still going on";
    } else {
        c.title = fmt::format("{} received nothing for {} from {} on", name, rough_duration(length),
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
        exact_bytes(f.window), exact_bytes(f.full_at_end ? f.outstanding : f.peak),
        what_filled_it(owner),
        f.acknowledgements == 0 || f.full_at_end ? exact_bytes(0) : std::string("too little"),
        exact_duration(length));
    if (owner.noop.sent > 0) {
        c.text += owner.noop.sent == owner.noop.answered
                      ? fmt::format(" All {} were answered.", count(owner.noop.sent, "keep-alive"))
                      : fmt::format(" {} of {} were answered.", number(owner.noop.answered),
                                    count(owner.noop.sent, "keep-alive"));
    }
    if (const auto* s = f.full_at_end ? unfinished_stream(d) : nullptr; s != nullptr) {
        c.text +=
            fmt::format(" Stream vb {} stays at seqno {} of snapshot {}.", s->partition,
                        number(s->last_seqno), range(s->last_snapshot_start, s->last_snapshot_end));
    }
    c.shown.clear();
    d.evidence(f.asked, fmt::format("client asks for connection_buffer_size {}", f.window));
    d.evidence(since,
               fmt::format("{}, window full", exact_bytes(f.full_at_end ? f.outstanding : f.peak)));
    d.evidence(
        h.last,
        fmt::format("first message after the limit of {}",
                    short_duration(d.limits.ns(h.last.time_ns - since.time_ns >
                                                       d.limits.ns(findings::limit::stalled_warning)
                                                   ? findings::limit::stalled_warning
                                                   : findings::limit::stalled_note))));
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
    c.evidence_left_out = 0;
    c.chart = window_chart(owner, since.time_ns);
    c.chart.left = fmt::format("{} of {} unacknowledged", number(f.peak), exact_bytes(f.window));
    c.chart.right = fmt::format("for {}", rough_duration(length));
}

// ---- D11 alone

void word_full(card_draft& d) {
    if (d.owner == nullptr) return;
    const auto& f = d.owner->flow;
    auto& c = d.c;
    const auto times = d.lead().count;
    const auto span =
        f.full_least_ns == f.full_most_ns
            ? duration(f.full_most_ns)
            : fmt::format("{} to {}", duration(f.full_least_ns), duration(f.full_most_ns));
    c.title = fmt::format("the window of {} was full {}, for {}", exact_bytes(f.window),
                          times == 1 ? std::string("once") : count(times, "time"), span);
    c.brief =
        fmt::format("{}, for {}", times == 1 ? std::string("once") : count(times, "time"), span);
    c.text = fmt::format(
        "The most that was unacknowledged is {}. Each time an acknowledgement freed it; this is "
        "how flow control works.",
        exact_bytes(f.peak));
    c.condition =
        fmt::format("window full {}", times == 1 ? std::string("once") : count(times, "time"));
    c.going_on = false;
    c.state.clear();
}

// ---- D20, with D21 and D22

void word_refused(card_draft& d) {
    auto& c = d.c;
    const auto refusals = d.lead().count;
    if (d.owner == nullptr || refusals < 2) return;
    std::uint64_t asked = 0;
    std::vector<std::pair<std::string, std::uint64_t>> reasons;
    for (const auto* row : d.streams()) {
        const auto& s = *row;
        asked += s.state == stream_state::unknown_start ? 0 : s.times;
        if (s.state != stream_state::refused) continue;
        const auto it = std::find_if(reasons.begin(), reasons.end(),
                                     [&](auto& r) { return r.first == s.status_name; });
        it == reasons.end()
            ? reasons.emplace_back(s.status_name, s.times)
            : std::pair<std::string, std::uint64_t>{it->first, it->second += s.times};
    }
    std::string list;
    for (const auto& [reason, n] : reasons)
        list += fmt::format("{}{}{}", list.empty() ? "" : ", ", reason,
                            n > 1 ? fmt::format(" ({})", number(n)) : "");
    c.title =
        fmt::format("{} of {} were refused", number(refusals), count(asked, "stream request"));
    c.brief = fmt::format("{}: {}", c.title, list);
    c.why = capitalized(list) + ".";
    c.condition = fmt::format("{} refused", count(refusals, "request"));
    c.clause = fmt::format("{} {}", display_name(*d.owner),
                           fmt::format("had {} refused", count(refusals, "stream request")));
    c.text = fmt::format("Reasons: {}.", list);
    std::size_t shown = 0;
    for (const auto* row : d.streams()) {
        const auto& s = *row;
        if (s.state != stream_state::refused || shown++ >= 4) continue;
        c.text += fmt::format(" vb {}: {} (0x{:02x}){}, start {}, end {}, snapshot {}.",
                              s.partition, s.status_name, s.status,
                              s.times > 1 ? fmt::format(" {} times", s.times) : "", number(s.start),
                              s.end == UINT64_MAX ? std::string("none") : number(s.end),
                              range(s.snapshot_start, s.snapshot_end));
    }
    if (shown > 4)
        c.text += fmt::format(" {} more are in the table of streams.", number(shown - 4));
}

// ---- D27, D51

void word_ended(card_draft& d) {
    auto& c = d.c;
    const auto& h = d.first_hit();
    const auto partition = figure_of(h, "partition");
    if (!partition || d.lead().count > 1) return;
    for (const auto* row : d.streams()) {
        const auto& s = *row;
        if (s.partition != static_cast<std::uint16_t>(*partition) ||
            s.finished.frame != h.last.frame || s.finished.file != h.last.file)
            continue;
        c.title =
            s.end_reason == 1
                ? fmt::format("stream vb {} was closed by the client", s.partition)
                : fmt::format("stream vb {} was ended by the server: {}", s.partition, s.end_name);
        c.brief = fmt::format("vb {}: {}", s.partition, s.end_name);
        c.condition = fmt::format("stream vb {} ended", s.partition);
        c.text = fmt::format("At seqno {}", number(s.last_seqno));
        if (s.snapshot_known) {
            c.text += fmt::format("{} snapshot {}", s.snapshot_complete ? ", end of" : ", inside",
                                  range(s.last_snapshot_start, s.last_snapshot_end));
        }
        c.text += ".";
        const auto again =
            std::any_of(d.streams().begin(), d.streams().end(), [&](const stream_row* o) {
                return o->partition == s.partition && o->asked.time_ns > s.finished.time_ns;
            });
        if (s.end_reason != 1 && !again) {
            c.brief += ", not asked for again";
            c.state = "not asked for again on this connection";
        }
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
}

// ---- D30

void word_prepare(card_draft& d) {
    auto& c = d.c;
    if (d.lead().count > 1) {
        c.title =
            fmt::format("{} have neither commit nor abort", count(d.lead().count, "durable write"));
        c.brief = c.title;
        c.condition = fmt::format("{} open", count(d.lead().count, "durable write"));
        return;
    }
    const auto& h = d.first_hit();
    const auto key = text_of(h, "key");
    const auto age = static_cast<std::int64_t>(figure_of(h, "ageMs").value_or(0) * 1e6);
    c.condition = "1 durable write open";
    const auto where = fmt::format("{} (vb {}, seqno {})", key, count_of(h, "partition"),
                                   number(count_of(h, "bySeqno")));
    if (!key.empty())
        c.brief = age > 0 ? fmt::format("{} open for {}", where, exact_duration(age)) : where;
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
    c.text = fmt::format(
        "The client acknowledged {}, what was on the wire. The server counted {}. After {} more "
        "the window of {} is closed.",
        exact_bytes(count_of(h, "ackedBytes")),
        exact_bytes(count_of(h, "ackedBytes") + bytes_short),
        count(count_of(h, "preparesLeft"), "prepare"),
        exact_bytes(count_of(h, "connectionBufferSize")));
    c.state.clear();
    c.amount = bytes_short;
}

void word_shared_name(card_draft& d) {
    const auto& h = d.first_hit();
    if (d.lead().count > 1 || text_of(h, "name").empty()) return;
    d.c.title = fmt::format("connection name {} is in use twice, also by connection {}",
                            text_of(h, "name"), count_of(h, "other"));
    d.c.brief = fmt::format("{}, also c{}", text_of(h, "name"), count_of(h, "other"));
}

void word_rollbacks(card_draft& d) {
    if (d.lead().count > 1 || d.owner == nullptr) return;
    const auto& h = d.first_hit();
    d.c.brief =
        fmt::format("vb {}: {} to {}", count_of(h, "partition"), number(count_of(h, "startSeqno")),
                    number(count_of(h, "rollbackSeqno")));
}

void word_collections(card_draft& d) {
    if (d.lead().count < 2) return;
    d.c.brief = fmt::format("{}, e.g. of collection 0x{:x}", count(d.lead().count, "key"),
                            count_of(d.first_hit(), "collectionId"));
}

void word_controls(card_draft& d) {
    std::string names;
    for (const auto& h : d.lead().hits) names += (names.empty() ? "" : ", ") + text_of(h, "name");
    if (names.size() < 3 || names.find_first_not_of(", ") == std::string::npos) return;
    d.c.brief = names;
    d.c.title = fmt::format("the server refused {}: {}", count(d.lead().count, "setting"), names);
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
    {code::dcp_flow_stalled, word_stall},
    {code::dcp_flow_full, word_full},
    {code::dcp_stream_refused, word_refused},
    {code::dcp_stream_ended, word_ended},
    {code::dcp_stream_abandoned, word_abandoned},
    {code::dcp_prepare_unresolved, word_prepare},
    {code::dcp_flow_ack_short, word_ack_short},
    {code::dcp_stream_rollback, word_rollbacks},
    {code::dcp_collection_unknown, word_collections},
    {code::dcp_control_refused, word_controls},
    {code::dcp_connection_silent, word_silent},
    {code::dcp_name_shared, word_shared_name},
};

}  // namespace

void word_dcp(card_draft& d) {
    for (const auto& w : wordings) {
        if (w.of == d.lead().what) w.word(d);
    }
}

}  // namespace cdcscope::report
