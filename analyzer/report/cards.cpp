#include "analyzer/report/cards.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "analyzer/report/format.h"
#include "analyzer/report/words.h"
#include "proto/findings/reference.h"
#include "proto/findings/table.h"

namespace cdcscope::report {
namespace {

using findings::code;

// Codes that tell of one fact on one connection: all go to the card of the first that is there, if
// it is.
struct family {
    code lead;
    std::array<code, 2> with;
};
constexpr std::array families{
    family{code::dcp_flow_stalled, {code::dcp_flow_full, code::dcp_flow_ack_missing}},
    family{code::dcp_flow_ack_missing, {code::dcp_flow_full, code::dcp_flow_full}},
    family{code::dcp_rollback_loop, {code::dcp_rollback_ignored, code::dcp_stream_rollback}},
    family{code::dcp_stream_refused,
           {code::dcp_stream_duplicate, code::dcp_stream_request_invalid}},
    family{code::tcp_gap, {code::tcp_resync, code::tcp_acked_unseen}},
};

// The server's refusal, and the warning that the client will take it for another answer, belong to
// what was refused: the same request.
constexpr std::array refusals{code::canal_request_refused, code::canal_answer_unexpected};
constexpr std::array refused{code::canal_ack_out_of_order,  code::canal_ack_unknown_batch,
                             code::canal_ack_no_batch,      code::canal_auth_failed,
                             code::canal_request_too_early, code::canal_rollback};

template <std::size_t N>
bool one_of(code what, const std::array<code, N>& codes) {
    return std::find(codes.begin(), codes.end(), what) != codes.end();
}

bool shares_request(const rule_finding& a, const rule_finding& b) {
    for (const auto& x : a.hits) {
        for (const auto& y : b.hits) {
            if (x.first.frame == y.first.frame && x.first.file == y.first.file) return true;
        }
    }
    return false;
}

// By connection, the finding whose card `f` goes to; itself if it has one of its own.
std::size_t home_of(const model& m, const std::vector<std::size_t>& mine, std::size_t self) {
    const auto& f = m.findings[self];
    for (const auto& fam : families) {
        if (!one_of(f.what, fam.with)) continue;
        for (const auto i : mine) {
            if (m.findings[i].what == fam.lead && i != self) return i;
        }
    }
    if (one_of(f.what, refusals)) {
        for (const auto i : mine) {
            if (i != self && one_of(m.findings[i].what, refused) &&
                shares_request(f, m.findings[i]))
                return i;
        }
        if (f.what == code::canal_answer_unexpected) {
            for (const auto i : mine) {
                if (m.findings[i].what == code::canal_request_refused &&
                    shares_request(f, m.findings[i]))
                    return i;
            }
        }
    }
    // That a stream ends inside a packet is said of the bytes and of the packet.
    if (f.what == code::tcp_incomplete_at_end) {
        for (const auto i : mine) {
            const auto& hits = m.findings[i].hits;
            if (m.findings[i].what == code::canal_malformed &&
                std::any_of(hits.begin(), hits.end(), ends_inside))
                return i;
        }
    }
    // Of two severities of a family's lead the graver has the card.
    for (const auto i : mine) {
        const auto lead = std::any_of(families.begin(), families.end(),
                                      [&](const family& x) { return x.lead == f.what; });
        if (lead && i != self && m.findings[i].what == f.what && m.findings[i].level > f.level)
            return i;
    }
    return self;
}

// Follows homes to the end; findings are few on a connection and homes never form a ring, but the
// walk is bounded anyway.
std::size_t settle(const std::map<std::size_t, std::size_t>& homes, std::size_t i) {
    for (int steps = 0; steps < 8; ++steps) {
        const auto next = homes.at(i);
        if (next == i) return i;
        i = next;
    }
    return i;
}

using draft_parts =
    std::map<std::size_t, std::vector<std::size_t>>;  // lead: all findings of its card

draft_parts group(const model& m) {
    std::map<std::uint32_t, std::vector<std::size_t>> by_connection;
    for (std::size_t i = 0; i < m.findings.size(); ++i) {
        if (m.findings[i].level > severity::chat && !m.findings[i].set_aside)
            by_connection[m.findings[i].connection].push_back(i);
    }
    draft_parts cards;
    for (const auto& [connection, mine] : by_connection) {
        std::map<std::size_t, std::size_t> homes;
        for (const auto i : mine) homes[i] = home_of(m, mine, i);
        for (const auto i : mine) cards[settle(homes, i)].push_back(i);
    }
    return cards;
}

// "D2" before "D13".
bool rule_before(const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
}

card make_card(const model& m, const row_index& rows, const findings::thresholds& limits,
               std::size_t lead, const std::vector<std::size_t>& parts) {
    card c;
    card_draft d{m, rows, limits, c, {}, m.find(m.findings[lead].connection)};
    d.lasts = d.owner == nullptr || rows.lasts(m, *d.owner);
    d.parts.push_back(&m.findings[lead]);
    for (const auto i : parts) {
        if (i != lead) d.parts.push_back(&m.findings[i]);
    }
    std::stable_sort(d.parts.begin() + 1, d.parts.end(),
                     [](auto* a, auto* b) { return a->level > b->level; });
    c.code = d.lead().code;
    c.level = d.lead().level;
    c.uncertain = d.lead().uncertain;
    c.connection = d.lead().connection;
    c.first = d.lead().first, c.last = d.lead().last;
    for (const auto* f : d.parts) {
        c.level = std::max(c.level, f->level);
        c.count += f->count;
        if (!f->rule.empty() && std::find(c.rules.begin(), c.rules.end(), f->rule) == c.rules.end())
            c.rules.push_back(f->rule);
        c.going_on = c.going_on || (f->going_on && d.lasts);
        if (f->first.time_ns < c.first.time_ns) c.first = f->first;
        if (f->last.time_ns > c.last.time_ns) c.last = f->last;
    }
    std::sort(c.rules.begin(), c.rules.end(), rule_before);
    word_any(d);
    word_dcp(d);
    word_canal(d);
    word_capture(d);
    c.began_before = std::any_of(d.parts.begin(), d.parts.end(), [](auto* f) {
        return std::any_of(f->hits.begin(), f->hits.end(), [](const hit& h) { return h.before; });
    });
    if (c.began_before)
        c.state = "began before the part looked at" + (c.state.empty() ? "" : ", " + c.state);
    return c;
}

// First three and last two; in order of time, each frame once.
void choose_evidence(card& c) {
    auto& all = c.shown;
    std::stable_sort(all.begin(), all.end(), [](const evidence& a, const evidence& b) {
        return std::tie(a.at.file, a.at.frame) < std::tie(b.at.file, b.at.frame);
    });
    all.erase(std::unique(all.begin(), all.end(),
                          [](const evidence& a, const evidence& b) {
                              return a.at.file == b.at.file && a.at.frame == b.at.frame;
                          }),
              all.end());
    if (all.size() <= cap::evidence) return;
    c.evidence_left_out += all.size() - cap::evidence;
    all.erase(all.begin() + 3, all.end() - 2);
}

// The whole of a connection, told by its client: an address and a port.
std::string client_filter(const connection& c) {
    const std::string_view client = c.client;
    const auto colon = client.rfind(':');
    const bool v6 = client.starts_with('[');
    const auto ip = v6 ? client.substr(1, colon - 2) : client.substr(0, colon);
    return fmt::format("{}.addr == {} && tcp.port == {}", v6 ? "ipv6" : "ip", ip,
                       client.substr(colon + 1));
}

void add_filters(const model& m, card& c) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> frames;
    for (const auto& e : c.shown) {
        auto& of = frames[e.at.file];
        of.push_back(e.at.frame);
        of.insert(of.end(), e.also.begin(), e.also.end());
    }
    for (const auto& [file, numbers] : frames)
        c.filters.push_back(
            {fmt::format("Frames, {}", m.file_name(file)), frames_filter(numbers), false});
    const auto* owner = m.find(c.connection);
    if (owner == nullptr) return;
    const auto whole = client_filter(*owner);
    c.filters.push_back({"Whole connection", whole, false});
    if (c.code == "tcp.gap")
        c.filters.push_back(
            {"Holes, whole connection", whole + " && tcp.analysis.lost_segment", false});
    const auto* entry = findings::find_code(c.code);
    const auto plugin = entry == nullptr ? std::string{} : findings::expert_field(*entry);
    if (!plugin.empty())
        c.filters.push_back({"With the plugin", fmt::format("{} && {}", whole, plugin), true});
}

bool outranks(const card& a, const card& b) {
    const auto open_a = a.going_on && a.level >= severity::warning,
               open_b = b.going_on && b.level >= severity::warning;
    if (open_a != open_b) return open_a;
    if (a.level != b.level) return a.level > b.level;
    if (a.amount_ns != b.amount_ns) return a.amount_ns > b.amount_ns;
    if (a.amount != b.amount) return a.amount > b.amount;
    return std::tie(a.first.time_ns, a.connection) < std::tie(b.first.time_ns, b.connection);
}

void rank(model& m, std::vector<std::pair<card, std::vector<std::size_t>>>& drafts) {
    std::stable_sort(drafts.begin(), drafts.end(),
                     [](auto& a, auto& b) { return outranks(a.first, b.first); });
    for (auto& [c, parts] : drafts) {
        for (const auto i : parts) m.findings[i].card = m.cards.size();
        if (c.connection != 0 && c.connection <= m.connections.size()) {
            auto& owner = m.connections[c.connection - 1];
            if (owner.cards.empty()) owner.condition = c.condition;
            owner.cards.push_back(m.cards.size());
            owner.fared = std::max(owner.fared, health_of(c.level));
        }
        m.cards.push_back(std::move(c));
    }
}

void count_hits(model& m) {
    for (auto& f : m.findings) {
        f.card = no_card;
        const auto* owner = m.find(f.connection);
        f.set_aside =
            owner != nullptr && owner->one_direction && findings::entry_of(f.what).both_sides;
        auto& n = f.set_aside                    ? m.hits.set_aside
                  : f.level == severity::error   ? m.hits.errors
                  : f.level == severity::warning ? m.hits.warnings
                  : f.level == severity::note    ? m.hits.notes
                                                 : m.hits.chats;
        n += f.count;
    }
}

// ---- what the tables say

// The row a hit is about: that of its answer, else the newest of the vbucket asked for before it.
stream_row* row_of(const std::vector<stream_row*>& rows, const hit& h) {
    stream_row* newest = nullptr;
    for (auto* r : rows) {
        const auto not_opened =
            r->state == stream_state::refused || r->state == stream_state::rolled_back;
        const auto in = [&](const frame_ref& f) {
            return f.file == h.last.file && f.frame == h.last.frame;
        };
        if (not_opened && (in(r->answered) || in(r->asked) || h.first.frame == r->asked.frame))
            return r;
        if (!not_opened && r->asked.time_ns <= h.last.time_ns &&
            (newest == nullptr || newest->asked.time_ns <= r->asked.time_ns))
            newest = r;
    }
    return newest;
}

void mark_streams(model& m) {
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<stream_row*>> rows;
    for (auto& r : m.streams) {
        rows[{r.connection, r.partition}].push_back(&r);
        if (r.state == stream_state::refused) r.fared = health::warning;
        if (r.state == stream_state::rolled_back) r.fared = health::note;
        const auto* c = m.find(r.connection);
        if (c != nullptr && c->flow->full_at_end && r.live && r.snapshot_known &&
            !r.snapshot_complete && c->fared >= health::warning)
            r.fared = health::warning;
    }
    for (const auto& f : m.findings) {
        // That a client closes its stream is worth a note, but no fault of the stream.
        if (f.what == code::dcp_stream_ended && f.level == severity::note) continue;
        if (f.set_aside) continue;
        for (const auto& h : f.hits) {
            const auto partition = figure_of(h, "partition");
            if (!partition) continue;
            const auto found = rows.find({f.connection, static_cast<std::uint64_t>(*partition)});
            if (found == rows.end()) continue;
            if (auto* r = row_of(found->second, h); r != nullptr)
                r->fared = std::max(r->fared, health_of(f.level));
        }
    }
}

void mark_batches(model& m) {
    std::map<std::pair<std::uint32_t, std::uint64_t>, batch_row*> rows;  // the newest of an id
    for (auto& b : m.batches) rows[{b.connection, b.batch}] = &b;
    for (const auto& f : m.findings) {
        if (f.set_aside) continue;
        for (const auto& h : f.hits) {
            const auto id = figure_of(h, "batchId");
            const auto found = id && *id > 0
                                   ? rows.find({f.connection, static_cast<std::uint64_t>(*id)})
                                   : rows.end();
            if (found == rows.end()) continue;
            auto& b = *found->second;
            if (f.what == code::canal_request_refused) b.refused = true;
            // A statement or a border of a transaction in it is no fault of the batch.
            if (f.what == code::canal_ddl || f.what == code::canal_transaction_incomplete) continue;
            if (health_of(f.level) <= b.fared) continue;
            b.fared = health_of(f.level);
            if (f.what == code::canal_lag) b.remark = "lag";
        }
    }
    for (auto& b : m.batches) {
        // Not as it should be, though no rule may have been met.
        if (b.state == batch_state::rolled_back || b.state == batch_state::forgotten)
            b.fared = std::max(b.fared, health::note);
        if (b.refused) b.remark.clear();
    }
}

}  // namespace

