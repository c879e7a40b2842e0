// The window of a connection: full, stalled, overrun, acknowledgements missing or wrong.

#include "proto/dcp/track_flow.h"

#include <algorithm>

namespace cdcscope::dcp {
namespace {

using findings::bytes_text;
using findings::clock_text;
using findings::duration_text;
using findings::seconds_text;

// Links of messages that nothing acknowledges are given up beyond this.
constexpr std::size_t most_waiting = 1U << 20;

}  // namespace

void flow_account::add(reporter& report, observer& watch, bool uncertain,
                       const counted_message& m) noexcept {
    if (full()) {
        (void)report.tell(
            code::dcp_flow_overrun, severity::error, uncertain, full_since_.at,
            {sentence("producer sent ", bytes_text(m.counted), " although the window of ",
                      bytes_text(window_), " was full with ", bytes_text(outstanding_)),
             {{"unackedBytes", outstanding_},
              {"connectionBufferSize", std::uint64_t{window_}},
              {"messageBytes", m.counted}}});
    }
    outstanding_ += m.counted;
    peak_ = outstanding_;
    story_->counted += m.counted;
    story_->wire += m.wire;
    story_->prepares += m.prepare ? 1 : 0;
    story_->outstanding = outstanding_;
    story_->highest = std::max(story_->highest, outstanding_);
    audit_.add(m);
    counted_end_ += m.counted;
    if (window_ != 0 && waiting_.size() < most_waiting) waiting_.push_back({counted_end_, m.id});
    if (!is_full_ && full()) enter_full(report, watch, true);
    watch_share(report);
    watch.on_flow(report.connection(), report.now().at, outstanding_, window_);
}

void flow_account::acknowledge(reporter& report, observer& watch, link_sink& links,
                               const certainty& sure, std::uint32_t id,
                               std::uint64_t bytes) noexcept {
    ++story_->acks;
    story_->last_ack = report.now().at;
    if (window_ == 0) {
        if (sure.unsettled()) return;
        (void)report.tell(
            code::dcp_flow_ack_unexpected, severity::note, false, {},
            {sentence("consumer acknowledged ", bytes_text(bytes), " although flow control is off"),
             {{"ackBytes", bytes}}});
        return;
    }
    story_->acked += bytes;
    acked_ += bytes;
    if (bytes > outstanding_) {
        audit_.give_up();
        (void)report.tell(
            code::dcp_flow_ack_too_large, severity::warning, sure.unsettled(), {},
            {sentence("consumer acknowledged ", bytes_text(bytes), " of ", bytes_text(outstanding_),
                      " outstanding, ", bytes_text(bytes - outstanding_), " too many"),
             {{"ackBytes", bytes},
              {"unackedBytes", outstanding_},
              {"excessBytes", bytes - outstanding_}}});
    }
    outstanding_ -= std::min(outstanding_, bytes);
    story_->outstanding = outstanding_;
    acked_end_ = std::min(acked_end_ + bytes, counted_end_);
    while (!waiting_.empty() && waiting_.front().end <= acked_end_) {
        links.on_link(link_kind::acknowledgement, waiting_.front().id, id);
        waiting_.pop_front();
    }
    end_missing_ack(report, true);
    if (is_full_ && !full()) leave_full(report, watch, true);
    watch_share(report);
    watch.on_flow(report.connection(), report.now().at, outstanding_, window_);
    const auto leak = sure.unsettled() ? std::nullopt : audit_.check(acked_);
    if (!leak) return;
    const double share = report.limits().get(limit::ack_short_share) / 100;
    const bool grave = static_cast<double>(leak->bytes_short) >= share * window_;
    bool& told = grave ? short_warned_ : short_noted_;
    if (told || (short_warned_ && !grave)) return;
    told = true;
    const std::uint64_t left =
        leak->bytes_short >= window_ ? 0 : (window_ - leak->bytes_short + 1) / 2;
    (void)report.tell(code::dcp_flow_ack_short, grave ? severity::warning : severity::note, false,
                      {},
                      {sentence("acknowledgements leave out 2 B for each of ", leak->prepares,
                                " prepares: ", bytes_text(leak->bytes_short), " of the window of ",
                                bytes_text(window_), " are lost, all of it after ", left, " more"),
                       {{"prepares", leak->prepares},
                        {"shortfallBytes", leak->bytes_short},
                        {"ackedBytes", acked_},
                        {"connectionBufferSize", std::uint64_t{window_}},
                        {"preparesLeft", left}}});
}

void flow_account::set_window(reporter& report, observer& watch, std::uint32_t size) noexcept {
    end_missing_ack(report, true);
    window_ = size;
    story_->window = size;
    story_->largest_window = std::max(story_->largest_window, size);
    if (size == 0) {
        outstanding_ = acked_ = 0;
        story_->outstanding = 0;
        audit_.restart();
        waiting_.clear();
        acked_end_ = counted_end_;
    }
    if (is_full_ && !full()) leave_full(report, watch, true);
    if (!is_full_ && full()) enter_full(report, watch, false);
    due_ = false;
    watch_share(report);
    watch.on_flow(report.connection(), report.now().at, outstanding_, window_);
}

void flow_account::enter_full(reporter& report, observer& watch, bool told) noexcept {
    is_full_ = true;
    full_since_ = report.now();
    filled_to_ = peak_ = outstanding_;
    stall_noted_ = stall_warned_ = false;
    ++story_->fills;
    watch.on_full(report.connection(), full_since_.at);
    if (told)
        full_told_.add(report.tell(code::dcp_flow_full, severity::note, false, {},
                                   full_account(report, false)));
}

void flow_account::leave_full(reporter& report, observer& watch, bool over) noexcept {
    const std::int64_t length = report.now().time - full_since_.time;
    story_->full_ns += length;
    if (story_->stalls.size() < most_stalls) {
        story_->stalls.push_back({full_since_.at, report.now().at, over, peak_});
    }
    full_told_.settle(report, over, full_account(report, over));
    stall_told_.settle(report, over, stall_account(report));
    is_full_ = false;
    watch.on_freed(report.connection(), full_since_.at, report.now().at, over);
}

void flow_account::watch_share(reporter& report) noexcept {
    const double share = report.limits().get(limit::ack_missing_share) / 100;
    const bool due = window_ != 0 && static_cast<double>(outstanding_) >= share * window_;
    if (due && !due_) due_since_ = report.now();
    due_ = due;
}

void flow_account::end_missing_ack(reporter& report, bool over) noexcept {
    if (missing_told_.any()) missing_told_.settle(report, over, missing_account(report));
    missing_warned_ = false;
    due_ = false;
}

void flow_account::check_time(reporter& report, bool uncertain) noexcept {
    const std::int64_t now = report.now().time;
    if (is_full_) {
        const std::int64_t length = now - full_since_.time;
        const bool grave = length > report.limits().ns(limit::stalled_warning);
        if (grave ? !stall_warned_
                  : !stall_noted_ && length > report.limits().ns(limit::stalled_note)) {
            stall_noted_ = true;
            stall_warned_ = grave;
            stall_told_.add(report.tell(code::dcp_flow_stalled,
                                        grave ? severity::warning : severity::note, uncertain,
                                        full_since_.at, stall_account(report)));
        }
    }
    if (due_ && !missing_warned_ &&
        now - due_since_.time > report.limits().ns(limit::ack_missing_time)) {
        missing_warned_ = true;
        missing_told_.add(report.tell(code::dcp_flow_ack_missing, severity::warning, uncertain,
                                      due_since_.at, missing_account(report)));
    }
}

void flow_account::close(reporter& report, observer& watch) noexcept {
    end_missing_ack(report, false);
    if (is_full_) leave_full(report, watch, false);
    waiting_ = {};
}

account flow_account::stall_account(const reporter& report) const {
    const std::int64_t length = report.now().time - full_since_.time;
    return {sentence("window of ", bytes_text(window_), " full with ", bytes_text(filled_to_),
                     " since ", clock_text(full_since_.at.time_ns), ", nothing could be sent for ",
                     seconds_text(length)),
            {{"connectionBufferSize", std::uint64_t{window_}},
             {"unackedBytes", filled_to_},
             {"stalledMs", as_ms(length)}}};
}

account flow_account::full_account(const reporter& report, bool over) const {
    const std::int64_t length = report.now().time - full_since_.time;
    std::string text =
        sentence("window of ", bytes_text(window_), " full with ", bytes_text(filled_to_));
    std::vector<findings::figure> figures{{"connectionBufferSize", std::uint64_t{window_}},
                                          {"unackedBytes", filled_to_},
                                          {"fullMs", as_ms(length)}};
    // The producer sent on all the same (D12).
    if (peak_ > filled_to_) {
        text += sentence(" and later ", bytes_text(peak_));
        figures.push_back({"peakBytes", peak_});
    }
    if (over) text += " freed after " + duration_text(length);
    return {std::move(text), std::move(figures)};
}

account flow_account::missing_account(const reporter& report) const {
    const std::int64_t length = report.now().time - due_since_.time;
    return {sentence("no acknowledgement for ", seconds_text(length), " with ", bytes_text(peak_),
                     " of the window of ", bytes_text(window_), " outstanding"),
            {{"connectionBufferSize", std::uint64_t{window_}},
             {"unackedBytes", peak_},
             {"waitedMs", as_ms(length)}}};
}

}  // namespace cdcscope::dcp
