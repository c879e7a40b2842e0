// Charts over lanes: durable writes, batch ledger, timeline; and the writes of an application.
#include <algorithm>
#include <set>

#include "analyzer/report/axis.h"
#include "analyzer/report/cards.h"
#include "analyzer/report/format.h"
#include "analyzer/report/html_figures.h"
#include "analyzer/report/html_parts.h"
#include "analyzer/report/lanes.h"
#include "analyzer/report/window_span.h"
#include "analyzer/report/words.h"

namespace cdcscope::report {
namespace {

constexpr std::size_t most_streams = 12, most_writes = 12, most_batches = 40, most_rows = 100;

std::int64_t end_of(const connection& c, const frame_ref& finished) {
    return finished.frame != 0 ? finished.time_ns : c.life.to;
}

// ---- durable writes

std::string write_words(const durable_write& d) {
    switch (d.how) {
        case durable_write::outcome::committed:
            return fmt::format("committed, {}", duration(d.latency_ns));
        case durable_write::outcome::aborted:
            return fmt::format("aborted, {}", duration(d.latency_ns));
        case durable_write::outcome::superseded:
            return "completed on disk";
        case durable_write::outcome::open:
            break;
    }
    return fmt::format("open for {}", exact_duration(d.latency_ns));
}

std::vector<const durable_write*> worst_writes(const std::vector<const durable_write*>& all,
                                               std::size_t most) {
    auto chosen = all;
    if (chosen.size() > most) {
        std::stable_sort(chosen.begin(), chosen.end(), [](auto* a, auto* b) {
            const auto open_a = a->how == durable_write::outcome::open,
                       open_b = b->how == durable_write::outcome::open;
            return open_a != open_b ? open_a : a->latency_ns > b->latency_ns;
        });
        chosen.resize(most);
        std::stable_sort(chosen.begin(), chosen.end(), [](auto* a, auto* b) {
            return a->prepared.time_ns < b->prepared.time_ns;
        });
    }
    return chosen;
}

// Which connection the application had, if it was one.
std::string application_heading(const figure_context& x) {
    std::set<std::uint32_t> ids;
    for (const auto& o : x.m.operations) {
        const auto about = [&](const durable_write* d) {
            return !d->application.empty() && d->key == o.key;
        };
        if (std::any_of(x.rows.writes.begin(), x.rows.writes.end(), about))
            ids.insert(o.connection);
    }
    return ids.size() == 1 ? fmt::format("What the application saw (connection {})", *ids.begin())
                           : std::string("What the application saw");
}

markup writes_table(const figure_context& x) {
    const auto shown = worst_writes(x.rows.writes, most_rows);
    const auto seen =
        std::any_of(shown.begin(), shown.end(), [](auto* d) { return !d->application.empty(); });
    std::vector<column> columns{{"Key"},           {"Level"},         {"Prepare", true},
                                {"Outcome", true}, {"Latency", true}, {"Replica ack"}};
    const auto heading = application_heading(x);
    if (seen) columns.push_back({heading});
    table t("", fmt::format("Durable writes of connection {}, in order of prepare", x.c.id),
            columns, table_style::stack, false);
    for (const auto* d : shown) {
        t.row();
        t.cell(d->key);
        t.cell(d->level);
        t.cell(number(d->prepare_seqno));
        t.cell(outcome_words(*d));
        t.cell(latency_words(*d));
        t.cell(replica_words(*d));
        if (seen) t.cell(d->application.empty() ? std::string("not captured") : d->application);
    }
    html_writer w;
    w.put("{}", t.done());
    if (shown.size() < x.rows.writes.size())
        w.put("<p class=\"small soft\">And {} more in the JSON.</p>",
              number(x.rows.writes.size() - shown.size()));
    return w.take();
}

// ---- timeline

std::vector<const stream_row*> main_streams(const std::vector<const stream_row*>& all,
                                            std::size_t& rest) {
    std::vector<const stream_row*> chosen;
    for (const auto* s : all) {
        if (s->state != stream_state::refused && s->state != stream_state::rolled_back &&
            s->state != stream_state::requested)
            chosen.push_back(s);
    }
    rest = chosen.size() > most_streams ? chosen.size() - most_streams : 0;
    if (rest > 0) {
        std::stable_sort(chosen.begin(), chosen.end(), [](auto* a, auto* b) {
            return a->fared != b->fared ? a->fared > b->fared : a->items > b->items;
        });
        chosen.resize(most_streams);
        std::stable_sort(chosen.begin(), chosen.end(),
                         [](auto* a, auto* b) { return a->asked.time_ns < b->asked.time_ns; });
    }
    return chosen;
}

void stream_lanes(lanes& l, const figure_context& x) {
    std::size_t rest = 0;
    const auto streams = main_streams(x.rows.streams, rest);
    for (const auto* s : streams) {
        l.lane(s->stream_id ? fmt::format("Stream vb {}, sid {}", s->partition, *s->stream_id)
                            : fmt::format("Stream vb {}", s->partition));
        const auto unknown = s->state == stream_state::unknown_start;
        const auto from = unknown || s->answered.frame == 0 ? x.c.life.from : s->answered.time_ns;
        l.bar(from, end_of(x.c, s->finished),
              unknown   ? bar_style::hatched
              : s->live ? bar_style::dashed
                        : bar_style::solid);
        if (streams.size() <= 3) l.text(from, end_of(x.c, s->finished), stream_words(*s, false));
    }
    if (rest > 0) {
        l.lane(fmt::format("and {} more", number(rest)));
        l.text(x.c.life.from, x.c.life.from, "in the table of streams");
    }
}

void tick_lane(lanes& l, const figure_context& x, tick_kind kind, std::string_view name, bool soft,
               std::string_view text = {}) {
    const auto& sums = x.c.ticks[kind];
    if (sums.empty()) return;
    l.lane(name);
    l.ticks(sums, std::min<std::size_t>(800, x.most_points), soft, text);
}

std::string hole_seqnos(const figure_context& x) {
    std::string out;
    std::size_t n = 0;
    for (const auto* s : x.rows.streams) {
        for (const auto& [from, to] : s->not_captured) {
            if (++n > 2) return out + " ...";
            out += fmt::format(", vb {} seqno {}", s->partition, range(from, to));
        }
    }
    return out;
}

void hole_lane(lanes& l, const figure_context& x) {
    std::size_t drawn = 0;
    for (const auto& h : x.c.holes) {
        if (!h.is_gap) continue;
        if (drawn++ == 0) l.lane("Hole");
        l.mark(h.at.time_ns, icon(health::note, "Hole in the capture"), "#capture");
        if (drawn == 1)
            l.text(h.at.time_ns, h.at.time_ns,
                   fmt::format("{} not captured{}", exact_bytes(h.length), hole_seqnos(x)));
    }
}

void waiting_lane(lanes& l, const figure_context& x) {
    const auto long_enough = [&](const time_span& s) {
        return s.length() * 200 > x.c.life.length();
    };
    if (std::none_of(x.c.flow->full.begin(), x.c.flow->full.end(), long_enough)) return;
    l.lane("Window full");
    for (const auto& s : x.c.flow->full) {
        if (long_enough(s)) l.bar(s.from, s.to, bar_style::hatched);
    }
}

// With the states that were set, in order: "pending, active" where one vbucket is taken over.
void takeover_lane(lanes& l, const figure_context& x) {
    const auto& all = x.c.steps->takeovers;
    if (x.c.ticks[tick_kind::takeover].empty()) return;
    const auto one = !all.empty() && std::all_of(all.begin(), all.end(), [&](const auto& t) {
        return t.partition == all.front().partition;
    });
    std::string words;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i == 4) {
            words += " ...";
            break;
        }
        words += words.empty() ? "" : ", ";
        words += one ? all[i].state : fmt::format("vb {} {}", all[i].partition, all[i].state);
    }
    tick_lane(l, x, tick_kind::takeover,
              one ? fmt::format("Take-over vb {}", all.front().partition) : "Take-over", false,
              words);
}

