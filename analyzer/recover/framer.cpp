#include "analyzer/recover/framer.h"

#include <algorithm>

#include "analyzer/capture/packet_reader.h"

namespace cdcscope::recover {

namespace {

// Messages of one side that are answered together.
constexpr int most_answered = 64;

frame_trail trail_of(const stamp& s) noexcept {
    frame_trail t;
    t.add(s);
    return t;
}

// "128 MiB"; bytes where it is no whole number of them.
std::string limit_words(std::uint64_t bytes) {
    return bytes % (1U << 20) == 0 ? fmt::format("{} MiB", bytes >> 20U)
                                   : capture::grouped(bytes) + " B";
}

}  // namespace

void framer::begin(tcp::position origin, bool at_boundary, const framing& rules) {
    origin_ = end_ = lost_at_ = origin;
    rules_ = rules;
    const bool framed = rules.what() == protocol::dcp || rules.what() == protocol::canal ||
                        rules.what() == protocol::canal_admin;
    state_ = !framed ? state::unparsed : at_boundary ? state::in_step : state::searching;
}

void framer::on_bytes(tcp::position begin, std::uint64_t size, byte_view bytes, const stamp& s) {
    end_ = begin + static_cast<tcp::position>(size);
    totals_.stream_bytes += size;
    if (state_ == state::unparsed) {
        skipped_.add(begin, size, bytes, trail_of(s));
        return;
    }
    while (!bytes.empty()) {
        std::size_t used = bytes.size();
        if (state_ == state::skipping) {
            used = skip(begin, bytes, s);
        } else if (state_ == state::searching) {
            on_time(s.brought.at.time_ns);
            last_time_ns_ = s.brought.at.time_ns;
            if (state_ != state::searching) continue;
            hold_.append(begin, bytes, s);
            work_off(run_end::open);
        } else {
            used = hold_.empty() ? step_direct(begin, bytes, s) : step_held(begin, bytes, s);
        }
        begin += static_cast<tcp::position>(used);
        bytes = bytes.subspan(used);
    }
}

// Gives how many bytes it took; the others belong to a search.
std::size_t framer::step_direct(tcp::position begin, byte_view bytes, const stamp& s) {
    const frame_trail trail = trail_of(s);
    std::size_t used = 0;
    while (used < bytes.size()) {
        const byte_view rest = bytes.subspan(used);
        const tcp::position at = begin + static_cast<tcp::position>(used);
        const framing::step next = read(rest);
        if (next.state == framing::outcome::broken) {
            note_broken(next, at, s.available);
            return used;
        }
        if (next.state == framing::outcome::need_more || next.length > rest.size()) {
            hold_.append(at, rest, s);
            return bytes.size();
        }
        emit_message(at, rest.first(next.length), trail);
        used += next.length;
    }
    return used;
}

// Takes what the message in the buffer still needs.
std::size_t framer::step_held(tcp::position begin, byte_view bytes, const stamp& s) {
    const framing::step had = read(hold_.view());
    if (had.state != framing::outcome::broken) {
        const std::uint64_t missing = had.length - hold_.size();
        const std::size_t taken = std::min<std::uint64_t>(missing, bytes.size());
        hold_.append(begin, bytes.first(taken), s);
        step_through_hold();
        if (state_ == state::searching) work_off(run_end::open);
        return taken;
    }
    note_broken(had, hold_.begin(), s.available);
    work_off(run_end::open);
    return 0;
}

// Whole messages at the front of the buffer.
void framer::step_through_hold() {
    while (state_ == state::in_step && !hold_.empty()) {
        const framing::step next = read(hold_.view());
        if (next.state == framing::outcome::broken) {
            note_broken(next, hold_.begin(), hold_.trail(1).done());
            return;
        }
        if (next.state == framing::outcome::need_more || next.length > hold_.size()) return;
        emit_message(hold_.begin(), hold_.view().first(next.length), hold_.trail(next.length));
        hold_.drop_front(next.length);
    }
}

// In step any length within the limit counts; behind a hole the message must look like one, too.
framing::step framer::read(byte_view bytes) {
    framing::step next = rules_.read(bytes);
    if (!check_next_ || next.state != framing::outcome::message) return next;
    if (rules_.check(bytes).verdict == framing::match::no) {
        return {framing::outcome::broken, 0, "no message behind the hole", false};
    }
    if (bytes.size() >= std::min<std::uint64_t>(next.length, 24)) check_next_ = false;
    return next;
}

void framer::note_broken(const framing::step& broken, tcp::position at, const tcp::arrival& now) {
    if (check_next_) {
        check_next_ = false;
        lose_step(lost_step::hole);
        lost_at_ = at;
        return;
    }
    lose_step(lost_step::broken);
    lost_at_ = at;
    if (broken.too_long) {
        too_long_ = broken.length;
        too_long_at_ = now;
        return;
    }
    shared_.notes.say(findings::code::tcp_out_of_step, shared_.connection, now.at, 0,
                      "{}: what stands at offset {} is no message ({}); the next one is looked for",
                      name(dir_), offset(at), broken.why);
}

void framer::lose_step(lost_step why) {
    state_ = state::searching;
    lost_ = why;
    lost_at_ = end_;
    lost_bytes_ = 0;
    search_.reset();
}

// DCP answers while a message is on its way; there only what begins at the first byte is believed.
void framer::on_reply(tcp::position acknowledged) {
    if (state_ != state::searching || (rules_.what() == protocol::dcp && lost_bytes_ > 0)) return;
    if (hold_.empty() || acknowledged <= hold_.begin() || acknowledged > hold_.end()) return;
    byte_view rest = hold_.view().first(static_cast<std::size_t>(acknowledged - hold_.begin()));
    for (int i = 0; i < most_answered && !rest.empty(); ++i) {
        const framing::guess g = rules_.check(rest);
        if (g.verdict != framing::match::whole) return;
        rest = rest.subspan(static_cast<std::size_t>(g.length));
    }
    if (!rest.empty()) return;
    accept_boundary();
    work_off(run_end::open);
}

// Nothing followed the last boundary for a while: the writer stopped there.
void framer::on_time(std::int64_t now_ns) {
    if (state_ == state::searching && search_.complete_so_far(hold_.size()) &&
        now_ns - last_time_ns_ >= pause_ns) {
        work_off(run_end::paused);
    }
}

void framer::work_off(run_end how) {
    while (!hold_.empty()) {
        if (state_ == state::searching) search(how);
        if (state_ != state::in_step) return;
        step_through_hold();
        if (state_ == state::in_step) return;
    }
}

void framer::search(run_end how) {
    while (!hold_.empty()) {
        boundary_search::outcome found = search_.look(rules_, hold_.begin(), hold_.view(), how);
        // While undecided hold at most one message (F).
        if (found.what == boundary_search::answer::undecided && hold_.size() > rules_.largest()) {
            found = search_.reject(rules_, hold_.begin(), hold_.view());
        }
        switch (found.what) {
            case boundary_search::answer::accepted:
                accept_boundary();
                return;
            case boundary_search::answer::rejected:
                skip_held(found.bytes);
                break;
            case boundary_search::answer::undecided:
                return;
        }
    }
}

void framer::skip_held(std::size_t count) {
    skipped_.add(hold_.begin(), count, hold_.view().first(std::min(count, skipped_run::kept)),
                 hold_.trail(count));
    lost_bytes_ += count;
    hold_.drop_front(count);
}

unparsed_kind framer::kind_of_loss() const noexcept {
    if (lost_ != lost_step::broken) return unparsed_kind::skipped;
    if (rules_.what() != protocol::dcp) return unparsed_kind::bad_length;
    return totals_.messages == 0 ? unparsed_kind::other_protocol : unparsed_kind::skipped;
}

void framer::accept_boundary() {
    const tcp::arrival at = hold_.trail(1).done();
    if (lost_bytes_ > 0 && lost_ != lost_step::broken) note_resync(lost_at_, lost_bytes_, at);
    emit_skipped(skipped_, kind_of_loss());
    lost_bytes_ = 0;
    search_.reset();
    state_ = state::in_step;
}

void framer::on_hole(const tcp::hole& h) {
    const auto size = static_cast<std::uint64_t>(h.end - h.begin);
    end_ = h.end;
    totals_.stream_bytes += size;
    totals_.gap_bytes += size;
    ++totals_.gaps;
    gap_before_ += size;
    if (state_ == state::searching) work_off(run_end::closed);
    switch (state_) {
        case state::in_step:
            if (!hold_.empty()) {
                hit(h);
                return;
            }
            emit_gap(h, false);
            lose_step(lost_step::hole);
            return;
        case state::skipping:
            hole_in_hit_message(h);
            return;
        case state::searching: {
            const std::uint64_t lost = lost_bytes_;
            const tcp::position from = lost_at_;
            emit_skipped(skipped_, kind_of_loss());
            emit_gap(h, false);
            lose_step(lost_step::hole);
            lost_bytes_ = lost;
            if (lost > 0) lost_at_ = from;
            return;
        }
        case state::unparsed:
            emit_skipped(skipped_, unparsed_kind::other_protocol);
            emit_gap(h, false);
            return;
    }
}

// A hole up to `upto` would lie in the value of one cut message.
bool framer::hides_no_message(tcp::position upto) const {
    if (state_ == state::skipping) return hit_->is_cut && upto <= hit_->end;
    if (state_ != state::in_step || !rules_.cut_is_message(hold_.view())) return false;
    const framing::step known = rules_.read(hold_.view());
    return upto <= hold_.begin() + static_cast<tcp::position>(known.length);
}

void framer::on_settled(tcp::position upto, const tcp::arrival& now) {
    if (state_ == state::unparsed || upto <= end_ || hides_no_message(upto)) return;
    // What lies before it goes first.
    if (state_ == state::searching) work_off(run_end::closed);
    emit({end_ + 1, tcp::no_position, now.order, missing{shared_.connection, dir_, offset(end_)}});
}

// F, try 1: if the length of the message was captured, its end is known.
void framer::hit(const tcp::hole& h) {
    const byte_view captured = hold_.view();
    const framing::step known = rules_.read(captured);
    const frame_trail trail = hold_.trail(captured.size());
    if (known.state != framing::outcome::message) {
        skip_held(captured.size());
        emit_skipped(skipped_, unparsed_kind::piece);
        emit_gap(h, false);
        lose_step(lost_step::hole);
        return;
    }
    hit_ = std::make_unique<hit_message>();
    hit_->begin = hold_.begin();
    hit_->end = hold_.begin() + static_cast<tcp::position>(known.length);
    hit_->is_cut = rules_.cut_is_message(captured);
    const auto missing = static_cast<std::uint64_t>(h.end - h.begin);
    hit_->gap_before = gap_before_ - missing;
    gap_before_ = missing;
    skipped_.add(hold_.begin(), captured.size(),
                 captured.first(std::min(captured.size(), skipped_run::kept)), trail);
    if (hit_->is_cut) hit_->prefix.assign(captured.begin(), captured.end());
    hold_.clear();
    state_ = state::skipping;
    hole_in_hit_message(h);
}

void framer::hole_in_hit_message(const tcp::hole& h) {
    hit_message& m = *hit_;
    m.byte_after_hole = false;
    m.by_snaplen = m.by_snaplen || h.reason == gap_reason::snaplen;
    if (!skipped_.empty()) {
        if (m.is_cut) {
            m.pieces.push_back(skipped_);
            skipped_.clear();
        } else {
            emit_skipped(skipped_, unparsed_kind::piece);
        }
    }
    if (h.end < m.end) {
        emit_gap(h, m.is_cut);
        return;
    }
    const bool exact = h.end == m.end;
    const bool is_cut = m.is_cut;
    if (is_cut) emit_cut(h.begin);
    hit_.reset();
    emit_gap(h, exact && is_cut);
    lose_step(lost_step::hole);
    if (exact) {
        state_ = state::in_step;
        check_next_ = true;
    }
}

// Bytes behind a hole that still belong to the message it hit.
std::size_t framer::skip(tcp::position begin, byte_view bytes, const stamp& s) {
    hit_message& m = *hit_;
    const std::size_t taken =
        std::min<std::uint64_t>(static_cast<std::uint64_t>(m.end - begin), bytes.size());
    m.byte_after_hole = true;
    skipped_.add(begin, taken, bytes.first(std::min(taken, skipped_run::kept)), trail_of(s));
    if (begin + static_cast<tcp::position>(taken) < m.end) return taken;
    const tcp::position from = skipped_.begin();
    const std::uint64_t size = skipped_.size();
    if (m.is_cut) {
        m.pieces.push_back(skipped_);
        skipped_.clear();
        emit_cut(m.end);
    } else {
        emit_skipped(skipped_, unparsed_kind::skipped);
    }
    hit_.reset();
    note_resync(from, size, s.available);
    lose_step(lost_step::hole);
    state_ = state::in_step;
    check_next_ = true;
    return taken;
}

void framer::on_end(end_kind how, tcp::position at, tcp::position acknowledges,
                    const tcp::arrival& now) {
    end_run();
    end_ = std::max(end_, how == end_kind::fin ? at + 1 : at);
    // A RST takes no number of its own: what acknowledges all before it does not wait for it.
    emit({at + 1, acknowledges, now.order, stream_end{shared_.connection, dir_, how, now.at}});
}

void framer::finish() {
    end_run();
}

// D4: what is unfinished is named, never dropped or handed over.
void framer::end_run() {
    if (state_ == state::searching) work_off(run_end::closed);
    switch (state_) {
        case state::in_step: {
            if (hold_.empty()) return;
            const framing::step known = rules_.read(hold_.view());
            note_incomplete(hold_.size(), known.length, hold_.trail(hold_.size()));
            skip_held(hold_.size());
            emit_skipped(skipped_, unparsed_kind::incomplete);
            break;
        }
        case state::skipping: {
            const std::unique_ptr<hit_message> m = std::move(hit_);
            std::uint64_t had = skipped_.size();
            for (skipped_run& piece : m->pieces) {
                had += piece.size();
                emit_skipped(piece, unparsed_kind::piece);
            }
            if (m->byte_after_hole) {
                note_incomplete(had, static_cast<std::uint64_t>(m->end - m->begin),
                                skipped_.trail());
            }
            emit_skipped(skipped_, unparsed_kind::piece);
            break;
        }
        case state::searching:
            emit_skipped(skipped_, kind_of_loss());
            break;
        case state::unparsed:
            emit_skipped(skipped_, unparsed_kind::other_protocol);
            return;
    }
    lose_step(lost_step::hole);
}

void framer::expect_boundary() {
    if (state_ == state::in_step || state_ == state::unparsed) return;
    end_run();
    state_ = state::in_step;
    check_next_ = false;
}

void framer::drop_unfinished() {
    if (state_ != state::in_step || hold_.empty()) return;
    end_ = hold_.begin();
    totals_.stream_bytes -= hold_.size();
    hold_.clear();
}

// What was kept of a message that a hole hit: its bytes are told as pieces.
void framer::give_up_cut_message(const tcp::arrival& now) {
    shared_.notes.say(findings::code::cap_memory, shared_.connection, now.at, hit_->prefix.size(),
                      "{} bytes of a cut message of {} at offset {} of connection {} are left "
                      "unparsed, the rest is not waited for",
                      hit_->prefix.size(), name(dir_), offset(hit_->begin), shared_.connection);
    hit_->is_cut = false;
    hit_->prefix = {};
    for (skipped_run& piece : hit_->pieces) emit_skipped(piece, unparsed_kind::piece);
    hit_->pieces = {};
}

void framer::give_up_waiting(const tcp::arrival& now) {
    if (hit_ != nullptr && hit_->is_cut) return give_up_cut_message(now);
    if (hold_.empty()) return;
    if (state_ == state::searching) {
        // What claims more than there is room for was no message, or is none any more; behind it
        // there may be some.
        const boundary_search::outcome found = search_.reject(rules_, hold_.begin(), hold_.view());
        shared_.notes.say(findings::code::cap_memory, shared_.connection, now.at, found.bytes,
                          "what begins at offset {} of {} of connection {} is not waited for; the "
                          "next message is looked for behind it",
                          offset(hold_.begin()), name(dir_), shared_.connection);
        skip_held(found.bytes);
        work_off(run_end::open);
        return;
    }
    shared_.notes.say(findings::code::cap_memory, shared_.connection, now.at, hold_.size(),
                      "{} bytes of {} at offset {} of connection {} are left unparsed, the rest is "
                      "not waited for",
                      hold_.size(), name(dir_), offset(hold_.begin()), shared_.connection);
    lose_step(lost_step::hole);
    skip_held(hold_.size());
}

void framer::emit_message(tcp::position begin, byte_view bytes, const frame_trail& trail) {
    message m;
    m.connection = shared_.connection;
    m.dir = dir_;
    m.carries = rules_.what();
    m.after_gap = gap_before_ > 0;
    m.gap_bytes = gap_before_;
    m.offset = offset(begin);
    m.wire_length = m.captured = bytes.size();
    m.bytes = bytes;
    m.frames = trail.span();
    m.first_ns = trail.first_ns();
    gap_before_ = 0;
    ++totals_.messages;
    totals_.message_bytes += bytes.size();
    emit({begin + static_cast<tcp::position>(bytes.size()), trail.acknowledges(),
          trail.done().order, m});
}

void framer::emit_cut(tcp::position order_end) {
    const hit_message& hit = *hit_;
    frame_trail trail;
    message m;
    for (const skipped_run& piece : hit.pieces) {
        trail.add(piece.trail());
        m.captured += piece.size();
    }
    m.connection = shared_.connection;
    m.dir = dir_;
    m.carries = rules_.what();
    m.cut = true;
    m.after_gap = hit.gap_before > 0;
    m.gap_bytes = hit.gap_before;
    m.offset = offset(hit.begin);
    m.wire_length = static_cast<std::uint64_t>(hit.end - hit.begin);
    m.bytes = hit.prefix;
    m.frames = trail.span();
    m.first_ns = trail.first_ns();
    ++totals_.cut_messages;
    if (hit.by_snaplen) ++totals_.snaplen_messages;
    totals_.message_bytes += m.captured;
    emit({order_end, trail.acknowledges(), trail.done().order, m});
}

void framer::emit_gap(const tcp::hole& h, bool inside_value) {
    gap g;
    g.connection = shared_.connection;
    g.dir = dir_;
    g.offset = offset(h.begin);
    g.length = static_cast<std::uint64_t>(h.end - h.begin);
    g.reason = h.reason;
    g.inside_value = inside_value;
    g.at = h.behind.at;
    emit({h.begin + 1, tcp::no_position, h.behind.order, g});
}

void framer::emit_skipped(skipped_run& run, unparsed_kind kind) {
    if (run.empty()) return;
    if (too_long_ != 0) note_too_long(run.size());
    unparsed_run u;
    u.connection = shared_.connection;
    u.dir = dir_;
    u.offset = offset(run.begin());
    u.length = run.size();
    u.frames = run.trail().span();
    u.kind = kind;
    u.head = run.head();
    if (kind == unparsed_kind::bad_length && u.head.size() >= 4) {
        u.claimed_length = load_be32(u.head.data());
        u.head = u.head.subspan(4);
    }
    u.head = u.head.first(std::min<std::size_t>(u.head.size(), 16));
    ++totals_.unparsed;
    totals_.unparsed_bytes += run.size();
    // As a hole: the rules hear of it before a reply that acknowledges more.
    emit({run.begin() + 1, tcp::no_position, run.trail().done().order, u});
    run.clear();
}

// Told once it is known how much is lost by it.
void framer::note_too_long(std::uint64_t unparsed) {
    const bool dcp = rules_.what() == protocol::dcp;
    shared_.notes.say(
        findings::code::cap_message, shared_.connection, too_long_at_.at, unparsed,
        "a {} claims {} B, more than --max-message {}; taken as not {}, {} B unparsed",
        dcp ? "DCP message" : "canal packet", capture::grouped(too_long_),
        limit_words(rules_.longest()), dcp ? "DCP" : "canal", capture::grouped(unparsed));
    too_long_ = 0;
}

void framer::note_incomplete(std::uint64_t had, std::uint64_t due, const frame_trail& trail) {
    shared_.notes.say(findings::code::tcp_incomplete_at_end, shared_.connection, trail.done().at,
                      had, "{} ends inside a message: {} of at least {} bytes are here", name(dir_),
                      had, due);
}

void framer::note_resync(tcp::position from, std::uint64_t bytes, const tcp::arrival& at) {
    shared_.notes.say(findings::code::tcp_resync, shared_.connection, at.at, bytes,
                      "{} bytes of {} from offset {} on were passed over to find the next message",
                      bytes, name(dir_), offset(from));
}

}  // namespace cdcscope::recover
