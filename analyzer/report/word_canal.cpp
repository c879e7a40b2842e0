// Better words for the canal findings, and for those on packets and TCP, whose story takes more
// than their own sentence.
#include <fmt/format.h>

#include <algorithm>

#include "analyzer/report/cards.h"
#include "analyzer/report/format.h"
#include "analyzer/report/words.h"
#include "proto/wire/utf8.h"

namespace cdcscope::report {
namespace {

using findings::code;

std::string consumer_words(const connection& c) {
    return fmt::format("consumer {} of {}", printable(c.name), printable(c.target));
}

// "2 s, 30 s, 5 min, 30 min, 1 h 30 min": the first and the last ones.
std::string lag_list(const std::vector<const batch_row*>& batches) {
    std::string out;
    for (std::size_t i = 0; i < batches.size(); ++i) {
        if (batches.size() > 6 && i == 3) {
            out += " ...";
            i = batches.size() - 2;
        }
        out +=
            (out.empty() ? "" : ", ") + short_duration(batches[i]->lag_ns / 1'000'000 * 1'000'000);
    }
    return out;
}

// How fast the client is: time from delivery to acknowledgement, if it is about the same for all.
std::string client_words(const std::vector<const batch_row*>& batches) {
    std::int64_t least = INT64_MAX, most = 0;
    for (const auto* b : batches) {
        if (b->finished.frame == 0 || b->state != batch_state::acknowledged) continue;
        least = std::min(least, b->finished.time_ns - b->delivered.time_ns);
        most = std::max(most, b->finished.time_ns - b->delivered.time_ns);
    }
    if (most == 0) return {};
    const auto span = most - least < most / 20
                          ? duration(most)
                          : fmt::format("{} to {}", duration(least), duration(most));
    if (most < 1'000'000'000)
        return fmt::format(" The client is not the slow part: it acknowledges each batch after {}.",
                           span);
    return fmt::format(" The client acknowledges its batches after {}.", span);
}

// ---- C14

void word_lag(card_draft& d) {
    if (d.owner == nullptr || d.lead().level < severity::warning) return;
    auto& c = d.c;
    auto batches = d.batches();
    batches.erase(
        std::remove_if(batches.begin(), batches.end(), [](auto* b) { return !b->has_lag; }),
        batches.end());
    if (batches.empty()) return;
    const auto limit = d.limits.ns(findings::limit::lag_time);
    const auto last = batches.back()->lag_ns;
    const auto most = (*std::max_element(batches.begin(), batches.end(), [](auto* a, auto* b) {
                          return a->lag_ns < b->lag_ns;
                      }))->lag_ns;
    const auto grows = batches.size() > 2 &&
                       std::is_sorted(batches.begin(), batches.end(),
                                      [](auto* a, auto* b) { return a->lag_ns < b->lag_ns; });
    const auto who = consumer_words(*d.owner);
    c.going_on = last > limit;
    // How long it has been so, not how far behind: a stall and a lag are ranked by the same
    // measure.
    std::int64_t since = 0, until = 0;
    for (const auto* b : batches) {
        if (b->lag_ns <= limit) continue;
        if (since == 0) since = b->delivered.time_ns;
        until = b->delivered.time_ns;
    }
    c.amount_ns = until - since;
    if (c.going_on) {
        c.title = fmt::format("{} is {} behind{}", who, rough_duration(last),
                              grows ? ", and falls further with every batch" : "");
        c.state = grows ? "growing" : "still going on";
        c.condition = fmt::format("{} behind{}", rough_duration(last), grows ? ", growing" : "");
    } else {
        const auto at_first = batches.front()->lag_ns == most;
        c.title =
            fmt::format("{} {} {} behind{}", who, at_first ? "started" : "was",
                        rough_duration(most), at_first ? " and caught up" : ", then caught up");
        c.state = fmt::format("over: {} at the end", rough_duration(last));
        c.condition = fmt::format("was {} behind", rough_duration(most));
    }
    c.clause = fmt::format("is {} behind", rough_duration(last));
    c.brief = c.going_on ? c.title
                         : fmt::format("{}: {} behind, caught up", printable(d.owner->target),
                                       rough_duration(most));
    c.why = most > 0 && client_words(batches).find("not the slow part") != std::string::npos
                ? "The client is quick; the entries are old when canal delivers them."
                : fmt::format("{} behind in {}.", lag_list(batches),
                              count(batches.size(), "batch", "batches"));
    const auto span = batches.back()->delivered.time_ns - batches.front()->delivered.time_ns;
    c.text = fmt::format("{} in {}: {} behind (limit {}).{}",
                         capitalized(count(batches.size(), "batch", "batches")), duration(span),
                         lag_list(batches), short_duration(limit), client_words(batches));
    c.shown.clear();
    for (const auto* b : batches) {
        const auto loud = b->lag_ns > limit;
        if (loud || (b == batches.front() && batches.size() <= cap::evidence))
            d.evidence(b->delivered, fmt::format("batch {}, newest entry {} old", b->batch,
                                                 exact_duration(b->lag_ns)));
    }
    c.evidence_left_out = 0;
    c.chart.kind = mini_kind::bars;
    for (std::size_t i = batches.size() > 40 ? batches.size() - 40 : 0; i < batches.size(); ++i) {
        c.chart.points.emplace_back(
            0, static_cast<double>(std::max<std::int64_t>(batches[i]->lag_ns, 0)) /
                   static_cast<double>(std::max<std::int64_t>(most, 1)));
    }
    c.chart.left = short_duration(batches.front()->lag_ns / 1'000'000 * 1'000'000);
    c.chart.right = rough_duration(last);
}

// ---- C5, C4 and the refusals that go with them

void chart_of_batches(card_draft& d, std::int64_t fault) {
    const auto& all = d.batches();
    if (all.empty() || d.owner == nullptr) return;
    // Those around the faulty moment.
    std::vector<const batch_row*> near;
    for (const auto* b : all) {
        const auto end = b->finished.frame == 0 ? d.owner->life.to : b->finished.time_ns;
        if (b->delivered.time_ns <= fault && end >= fault) near.push_back(b);
    }
    if (near.empty() || near.size() > 8) return;
    auto from = fault, to = fault;
    for (const auto* b : near) {
        from = std::min(from, b->delivered.time_ns);
        to = std::max(to, b->finished.frame == 0 ? d.owner->life.to : b->finished.time_ns);
    }
    const auto length = std::max<std::int64_t>(to - from, 1);
    const auto place = [&](std::int64_t at) {
        return 0.05 + 0.9 * static_cast<double>(at - from) / static_cast<double>(length);
    };
    d.c.chart.kind = mini_kind::lanes;
    std::string names;
    for (std::size_t i = 0; i < near.size(); ++i) {
        const auto* b = near[i];
        d.c.chart.points.emplace_back(
            place(b->delivered.time_ns),
            place(b->finished.frame == 0 ? d.owner->life.to : b->finished.time_ns));
        names += fmt::format("{}{}", i == 0 ? "" : i + 1 == near.size() ? " and " : ", ", b->batch);
    }
    d.c.chart.mark = place(fault);
    d.c.chart.left = fmt::format("{} open", names);
    d.c.chart.right = fmt::format("{} refused", count_of(d.first_hit(), "batchId"));
}

void word_ack_refused(card_draft& d) {
    auto& c = d.c;
    const auto& h = d.first_hit();
    const auto id = count_of(h, "batchId"), oldest = count_of(h, "oldestOpen");
    const auto* refusal = d.part(code::canal_request_refused);
    if (refusal != nullptr && d.lead().count == 1) {
        c.title += fmt::format("; the server refused with code {}",
                               count_of(refusal->hits.front(), "errorCode"));
        c.condition = "acknowledgement refused";
    }
    c.brief = c.title;
    const auto said = refusal != nullptr ? refusal->hits.front().last : h.last;
    std::uint64_t open = 0;
    for (const auto* b : d.batches()) {
        open += b->state == batch_state::open ? 1 : 0;
        if (b->batch == id || (oldest != 0 && b->batch == oldest))
            d.evidence(b->delivered, fmt::format("batch {} delivered", b->batch));
        if (b->batch != id || b->state != batch_state::acknowledged ||
            b->finished.time_ns <= said.time_ns)
            continue;
        const auto later = duration(b->finished.time_ns - said.time_ns);
        d.evidence(b->finished, fmt::format("CLIENTACK {}, accepted", id));
        c.state = fmt::format("over after {}", later);
        c.text = fmt::format(
            "canal takes acknowledgements in order of delivery only. The client sent {} too early, "
            "got an error, and acknowledged it again {} later.",
            id, later);
        c.why = "Acknowledgements must come in order of delivery.";
    }
    if (open == 0) {
        c.text += " Nothing stays open.";
        c.why += " Nothing stays open.";
    } else {
        c.text += fmt::format(" {} never acknowledged.", count(open, "batch is", "batches are"));
    }
    chart_of_batches(d, h.last.time_ns);
}

// ---- others

// Cut at a character's end.
std::string elide_end(const std::string& text, std::size_t most) {
    return text.substr(0, valid_utf8_prefix(as_bytes(std::string_view{text}.substr(0, most)))) +
           " ...";
}

void word_refusal(card_draft& d) {
    if (d.lead().count == 1)
        d.c.condition = fmt::format("{} refused", text_of(d.first_hit(), "answers").empty()
                                                      ? std::string("request")
                                                      : text_of(d.first_hit(), "answers"));
}

void word_ddl(card_draft& d) {
    const auto statements = d.lead().count;
    const auto sql = text_of(d.first_hit(), "sql");
    if (!sql.empty()) d.c.brief = sql.size() > 60 ? elide_end(sql, 60) : sql;
    d.c.condition = statements == 1 ? std::string("1 DDL statement")
                                    : count(statements, "batch with DDL", "batches with DDL");
}

void word_rollback(card_draft& d) {
    if (d.lead().level == severity::note && d.lead().count == 1)
        d.c.brief = "automatic, before the first GET";
}

void word_gap(card_draft& d) {
    if (d.owner == nullptr) return;
    auto& c = d.c;
    const auto all = bytes_of(*d.owner);
    const auto* gap = d.part(code::tcp_gap);
    if (gap == nullptr) return;
    std::string seqnos;
    for (const auto* s : d.streams()) {
        for (const auto& [from, to] : s->not_captured)
            seqnos += fmt::format("{}vb {} seqno {}", seqnos.empty() ? "" : ", ", s->partition,
                                  range(from, to));
    }
    c.title = fmt::format("{} of connection {} were never captured, in {}", exact_bytes(all.gap),
                          c.connection, count(gap->count, "hole"));
    c.brief = fmt::format("{} never captured{}{}", exact_bytes(all.gap), seqnos.empty() ? "" : ", ",
                          seqnos);
    c.condition = "healthy; capture has a hole";
    c.text = fmt::format("{} around {} could not be read.",
                         all.unparsed == 0 ? std::string("Nothing") : exact_bytes(all.unparsed),
                         gap->count == 1 ? "it" : "them");
    if (!seqnos.empty()) c.text += fmt::format(" Not captured: {}.", seqnos);
    c.amount = all.gap;
}

struct wording {
    code of;
    void (*word)(card_draft&);
};
constexpr wording wordings[] = {
    {code::canal_lag, word_lag},
    {code::canal_ack_out_of_order, word_ack_refused},
    {code::canal_ack_unknown_batch, word_ack_refused},
    {code::canal_request_refused, word_refusal},
    {code::canal_ddl, word_ddl},
    {code::canal_rollback, word_rollback},
};

}  // namespace

void word_canal(card_draft& d) {
    for (const auto& w : wordings) {
        if (w.of == d.lead().what) w.word(d);
    }
}

void word_capture(card_draft& d) {
    if (d.lead().what == code::tcp_gap) word_gap(d);
}

}  // namespace cdcscope::report