namespace {

std::uint64_t place_of(const stream_row& s) noexcept {
    const std::uint64_t stream = s.stream_id ? 0x10000U | *s.stream_id : 0U;
    return std::uint64_t{s.connection} << 33 | std::uint64_t{s.partition} << 17 | stream;
}

}  // namespace

bool opened(const stream_row& s) noexcept {
    return s.state != stream_state::refused && s.state != stream_state::rolled_back &&
           s.state != stream_state::requested;
}

std::int64_t row_index::newest_opening(const stream_row& s) const noexcept {
    const auto found = openings.find(place_of(s));
    return found == openings.end() ? INT64_MIN : found->second;
}

row_index::row_index(const model& m)
    : streams(m.connections.size() + 1),
      batches(m.connections.size() + 1),
      writes(m.connections.size() + 1) {
    for (const auto& s : m.streams) {
        streams.at(s.connection < streams.size() ? s.connection : 0).push_back(&s);
        if (!opened(s)) continue;
        auto& newest = openings.try_emplace(place_of(s), INT64_MIN).first->second;
        newest = std::max(newest, s.asked.time_ns);
    }
    for (const auto& b : m.batches)
        batches.at(b.connection < batches.size() ? b.connection : 0).push_back(&b);
    for (const auto& w : m.writes)
        writes.at(w.connection < writes.size() ? w.connection : 0).push_back(&w);
    for (const auto& c : m.connections) latest = std::max(latest, c.life.to);
}