std::string rollback_words(const figure_context& x) {
    std::string out;
    std::size_t n = 0;
    for (const auto* s : x.rows.streams) {
        if (s->state != stream_state::rolled_back) continue;
        if (++n > 2) return out + " ...";
        out += fmt::format("{}vb {}: {} to {}", out.empty() ? "" : ", ", s->partition,
                           number(s->start), number(s->rollback_to));
    }
    return out;
}

// "7: duplicate, out of range (2), not my vbucket (4)".
std::string refused_words(const figure_context& x) {
    std::uint64_t n = 0;
    std::vector<std::pair<std::string, std::uint64_t>> why;
    for (const auto* s : x.rows.streams) {
        if (s->state != stream_state::refused) continue;
        n += s->times;
        const auto same = std::find_if(
            why.begin(), why.end(), [&](const auto& one) { return one.first == s->status_name; });
        if (same == why.end()) {
            why.emplace_back(s->status_name, s->times);
        } else {
            same->second += s->times;
        }
    }
    std::string words;
    for (const auto& [name, times] : why) {
        words += words.empty() ? ": " : ", ";
        words += times == 1 ? name : fmt::format("{} ({})", name, number(times));
    }
    return number(n) + words;
}

// "seqno 1..18 and 26..60": what there is on both sides of the holes of the only stream.
std::string captured_seqnos(const figure_context& x) {
    std::size_t rest = 0;
    const auto streams = main_streams(x.rows.streams, rest);
    if (streams.size() + rest != 1) return {};
    const auto& s = *streams[0];
    if (s.not_captured.empty() || s.not_captured.size() > 2 || s.items == 0) return {};
    std::string out = "seqno ";
    auto from = s.first_seqno;
    for (const auto& [first, last] : s.not_captured) {
        if (first <= from || last >= s.last_seqno) return {};
        out += range(from, first - 1) + " and ";
        from = last + 1;
    }
    return out + range(from, s.last_seqno);
}

