// D56: acknowledgements that leave out the 2 bytes a prepare (MB-46634).
#include <algorithm>

#include "proto/dcp/track_flow.h"

namespace cdcscope::dcp {
namespace {

// Boundaries that no acknowledgement has reached; a consumer that lets more pile up does not
// acknowledge at all.
constexpr std::size_t most_boundaries = 1U << 20;

}  // namespace

void ack_audit::add(const counted_message& m) noexcept {
    wire_ += m.wire;
    counted_ += m.counted;
    prepares_ += m.prepare ? 1 : 0;
    if (prepares_ < 2 || resting_) return;
    if (boundaries_.size() == most_boundaries) return give_up();
    boundaries_.push_back({wire_, counted_, prepares_});
}

void ack_audit::restart() noexcept {
    wire_ = counted_ = prepares_ = 0;
    boundaries_.clear();
}

void ack_audit::give_up() noexcept {
    resting_ = true;
    boundaries_ = {};
}

std::optional<ack_audit::verdict> ack_audit::check(std::uint64_t acked) noexcept {
    if (resting_) return std::nullopt;
    while (!boundaries_.empty() && boundaries_.front().counted < acked) boundaries_.pop_front();
    const auto on_wire =
        std::lower_bound(boundaries_.begin(), boundaries_.end(), acked,
                         [](const boundary& b, std::uint64_t n) { return b.wire < n; });
    const bool wire_fits = on_wire != boundaries_.end() && on_wire->wire == acked;
    const bool count_fits = !boundaries_.empty() && boundaries_.front().counted == acked;
    if (count_fits && !wire_fits) give_up();  // this consumer knows the rule
    if (count_fits || !wire_fits) return std::nullopt;
    return verdict{on_wire->prepares, 2 * on_wire->prepares};
}

}  // namespace cdcscope::dcp
