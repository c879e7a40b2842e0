// Better words for the canal findings whose story takes more than their own sentence.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <variant>

#include "analyzer/report/cards.h"
#include "analyzer/report/format.h"
#include "analyzer/report/words.h"
#include "proto/wire/utf8.h"

namespace cdcscope::report {
namespace {

using findings::code;

std::string consumer_words(const connection& c) {
    if (c.name.empty() || c.target.empty())
        return fmt::format("the consumer on connection {}", c.id);
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

struct spread {  // of times of one kind
    std::int64_t least = INT64_MAX, most = -1;
    void add(std::int64_t ns) {
        least = std::min(least, ns);
        most = std::max(most, ns);
    }
    [[nodiscard]] std::string words() const {
        return most - least <= most / 20 ? duration(most) : durations(least, most);
    }
};

constexpr std::int64_t quick_ns = 1'000'000'000;

// Which side the time goes to: from delivery to acknowledgement and on to the next request it is
// the client's, from request to delivery the server's.
struct pace {
    spread to_ack, to_next, to_answer;
    [[nodiscard]] bool client_is_quick() const {
        return to_ack.most >= 0 && to_ack.most < quick_ns && to_next.most < quick_ns;
    }
};

pace pace_of(const std::vector<const batch_row*>& batches) {
    pace p;
    std::int64_t acked = -1;
    for (const auto* b : batches) {
        if (b->asked.frame != 0) {
            p.to_answer.add(b->delivered.time_ns - b->asked.time_ns);
            if (acked >= 0 && b->asked.time_ns >= acked) p.to_next.add(b->asked.time_ns - acked);
        }
        acked = -1;
        if (b->finished.frame == 0 || b->state != batch_state::acknowledged) continue;
        acked = b->finished.time_ns;
        p.to_ack.add(held_ns(*b));
    }
    return p;
}

std::string client_words(const pace& p) {
    if (p.to_ack.most < 0) return {};
    if (!p.client_is_quick())
        return fmt::format(" The client acknowledges its batches after {}.", p.to_ack.words());
    auto out = fmt::format(" The client is not the slow part: it acknowledges each batch after {}",
                           p.to_ack.words());
    if (p.to_next.most >= 0) out += fmt::format(" and asks again {} later", p.to_next.words());
    if (p.to_answer.most >= 0 && p.to_answer.most < quick_ns)
        out += fmt::format("; the server answers within {}", brief_duration(p.to_answer.most));
    return out + ".";
}

// Execute times that go back while positions go forward: old rows were written again.
bool replayed(const std::vector<const batch_row*>& batches) {
    for (std::size_t i = 1; i < batches.size(); ++i) {
        const auto &a = *batches[i - 1], &b = *batches[i];
        if (a.journal != b.journal || b.first_position <= a.first_position ||
            b.delivered.time_ns - b.lag_ns >= a.delivered.time_ns - a.lag_ns)
            return false;
    }
    return batches.size() > 2;
}

void lag_meaning(card& c, const pace& p, const std::vector<const batch_row*>& batches,
                 const connection& owner) {
    if (!p.client_is_quick()) return;
    c.meaning =
        "Entries are old when the server hands them out: the wait is before canal or in its "
        "parser.";
    if (replayed(batches)) {
        c.meaning += fmt::format(
            " Here execute times go back while binlog positions go forward ({}:{} to {}), as after "
            "a replayed or bulk-loaded binlog.",
            printable(batches.front()->journal), batches.front()->first_position,
            batches.back()->last_position);
    }
    c.advice = {
        "On the database, check whether a bulk load, a restore or a delayed replica wrote these "
        "rows.",
        "Compare the clocks of database and capture host.",
        fmt::format("On the canal server, look at the parser delay of destination {}.",
                    printable(owner.target))};
}

// A backlog that one batch brought, and what was slow after it.
void recovered_words(card_draft& d, const std::vector<const batch_row*>& batches) {
    const auto& b = *batches.front();
    const auto whole =
        batches.size() > 1 && batches[1]->lag_ns <= d.limits.ns(findings::limit::lag_time);
    d.c.text +=
        fmt::format(" Batch {} brought the {}backlog: {}, {}, {}.", b.batch, whole ? "whole " : "",
                    count(b.entries, "entry", "entries"), count(b.rows, "row"), bytes(b.bytes));
    d.c.meaning = "A restart or a pause of the consumer.";
    d.c.advice = {"Nothing for the backlog."};
    if (batches.size() > 1)
        d.c.text += fmt::format(" The next batch was {} behind.", duration(batches[1]->lag_ns));
    const auto took = [](const batch_row* one) {
        return one->state == batch_state::acknowledged && one->finished.frame != 0
                   ? one->finished.time_ns - one->delivered.time_ns
                   : 0;
    };
    const auto* slow = *std::max_element(batches.begin(), batches.end(),
                                         [&](auto* x, auto* y) { return took(x) < took(y); });
    if (took(slow) < quick_ns) return;
    // What waits behind a batch that is held is late by that.
    const auto at = std::find(batches.begin(), batches.end(), slow);
    const auto* next = at + 1 == batches.end() ? nullptr : *(at + 1);
    const auto late = next != nullptr && next->lag_ns > slow->lag_ns &&
                      next->lag_ns <= took(slow) + slow->lag_ns + quick_ns &&
                      next->asked.frame != 0 && next->asked.time_ns >= slow->finished.time_ns;
    if (late) {
        d.c.text += fmt::format(
            " Batch {} was {} old because the client held batch {} for {} before it asked again.",
            next->batch, duration(next->lag_ns), slow->batch, duration(took(slow)));
    } else {
        d.c.text += fmt::format(" The client held batch {} for {} before it acknowledged it.",
                                slow->batch, duration(took(slow)));
    }
    d.c.meaning +=
        fmt::format(" The {} between batch {} and its acknowledgement are the consumer's own work.",
                    duration(took(slow)), slow->batch);
    d.c.advice.push_back(
        fmt::format("If {} a batch is not expected, measure what the consumer does with it.",
                    duration(took(slow))));
    d.evidence(slow->finished,
               fmt::format("batch {} acknowledged after {}", slow->batch, duration(took(slow))));
}

// Whether the client of a connection that closed came again; the same names on another server may
// be another client.
std::string comeback_words(const card_draft& d) {
    const auto& owner = *d.owner;
    const connection *again = nullptr, *elsewhere = nullptr;
    for (const auto& c : d.m.connections) {
        if (c.what != role::canal_client || c.name != owner.name || c.target != owner.target ||
            c.life.from < owner.closed.at.time_ns)
            continue;
        auto& found = c.server == owner.server ? again : elsewhere;
        if (found == nullptr) found = &c;
    }
    if (again != nullptr)
        return fmt::format("came back at {} (connection {})", time_words(d.m, again->life.from),
                           again->id);
    if (elsewhere == nullptr) return "did not come back";
    return fmt::format(
        "did not come back to this server; connection {} has the same destination and client "
        "id, with {}",
        elsewhere->id, elsewhere->server);
}

// What is known of a lag ends with the connection.
void lag_until_close(card_draft& d) {
    const auto& closed = d.owner->closed;
    if (d.lasts || !closed.seen) return;
    using recover::end_kind;
    if (closed.how != end_kind::fin && closed.how != end_kind::rst) {
        d.c.as_of = "when its connection ended";
        return;
    }
    const auto client = closed.by == direction::c2s;
    d.c.as_of = fmt::format("when the {} closed", client ? "client" : "server");
    d.c.text += fmt::format(" The {} closed at {}, {} before the end of the capture",
                            client ? "client" : "server", time_words(d.m, closed.at.time_ns),
                            duration(d.m.capture.span.to - closed.at.time_ns));
    if (!d.owner->name.empty() && !d.owner->target.empty())
        d.c.text += (client ? ", and " : "; the client ") + comeback_words(d);
    d.c.text += '.';
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
    const auto behind = last > limit;
    // One batch shows no state that lasts. A lag that grows is the consumer's: it outlives the
    // connection.
    const auto one = batches.size() == 1;
    c.going_on = behind && !one && (d.lasts || grows);
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
    } else if (behind) {
        c.title = fmt::format("{} was {} behind {}", who, rough_duration(last),
                              one ? fmt::format("in batch {}, the only one", batches.back()->batch)
                                  : std::string("when its connection ended"));
        c.state = one ? std::string_view{"seen in one batch"} : until_its_end;
        c.condition = fmt::format("was {} behind", rough_duration(last));
    } else {
        const auto at_first = batches.front()->lag_ns == most;
        c.title =
            fmt::format("{} {} {} behind{}", who, at_first ? "started" : "was",
                        rough_duration(most), at_first ? " and caught up" : ", then caught up");
        c.state =
            at_first && batches[1]->lag_ns <= limit
                ? fmt::format("over: {} at the next batch", rough_duration(batches[1]->lag_ns))
                : fmt::format("over: {} at the end", rough_duration(last));
        c.condition = fmt::format("was {} behind, recovered", rough_duration(most));
    }
    c.clause = fmt::format("is {} behind", rough_duration(last));
    c.brief = behind ? c.title
                     : fmt::format("{}: {} behind, caught up", printable(d.owner->target),
                                   rough_duration(most));
    const auto speed = pace_of(batches);
    lag_meaning(c, speed, batches, *d.owner);
    c.why = most > 0 && speed.client_is_quick()
                ? "The client is quick; the entries are old when canal delivers them."
                : fmt::format("{} behind in {}.", lag_list(batches),
                              count(batches.size(), "batch", "batches"));
    const auto span = batches.back()->delivered.time_ns - batches.front()->delivered.time_ns;
    c.text = fmt::format("{}{}: {} behind (limit {}).{}",
                         capitalized(count(batches.size(), "batch", "batches")),
                         one ? std::string{} : " in " + duration(span), lag_list(batches),
                         short_duration(limit), client_words(speed));
    if (behind) lag_until_close(d);
    c.detail =
        fmt::format("{} in {}", lag_list(batches), count(batches.size(), "batch", "batches"));
    c.shown.clear();
    for (const auto* b : batches) {
        const auto loud = b->lag_ns > limit;
        if (loud || (b == batches.front() && batches.size() <= cap::evidence))
            d.evidence(b->delivered, fmt::format("batch {}, newest entry {} old", b->batch,
                                                 exact_duration(b->lag_ns)));
    }
    if (!behind && batches.front()->lag_ns == most) recovered_words(d, batches);
    c.evidence_left_out = c.evidence_unlisted = 0;
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

// ", 2 open": with that batch, if it is not alone.
std::string open_words(const card_draft& d, const batch_row& delivered) {
    const auto at = delivered.delivered.time_ns;
    const auto open = std::count_if(d.batches().begin(), d.batches().end(), [&](auto* b) {
        return b->delivered.time_ns <= at && (b->finished.frame == 0 || b->finished.time_ns > at);
    });
    return open > 1 ? fmt::format(", {} open", open) : std::string{};
}

void word_ack_refused(card_draft& d) {
    auto& c = d.c;
    const auto& h = d.first_hit();
    const auto id = count_of(h, "batchId"), oldest = count_of(h, "oldestOpen");
    const auto* refusal = d.part(code::canal_request_refused);
    // What was not known when the acknowledgement came: the batch was on its way.
    const auto late = std::find_if(d.batches().begin(), d.batches().end(), [&](auto* b) {
        return b->batch == id && b->delivered.time_ns > h.last.time_ns;
    });
    const auto early =
        oldest == 0 && late != d.batches().end() &&
        std::none_of(d.batches().begin(), late, [&](auto* b) { return b->batch == id; });
    if (early && d.lead().count == 1) {
        c.title =
            fmt::format("the client acknowledged batch {} before it was handed out ({} later)", id,
                        brief_duration((*late)->delivered.time_ns - h.last.time_ns));
        c.clause = c.title;
    }
    if (refusal != nullptr && d.lead().count == 1) {
        c.title += fmt::format("; the server refused with code {}",
                               count_of(refusal->hits.front(), "errorCode"));
        c.condition = "acknowledgement refused";
    }
    c.brief = c.title;
    const auto said = refusal != nullptr ? refusal->hits.front().last : h.last;
    std::uint64_t open = 0;
    c.shown.clear();
    d.evidence(h.last, oldest != 0 ? fmt::format("CLIENTACK {} while {} is open", id, oldest)
                                   : fmt::format("CLIENTACK {}, which was not handed out{}", id,
                                                 early ? " yet" : ""));
    if (refusal != nullptr)
        d.evidence(said, fmt::format("ACK {}: {}", count_of(refusal->hits.front(), "errorCode"),
                                     text_of(refusal->hits.front(), "errorMessage")));
    for (const auto* b : d.batches()) {
        open += b->state == batch_state::open ? 1 : 0;
        if (b->batch == id || (oldest != 0 && b->batch == oldest))
            d.evidence(b->delivered,
                       fmt::format("batch {} delivered{}", b->batch, open_words(d, *b)));
        if (b->batch != id || b->state != batch_state::acknowledged ||
            b->finished.time_ns <= said.time_ns)
            continue;
        const auto later = brief_duration(b->finished.time_ns - said.time_ns);
        const auto oldest_too = std::any_of(d.batches().begin(), d.batches().end(), [&](auto* o) {
            return o->batch == oldest && o->state == batch_state::acknowledged &&
                   o->finished.time_ns > said.time_ns;
        });
        d.evidence(b->finished, fmt::format("CLIENTACK {}, accepted", id));
        c.state = fmt::format("over after {}", brief_duration(b->finished.time_ns - said.time_ns));
        c.text = fmt::format(
            "canal takes acknowledgements in order of delivery only. The client sent {} first, got "
            "an error, then sent {}{} again, {} after the error.",
            id, oldest_too ? fmt::format("{}, and ", oldest) : std::string{}, id, later);
        c.why = "Acknowledgements must come in order of delivery.";
    }
    if (open == 0 && d.owner != nullptr && d.owner->canal->rolled_back > 0) {
        c.text += fmt::format(" {} rolled back later.",
                              count(d.owner->canal->rolled_back, "batch was", "batches were"));
    } else if (open == 0) {
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

// A GET without a subscription and a destination that does not run are two different faults.
void word_too_early(card_draft& d) {
    struct kind {
        std::string text;
        std::uint64_t more = 0;
    };
    kind unsubscribed, stopped;
    const auto& f = d.lead();
    if (f.count < 2 || f.count > f.hits.size()) return;
    for (const auto& h : f.hits) {
        auto& k = h.text.find(" came before ") != std::string::npos ? unsubscribed : stopped;
        k.text.empty() ? void(k.text = h.text) : void(++k.more);
    }
    if (unsubscribed.text.empty() || stopped.text.empty()) return;
    d.c.title.clear();
    for (const auto* k : {&unsubscribed, &stopped}) {
        if (!d.c.title.empty()) d.c.title += "; ";
        d.c.title += k->text;
        if (k->more > 0) d.c.title += fmt::format(", and {} more like it", number(k->more));
    }
    d.c.brief = d.c.clause = d.c.title;
}

// Both are named: what they are, and where.
void word_competing(card_draft& d) {
    const auto& h = d.first_hit();
    if (d.lead().count > 1 || d.owner == nullptr) return;
    std::uint64_t other = 0;
    for (const auto& f : h.figures) {
        const auto* all = std::get_if<std::vector<std::uint64_t>>(&f.value);
        if (f.name == "connections" && all != nullptr && !all->empty()) other = all->front();
    }
    const auto* rival = d.m.find(static_cast<std::uint32_t>(other));
    if (rival == nullptr) return;
    auto &a = *rival, &b = *d.owner;
    const auto& [first, second] = a.id < b.id ? std::tie(a, b) : std::tie(b, a);
    const auto who = [](const connection& c) {
        return fmt::format("{} on connection {} from {}", printable(c.name), c.id, c.client);
    };
    d.c.title =
        first.name == second.name
            ? fmt::format("connections {} and {} compete for the batches of {} as client {}",
                          first.id, second.id, printable(b.target), printable(b.name))
            : fmt::format(
                  "clients {} and {} (connections {} and {}) compete for the "
                  "batches of {}",
                  printable(first.name), printable(second.name), first.id, second.id,
                  printable(b.target));
    d.c.brief = d.c.title;
    d.c.clause = d.c.title;
    d.c.text = fmt::format("Client {} and client {} both get batches of destination {}.",
                           who(first), who(second), printable(b.target));
    d.c.condition = fmt::format("competes with c{}", other);
}

const batch_row* batch_at(const card_draft& d, const frame_ref& at) {
    for (const auto* b : d.batches()) {
        if (b->delivered.file == at.file && b->delivered.frame == at.frame) return b;
    }
    return nullptr;
}

// What became of the batches later, on another connection of the client.
void word_unacknowledged(card_draft& d) {
    if (d.owner == nullptr || d.lead().count > 1) return;
    const auto& h = d.first_hit();
    std::uint64_t rolled_back = 0, acknowledged = 0;
    const batch_row* first = nullptr;
    for (const auto& f : h.figures) {
        const auto* ids = std::get_if<std::vector<std::uint64_t>>(&f.value);
        if (f.name != "batches" || ids == nullptr) continue;
        for (const auto* b : d.batches()) {
            if (b->finished.time_ns <= h.last.time_ns ||
                std::find(ids->begin(), ids->end(), b->batch) == ids->end())
                continue;
            if (first == nullptr) first = b;
            rolled_back += b->state == batch_state::rolled_back ? 1 : 0;
            acknowledged += b->state == batch_state::acknowledged ? 1 : 0;
        }
    }
    if (rolled_back + acknowledged == 0) return;
    d.c.state =
        fmt::format("over after {}", brief_duration(first->finished.time_ns - h.last.time_ns));
    const auto later = duration(first->finished.time_ns - h.last.time_ns);
    if (rolled_back > 0)
        d.c.text += fmt::format(" A later connection of the client rolled {} back, {} after.",
                                count(rolled_back, "batch", "batches"), later);
    if (acknowledged > 0)
        d.c.text += fmt::format(" A later connection of the client acknowledged {}, {} after.",
                                count(acknowledged, "batch", "batches"), later);
    d.evidence(first->finished, rolled_back > 0 ? "rolled back by a later connection"
                                                : "acknowledged by a later connection");
}

// ---- C20

// Nothing is wrong with the bytes: the sender closed before it had sent all of a packet.
void word_cut_packet(card_draft& d) {
    const auto& hits = d.lead().hits;
    if (!std::all_of(hits.begin(), hits.end(), [](auto& h) { return ends_inside(h); })) return;
    auto& c = d.c;
    const auto* rest = d.part(code::tcp_incomplete_at_end);
    const auto& reason = text_of(hits.front(), "reason");
    c.title = reason.substr(0, reason.find(" inside it")) + " inside a packet";
    if (hits.size() == 1 && rest != nullptr && rest->count == 1) {
        const auto& told = rest->hits.front().text;
        if (const auto at = told.find(": "); at != std::string::npos) c.title += told.substr(at);
    }
    c.clause = c.brief = c.title;
    c.condition = "ended inside a packet";
    c.why = "The connection was closed before the packet was whole.";
    c.text =
        "The connection was closed before the packet was whole. Its first bytes are there and are "
        "not read; all packets before it are whole.";
    c.meaning = "The side that was sending was stopped, or closed, in the middle of a packet.";
    c.advice = {"Look at the log of that side for what stopped it.",
                "If it is a request, take it as never made: the server cannot have read it."};
}

// By type of a statement, what happened to its table.
constexpr std::pair<std::string_view, std::string_view> statements_done[] = {
    {"ALTER", "was altered"},    {"CREATE", "was created"}, {"ERASE", "was dropped"},
    {"TRUNCATE", "was emptied"}, {"RENAME", "was renamed"}, {"CINDEX", "got an index"},
    {"DINDEX", "lost an index"},
};

void word_ddl(card_draft& d) {
    const auto statements = d.lead().count;
    const auto sql = text_of(d.first_hit(), "sql");
    const auto table = text_of(d.first_hit(), "table"),
               kind = text_of(d.first_hit(), "statementType");
    const auto done = std::find_if(std::begin(statements_done), std::end(statements_done),
                                   [&](const auto& one) { return one.first == kind; });
    if (statements == 1 && count_of(d.first_hit(), "statements") == 1 && !table.empty() &&
        done != std::end(statements_done)) {
        d.c.title = fmt::format("table {} {}", table, done->second);
        d.c.clause = d.c.title;
        if (!sql.empty()) d.c.text = sql;
    }
    if (!sql.empty()) d.c.brief = sql.size() > 60 ? elide_end(sql, 60) : sql;
    // The batch says where; what was altered stands above.
    const auto* in = batch_at(d, d.first_hit().last);
    if (statements == 1 && in != nullptr) {
        d.c.shown.clear();
        d.evidence(d.first_hit().last, fmt::format("in batch {}", in->batch));
    }
    d.c.condition = statements == 1 ? std::string("1 DDL statement")
                                    : count(statements, "batch with DDL", "batches with DDL");
}

// The automatic one of a new connection that had nothing to drop.
void word_rollback(card_draft& d) {
    const auto& h = d.first_hit();
    if (d.lead().level != severity::note || d.lead().count > 1 ||
        !h.text.starts_with("the automatic rollback"))
        return;
    auto& c = d.c;
    c.brief = "automatic, before the first GET";
    if (count_of(h, "droppedBatches") > 0 || count_of(h, "batchId") != 0) return;
    c.title = "the client rolled back before its first GET";
    c.state = "automatic, nothing was open";
    c.text = "Batch 0 (all): 0 batches were dropped.";
    c.shown.clear();
    d.evidence(h.last, "CLIENTROLLBACK 0");
    c.meaning = "The Java client does so at every start.";
    c.advice = {"Nothing."};
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
    {code::canal_request_too_early, word_too_early},
    {code::canal_consumer_competing, word_competing},
    {code::canal_ddl, word_ddl},
    {code::canal_batch_unacknowledged, word_unacknowledged},
    {code::canal_malformed, word_cut_packet},
    {code::canal_rollback, word_rollback},
};

}  // namespace

void word_canal(card_draft& d) {
    for (const auto& w : wordings) {
        if (w.of == d.lead().what) w.word(d);
    }
}

}  // namespace cdcscope::report
