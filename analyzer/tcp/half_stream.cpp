#include "analyzer/tcp/half_stream.h"

#include <algorithm>

namespace cdcscope::tcp {

namespace {

const arrival& later(const arrival& a, const arrival& b) noexcept {
    return a.order < b.order ? b : a;
}

// A5: data that overtook its SYN lies close behind it.
constexpr position longest_overtaking = position{1} << 20;

}  // namespace

position half_stream::expected() const noexcept {
    if (started_) return std::max(next_, highest_);
    if (!late_.empty()) return late_.last_end();
    return acked_ != no_position ? acked_ : 0;
}

// B2. Before anything was captured there is nothing to compare with.
bool half_stream::is_far(position p) const noexcept {
    if (!started_ && late_.empty()) return false;
    return p > expected() + far_away || p < (started_ ? next_ : late_.first()) - far_away;
}

half_stream::syn_fit half_stream::fits(std::uint32_t initial) const noexcept {
    if (!space_.anchored()) return syn_fit::first;
    const position begin = space_.position_of(initial + 1, expected());
    if (syn_seen_) return initial == initial_ ? syn_fit::repeat : syn_fit::stranger;
    if (fin_ != no_position && begin > fin_) return syn_fit::stranger;
    const position seen = started_ ? origin_ : late_.empty() ? acked_ : late_.first();
    if (!started_ && late_.empty() && acked_ == no_position) return syn_fit::first;
    return begin <= seen && seen - begin <= longest_overtaking ? syn_fit::first : syn_fit::stranger;
}

bool half_stream::on_syn(std::uint32_t initial, surroundings& with) {
    syn_seen_ = true;
    initial_ = initial;
    const bool overtaken = data_seen_;
    if (!space_.anchored()) space_.anchor(initial + 1);
    // A stream that has begun keeps the origin it was given.
    if (!started_) begin_stream(space_.position_of(initial + 1, expected()), true, with);
    return overtaken;
}

void half_stream::begin_stream(position origin, bool from_syn, surroundings& with) {
    started_ = true;
    origin_ = next_ = origin;
    with.consumer.on_start(dir_, origin, from_syn);
    drain(with);
    reach_ends(with);
}

// A7: a byte that the other side has already, or one that nobody pushed, says nothing about where
// the stream begins.
bool half_stream::is_stray_keep_alive(position begin, byte_view payload,
                                      bool pushed) const noexcept {
    if (payload.size() != 1 || !late_.empty()) return false;
    return acked_ != no_position ? begin < acked_ : !pushed;
}

data_report half_stream::on_data(std::uint32_t sequence, byte_view payload, std::uint32_t wire,
                                 bool pushed, position acknowledges, surroundings& with,
                                 bool believed) {
    data_report report;
    if (!space_.anchored()) space_.anchor(sequence);
    position begin = space_.position_of(sequence, expected());
    position end = begin + wire;
    const bool lone = wire == 1;
    if (lone && started_ && begin == next_ - 1) {
        report.keep_alive = true;
        return report;
    }
    const bool far = is_far(begin) && !(believed && begin > expected());
    if (far || (fin_ != no_position && end > fin_)) {
        report.out_of_window = true;
        if (far || begin >= fin_) return report;
        end = fin_;
        payload = payload.first(std::min(payload.size(), static_cast<std::size_t>(end - begin)));
    }
    if (!started_ && is_stray_keep_alive(begin, payload, pushed)) {
        report.keep_alive = true;
        return report;
    }
    if (!data_seen_) {
        data_seen_ = true;
        first_data_ = with.now.at;
    }
    highest_ = std::max(highest_, end);
    const position captured_end = begin + static_cast<position>(payload.size());
    const position cut_begin = started_ ? std::max(captured_end, next_) : captured_end;
    if (cut_begin < end) {
        report.cut = static_cast<std::uint64_t>(end - cut_begin);
        cut_.add(cut_begin, end);
    }
    if (started_ && begin < next_) {
        const auto old = std::min(payload.size(), static_cast<std::size_t>(next_ - begin));
        repeat(begin, payload.first(old), lone, report);
        payload = payload.subspan(old);
        begin = next_;
    }
    if (!payload.empty()) {
        if (started_ && begin == next_) {
            const bool all = late_.empty() || captured_end <= late_.first();
            const std::size_t direct =
                all ? payload.size() : static_cast<std::size_t>(late_.first() - begin);
            available_ = with.now;
            after_hole_ = false;
            deliver(begin, direct, payload.first(direct), with.now, with.now, acknowledges, with);
            begin += static_cast<position>(direct);
            payload = payload.subspan(direct);
        }
        if (!payload.empty()) hold(begin, payload, lone, acknowledges, with, report);
        if (started_) drain(with);
    }
    reach_ends(with);
    return report;
}

// C1, C3, C4: bytes that were handed over before.
void half_stream::repeat(position begin, byte_view old, bool lone, data_report& report) {
    const position end = begin + static_cast<position>(old.size());
    report.before_start = begin < origin_;
    report.too_late = begin < given_up_end_ && end > given_up_begin_;
    if (!report.before_start && !report.too_late) report.repeated += old.size();
    if (lone) {
        report.keep_alive = true;
        return;
    }
    if (const delivered_ring* ring = ring_.ring()) ring->compare(begin, old, report.differing);
}

void half_stream::hold(position begin, byte_view bytes, bool lone, position acknowledges,
                       surroundings& with, data_report& report) {
    if (!started_ && late_.empty()) start_time_ns_ = with.time_ns;
    ++held_for_start_;
    const auto kept =
        late_.insert(begin, bytes, with.now, acknowledges, with.consumer.wants_content(), !lone);
    report.repeated += kept.repeated;
    if (lone && kept.added == 0) report.keep_alive = true;
    if (kept.differing.bytes != 0) {
        conflict& all = report.differing;
        const std::uint64_t before = all.bytes;
        if (before == 0) all = kept.differing;
        all.bytes = before + kept.differing.bytes;
    }
}

void half_stream::deliver(position begin, std::uint64_t size, byte_view bytes,
                          const arrival& brought, const arrival& available, position acknowledges,
                          surroundings& with) {
    next_ = begin + static_cast<position>(size);
    if (!bytes.empty() && with.consumer.wants_content()) ring_.append(with.rings, begin, bytes);
    with.consumer.on_data({dir_, begin, size, bytes, brought, available, acknowledges, with.now});
}

void half_stream::drain(surroundings& with) {
    while (!late_.empty() && late_.first() <= next_) {
        const position begin = late_.first();
        const late_bytes::piece piece = late_.take_first();
        const position end = begin + piece.size;
        if (end <= next_) continue;
        const auto skip = static_cast<std::size_t>(next_ - begin);
        available_ = after_hole_ ? piece.brought : later(available_, piece.brought);
        after_hole_ = false;
        const byte_view bytes = piece.bytes ? piece.view().subspan(skip) : byte_view{};
        deliver(next_, piece.size - skip, bytes, piece.brought, available_, piece.acknowledges,
                with);
    }
    if (!cut_.empty()) cut_.drop_below(next_);
}

// D1: an end counts when everything before it has been handed over; then it is told with the
// segment that completed that, else with its own.
void half_stream::reach_ends(surroundings& with) {
    if (!started_) return;
    if (fin_ != no_position && !fin_done_ && next_ >= fin_) {
        fin_done_ = true;
        next_ = fin_ + 1;
        with.consumer.on_end(dir_, end_kind::fin, fin_, fin_acknowledges_,
                             later(available_, fin_brought_));
    }
    if (rst_ != no_position && !rst_done_ && next_ >= rst_) {
        rst_done_ = true;
        with.consumer.on_end(dir_, end_kind::rst, rst_, rst_acknowledges_,
                             later(available_, rst_brought_));
    }
}

bool half_stream::on_fin(std::uint32_t sequence, std::uint32_t payload, position acknowledges,
                         surroundings& with) {
    if (!space_.anchored()) space_.anchor(sequence);
    const position at = space_.position_of(sequence, expected()) + payload;
    if (at == fin_) return true;
    if (is_far(at) || fin_ != no_position || at < highest_ || (started_ && at < next_))
        return false;
    fin_ = at;
    fin_acknowledges_ = acknowledges;
    fin_brought_ = with.now;
    highest_ = std::max(highest_, at);
    if (!started_ && late_.empty()) start_time_ns_ = with.time_ns;
    reach_ends(with);
    return true;
}

half_stream::rst_verdict half_stream::on_rst(std::uint32_t sequence, position window,
                                             position acknowledges, surroundings& with) {
    const bool nothing_seen = !started_ && !holds_start();
    if (!space_.anchored()) space_.anchor(sequence);
    position at = space_.position_of(sequence, expected());
    if (is_far(at)) return rst_verdict::out_of_window;
    if (started_ && (at < next_ || at > std::max(next_, highest_) + window)) {
        // The other side of a refused or half-open connection answers with number 0 or with what it
        // was told; only what lies at or beyond the next byte can be an end.
        return rst_verdict::ignored;
    }
    if (rst_ != no_position) return rst_verdict::accepted;
    rst_ = at;
    rst_acknowledges_ = acknowledges;
    rst_brought_ = with.now;
    if (nothing_seen) begin_stream(at, false, with);
    reach_ends(with);
    return rst_verdict::accepted;
}

position half_stream::on_acknowledgement(std::uint32_t number) {
    if (!space_.anchored()) space_.anchor(number);
    const position at = space_.position_of(number, expected());
    if (is_far(at)) return no_position;
    acked_ = std::max(acked_, at);
    return at;
}

void half_stream::on_handshake(std::uint32_t number) noexcept {
    if (!space_.anchored()) space_.anchor(number);
    floor_ = space_.position_of(number, expected());
}

// A4: enough was seen to take the lowest byte for the first one.
bool half_stream::start_is_clear(const surroundings& with) const noexcept {
    const limits& limit = with.limit;
    if (with.time_ns - start_time_ns_ >= limit.start_ns) return true;
    if (late_.empty()) return false;
    return held_for_start_ >= limit.start_segments ||
           static_cast<std::uint64_t>(late_.last_end() - late_.first()) >= limit.start_bytes;
}

void half_stream::on_time(surroundings& with) {
    if (holds_start() && start_is_clear(with))
        begin_stream(late_.empty() ? fin_ : late_.first(), false, with);
    if (started_) watch_settling(with);
    while (held() > with.limit.held_per_direction) give_up_lowest(with);
}

void half_stream::watch_settling(surroundings& with) {
    if (acked_ <= next_ || !(data_seen_ || syn_seen_)) {
        clock_.reset();
        return;
    }
    bool moved = false;
    if (acked_ > settled_) {
        clock_.note(acked_, with.seen, with.time_ns, with.limit);
        const position upto = clock_.settled(with.seen, with.time_ns, with.limit);
        moved = upto > settled_;
        settled_ = std::max(settled_, upto);
    }
    while (!late_.empty() && late_.first() <= settled_) {
        give_up(late_.first(), false, with);
        drain(with);
        reach_ends(with);
    }
    if (moved && settled_ > next_) with.consumer.on_settled(dir_, settled_, with.now);
}

void half_stream::give_up_lowest(surroundings& with) {
    if (!started_) {
        if (!late_.empty()) begin_stream(late_.first(), false, with);
        cut_.clear();
        return;
    }
    const position end = late_.empty() ? highest_ : late_.first();
    if (end <= next_) return;
    give_up(end, true, with);
    drain(with);
    reach_ends(with);
}

void half_stream::give_up(position end, bool for_memory, surroundings& with) {
    const bool acknowledged = acked_ != no_position && acked_ >= end;
    hole h{dir_, next_, end, gap_reason::not_acked, with.now, with.now};
    if (cut_.covers(next_, end)) {
        h.reason = gap_reason::snaplen;
    } else if (for_memory) {
        h.reason = gap_reason::memory_cap;
    } else if (acknowledged) {
        h.reason = gap_reason::acked_unseen;
    }
    if (!late_.empty()) h.behind = late_.first_brought();
    given_up_begin_ = next_;
    given_up_end_ = end;
    next_ = end;
    after_hole_ = true;
    cut_.drop_below(next_);
    with.notes.final_hole(with.connection, h, origin_, acknowledged);
    with.consumer.on_hole(h);
}

void half_stream::finish(surroundings& with) {
    if (holds_start()) begin_stream(late_.empty() ? fin_ : late_.first(), false, with);
    if (!started_) return;
    while (!late_.empty()) {
        give_up(late_.first(), false, with);
        drain(with);
    }
    // E2: acknowledged and never captured. One byte more than was seen may be a FIN.
    const position seen = std::max(highest_, next_);
    const bool more = (data_seen_ || syn_seen_) && fin_ == no_position && acked_ > seen + 1;
    position end = more ? acked_ : highest_;
    // So says a RST, by its number.
    if (rst_ != no_position && fin_ == no_position && rst_ > seen + 1) end = std::max(end, rst_);
    if (!fin_done_ && end > next_) give_up(end, false, with);
    reach_ends(with);
    if (rst_ != no_position && !rst_done_) {
        rst_done_ = true;
        with.consumer.on_end(dir_, end_kind::rst, rst_, rst_acknowledges_,
                             later(available_, rst_brought_));
    }
    ring_.give_back();
}

}  // namespace cdcscope::tcp