// Data that stopped early, while the connection went on.
std::string data_words(const figure_context& x) {
    const auto& data = x.c.ticks[tick_kind::data];
    if (const auto seqnos = captured_seqnos(x); !seqnos.empty()) return seqnos;
    if (data.empty() || x.c.life.to - data.last() < x.c.life.length() / 2) return {};
    return fmt::format("{} in {}, then none", count(data.total(), "message"),
                       duration(data.last() - data.first()));
}

// Where the last snapshot of the only stream stands; with several streams, how many there were.
std::string snapshots_words(const figure_context& x) {
    std::size_t rest = 0;
    const auto streams = main_streams(x.rows.streams, rest);
    std::uint64_t n = 0;
    for (const auto* s : x.rows.streams) n += s->snapshots;
    if (streams.size() + rest != 1 || !streams[0]->snapshot_known) return number(n);
    const auto& s = *streams[0];
    return fmt::format("{}{} {}", n > 1 ? number(n) + ", the last " : "",
                       range(s.last_snapshot_start, s.last_snapshot_end),
                       s.snapshot_complete
                           ? "complete"
                           : fmt::format("stays incomplete at {} of {}", number(s.last_seqno),
                                         number(s.last_snapshot_end)));
}

std::string noop_words(const connection& c) {
    return fmt::format("{} of {}", number(c.noop.answered), number(c.noop.sent));
}

// ---- ledger

