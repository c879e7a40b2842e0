#include "analyzer/track/session.h"

#include "proto/dcp/frame.h"

namespace cdcscope::track {
namespace {

// Ports used anew, time-outs and the end of the capture are not FIN or RST: finish() tells them.
bool was_sent(recover::end_kind how) {
    return how == recover::end_kind::fin || how == recover::end_kind::rst;
}

constexpr std::size_t canal_length_bytes = 4;

}  // namespace

session::session(const options& chosen, observer& to)
    : to_(to),
      dcp_world_({.findings = &findings_, .links = nullptr, .watch = chosen.watch_dcp},
                 chosen.limits, chosen.collections),
      canal_world_(chosen.limits, chosen.watch_canal) {}

session::~session() = default;

session::tracked* session::find(std::uint32_t connection) {
    const auto found = connections_.find(connection);
    return found == connections_.end() ? nullptr : &found->second;
}

void session::finish(tracked& t, const frame_ref& at) {
    const std::uint32_t id = ++last_id_;
    findings_.at_end = true;
    if (t.dcp) t.dcp->finish(at, id);
    if (t.canal) t.canal->finish(id, at);
    findings_.at_end = false;
    hand_on_findings();
}

session::tracked* session::find(std::uint32_t connection, const frame_ref& at) {
    tracked* t = find(connection);
    if (at.time_ns <= until_ns_) {
        if (at.time_ns >= last_.time_ns) last_ = at;
        if (t == nullptr || t->stopped) return nullptr;
        t->fed = true;
        return t;
    }
    if (t == nullptr || t->stopped) return nullptr;
    // One that had said nothing by then is followed for its name; its findings lie behind it.
    if (!t->fed) return t;
    t->stopped = true;
    // The last frame says how things stand then.
    finish(*t, {until_ns_, last_.frame, last_.file});
    return nullptr;
}

void session::hand_on_findings() {
    for (const auto& told : findings_.waiting) {
        if (const auto* f = std::get_if<findings::finding>(&told)) {
            to_.on_finding(*f);
        } else {
            to_.on_settled(std::get<findings::settlement>(told));
        }
    }
    findings_.waiting.clear();
}

void session::start(const recover::connection_info& c) {
    const std::string server = capture::to_string(c.server);
    if (c.carries == recover::protocol::dcp) {
        tracked& t = connections_[c.id];
        if (t.dcp) return;
        t.dcp = dcp_world_.add({.id = c.id,
                                .client = capture::to_string(c.client),
                                .server = server,
                                .from_start = c.from_start[0] && c.from_start[1]});
    }
    if (c.carries == recover::protocol::canal || c.carries == recover::protocol::canal_admin) {
        tracked& t = connections_[c.id];
        if (t.canal) return;
        const bool admin = c.carries == recover::protocol::canal_admin;
        const canal::connection_start start{
            .id = c.id,
            .server = server,
            .port = admin ? canal::port_kind::admin : canal::port_kind::data,
            .from_start = {c.from_start[0], c.from_start[1]}};
        t.canal = std::make_unique<canal::tracker>(canal_world_, start, findings_);
    }
}

void session::on_connection(const recover::connection_info& c) {
    to_.on_connection(c);
    losses_.on_connection(c);
    start(c);
}

void session::on_protocol(const recover::connection_info& c) {
    to_.on_protocol(c);
    losses_.on_connection(c);
    start(c);
}

void session::on_late_start(recover::protocol promised, const frame_ref& at) {
    if (promised == recover::protocol::canal) canal_world_.lacking(at.time_ns);
}

void session::on_message(const recover::message& m) {
    tracked* t = find(m.connection, m.frames.done);
    if (t == nullptr) {
        if (m.frames.done.time_ns > until_ns_) to_.on_message_left_out(m);
        return;
    }
    const std::uint32_t id = ++last_id_;
    if (t->dcp) {
        t->behind_gap[index(m.dir)] = false;
        const dcp::track_record said = t->dcp->feed(
            {.id = id, .at = m.frames.done, .dir = m.dir, .bytes = m.bytes, .cut = m.cut});
        to_.on_dcp(m, said, *t->dcp);
    } else if (t->canal) {
        const canal::track_record said =
            t->canal->feed({.id = id,
                            .dir = m.dir,
                            .payload = m.bytes.subspan(canal_length_bytes),
                            .frames = m.frames,
                            .first_ns = m.first_ns,
                            .acknowledges = m.acknowledges});
        to_.on_canal(m, said, canal_world_);
    }
    hand_on_findings();
}

void session::on_gap(const recover::gap& g) {
    to_.on_gap(g);
    losses_.on_gap(g);
    tracked* t = find(g.connection, g.at);
    if (t == nullptr) return;
    const bool told = g.offset == t->told_hole[index(g.dir)];
    if (t->dcp && !g.inside_value) {
        if (!told) t->dcp->hole(g.dir);
        t->behind_gap[index(g.dir)] = true;
    }
    if (t->canal && !told) t->canal->hole(g.dir);
    if (t->canal) t->canal->hole_ends(g.dir, g.offset + g.length);
    hand_on_findings();
}

void session::on_missing(std::uint32_t connection, direction dir, std::uint64_t offset) {
    tracked* t = find(connection);
    if (t == nullptr || t->stopped || offset == t->told_hole[index(dir)]) return;
    t->told_hole[index(dir)] = offset;
    if (t->dcp) t->dcp->hole(dir);
    if (t->canal) t->canal->hole(dir);
    hand_on_findings();
}

void session::on_behind(std::uint32_t connection, bool behind) {
    tracked* t = find(connection);
    if (t != nullptr && t->canal && !t->stopped) t->canal->behind(behind);
}

void session::on_unheard(recover::protocol promised, bool is) {
    if (promised == recover::protocol::canal) canal_world_.unheard(is);
}

void session::on_unparsed(const recover::unparsed_run& u) {
    to_.on_unparsed(u);
    losses_.on_unparsed(u);
    tracked* t = find(u.connection, u.frames.done);
    if (t == nullptr) return;
    if (t->dcp && u.kind == recover::unparsed_kind::skipped && u.offset != 0) {
        // Framing that broke inside a stream hides messages as a hole does.
        const bool broke =
            !t->behind_gap[index(u.dir)] && !u.head.empty() && !dcp::is_magic(u.head[0]);
        broke ? t->dcp->broken(u.dir, u.length, u.frames.done, ++last_id_) : t->dcp->hole(u.dir);
        hand_on_findings();
    }
    if (!t->canal) return;
    if (u.kind == recover::unparsed_kind::bad_length) {
        t->canal->bad_length(u.dir, u.claimed_length, u.head, ++last_id_, u.frames);
    } else if (u.kind == recover::unparsed_kind::incomplete) {
        t->canal->incomplete(u.dir, ++last_id_, u.frames);
    } else if (u.kind == recover::unparsed_kind::piece) {
        t->canal->damaged(u.dir, u.head, ++last_id_, u.frames);
    } else if (u.kind == recover::unparsed_kind::skipped) {
        t->canal->hole(u.dir);
        t->canal->hole_ends(u.dir, u.offset + u.length);
    }
    hand_on_findings();
}

void session::on_end(std::uint32_t connection, direction dir, recover::end_kind how,
                     const frame_ref& at) {
    to_.on_end(connection, dir, how, at);
    tracked* t = find(connection, at);
    if (t == nullptr || !was_sent(how)) return;
    const bool reset = how == recover::end_kind::rst;
    const std::uint32_t id = ++last_id_;
    if (t->dcp) t->dcp->end(dir, reset ? dcp::end_of::rst : dcp::end_of::fin, at, id);
    if (t->canal)
        t->canal->end(dir, reset ? canal::close_kind::rst : canal::close_kind::fin, id, at);
    hand_on_findings();
}

void session::on_totals(std::uint32_t connection, const recover::direction_totals& c2s,
                        const recover::direction_totals& s2c) {
    to_.on_totals(connection, c2s, s2c);
    losses_.on_totals(connection, c2s, s2c);
}

void session::on_closed(std::uint32_t connection, recover::end_kind how, const frame_ref& at) {
    if (tracked* going_on = find(connection, at); going_on != nullptr) finish(*going_on, at);
    const tracked* t = find(connection);
    to_.on_closed(connection, how, at, t == nullptr ? nullptr : t->dcp.get());
    connections_.erase(connection);
}

void session::finish() {
    canal_world_.finish();
    hand_on_findings();
}

}  // namespace cdcscope::track
