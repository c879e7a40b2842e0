// Better words for the findings on packets and TCP whose story takes more than their own sentence.
#include <fmt/format.h>

#include "analyzer/report/cards.h"
#include "analyzer/report/format.h"
#include "analyzer/report/words.h"

namespace cdcscope::report {
namespace {

using findings::code;

// Pieces on both sides of a hole, and whether the other side has what the capture lacks.
std::string hole_words(const connection& owner, std::uint64_t holes, std::uint64_t unparsed) {
    std::string out;
    if (other_side_has_all(owner, false))
        out = "The other side acknowledged by TCP what is missing: it arrived. ";
    if (unparsed == 0) return out + "All bytes around could be read.";
    const auto pieces = pieces_words(owner);
    return out + fmt::format("{} beside {} belong to messages that were cut by {}{}.",
                             exact_bytes(unparsed), holes == 1 ? "it" : "them",
                             holes == 1 ? "it" : "them",
                             pieces.empty() ? std::string{} : fmt::format(" ({})", pieces));
}

// Of a single hole the seqno at which its stream is read again.
std::string where_it_went_on(const card_draft& d) {
    const stream_row* behind = nullptr;
    std::size_t n = 0;
    for (const auto* s : d.streams()) {
        n += s->not_captured.size();
        if (!s->not_captured.empty()) behind = s;
    }
    if (n != 1) return {};
    return fmt::format(" Reading went on at seqno {}.",
                       number(behind->not_captured.front().second + 1));
}

// What stands on both sides of each hole, the missing bytes between them.
void show_holes(card_draft& d) {
    if (d.owner->holes_left_out > 0) return;
    d.c.shown.clear();
    for (const auto& h : d.owner->holes) {
        if (!h.is_gap) continue;
        d.evidence(h.before, "last segment before the hole");
        d.evidence(h.at,
                   fmt::format("first segment after it: {} from the {} are missing at offset {}",
                               exact_bytes(h.length), h.dir == direction::c2s ? "client" : "server",
                               number(h.offset)));
    }
}

void word_gap(card_draft& d) {
    if (d.owner == nullptr) return;
    auto& c = d.c;
    const auto all = bytes_of(*d.owner);
    const auto* gap = d.part(code::tcp_gap);
    if (gap == nullptr) return;
    std::string seqnos, missing;
    std::uint64_t items = 0;
    for (const auto* s : d.streams()) {
        for (const auto& [from, to] : s->not_captured) {
            seqnos += fmt::format("{}vb {} seqno {}", seqnos.empty() ? "" : ", ", s->partition,
                                  range(from, to));
            missing += fmt::format("{}seqno {} of vb {}", missing.empty() ? "" : ", ",
                                   range(from, to), s->partition);
            items += to - from + 1;
        }
    }
    c.title = fmt::format("{} of connection {} were never captured, in {}", exact_bytes(all.gap),
                          c.connection, count(gap->count, "hole"));
    if (!missing.empty())
        c.title += fmt::format("; {} {} missing", missing, items == 1 ? "is" : "are");
    c.why = other_side_has_all(*d.owner, true) ? "The capture lacks them; the other side has them."
                                               : "The capture lacks them.";
    if (other_side_has_all(*d.owner, true)) c.state = "fault of the capture, not of the stream";
    c.brief = fmt::format("{} never captured{}{}", exact_bytes(all.gap), seqnos.empty() ? "" : ", ",
                          seqnos);
    c.condition = "healthy; capture has a hole";
    c.text = hole_words(*d.owner, gap->count, all.unparsed);
    if (!seqnos.empty()) c.text += fmt::format(" Not captured: {}.", seqnos);
    c.text += where_it_went_on(d);
    show_holes(d);
    c.amount = all.gap;
}

}  // namespace

void word_capture(card_draft& d) {
    if (d.lead().what == code::tcp_gap) word_gap(d);
}

}  // namespace cdcscope::report
