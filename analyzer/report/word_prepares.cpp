// Words for durable writes without an outcome (D30). What the end of a stream, connection or
// capture leaves open is pending, not lost: said as such, and not as something that goes on.
#include <fmt/format.h>

#include <algorithm>

#include "analyzer/report/format.h"
#include "analyzer/report/word_dcp.h"
#include "analyzer/report/words.h"
#include "proto/dcp/names.h"

namespace cdcscope::report {
namespace {

// What came before the outcome.
enum class left_by : std::uint8_t { time, stream, connection, capture };

left_by end_of(const hit& h) {
    if (h.text.find("when its stream ended") != std::string::npos) return left_by::stream;
    if (h.text.find("when its connection closed") != std::string::npos) return left_by::connection;
    if (h.text.find("at the end of the capture") != std::string::npos) return left_by::capture;
    return left_by::time;
}

const durable_write* write_of(const card_draft& d, const hit& h) {
    for (const auto* w : d.writes()) {
        if (w->partition == count_of(h, "partition") &&
            w->prepare_seqno == count_of(h, "bySeqno") && w->prepared.time_ns <= h.last.time_ns)
            return w;
    }
    return nullptr;
}

std::string place_words(const hit& h) {
    return fmt::format("{} (vb {}, seqno {})", text_of(h, "key"), count_of(h, "partition"),
                       number(count_of(h, "bySeqno")));
}

std::string prepare_words(const hit& h, const durable_write* w) {
    return fmt::format("PREPARE seqno {}, {}", number(count_of(h, "bySeqno")),
                       w != nullptr ? w->level : text_of(h, "durability"));
}

bool took_over(const card_draft& d, std::uint64_t partition) {
    const auto of_it = [&](const dcp_steps::takeover& t) { return t.partition == partition; };
    return d.owner != nullptr &&
           std::any_of(d.owner->steps->takeovers.begin(), d.owner->steps->takeovers.end(), of_it);
}

// Why its stream ended.
std::string end_words(const card_draft& d, const hit& h) {
    for (const auto* s : d.streams()) {
        if (s->partition == count_of(h, "partition") && s->finished.frame == h.last.frame &&
            s->finished.file == h.last.file && s->state == stream_state::ended)
            return fmt::format(", reason {} ({})", s->end_reason,
                               s->end_reason == 0 ? std::string("OK") : s->end_name);
    }
    return {};
}

std::string story_of(const card_draft& d, const hit& h, const durable_write* w, left_by how,
                     const std::string& age) {
    auto out = fmt::format("Prepared at {}", time_words(d.m, h.first.time_ns));
    if (w != nullptr && w->replica_unseen) {
        out += "; what the replica acknowledged was not captured";
    } else if (w != nullptr) {
        out += w->replica_ack_ns < 0 ? std::string(", not acknowledged by the replica")
                                     : fmt::format(", acknowledged by the replica after {}",
                                                   duration(w->replica_ack_ns));
        // With the active node two copies: the majority of up to three.
        if (w->replica_ack_ns >= 0 && how != left_by::stream)
            out += ", so the majority was reached (with one or two replicas)";
    }
    switch (how) {
        case left_by::stream:
            out += fmt::format(
                "; the stream ended after {}{}.", age,
                took_over(d, count_of(h, "partition"))
                    ? fmt::format(", after a take-over of vb {}", count_of(h, "partition"))
                    : std::string{});
            break;
        case left_by::connection:
            out += fmt::format("; the connection closed after {}.", age);
            break;
        case left_by::capture:
            out += fmt::format("; the capture ended after {}.", age);
            break;
        case left_by::time:
            out += fmt::format("; neither commit nor abort in {}.", age);
            break;
    }
    if (how != left_by::time) out += " No commit or abort was seen.";
    if (w != nullptr && !w->application.empty())
        out += fmt::format(" The application{}: {}.",
                           w->application_connection == 0
                               ? std::string{}
                               : fmt::format(" (connection {})", w->application_connection),
                           printable(w->application));
    return out;
}

std::string_view state_of(left_by how) {
    switch (how) {
        case left_by::stream:
            return "the stream ended first";
        case left_by::connection:
            return "the connection closed first";
        case left_by::capture:
            return "pending when the capture ended";
        case left_by::time:
            break;
    }
    return {};
}

void meaning_of(card& c, left_by how, std::uint64_t partition) {
    if (how == left_by::stream) {
        c.meaning =
            "The vbucket moved, or the stream was closed, while the write was in flight. The "
            "active node commits or aborts it; that is on another connection.";
        c.advice = {
            fmt::format("Look for the outcome on the node that is active for vb {}.", partition),
            "If the application saw \"ambiguous\", it must read the document back."};
    } else if (how == left_by::connection || how == left_by::capture) {
        c.meaning =
            "A prepare that is open when a capture or connection ends is pending, not lost: the "
            "next active node commits it again. Until then every write to this key is refused "
            "with \"sync write in progress\".";
        c.advice = {
            "Look at the active node for why it does not commit: a second replica that is missing, "
            "or a disk that does not keep up."};
    }
}

std::string title_of(const hit& h, left_by how, const std::string& age) {
    const auto write = "durable write " + place_words(h);
    switch (how) {
        case left_by::stream:
            return write + " has neither commit nor abort when its stream ends";
        case left_by::connection:
            return fmt::format("{} is still open when its connection closes, {} old", write, age);
        case left_by::capture:
            return fmt::format("{} is still open when the capture ends, {} old", write, age);
        case left_by::time:
            break;
    }
    return fmt::format("{} has neither commit nor abort after {}", write, age);
}

void show(card_draft& d, const hit& h, left_by how) {
    const auto* w = write_of(d, h);
    d.evidence(h.first, prepare_words(h, w));
    if (w != nullptr && w->acked.frame != 0)
        d.evidence(w->acked, fmt::format("SEQNO_ACKNOWLEDGED of the replica reaches {} after {}",
                                         number(w->prepare_seqno), duration(w->replica_ack_ns)));
    const auto key = text_of(h, "key");
    switch (how) {
        case left_by::stream:
            return d.evidence(h.last, fmt::format("STREAM_END vb {}{}", count_of(h, "partition"),
                                                  end_words(d, h)));
        case left_by::connection:
            return d.evidence(
                d.owner != nullptr && d.owner->closed.seen ? d.owner->closed.at : h.last,
                d.owner != nullptr && d.owner->closed.by == direction::c2s
                    ? fmt::format("{} closes the connection",
                                  d.owner->what == role::dcp_replica ? "replica" : "client")
                    : std::string("server closes the connection"));
        default:
            return d.evidence(h.last, "still open");
    }
}

}  // namespace

void word_prepares(card_draft& d) {
    auto& c = d.c;
    const auto n = d.lead().count;
    const auto& h = d.first_hit();
    const auto how = end_of(h);
    c.shown.clear();
    for (const auto& one : d.lead().hits) show(d, one, end_of(one));
    c.evidence_left_out = c.evidence_unlisted = 0;
    c.condition = fmt::format("{} left open", count(n, "durable write"));
    const auto all_over = std::all_of(d.lead().hits.begin(), d.lead().hits.end(), [](auto& one) {
        return end_of(one) == left_by::stream || end_of(one) == left_by::connection;
    });
    if (all_over) {
        c.going_on = false;
        if (!c.uncertain) c.state.clear();
    }
    if (n > 1) {
        c.title = fmt::format("{} have neither commit nor abort", count(n, "durable write"));
        c.brief = c.title;
        c.clause = c.title;
        return;
    }
    const auto age_ns = static_cast<std::int64_t>(figure_of(h, "ageMs").value_or(0) * 1e6);
    const auto age = exact_duration(age_ns);
    const auto* w = write_of(d, h);
    c.title = title_of(h, how, age);
    c.clause = c.title;
    c.brief = how == left_by::stream ? fmt::format("{} open when its stream ends", place_words(h))
                                     : fmt::format("{} open for {}", place_words(h), age);
    c.text = story_of(d, h, w, how, age);
    if (!c.uncertain && how != left_by::time) c.state = state_of(how);
    meaning_of(c, how, count_of(h, "partition"));
}

}  // namespace cdcscope::report