std::vector<const batch_row*> main_batches(const std::vector<const batch_row*>& all) {
    auto chosen = all;
    if (chosen.size() <= most_batches) return chosen;
    const auto took = [](const batch_row* b) {
        return b->finished.frame == 0 ? INT64_MAX : held_ns(*b);
    };
    std::stable_sort(chosen.begin(), chosen.end(), [&](auto* a, auto* b) {
        return a->fared != b->fared ? a->fared > b->fared : took(a) > took(b);
    });
    chosen.resize(most_batches);
    std::stable_sort(chosen.begin(), chosen.end(),
                     [](auto* a, auto* b) { return a->delivered.time_ns < b->delivered.time_ns; });
    return chosen;
}

// Acknowledgements one by one, where one of them was refused: which, and which came after it.
void acknowledgements_lane(lanes& l, const figure_context& x) {
    struct one {
        std::int64_t at;
        std::uint64_t batch;
        bool refused;
    };
    std::vector<one> all;
    for (const auto& f : x.m.findings) {
        if (f.connection != x.c.id || (f.what != findings::code::canal_ack_out_of_order &&
                                       f.what != findings::code::canal_ack_unknown_batch))
            continue;
        for (const auto& h : f.hits) all.push_back({h.last.time_ns, count_of(h, "batchId"), true});
    }
    if (all.empty()) return;
    for (const auto* b : x.rows.batches) {
        if (b->state == batch_state::acknowledged && b->finished.frame != 0)
            all.push_back({b->finished.time_ns, b->batch, false});
    }
    if (all.size() > 8) return;
    std::stable_sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.at < b.at; });
    l.lane("Acknowledged");
    std::string words;
    for (const auto& a : all) {
        l.tick(a.at, !a.refused);
        words +=
            fmt::format("{}{}{}", words.empty() ? "" : ", ", a.batch, a.refused ? " refused" : "");
    }
    l.text(all.front().at, all.back().at, words);
}

std::string ledger_words(const batch_row& b) {
    if (b.finished.frame == 0) return state_words(b);
    if (b.state != batch_state::acknowledged || b.finished.time_ns < b.delivered.time_ns)
        return fate_words(b) + after_words(b);
    const auto took = duration(held_ns(b));
    return b.refused ? fmt::format("refused, then {}", took) : took;
}

}  // namespace

void findings_lane(lanes& l, const figure_context& x) {
    // Its own, then those of other connections in which it has a part.
    auto mine = x.c.cards;
    for (std::size_t i = 0; i < std::min(x.m.cards.size(), cap::cards); ++i) {
        const auto& others = x.m.cards[i].others;
        if (std::find(others.begin(), others.end(), x.c.id) != others.end()) mine.push_back(i);
    }
    if (mine.empty()) return;
    l.lane("Findings");
    // Of marks that would cover each other the graver stays: cards come by rank.
    std::vector<std::int64_t> placed;
    const auto place = [&](std::int64_t at, std::size_t i) {
        const auto& c = x.m.cards[i];
        const auto covered = std::any_of(placed.begin(), placed.end(), [&](std::int64_t p) {
            return (p > at ? p - at : at - p) * 30 < l.span().length();
        });
        if (covered || !l.covers(at)) return false;
        placed.push_back(at);
        const auto h = health_of(c.level);
        l.mark(at, icon(h, fmt::format("{}: {}", capitalized(word(h)), c.code), c.uncertain),
               fmt::format("#f{}", i + 1));
        return true;
    };
    for (const auto i : mine) {
        if (i >= cap::cards) continue;
        const auto& c = x.m.cards[i];
        // What goes on is marked where it was found; else it is where it begins.
        if (c.going_on && c.rules.size() > 1) {
            place(c.last.time_ns, i);  // found after its limits had passed
            continue;
        }
        // Where it was found; what lasts, where it begins. Of notes one is enough.
        for (const auto& f : x.m.findings) {
            if (f.connection != c.connection || f.code != c.code) continue;
            for (const auto& h : f.hits) {
                const auto placed_it =
                    place(h.running && h.first.frame != 0 ? h.first.time_ns : h.last.time_ns, i);
                if (placed_it && c.level < severity::warning) break;
            }
        }
    }
}

