// The words that any finding gets: its own sentences, its place, and what the table says of it.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "analyzer/report/cards.h"
#include "analyzer/report/format.h"
#include "analyzer/report/words.h"

namespace cdcscope::report {
namespace {

constexpr std::string_view durations[] = {"stalledMs", "fullMs",   "waitedMs", "idleMs",
                                          "silentMs",  "ageMs",    "lagMs",    "lateMs",
                                          "latencyMs", "delayedMs"};

std::int64_t longest(const card_draft& d) {
    double most = 0;
    for (const auto* f : d.parts) {
        for (const auto& h : f->hits) {
            for (const auto name : durations) most = std::max(most, figure_of(h, name).value_or(0));
        }
    }
    return static_cast<std::int64_t>(most * 1e6);
}

std::string lower_first(std::string_view text) {
    std::string out(text);
    // "TCP" stays as it is.
    if (out.size() > 1 && std::islower(static_cast<unsigned char>(out[1])))
        out.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(out.front())));
    return out;
}

// What the first hits say, and of how many. Hits without words of their own say nothing.
std::string sentences_of(const rule_finding& f) {
    constexpr std::size_t most = 4;
    std::string out;
    std::size_t told = 0;
    for (const auto& h : f.hits) {
        if (h.text.empty()) continue;
        if (told++ == most) break;
        out += fmt::format("{}{}.", out.empty() ? "" : " ", capitalized(h.text));
    }
    // How many are listed nowhere is said below the evidence.
    if (told > 0 && std::min(told, most) < f.count)
        out += fmt::format(" {} times in all.", number(f.count));
    return out;
}

void place_of(card_draft& d, const hit& h) {
    if (h.first.frame != 0 && (h.first.frame != h.last.frame || h.first.file != h.last.file))
        d.evidence(h.first, "where it begins");
    d.evidence(h.last, h.text);
    if (!h.running || h.until.frame == 0) return;
    const auto closed = d.owner != nullptr && d.owner->closed.seen;
    d.evidence(h.until, !h.going_on ? "over"
                        : closed    ? "still so when the connection ends"
                                    : "still so when the capture ends");
}

}  // namespace

void word_any(card_draft& d) {
    auto& c = d.c;
    const auto& lead = d.lead();
    const auto& entry = findings::entry_of(lead.what);
    const auto& first = d.first_hit();
    const auto more = lead.count - 1;
    c.title = first.text.empty() ? lower_first(entry.title) : first.text;
    if (more > 0) c.title += fmt::format(", and {} more like it", number(more));
    c.brief = c.title;
    c.text = entry.statement;
    if (more > 0) {
        if (const auto told = sentences_of(lead); !told.empty()) c.text = told;
        if (lead.partitions.size() > 1)
            c.text += fmt::format(" All of them: {}.", vbuckets_words(lead.partitions));
    }
    c.why = fmt::format("{}.", entry.title);
    c.clause = c.title;
    c.condition =
        lower_first(entry.title) + (lead.count > 1 ? fmt::format(" ({})", number(lead.count)) : "");
    c.amount_ns = longest(d);
    c.amount = lead.count;
    if (c.going_on) {
        c.state = "still going on";
    } else if (std::any_of(d.parts.begin(), d.parts.end(), [](auto* f) { return f->going_on; })) {
        c.state = until_its_end;
    } else if (lead.count == 1 && first.running && first.until.frame != 0) {
        c.state =
            fmt::format("over after {}", brief_duration(first.until.time_ns - first.first.time_ns));
    }
    for (const auto* f : d.parts) {
        for (const auto& h : f->hits) place_of(d, h);
        c.evidence_unlisted += f->count - f->hits.size();
    }
    c.evidence_left_out = c.evidence_unlisted;
    c.meaning = entry.meaning;
    for (const auto step : entry.advice()) c.advice.emplace_back(step);
    if (c.uncertain) c.state = "uncertain: not all of the connection was captured";
}

}  // namespace cdcscope::report