bool row_index::lasts(const model& m, const connection& c) const noexcept {
    // The packets that answer a close still belong to it.
    constexpr std::int64_t closing_ns = 1'000'000'000;
    return !c.closed.seen || c.closed.how == recover::end_kind::end_of_capture ||
           (c.life.to >= latest && c.life.to + closing_ns >= m.capture.span.to);
}

const rule_finding* card_draft::part(code what) const noexcept {
    for (const auto* f : parts) {
        if (f->what == what) return f;
    }
    return nullptr;
}

void card_draft::evidence(const frame_ref& at, std::string what) {
    if (at.frame != 0) c.shown.push_back({at, std::move(what)});
}

std::optional<double> figure_of(const hit& h, std::string_view name) {
    for (const auto& f : h.figures) {
        if (f.name != name) continue;
        if (const auto* u = std::get_if<std::uint64_t>(&f.value)) return static_cast<double>(*u);
        if (const auto* i = std::get_if<std::int64_t>(&f.value)) return static_cast<double>(*i);
        if (const auto* d = std::get_if<double>(&f.value)) return *d;
    }
    return {};
}

std::uint64_t count_of(const hit& h, std::string_view name) {
    for (const auto& f : h.figures) {
        if (f.name != name) continue;
        if (const auto* u = std::get_if<std::uint64_t>(&f.value)) return *u;
        if (const auto* i = std::get_if<std::int64_t>(&f.value))
            return *i < 0 ? 0 : static_cast<std::uint64_t>(*i);
    }
    return 0;
}

std::string text_of(const hit& h, std::string_view name) {
    for (const auto& f : h.figures) {
        if (f.name != name) continue;
        if (const auto* s = std::get_if<std::string>(&f.value)) return printable(*s);
    }
    return {};
}

bool ends_inside(const hit& h) {
    return text_of(h, "part") == "the last packet";
}

void make_cards(model& m, const findings::thresholds& limits) {
    count_hits(m);
    const row_index rows(m);
    std::vector<std::pair<card, std::vector<std::size_t>>> drafts;
    for (const auto& [lead, parts] : group(m)) {
        auto c = make_card(m, rows, limits, lead, parts);
        choose_evidence(c);
        add_filters(m, c);
        drafts.emplace_back(std::move(c), parts);
    }
    rank(m, drafts);
    mark_streams(m);
    mark_batches(m);
}

}  // namespace cdcscope::report
