#include "analyzer/recover/recovered_connection.h"

#include <algorithm>

namespace cdcscope::recover {

recovered_connection::recovered_connection(const tcp::connection_identity& who,
                                           const tcp::connection* segments, const options& chosen,
                                           handler& to, tcp::notices& notes)
    : who_(who),
      segments_(segments),
      chosen_(chosen),
      to_(to),
      notes_(notes),
      order_(*this),
      framers_{framer(direction::c2s, {who.id, order_, notes}),
               framer(direction::s2c, {who.id, order_, notes})} {
    early_ = std::make_unique<before_decision>(detector_for(who, chosen));
}

void recovered_connection::on_client(direction side) {
    if (early_ == nullptr) return;
    flipped_ = side == direction::s2c;
    early_->detect.roles_are_certain();
}

void recovered_connection::on_start(direction side, tcp::position origin, bool from_syn) {
    started_[index(side)] = true;
    from_syn_[index(side)] = from_syn;
    origin_[index(side)] = origin;
    if (early_ != nullptr) {
        early_->detect.begin(of(side), from_syn);
        return;
    }
    begin(side);
    tell_change();
}

void recovered_connection::begin(direction side) {
    const std::size_t i = index(side);
    framers_[index(of(side))].begin(origin_[i], from_syn_[i],
                                    framing(carries_, chosen_.messages, of(side)));
    order_.begin(of(side), origin_[i]);
}

void recovered_connection::on_data(const tcp::chunk& c) {
    if (passed_ == 0) first_ns_ = c.available.at.time_ns;
    move(c.available);
    passed_ += c.size;
    now_ns_ = c.now.at.time_ns;
    if (early_ == nullptr) {
        if (foreign_ != nullptr && foreign_->on_bytes(of(c.dir), c.bytes) && announced_)
            to_.on_protocol(info());
        await_start(c.available);
        feed(c.dir, c.begin, c.size, c.bytes, stamp::of(c));
        after(c.dir, c.available);
        if (told_behind_) tell_behind();
        return;
    }
    std::vector<std::uint8_t>& kept = early_->bytes[index(c.dir)];
    if (kept.empty()) {
        // The common case: the first bytes decide, and nothing is copied.
        if (const auto v = early_->detect.look(of(c.dir), c.bytes)) {
            decide(*v, c.dir, c.bytes);
            await_start(c.available);
            feed(c.dir, c.begin, c.size, c.bytes, stamp::of(c));
            after(c.dir, c.available);
            return;
        }
    }
    early_event e;
    e.side = c.dir;
    e.begin = c.begin;
    e.end = c.begin + static_cast<tcp::position>(c.size);
    e.of = stamp::of(c);
    remember(e, c.bytes);
    if (kept.size() > c.bytes.size()) {
        if (const auto v = early_->detect.look(of(c.dir), early_->run(c.dir))) {
            decide(*v);
        } else if (kept.size() >= 2 * detector::longest_look) {
            decide_now();
        }
    }
}

void recovered_connection::remember(const early_event& e, byte_view bytes) {
    std::vector<std::uint8_t>& kept = early_->bytes[index(e.side)];
    early_event& last = early_->events.emplace_back(e);
    last.stored_at = kept.size();
    last.stored = bytes.size();
    kept.insert(kept.end(), bytes.begin(), bytes.end());
}

void recovered_connection::on_hole(const tcp::hole& h) {
    now_ns_ = std::max(now_ns_, h.now.at.time_ns);
    if (early_ != nullptr) {
        const auto v = early_->detect.look_before_hole(of(h.dir), early_->run(h.dir));
        early_->run_begins[index(h.dir)] = early_->bytes[index(h.dir)].size();
        early_event e;
        e.what = early_event::kind::hole;
        e.side = h.dir;
        e.missing = h;
        remember(e, {});
        if (v) decide(*v);
        return;
    }
    move(h.behind);
    tcp::hole mine = h;
    mine.dir = of(h.dir);
    if (foreign_ != nullptr) foreign_->on_missing(mine.dir);
    framers_[index(mine.dir)].on_hole(mine);
    after(h.dir, h.behind);
}

void recovered_connection::on_settled(direction side, tcp::position upto, const tcp::arrival& now) {
    now_ns_ = now.at.time_ns;
    settled_[index(side)] = upto;
    if (early_ != nullptr) return;
    move(now);
    framers_[index(of(side))].on_settled(upto, now);
    after(side, now);
}

void recovered_connection::on_time(const tcp::arrival& now) {
    now_ns_ = now.at.time_ns;
    if (early_ != nullptr) return;
    for (framer& f : framers_) f.on_time(now.at.time_ns);
    after(direction::c2s, now);
    order_.release();
    tell_behind();
    const std::int64_t longest =
        std::max({framer::pause_ns, chosen_.tcp.settle_ns, chosen_.tcp.start_ns});
    at_rest_ = now.at.time_ns - moved_ns_ > longest;
}

// Time decides something again.
void recovered_connection::move(const tcp::arrival& now) noexcept {
    at_rest_ = false;
    moved_ns_ = std::max(moved_ns_, now.at.time_ns);
}

void recovered_connection::on_end(direction side, end_kind how, tcp::position at,
                                  tcp::position acknowledges, const tcp::arrival& now) {
    if (early_ != nullptr) {
        early_event e;
        e.what = early_event::kind::end;
        e.side = side;
        e.begin = at;
        e.how = how;
        e.acknowledges = acknowledges;
        e.of.available = now;
        remember(e, {});
        return;
    }
    move(now);
    framers_[index(of(side))].on_end(how, at, acknowledges, now);
    after(side, now);
}

void recovered_connection::decide_now() {
    const byte_view runs[2] = {early_->run(of(direction::c2s)), early_->run(of(direction::s2c))};
    decide(early_->detect.decide(runs));
}

void recovered_connection::look_at_foreign(const detector::verdict& v, direction side,
                                           byte_view bytes) {
    foreign_ = std::make_unique<foreign_watch>(v.foreign);
    for (const direction each : {direction::c2s, direction::s2c}) {
        foreign_->on_bytes(of(each), early_->run(each));
        if (each == side) foreign_->on_bytes(of(each), bytes);
    }
    const connection_info c = info();
    if (c.promised == v.carries) return;
    notes_.say(findings::code::tcp_foreign, c.id, c.first, 0, "{}",
               foreign_sentence(fmt::format("connection {}", c.id), c.server.port, c.promised,
                                foreign_->signs()));
}

void recovered_connection::decide(const detector::verdict& v, direction side, byte_view bytes) {
    carries_ = v.carries;
    if (v.flip) flipped_ = !flipped_;
    if (!v.foreign.empty()) look_at_foreign(v, side, bytes);
    for (const direction each : {direction::c2s, direction::s2c}) {
        if (started_[index(each)]) begin(each);
    }
    replay();
}

void recovered_connection::replay() {
    const std::unique_ptr<before_decision> early = std::move(early_);
    for (const early_event& e : early->events) {
        switch (e.what) {
            case early_event::kind::bytes: {
                const byte_view all = early->bytes[index(e.side)];
                await_start(e.of.available);
                feed(e.side, e.begin, static_cast<std::uint64_t>(e.end - e.begin),
                     all.subspan(e.stored_at, e.stored), e.of);
                after(e.side, e.of.available);
                break;
            }
            case early_event::kind::hole:
                on_hole(e.missing);
                break;
            case early_event::kind::end:
                on_end(e.side, e.how, e.begin, e.acknowledges, e.of.available);
                break;
        }
    }
}

void recovered_connection::feed(direction side, tcp::position begin, std::uint64_t size,
                                byte_view bytes, const stamp& s) {
    framer& other = framers_[index(opposite(of(side)))];
    if (other.undecided()) other.on_reply(s.acknowledges);
    framers_[index(of(side))].on_bytes(begin, size, bytes, s);
}

// A capture that starts late: what one side says first may acknowledge what of the other side is
// still held, or comes a little later in the file. That is waited for as long as it takes to find
// where a stream begins (A4).
void recovered_connection::await_start(const tcp::arrival& now) {
    if (segments_ == nullptr || (started_[0] && started_[1])) return;
    for (const direction side : {direction::c2s, direction::s2c}) {
        if (started_[index(side)]) continue;
        const bool early =
            passed_ < chosen_.tcp.start_bytes && now.at.time_ns - first_ns_ < chosen_.tcp.start_ns;
        const tcp::half_stream& half = segments_->half(side);
        order_.expect(of(side), early || half.holds_start(), half.floor());
    }
}

// Tells the order how far a direction is known. Undecided bytes of a search hold the other
// direction up no longer than a hole would (E1), from when they are let out of one.
void recovered_connection::after(direction side, const tcp::arrival& now) {
    await_start(now);
    for (const direction dir : {of(side), opposite(of(side))}) {
        const framer& f = framers_[index(dir)];
        if (!started_[index(of(dir))]) continue;
        patience& p = patience_[index(dir)];
        if (!f.undecided()) {
            p.running = false;
        } else if (!p.running || p.at != f.decided()) {
            p = {passed_, now_ns_, f.decided(), true};
            move(now);
        }
        const bool long_enough = p.running && (passed_ - p.passed >= chosen_.tcp.settle_bytes ||
                                               now_ns_ - p.since_ns >= chosen_.tcp.settle_ns);
        order_.known(dir, f.undecided() && !long_enough
                              ? f.decided()
                              : std::max(f.end(), settled_[index(of(dir))]));
    }
}

std::uint64_t recovered_connection::held() const noexcept {
    std::uint64_t all = framers_[0].held() + framers_[1].held() + order_.held();
    if (foreign_ != nullptr) all += foreign_->held();
    if (early_ != nullptr) {
        all += early_->bytes[0].size() + early_->bytes[1].size() +
               early_->events.size() * sizeof(early_event);
    }
    return all;
}

void recovered_connection::on_pressure(const tcp::arrival& now) {
    if (early_ != nullptr) decide_now();
    framer& larger = framers_[0].held() >= framers_[1].held() ? framers_[0] : framers_[1];
    if (order_.held() >= larger.held()) {
        notes_.say(
            findings::code::cap_memory, who_.id, now.at, order_.held(),
            "messages of connection {} that waited for what the other side had acknowledged go "
            "without it",
            who_.id);
        order_.give_up_waiting();
    } else {
        larger.give_up_waiting(now);
    }
}

void recovered_connection::on_close(end_kind how, const tcp::arrival& last) {
    if (early_ != nullptr) decide_now();
    for (framer& f : framers_) f.finish();
    order_.flush();
    announce();
    direction_totals totals[2];
    close_totals(totals);
    to_.on_totals(who_.id, totals[0], totals[1]);
    to_.on_closed(who_.id, how, last.at);
}

void recovered_connection::close_totals(direction_totals (&totals)[2]) {
    for (const direction dir : {direction::c2s, direction::s2c}) {
        direction_totals& t = totals[index(dir)];
        t = framers_[index(dir)].totals();
        t.segments = t.messages;
        if (segments_ == nullptr) continue;
        const tcp::segment_figures& seen = segments_->figures(of(dir));
        t.segments = seen.segments;
        totals[index(dir)].duplicate_bytes = seen.duplicate_bytes;
        totals[index(dir)].conflict_bytes = seen.conflict_bytes;
    }
}

connection_info recovered_connection::info() const {
    connection_info c;
    c.id = who_.id;
    c.client = flipped_ ? who_.server : who_.client;
    c.server = flipped_ ? who_.client : who_.server;
    c.carries = carries_;
    c.promised = chosen_.ports.at(c.server.port);
    for (const direction dir : {direction::c2s, direction::s2c}) {
        c.from_start[index(dir)] = from_syn_[index(of(dir))];
    }
    c.first = who_.first;
    if (foreign_ != nullptr) c.foreign = std::make_shared<foreign_signs>(foreign_->signs());
    return c;
}

void recovered_connection::announce() {
    if (announced_) return;
    announced_ = true;
    std::copy_n(from_syn_, 2, told_from_syn_);
    const connection_info c = info();
    to_.on_connection(c);
    to_.on_protocol(c);
    tell_behind();
}

void recovered_connection::on_behind(bool behind) {
    segments_behind_ = behind;
    tell_behind();
}

void recovered_connection::tell_behind() {
    const bool behind = segments_behind_ || waits();
    const bool unheard = behind && !announced_;
    if (unheard != told_unheard_) {
        told_unheard_ = unheard;
        to_.on_unheard(chosen_.ports.at(who_.server.port), unheard);
    }
    if (!announced_ || behind == told_behind_) return;
    told_behind_ = behind;
    to_.on_behind(who_.id, behind);
}

void recovered_connection::tell_change() {
    if (!announced_ || std::equal(from_syn_, from_syn_ + 2, told_from_syn_)) return;
    std::copy_n(from_syn_, 2, told_from_syn_);
    to_.on_protocol(info());
}

void recovered_connection::on_event(const event& e) {
    announce();
    if (const auto* m = std::get_if<message>(&e.what)) {
        message told = *m;
        const std::size_t other = index(opposite(of(m->dir)));
        if (e.waits_for != tcp::no_position && started_[other])
            told.acknowledges = std::max<std::int64_t>(e.waits_for - origin_[other], 0);
        to_.on_message(told);
    } else if (const auto* g = std::get_if<gap>(&e.what)) {
        to_.on_gap(*g);
    } else if (const auto* u = std::get_if<unparsed_run>(&e.what)) {
        to_.on_unparsed(*u);
    } else if (const auto* lost = std::get_if<missing>(&e.what)) {
        to_.on_missing(lost->connection, lost->dir, lost->offset);
    } else if (const auto* end = std::get_if<stream_end>(&e.what)) {
        to_.on_end(end->connection, end->dir, end->how, end->at);
    }
}

void recovered_connection::on_record(direction side, protocol carries, byte_view bytes,
                                     std::uint64_t wire_length, const tcp::arrival& now) {
    if (early_ != nullptr) {
        carries_ = carries;
        early_.reset();
    }
    const std::size_t i = index(side);
    if (!started_[i]) {
        started_[i] = from_syn_[i] = true;
        begin(side);
        tell_change();
    }
    framer& f = framers_[index(of(side))];
    f.expect_boundary();
    const stamp s{now, now, tcp::no_position};
    f.on_bytes(f.end(), bytes.size(), bytes, s);
    if (wire_length > bytes.size()) {
        const tcp::position begin = f.end();
        f.on_hole({of(side), begin, begin + static_cast<tcp::position>(wire_length - bytes.size()),
                   gap_reason::snaplen, now, now});
    } else {
        f.drop_unfinished();
    }
    order_.known(of(side), f.end());
}

}  // namespace cdcscope::recover