namespace {
// "in progress 0xa2": what it is about stands beside it.
std::string short_status(const operation& o) {
    constexpr std::string_view subject = "Sync write ";
    if (!o.status_name.starts_with(subject)) return fmt::format("0x{:02x}", o.status);
    return fmt::format("{} 0x{:02x}", o.status_name.substr(subject.size()), o.status);
}

// Requests of the application that are about these durable writes: ticks, and their answers.
void application_lane(lanes& l, const figure_context& x) {
    std::vector<const operation*> asked;
    for (const auto& o : x.m.operations) {
        const auto about = [&](const durable_write* d) {
            return !d->application.empty() && d->key == o.key &&
                   (!o.partition || *o.partition == d->partition);
        };
        if (!o.level.empty() && std::any_of(x.rows.writes.begin(), x.rows.writes.end(), about))
            asked.push_back(&o);
        if (asked.size() > most_writes) return;  // too many to tell apart; the table has them
    }
    if (asked.empty()) return;
    const auto at = [](const operation* o) {
        return o->has_answer ? o->answered.time_ns : o->sent.time_ns;
    };
    std::stable_sort(asked.begin(), asked.end(),
                     [&](const operation* a, const operation* b) { return at(a) < at(b); });
    l.lane(fmt::format("Client writes ({})", asked.size()));
    for (const auto* o : asked) l.tick(at(o), o->has_answer);
    std::string words;
    for (const auto* o : asked) {
        words += words.empty() ? "" : ", ";
        words += !o->has_answer   ? std::string("no answer")
                 : o->status == 0 ? std::string("ok")
                                  : short_status(*o);
    }
    l.text(at(asked.front()), at(asked.back()), words);
}

void replica_lane(lanes& l, const figure_context& x) {
    std::int64_t last = 0;
    std::size_t n = 0;
    for (const auto* d : x.rows.writes) n += d->acked.frame != 0 ? 1 : 0;
    if (n == 0 || x.rows.writes.size() > most_writes) return;
    l.lane("Replica ack");
    for (const auto* d : x.rows.writes) {
        if (d->acked.frame == 0) continue;
        l.tick(d->acked.time_ns, true);
        last = std::max(last, d->acked.time_ns);
    }
    l.text(last, last, fmt::format("{} of {}", n, count(x.rows.writes.size(), "prepare")));
}

// What the replica did for the few that were not committed.
std::string replica_sentence(const std::vector<const durable_write*>& writes) {
    std::string out;
    std::size_t n = 0;
    for (const auto* w : writes) {
        if (w->how != durable_write::outcome::aborted && w->how != durable_write::outcome::open)
            continue;
        if (++n > 2) return {};
        const auto key = printable(w->key);
        if (w->replica_ack_ns < 0) {
            out += fmt::format(" The replica never acknowledged {}.", key);
        } else if (w->how == durable_write::outcome::open) {
            out += fmt::format(" It acknowledged {}, but no commit followed.", key);
        }
    }
    // "It" needs the sentence before.
    if (out.starts_with(" It ")) out.replace(0, 4, " The replica ");
    return out;
}
}  // namespace

