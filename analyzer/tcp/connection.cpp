#include "analyzer/tcp/connection.h"

#include <algorithm>

namespace cdcscope::tcp {

namespace {

constexpr std::uint8_t believed_strays = 3;

bool has(const capture::segment& s, std::uint8_t flag) noexcept {
    return (s.flags & flag) != 0;
}

}  // namespace

// Neither its number nor its acknowledgement has to do with what we follow.
bool connection::is_stray(const capture::segment& s, direction dir) const noexcept {
    return s.wire_payload > 0 && has(s, capture::tcp_flag::ack) &&
           !has(s, capture::tcp_flag::rst) && halves_[index(dir)].names_far(s.sequence) &&
           halves_[index(opposite(dir))].names_far(s.acknowledgement);
}

// A lone segment from far away is no reason to go there (B2); some that follow each other are what
// the direction has become: so much of it was not captured.
void connection::follow_far(const capture::segment& s, direction dir) noexcept {
    constexpr std::uint32_t most_between = 1U << 20;
    far_run& run = far_[index(dir)];
    if (!halves_[index(dir)].names_far(s.sequence)) {
        run.count = 0;
        return;
    }
    const bool goes_on = run.count > 0 && s.sequence - run.next <= most_between;
    const bool again = run.count > 0 && run.next - s.sequence <= most_between && !goes_on;
    if (again) return;
    run.count = goes_on ? static_cast<std::uint8_t>(std::min(run.count + 1, 255)) : std::uint8_t{1};
    run.next = s.sequence + s.wire_payload;
}

bool connection::is_stranger(const capture::segment& s, direction dir) noexcept {
    if (!has(s, capture::tcp_flag::syn) || has(s, capture::tcp_flag::rst)) {
        if (s.wire_payload == 0 || has(s, capture::tcp_flag::rst)) return false;
        follow_far(s, dir);
        // Ahead there is room for a hole; behind, another connection begins.
        if (far_[index(dir)].count >= believed_strays &&
            !halves_[index(dir)].lies_ahead(s.sequence))
            return true;
        strays_ = is_stray(s, dir) ? static_cast<std::uint8_t>(strays_ + 1) : std::uint8_t{0};
        return strays_ >= (is_closing() ? 1 : believed_strays);
    }
    if (halves_[index(dir)].fits(s.sequence) != half_stream::syn_fit::stranger) return false;
    // An answer to the SYN that we follow belongs to it, whatever number it brings.
    const half_stream& other = halves_[index(opposite(dir))];
    const bool answers_ours = has(s, capture::tcp_flag::ack) && other.syn_seen() &&
                              other.fits(s.acknowledgement - 1) == half_stream::syn_fit::repeat;
    return !answers_ours;
}

void connection::on_segment(const capture::segment& s, direction dir, const arrival& now,
                            std::int64_t time_ns) {
    last_time_ns_ = time_ns;
    last_ = now;
    seen_ += s.wire_payload;
    segment_figures& figures = figures_[index(dir)];
    ++figures.segments;
    figures.captured_bytes += s.payload.size();
    surroundings around = with(now, time_ns);
    half_stream& mine = halves_[index(dir)];
    half_stream& other = halves_[index(opposite(dir))];

    const bool copy = recent_[index(dir)].is_copy(s);
    if (copy) {
        ++figures.duplicates;
        shared_.notes.say(findings::code::tcp_duplicates, who_.id, s.at, s.wire_payload,
                          "frame {} is a copy of an earlier one: the capture holds packets twice",
                          s.at.frame);
    }
    if (has(s, capture::tcp_flag::syn)) on_syn(s, dir, around);
    const bool acknowledges = has(s, capture::tcp_flag::ack);
    // A RST often comes without; its sender had what it acknowledged before.
    const position acked =
        acknowledges ? other.on_acknowledgement(s.acknowledgement) : other.acknowledged();
    if (has(s, capture::tcp_flag::rst)) {
        on_rst(s, dir, acked, around);
    } else {
        if (s.wire_payload > 0) {
            on_payload(s, dir, acked, copy, around);
        } else if (mine.just_below_next(s.sequence) && s.flags == capture::tcp_flag::ack) {
            ++figures.keep_alives;
            shared_.notes.say(findings::code::tcp_keep_alive, who_.id, s.at, 0, "keep-alive of {}",
                              name(dir));
        }
        if (has(s, capture::tcp_flag::fin) &&
            !mine.on_fin(s.sequence + (has(s, capture::tcp_flag::syn) ? 1 : 0), s.wire_payload,
                         acked, around)) {
            shared_.notes.say(findings::code::tcp_out_of_window, who_.id, s.at, 0,
                              "a FIN of {} lies where no end can be; ignored", name(dir));
        }
        if (acknowledges) {
            window_[index(dir)] = s.window;
            window_known_[index(dir)] = true;
        }
    }
    other.on_time(around);
    mine.on_time(around);
    if (consumer_->wants_timer()) consumer_->on_time(now);
    tell_behind();
}

void connection::tell_behind() {
    const bool behind = halves_[0].awaits() || halves_[1].awaits();
    if (behind != behind_) consumer_->on_behind(behind_ = behind);
}

void connection::on_syn(const capture::segment& s, direction dir, surroundings& around) {
    half_stream& mine = halves_[index(dir)];
    if (mine.fits(s.sequence) != half_stream::syn_fit::first) return;
    if (has(s, capture::tcp_flag::ack)) {
        halves_[index(opposite(dir))].on_handshake(s.acknowledgement);
    } else {
        consumer_->on_client(dir);
    }
    scale_[index(dir)] = s.window_scale;
    if (mine.on_syn(s.sequence, around)) {
        shared_.notes.say(findings::code::tcp_reordered_syn, who_.id, s.at, 0,
                          "the SYN of {} stands behind its first data", name(dir));
    }
}

void connection::on_payload(const capture::segment& s, direction dir, position acknowledges,
                            bool copy, surroundings& around) {
    half_stream& mine = halves_[index(dir)];
    const std::size_t other = index(opposite(dir));
    // C2: one byte while the other side's window is shut. It is real data the first time.
    if (s.wire_payload == 1 && window_known_[other] && window_[other] == 0 &&
        mine.at_next(s.sequence)) {
        shared_.notes.say(findings::code::tcp_zero_window_probe, who_.id, s.at, 1,
                          "{} probes a closed window with one byte", name(dir));
    }
    const std::uint32_t first = s.sequence + (has(s, capture::tcp_flag::syn) ? 1 : 0);
    const data_report report =
        mine.on_data(first, s.payload, s.wire_payload, has(s, capture::tcp_flag::psh), acknowledges,
                     around, far_[index(dir)].count >= believed_strays);
    note_report(s, dir, report, copy);
}

void connection::note_report(const capture::segment& s, direction dir, const data_report& report,
                             bool copy) {
    segment_figures& figures = figures_[index(dir)];
    notices& notes = shared_.notes;
    figures.duplicate_bytes += report.repeated;
    figures.conflict_bytes += report.differing.bytes;
    if (report.out_of_window) {
        notes.say(
            findings::code::tcp_out_of_window, who_.id, s.at, s.payload.size(),
            "frame {} carries data of {} far from what is expected, or behind its end; ignored",
            s.at.frame, name(dir));
    }
    if (report.cut > 0) {
        notes.say(findings::code::capture_snaplen, who_.id, s.at, report.cut,
                  "the capture cut frame {}: {} bytes of {} are missing by it", s.at.frame,
                  report.cut, name(dir));
    }
    if (report.differing.bytes != 0) {
        notes.overlap_conflict(who_.id, dir, report.differing, halves_[index(dir)].origin(), s.at);
    }
    if (report.before_start) {
        notes.say(
            findings::code::tcp_before_start, who_.id, s.at, s.payload.size(),
            "frame {} brings bytes of {} from before the first ones that were taken; left out",
            s.at.frame, name(dir));
    }
    if (report.too_late) {
        notes.say(findings::code::tcp_too_late, who_.id, s.at, s.payload.size(),
                  "frame {} brings bytes of {} that had been given up; left out", s.at.frame,
                  name(dir));
    }
    if (report.keep_alive) {
        ++figures.keep_alives;
        notes.say(findings::code::tcp_keep_alive, who_.id, s.at, s.payload.size(),
                  "keep-alive of {}", name(dir));
    } else if (report.repeated > 0 && !copy) {
        ++figures.retransmissions;
        notes.say(findings::code::tcp_retransmission, who_.id, s.at, report.repeated,
                  "frame {} repeats {} bytes of {}", s.at.frame, report.repeated, name(dir));
    }
    if (has(s, capture::tcp_flag::urg)) {
        notes.say(findings::code::tcp_urgent, who_.id, s.at, s.payload.size(),
                  "frame {} is marked urgent; its bytes are taken in line", s.at.frame);
    }
}

// How far ahead of what it acknowledged the receiver of `dir` lets its sender go. Without the SYN
// the scale is unknown.
position connection::window_of(direction dir) const noexcept {
    constexpr int unknown_scale = 7;
    const std::size_t receiver = index(opposite(dir));
    const int scale = scale_[receiver] >= 0 ? std::min<int>(scale_[receiver], 14) : unknown_scale;
    return std::max<position>(position{window_[receiver]} << scale, 65535);
}

void connection::on_rst(const capture::segment& s, direction dir, position acknowledges,
                        surroundings& around) {
    switch (halves_[index(dir)].on_rst(s.sequence, window_of(dir), acknowledges, around)) {
        case half_stream::rst_verdict::accepted:
            rst_seen_ = true;
            return;
        case half_stream::rst_verdict::ignored:
            shared_.notes.say(findings::code::tcp_rst_ignored, who_.id, s.at, 0,
                              "a RST of {} lies outside the window; ignored", name(dir));
            return;
        case half_stream::rst_verdict::out_of_window:
            shared_.notes.say(findings::code::tcp_out_of_window, who_.id, s.at, 0,
                              "a RST of {} lies far from what is expected; ignored", name(dir));
            return;
    }
}

void connection::on_time(const arrival& now, std::int64_t time_ns) {
    surroundings around = with(now, time_ns);
    for (half_stream& half : halves_) half.on_time(around);
    consumer_->on_time(now);
    tell_behind();
}

void connection::relieve(const arrival& now, std::int64_t time_ns) {
    surroundings around = with(now, time_ns);
    half_stream& larger = halves_[0].held() >= halves_[1].held() ? halves_[0] : halves_[1];
    if (consumer_->held() > larger.held()) {
        consumer_->on_pressure(now);
    } else {
        larger.give_up_lowest(around);
    }
}

void connection::close(end_kind how, const arrival& now, std::int64_t time_ns) {
    // What becomes final now has no segment of its own: the last one seen stands for it.
    const arrival end{last_.at, now.order};
    surroundings around = with(end, time_ns);
    for (half_stream& half : halves_) half.finish(around);
    for (const direction dir : {direction::c2s, direction::s2c}) {
        const half_stream& half = halves_[index(dir)];
        if (half.data_seen() && !half.syn_seen()) {
            shared_.notes.say(
                findings::code::tcp_mid_stream, who_.id, half.first_data(), 0,
                "the capture starts in the middle of the connection: {} begins with frame {}",
                name(dir), half.first_data().frame);
        }
    }
    const bool both_fins = halves_[0].fin_seen() && halves_[1].fin_seen();
    if (how != end_kind::reused && rst_seen_) how = end_kind::rst;
    if (how != end_kind::reused && both_fins && how != end_kind::rst) how = end_kind::fin;
    consumer_->on_close(how, last_);
}

}  // namespace cdcscope::tcp
