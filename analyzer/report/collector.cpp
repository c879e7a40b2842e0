#include "analyzer/report/collector.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/recover/foreign.h"
#include "analyzer/report/cards.h"
#include "analyzer/report/format.h"
#include "analyzer/report/hide_contents.h"
#include "analyzer/report/one_direction.h"
#include "analyzer/report/until_words.h"
#include "analyzer/report/verdict.h"
#include "analyzer/report/words.h"
#include "proto/findings/table.h"

namespace cdcscope::report {
namespace {

std::string_view why_words(recover::gap_reason reason) {
    switch (reason) {
        case recover::gap_reason::acked_unseen:
            return "not captured, but acknowledged by TCP";
        case recover::gap_reason::not_acked:
            return "not captured";
        case recover::gap_reason::snaplen:
            return "cut off by the snapshot length";
        case recover::gap_reason::memory_cap:
            return "given up to stay within the memory limit";
    }
    return {};
}

std::string_view why_words(recover::unparsed_kind kind) {
    switch (kind) {
        case recover::unparsed_kind::skipped:
            return "skipped on the way to the next message";
        case recover::unparsed_kind::piece:
            return "piece of a message that was cut";
        case recover::unparsed_kind::incomplete:
            return "the stream ends inside a message";
        case recover::unparsed_kind::bad_length:
            return "a length that no message has";
        case recover::unparsed_kind::other_protocol:
            return "another protocol";
    }
    return {};
}

direction_figures figures_of(const recover::direction_totals& t) {
    direction_figures d;
    d.messages = t.messages;
    d.bytes = {t.stream_bytes, t.message_bytes, t.gap_bytes, t.unparsed_bytes};
    d.gaps = t.gaps, d.unparsed = t.unparsed, d.cut_messages = t.cut_messages;
    d.duplicate_bytes = t.duplicate_bytes, d.conflict_bytes = t.conflict_bytes;
    return d;
}

std::uint16_t port_of(const std::string& endpoint) {
    const auto colon = endpoint.rfind(':');
    return colon == std::string::npos ? std::uint16_t{0}
                                      : static_cast<std::uint16_t>(std::strtoul(
                                            endpoint.c_str() + colon + 1, nullptr, 10));
}

}  // namespace

void collector::choose_time(std::optional<std::int64_t> since_ns,
                            std::optional<std::int64_t> until_ns) {
    since_ns_ = since_ns.value_or(INT64_MIN);
    until_ns_ = until_ns.value_or(INT64_MAX);
    m_.judged_since = since_ns;
    findings_.judge_from(since_ns_);
    m_.judged_until = until_ns;
}

void collector::describe_run(std::string command, std::string settings, std::string filter,
                             std::int64_t made_ns) {
    m_.command = std::move(command);
    m_.settings = std::move(settings);
    m_.filter = std::move(filter);
    m_.made_ns = made_ns;
}

// ---- connections

void collector::describe(connection& c, const recover::connection_info& info) {
    c.carries = info.carries;
    c.client = capture::to_string(info.client);
    c.server = capture::to_string(info.server);
    c.from_start = info.from_start[0] && info.from_start[1];
    if (info.foreign != nullptr) {
        foreign_[info.id] = info.foreign;
        c.looks_like = info.carries == recover::protocol::tls
                           ? recover::foreign_words(*info.foreign)
                           : std::string(info.foreign->name);
    }
    switch (info.carries) {
        case recover::protocol::tls:
            c.what = role::tls;
            break;
        case recover::protocol::canal:
            c.what = role::canal_client;
            break;
        case recover::protocol::canal_admin:
            c.what = role::canal_admin;
            break;
        case recover::protocol::other:
            c.what = role::other;
            break;
        default:
            break;
    }
}

void collector::on_connection(const recover::connection_info& c) {
    if (m_.connections.size() < c.id) {
        m_.connections.resize(c.id);
        first_frames_.resize(c.id);
        newest_.resize(c.id);
    }
    first_frames_[c.id - 1] = c.first;
    auto& mine = at(c.id);
    mine.id = c.id;
    mine.life = {c.first.time_ns, c.first.time_ns};
    // The first connections may have long series, the ten thousandth a short one: together a few
    // million points at most.
    const auto bound = std::clamp<std::size_t>(1'000'000 / c.id, 200, 4000);
    mine.window = step_series(bound, bound / 4);
    const auto slots = std::clamp<std::size_t>(120'000 / c.id, 24, 1200);
    mine.received = time_sums(slots);
    mine.ticks = tick_courses(slots);
    describe(mine, c);
}

void collector::on_protocol(const recover::connection_info& c) {
    describe(at(c.id), c);
}

void collector::on_dcp(const recover::message& m, const dcp::track_record& said,
                       const dcp::connection& state) {
    ++messages_;
    note_message(m);
    auto& c = at(m.connection);
    c.life.to = std::max(c.life.to, m.frames.done.time_ns);
    dcp_.on_message(c, m, said, state);
}

void collector::on_canal(const recover::message& m, const canal::track_record& said,
                         const canal::world& state) {
    ++messages_;
    note_message(m);
    auto& c = at(m.connection);
    c.life.to = std::max(c.life.to, m.frames.done.time_ns);
    canal_.on_message(c, m, said, state);
}

void collector::on_message_left_out(const recover::message& m) {
    ++messages_;
    note_message(m);
    lives(at(m.connection), m.frames.done);
}

void collector::lives(connection& c, const frame_ref& when) const {
    c.life.to = std::max(
        c.life.to, c.life.from > until_ns_ ? when.time_ns : std::min(when.time_ns, until_ns_));
}

void collector::on_end(std::uint32_t id, direction dir, recover::end_kind how,
                       const frame_ref& where) {
    auto& c = at(id);
    lives(c, where);
    if (where.time_ns > until_ns_ && c.life.from <= until_ns_) return;
    // The first FIN or RST says who closed; a reset after the other side's FIN is told as what it
    // was.
    if (!c.closed.seen) c.closed = {true, dir, how, where};
}

void collector::on_totals(std::uint32_t id, const recover::direction_totals& c2s,
                          const recover::direction_totals& s2c) {
    auto& c = at(id);
    for (const auto dir : {direction::c2s, direction::s2c}) {
        const auto snaplen = c.of[index(dir)].snaplen_bytes;
        c.of[index(dir)] = figures_of(dir == direction::c2s ? c2s : s2c);
        c.of[index(dir)].snaplen_bytes = snaplen;
    }
    // Who only acknowledges was captured, too.
    c.one_direction = (c2s.segments == 0) != (s2c.segments == 0);
}

void collector::on_closed(std::uint32_t id, recover::end_kind how, const frame_ref& where,
                          const dcp::connection* state) {
    auto& c = at(id);
    // A connection that was closed ended there; one that was not goes on to the end of the capture,
    // unless it was forgotten.
    if (!c.closed.seen && how == recover::end_kind::end_of_capture) lives(c, where);
    if (state != nullptr) dcp_.on_closed(c, *state);
    if (c.carries == recover::protocol::canal) canal_.on_closed(c);
}

// ---- holes

void collector::add_hole(connection& c, hole h) {
    if (c.holes.size() < cap::holes) {
        c.holes.push_back(std::move(h));
    } else {
        ++c.holes_left_out;
    }
}

void collector::note_message(const recover::message& m) {
    newest_[m.connection - 1][index(m.dir)] = {m.offset + m.wire_length, m.frames.done};
}

// A whole message may end at the hole, or a piece of one that the hole cuts.
frame_ref collector::in_front_of(const connection& c, const recover::gap& g) const {
    if (const auto& m = newest_[c.id - 1][index(g.dir)]; m.at.frame != 0 && m.end == g.offset)
        return m.at;
    for (const auto& h : c.holes) {
        if (!h.is_gap && h.dir == g.dir && h.offset + h.length == g.offset) return h.at;
    }
    return {};
}

void collector::on_gap(const recover::gap& g) {
    auto& c = at(g.connection);
    if (g.reason == recover::gap_reason::snaplen) c.of[index(g.dir)].snaplen_bytes += g.length;
    if (g.dir == direction::s2c && !g.inside_value) dcp_.on_hole(g.connection);
    add_hole(c, {g.dir, true, g.offset, g.length, std::string(why_words(g.reason)), g.at,
                 in_front_of(c, g)});
}

void collector::on_unparsed(const recover::unparsed_run& u) {
    auto& c = at(u.connection);
    if (c.first_bytes.empty() && !u.head.empty() &&
        (u.kind == recover::unparsed_kind::other_protocol ||
         u.kind == recover::unparsed_kind::bad_length)) {
        // What stood where a length should be belongs to it.
        std::vector<std::uint8_t> head;
        if (u.kind == recover::unparsed_kind::bad_length) {
            head.resize(4);
            store_be32(head.data(), u.claimed_length);
        }
        head.insert(head.end(), u.head.begin(), u.head.end());
        const auto foreign = recover::name_foreign(head);
        // Behind a wrong length may stand anything, a password too, unless the bytes are known.
        const bool hidden = u.kind == recover::unparsed_kind::bad_length && foreign.empty();
        c.first_bytes = printable(as_text(byte_view(head).first(hidden ? 4 : head.size())));
        if (c.looks_like.empty()) c.looks_like = foreign;
    }
    add_hole(c,
             {u.dir, false, u.offset, u.length, std::string(why_words(u.kind)), u.frames.done, {}});
}

// ---- findings

void collector::on_finding(const findings::finding& f) {
    if (f.at.time_ns > until_ns_) return;
    const auto shown = hides_.any() ? findings::redacted(f, hides_) : f;
    if (f.at.time_ns >= since_ns_) {
        findings_.add(shown);
    } else if (f.what == findings::code::canal_lag) {
        earlier_lags_[f.connection] = shown;
    } else if (f.id != 0) {
        earlier_.emplace(f.id, shown);
    }
}

void collector::on_settled(const findings::settlement& s) {
    if (const auto found = earlier_.find(s.id); found != earlier_.end()) {
        // What had not ended with the last packet of an open connection goes on; what its stream
        // took along does not.
        const auto id = found->second.connection;
        const auto open = !s.over && s.at_end && (id == 0 || !at(id).closed.seen);
        if (s.at.time_ns >= since_ns_ || open) findings_.add(found->second, true);
        earlier_.erase(found);
    }
    findings_.settle(hides_.any() ? findings::redacted(s, hides_) : s);
}

// A batch tells of the lag at its time; so it is until the next one says otherwise.
void collector::add_earlier_lags() {
    for (const auto& [id, lag] : earlier_lags_) {
        std::int64_t next = INT64_MAX;
        for (const auto& b : m_.batches) {
            if (b.connection == id && b.delivered.time_ns > lag.at.time_ns)
                next = std::min(next, b.delivered.time_ns);
        }
        const auto& c = at(id);
        const auto lasted =
            next == INT64_MAX ? !c.closed.seen || c.life.to >= since_ns_ : next >= since_ns_;
        if (lasted) findings_.add(lag, true);
    }
}

void collector::mark_absent_connections() {
    for (auto& c : m_.connections) {
        if (!c.cards.empty() || !c.condition.empty()) continue;
        if (c.closed.seen && c.life.to < since_ns_)
            c.condition = "not judged: over before";
        else if (c.life.from > until_ns_)
            c.condition = "not judged: begins later";
        else if (nothing_to_judge(m_))
            c.condition = "not judged: the capture ends before";
    }
}

void collector::on_observation(const capture::observation& o) {
    if (o.at.frame == 0 || (o.at.time_ns >= since_ns_ && o.at.time_ns <= until_ns_))
        findings_.add(o);
    if (o.code == findings::code::capture_truncated_file) cut_files_.push_back(o.at.file);
    const std::string code(findings::entry_of(o.code).text);
    const auto [found, is_new] = observed_index_.try_emplace(code, observed_.size());
    if (is_new) observed_.push_back({code, 0, 0, o.connection, o.at, directions_in_words(o.text)});
    ++observed_[found->second].count;
    observed_[found->second].bytes += o.bytes;
}

const recover::foreign_signs* collector::foreign_of(std::uint32_t id) const {
    const auto found = foreign_.find(id);
    return found == foreign_.end() ? nullptr : found->second.get();
}

// ---- the end

void collector::add_up() {
    auto& all = m_.capture;
    for (const auto& c : m_.connections) {
        for (const auto& d : c.of) {
            all.bytes += d.bytes;
            all.messages += d.messages + d.cut_messages;
            all.holes += d.gaps;
        }
    }
}

// Where nothing was recovered: which ports there were, and what they look like.
void collector::find_ports() {
    std::map<std::uint16_t, port_use> ports;
    std::map<std::uint16_t, std::vector<recover::foreign_signs>> encrypted;
    for (const auto& c : m_.connections) {
        if (c.of[0].messages + c.of[1].messages > 0) continue;
        auto& p = ports[port_of(c.server)];
        p.port = port_of(c.server);
        ++p.connections;
        p.bytes += c.of[0].bytes.stream + c.of[1].bytes.stream;
        const auto* what = foreign_of(c.id);
        if (what != nullptr && c.what == role::tls) {
            encrypted[p.port].push_back(*what);
        } else if (p.looks_like.empty()) {
            p.looks_like = what == nullptr ? c.looks_like : recover::foreign_words(*what);
        }
    }
    for (const auto& [port, all] : encrypted) ports[port].looks_like = recover::tls_words(all);
    for (auto& [port, use] : ports) m_.capture.ports.push_back(std::move(use));
    std::stable_sort(m_.capture.ports.begin(), m_.capture.ports.end(),
                     [](auto& a, auto& b) { return a.bytes > b.bytes; });
    if (m_.capture.ports.size() > 10) m_.capture.ports.resize(10);
}

// Connections that only one side of was captured, or that are encrypted: a note for all of each
// kind.
void collector::tell_what_cannot_be_judged() {
    for (const auto& c : m_.connections) {
        const auto ours = c.carries == recover::protocol::dcp ||
                          c.carries == recover::protocol::canal ||
                          c.carries == recover::protocol::canal_admin;
        const auto encrypted = c.what == role::tls;
        if (!encrypted && !(ours && c.one_direction)) continue;
        findings::finding f;
        f.what = encrypted ? findings::code::tcp_encrypted : findings::code::tcp_one_direction;
        f.level = severity::note;
        f.at = first_frames_[c.id - 1];
        const auto which =
            missing_side(c) == direction::c2s ? "server to client" : "client to server";
        const auto* what = foreign_of(c.id);
        f.text = encrypted ? fmt::format("connection {}, {} to {}, is encrypted ({})", c.id,
                                         c.client, c.server,
                                         what == nullptr ? "TLS" : recover::foreign_words(*what))
                           : fmt::format("of connection {} only {} was captured", c.id, which);
        findings_.add(f);
    }
}

model collector::finish(capture_info captured, const canal::world& world) {
    m_.capture = std::move(captured);
    m_.capture.observations = std::move(observed_);
    for (const auto file : cut_files_) {
        if (file < m_.capture.files.size()) m_.capture.files[file].cut = true;
    }
    dcp_.finish();
    canal_.finish(world);
    mark_unseen(m_);
    hide_contents(m_, hides_);
    add_up();
    find_ports();
    tell_what_cannot_be_judged();
    // In order of asking: streams were added as their connections closed.
    std::stable_sort(
        m_.streams.begin(), m_.streams.end(), [](const stream_row& a, const stream_row& b) {
            const auto opened = [](const stream_row& s) {
                return s.state != stream_state::refused && s.state != stream_state::rolled_back;
            };
            if (opened(a) != opened(b)) return opened(a);
            return a.asked.time_ns < b.asked.time_ns;
        });
    for (const auto& row : findings::table()) m_.rules += row.rule.empty() ? 0 : 1;
    for (const auto& l : findings::limit_table()) {
        m_.limits.push_back({std::string(l.name), limits_.get(l.which), std::string(l.unit),
                             limits_.get(l.which) != l.value});
    }
    add_earlier_lags();
    m_.findings = findings_.take();
    if (nothing_to_judge(m_)) m_.findings.clear();
    make_cards(m_, limits_);
    say_until(m_);
    for (auto& c : m_.connections) {
        const auto* what = foreign_of(c.id);
        if (what != nullptr && c.what == role::tls) m_.capture.encrypted.push_back(*what);
        if (c.condition.empty() && !c.looks_like.empty() && messages_of(c) == 0)
            c.condition =
                fmt::format("not read: looks like {}",
                            what == nullptr ? c.looks_like : recover::foreign_words(*what));
    }
    mark_absent_connections();
    mark_half_judged(m_);
    judge(m_);
    return std::move(m_);
}

}  // namespace cdcscope::report