markup writes_figure(const figure_context& x) {
    if (x.rows.writes.empty() || x.c.life.length() <= 0) return {};
    const auto& d = *x.c.durable;
    // Many alike need no picture: the histogram and the facts say it.
    const auto plain = d.open == 0 && d.aborted == 0 && d.least_ns == d.most_ns;
    if (plain) return {};
    const auto shown = worst_writes(x.rows.writes, most_writes);
    auto told = fmt::format("Durable writes of connection {}: {} committed, {} aborted, {} open",
                            x.c.id, number(d.committed), number(d.aborted), number(d.open));
    if (shown.size() <= 4) {
        for (const auto* one : shown)
            told += fmt::format("; {} {}", printable(one->key), write_words(*one));
    }
    lanes l(x.axis, told);
    for (const auto* one : shown) {
        const auto open = one->how == durable_write::outcome::open;
        const auto end =
            open ? one->prepared.time_ns + one->latency_ns : end_of(x.c, one->finished);
        l.lane(one->key);
        l.bar(one->prepared.time_ns, end, open ? bar_style::hatched : bar_style::solid);
        l.text(one->prepared.time_ns, end, write_words(*one));
    }
    replica_lane(l, x);
    application_lane(l, x);
    findings_lane(l, x);
    std::string grey = "Bar: from prepare to commit or abort. Hatched: neither was seen.";
    if (x.rows.writes.size() > most_writes)
        grey += fmt::format(" {} of {}: those without an outcome, then the slowest.",
                            number(std::uint64_t{most_writes}), number(x.rows.writes.size()));
    const auto sentence =
        fmt::format("{} committed, {} aborted, {} without an outcome.{}", number(d.committed),
                    number(d.aborted), number(d.open), replica_sentence(x.rows.writes));
    html_writer w;
    w.put("{}{}", figure_of("Durable writes.", sentence, grey, l.done()), writes_table(x));
    return w.take();
}

namespace {
// ", asks again 600 ms later": from an acknowledgement to the next request, where that is alike.
std::string asks_again_words(const figure_context& x) {
    std::int64_t acked = -1, least = INT64_MAX, most = -1;
    for (const auto* b : x.rows.batches) {
        if (acked >= 0 && b->asked.frame != 0 && b->asked.time_ns >= acked) {
            least = std::min(least, b->asked.time_ns - acked);
            most = std::max(most, b->asked.time_ns - acked);
        }
        acked = b->state == batch_state::acknowledged && b->finished.frame != 0
                    ? b->finished.time_ns
                    : -1;
    }
    if (most < 0 || most - least > most / 20) return {};
    return fmt::format(", asks again {} later", duration(most));
}

// The batch that was open when a younger one was acknowledged; 0: that is not what happened.
std::uint64_t open_before(const figure_context& x, std::uint64_t batch) {
    for (const auto& f : x.m.findings) {
        if (f.connection != x.c.id || f.what != findings::code::canal_ack_out_of_order) continue;
        for (const auto& h : f.hits) {
            if (count_of(h, "batchId") == batch) return count_of(h, "oldestOpen");
        }
    }
    return 0;
}

std::string ledger_sentence(const figure_context& x) {
    std::int64_t least = INT64_MAX, most = 0;
    const batch_row* refused = nullptr;
    for (const auto* b : x.rows.batches) {
        if (b->refused && refused == nullptr) refused = b;
        if (b->state != batch_state::acknowledged) continue;
        const auto took = held_ns(*b);
        least = std::min(least, took), most = std::max(most, took);
    }
    const auto open = x.c.canal->most_open <= 1
                          ? std::string("never 2 open at once")
                          : fmt::format("at most {} open at once", number(x.c.canal->most_open));
    if (refused != nullptr) {
        const auto oldest = open_before(x, refused->batch);
        return oldest == 0
                   ? fmt::format("An acknowledgement of {} is refused; {}.", refused->batch, open)
                   : fmt::format(
                         "{} is acknowledged while {} is still open, and refused: the "
                         "server takes only the oldest; {}.",
                         refused->batch, oldest, open);
    }
    if (most == 0) return fmt::format("From delivery to acknowledgement; {}.", open);
    auto out = fmt::format("{} from delivery to acknowledgement", durations(least, most));
    if (const auto next = asks_again_words(x); !next.empty()) out += next;
    return fmt::format("{}; {}.", out, open);
}
}  // namespace

