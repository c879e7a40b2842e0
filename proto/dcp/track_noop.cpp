// Keep-alives and silence.
#include "proto/dcp/track_noop.h"

#include <algorithm>

namespace cdcscope::dcp {
namespace {

using findings::seconds_text;

constexpr std::size_t most_open = 4096;  // a producer waits for the answer before it sends the next

std::int64_t interval(const reporter& report, const agreement& agreed) noexcept {
    return agreed.noop_interval_ns != 0 ? agreed.noop_interval_ns
                                        : report.limits().ns(limit::noop_default_interval);
}

account silence_account(std::int64_t length, std::string_view how) {
    return {sentence("connection silent for ", seconds_text(length), " without keep-alives", how),
            {{"silentMs", as_ms(length)}}};
}

}  // namespace

void noop_watch::request(reporter& report, std::uint32_t opaque, std::uint32_t id) noexcept {
    ++story_->sent;
    if (open_.size() == most_open) {
        open_.pop_front();
        if (noted_ > 0) --noted_;
        if (warned_ > 0) --warned_;
    }
    open_.push_back({opaque, id, report.now(), {}});
}

std::uint32_t noop_watch::response(reporter& report, bool uncertain, std::uint32_t opaque,
                                   std::int64_t& elapsed_ns) noexcept {
    const auto found = std::find_if(open_.begin(), open_.end(),
                                    [&](const open_noop& n) { return n.opaque == opaque; });
    if (found == open_.end()) {
        (void)report.tell(code::dcp_noop_unknown, severity::warning, uncertain, {},
                          {sentence("noop response with opaque ", findings::hex_text(opaque, 8),
                                    " answers no open noop"),
                           {{"opaque", findings::hex_text(opaque, 8)}}});
        return 0;
    }
    ++story_->answered;
    const std::uint32_t id = found->id;
    elapsed_ns = report.now().time - found->sent.time;
    if (found->told.any()) found->told.settle(report, true, noop_account(report, *found));
    const auto at = static_cast<std::size_t>(found - open_.begin());
    if (at < noted_) --noted_;
    if (at < warned_) --warned_;
    open_.erase(at);
    return id;
}

void noop_watch::heard(reporter& report, direction from, const agreement& agreed) noexcept {
    if (broke_silence_ && *broke_silence_ != from) broke_silence_.reset();
    last_ = report.now();
    if (!agreed.producer || *agreed.producer != from) return;
    if (producer_running_.any()) producer_running_.settle(report, true, producer_account(report));
    producer_told_ = false;
    last_producer_ = report.now();
}

void noop_watch::check_time(reporter& report, const agreement& agreed, const certainty& sure,
                            std::optional<direction> from) noexcept {
    check_noops(report, agreed, sure);
    check_producer(report, agreed, sure);
    check_silence(report, sure, from);
}

void noop_watch::check_noops(reporter& report, const agreement& agreed,
                             const certainty& sure) noexcept {
    const std::int64_t now = report.now().time;
    const auto older = [&](std::size_t at, std::int64_t than) {
        return at < open_.size() && now - open_[at].sent.time > than;
    };
    while (older(warned_, report.limits().ns(limit::noop_unanswered))) {
        tell_noop(report, open_[warned_], severity::warning, sure.hole);
        ++warned_;
    }
    noted_ = std::max(noted_, warned_);  // of two limits the higher one is told
    while (older(noted_, interval(report, agreed))) {
        tell_noop(report, open_[noted_], severity::note, sure.hole);
        ++noted_;
    }
}

void noop_watch::tell_noop(reporter& report, open_noop& noop, severity level,
                           bool uncertain) noexcept {
    noop.told.add(report.tell(code::dcp_noop_unanswered, level, uncertain, noop.sent.at,
                              noop_account(report, noop)));
}

void noop_watch::check_producer(reporter& report, const agreement& agreed,
                                const certainty& sure) noexcept {
    if (!agreed.noop || producer_told_ || !last_producer_) return;
    const double most = report.limits().get(limit::silence_intervals) *
                        static_cast<double>(interval(report, agreed));
    if (static_cast<double>(report.now().time - last_producer_->time) <= most) return;
    producer_told_ = true;
    producer_running_.add(report.tell(code::dcp_producer_silent, severity::warning, sure.hole,
                                      last_producer_->at, producer_account(report)));
}

void noop_watch::check_silence(reporter& report, const certainty& sure,
                               std::optional<direction> from) noexcept {
    if (!sure.open_seen || story_->ever_enabled || !last_) return;
    const std::int64_t length = report.now().time - last_->time;
    if (length <= report.limits().ns(limit::idle_time)) return;
    broke_silence_ = from;
    silence_ns_ = length;
    silence_from_ = last_->at;
    (void)report.tell(code::dcp_connection_silent, severity::note, sure.hole, last_->at,
                      silence_account(length, ""));
}

void noop_watch::reset(reporter& report, const certainty& sure, direction from) noexcept {
    if (!broke_silence_ || *broke_silence_ == from) return;
    (void)report.tell(
        code::dcp_connection_silent, severity::warning, sure.hole, silence_from_,
        silence_account(silence_ns_, "; the first message after it was answered by a TCP reset"));
    broke_silence_.reset();
}

void noop_watch::close(reporter& report) noexcept {
    for (open_noop& each : open_) {
        if (each.told.any()) each.told.settle(report, false, noop_account(report, each));
    }
    open_.clear();
    noted_ = warned_ = 0;
    if (producer_running_.any()) producer_running_.settle(report, false, producer_account(report));
}

account noop_watch::noop_account(const reporter& report, const open_noop& noop) {
    const std::int64_t length = report.now().time - noop.sent.time;
    return {sentence("keep-alive of ", findings::clock_text(noop.sent.at.time_ns),
                     " unanswered for ", seconds_text(length)),
            {{"waitedMs", as_ms(length)}, {"opaque", findings::hex_text(noop.opaque, 8)}}};
}

account noop_watch::producer_account(const reporter& report) const {
    const std::int64_t length = report.now().time - last_producer_->time;
    return {sentence("nothing came from the producer for ", seconds_text(length)),
            {{"idleMs", as_ms(length)}}};
}

}  // namespace cdcscope::dcp