markup ledger_figure(const figure_context& x) {
    if (x.rows.batches.empty() || x.c.life.length() <= 0) return {};
    const auto& f = *x.c.canal;
    const auto part = ledger_span(x.c, x.rows.batches);
    const auto span = part.length() * 2 < x.c.life.length() ? part : x.axis;
    const auto sentence = ledger_sentence(x);
    lanes l(span,
            fmt::format("Batch ledger of connection {}: {}, {} acknowledged. {}", x.c.id,
                        count(f.batches, "batch", "batches"), number(f.acknowledged), sentence));
    const auto shown = main_batches(x.rows.batches);
    for (const auto* b : shown) {
        l.lane(fmt::format("Batch {}, {}", b->batch, count(b->entries, "entry", "entries")));
        const auto end = end_of(x.c, b->finished);
        l.bar(b->delivered.time_ns, end,
              b->finished.frame == 0 ? bar_style::hatched : bar_style::solid);
        l.text(b->delivered.time_ns, end, ledger_words(*b));
    }
    acknowledgements_lane(l, x);
    tick_lane(l, x, tick_kind::empty_poll, "Empty polls", true, number(f.empty_polls));
    tick_lane(l, x, tick_kind::rollback, "Rolled back", false);
    findings_lane(l, x);
    auto grey =
        shown.size() < x.rows.batches.size()
            ? fmt::format(
                  "{} of {}: those with findings, then the slowest; the others are in the table.",
                  shown.size(), number(x.rows.batches.size()))
            : std::string{};
    if (span.length() * 2 < x.c.life.length())
        grey += fmt::format("{}Zoomed to the {} of {} with batches.", grey.empty() ? "" : " ",
                            short_duration(span.length()), duration(x.c.life.length()));
    return figure_of("Batch ledger.", sentence, grey, l.done());
}

namespace {
// "All 3 streams end within 147 µs of each other."
std::string ends_together(const figure_context& x) {
    std::int64_t first = INT64_MAX, last = INT64_MIN;
    std::uint64_t n = 0;
    for (const auto* s : x.rows.streams) {
        if (s->state == stream_state::refused || s->state == stream_state::rolled_back) continue;
        if (s->finished.frame == 0) return {};
        first = std::min(first, s->finished.time_ns);
        last = std::max(last, s->finished.time_ns);
        ++n;
    }
    if (n < 2 || (last - first) * 50 > x.c.life.length()) return {};
    return fmt::format("{} {} end within {} of each other.", n == 2 ? "Both" : "All " + number(n),
                       "streams", duration(last - first));
}

std::string timeline_sentence(const figure_context& x) {
    const auto& c = x.c;
    if (c.flow->full_at_end && c.noop.answered > 0)
        return "Data stop with the window; keep-alives go on, so both sides look connected.";
    if (other_side_has_all(c, false))
        return "The other side acknowledged the lost bytes by TCP: it has them, the capture does "
               "not.";
    return ends_together(x);
}
}  // namespace

namespace {
// The same in words, for those who do not see it.
std::string told_by_timeline(const figure_context& x) {
    std::size_t rest = 0;
    const auto streams = main_streams(x.rows.streams, rest);
    auto out = count(streams.size() + rest, "stream");
    const auto say = [&](std::string_view what, std::string_view words) {
        if (!words.empty()) out += fmt::format("; {}{}", what, words);
    };
    if (streams.size() == 1) say("", stream_words(*streams.front()));
    const auto& ticks = x.c.ticks;
    if (!ticks[tick_kind::rollback].empty()) say("rolled back ", rollback_words(x));
    if (!ticks[tick_kind::refused].empty()) say("requests refused ", refused_words(x));
    say("data ", data_words(x));
    if (!ticks[tick_kind::noop].empty()) say("keep-alives answered ", noop_words(x.c));
    if (x.c.flow->full_times > 0)
        say("window full ", x.c.flow->full_at_end ? std::string("to the end")
                                                  : count(x.c.flow->full_times, "time"));
    const auto sentence = timeline_sentence(x);
    return sentence.empty() ? out : fmt::format("{}. {}", out, sentence);
}

markup draw_timeline(const figure_context& x, const time_span& span) {
    lanes l(span, fmt::format("Timeline of connection {}: {}", x.c.id, told_by_timeline(x)));
    stream_lanes(l, x);
    tick_lane(l, x, tick_kind::snapshot, "Snapshots", false, snapshots_words(x));
    tick_lane(l, x, tick_kind::rollback, "Rolled back", false, rollback_words(x));
    tick_lane(l, x, tick_kind::refused, "Requests refused", false, refused_words(x));
    tick_lane(l, x, tick_kind::data, "Data", false, data_words(x));
    hole_lane(l, x);
    tick_lane(l, x, tick_kind::acknowledged, "Acknowledged", true);
    tick_lane(l, x, tick_kind::noop, "No-op, answered", true, noop_words(x.c));
    takeover_lane(l, x);
    waiting_lane(l, x);
    findings_lane(l, x);
    return l.empty() ? markup{} : l.done();
}
}  // namespace

markup timeline_figure(const figure_context& x) {
    if (x.c.what == role::canal_client || x.c.life.length() <= 0 || x.c.ticks.empty()) return {};
    const auto whole = draw_timeline(x, x.axis);
    if (whole.text.empty()) return {};
    const auto shown = timeline_span(x.c, x.rows.streams);
    if (shown.length() * 2 > x.c.life.length())
        return figure_of("Timeline.", timeline_sentence(x), "", whole);
    html_writer both;
    both.put("{}<details class=\"more\"><summary>The whole connection, {}</summary>{}</details>",
             draw_timeline(x, shown), duration(x.c.life.length()), whole);
    return figure_of("Timeline.", timeline_sentence(x),
                     fmt::format("Zoomed to the {} of {} in which something happens.",
                                 short_duration(shown.length()), duration(x.c.life.length())),
                     both.take());
}

markup operations_table(const figure_context& x) {
    if (x.rows.operations.empty()) return {};
    table t("", fmt::format("Requests of the application on connection {}", x.c.id),
            {{"Request"}, {"Key"}, {"Sent", true}, {"Waited", true}, {"Answer"}},
            table_style::stack, false);
    const auto shown = std::min(x.rows.operations.size(), most_rows);
    for (std::size_t i = 0; i < shown; ++i) {
        const auto& o = *x.rows.operations[i];
        t.row();
        t.cell(request_words(o));
        t.cell(o.key);
        t.cell(time_words(x.m, o.sent.time_ns));
        t.cell(waited_words(o));
        t.cell(answer_words(o));
    }
    html_writer w;
    w.put("{}", t.done());
    if (shown < x.rows.operations.size())
        w.put("<p class=\"small soft\">And {} more in the JSON.</p>",
              number(x.rows.operations.size() - shown));
    return w.take();
}

namespace {
template <typename Row, typename Words>
void sample_list(html_writer& w, std::string_view summary, const std::vector<Row>& rows,
                 std::size_t most, Words words) {
    if (rows.empty() || most == 0) return;
    w.put("<details class=\"more\"><summary>{}</summary><ul class=\"small\">", summary);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        // The largest one stands last, whatever its place.
        if (i < most || i + 1 == rows.size()) w.put("<li>{}</li>", words(rows[i]));
    }
    w.raw("</ul></details>");
}
}  // namespace

markup samples_of(const figure_context& x) {
    html_writer w;
    if (const auto types = type_list(x.c); !types.empty())
        w.put(
            "<details class=\"more\"><summary>Messages by type</summary><p "
            "class=\"small\">{}</p></details>",
            types);
    sample_list(w, "First items", x.c.items, x.most_samples, item_words);
    sample_list(w, "First rows", x.c.rows, x.most_samples, row_words);
    return w.take();
}

}  // namespace cdcscope::report
