#include "proto/ss/marker_check.h"

#include <algorithm>

namespace cdcscope::ss {
namespace {

problem marker_problem(fault what, std::uint64_t offset, std::size_t index, const label& at) {
    problem p;
    p.what = what;
    p.offset = offset;
    p.index = index;
    p.at = at;
    return p;
}

}  // namespace

problem marker_check::count(const message& m) {
    if (resting_) return {};
    const stream_state& s = streams_.count(m.at, m.stored);
    if (rule_ == marker_rule::known) remember(ranges_[&s], m.at.sequence);
    if (streams_.size() <= max_streams) return {};
    resting_ = true;
    problem p;
    p.what = fault::too_many_streams;
    p.offset = m.offset;
    p.stored = max_streams;
    return p;
}

problem marker_check::check(std::uint64_t offset, const beacon_view& beacon) {
    if (resting_) return {};
    const problem found =
        rule_ == marker_rule::exact ? check_exact(offset, beacon) : check_known(offset, beacon);
    // A writer that goes on from here has to know how many were given.
    streams_.give(rule_ == marker_rule::exact ? streams_.markers(capacity_) : beacon.markers());
    return found;
}

problem marker_check::check_exact(std::uint64_t offset, const beacon_view& beacon) {
    problem found;
    const std::size_t expected = streams_.markers(capacity_);
    std::size_t index = 0;
    std::size_t rank = streams_.first_marker();
    beacon.each_marker([&](const marker& m) {
        const bool same = index < expected && m == streams_.at(rank).as_marker();
        if (!same) found = marker_problem(fault::beacon_markers, offset, index, m.highest);
        ++index;
        rank = rank + 1 < streams_.size() ? rank + 1 : 0;
        return same;
    });
    if (!found && index < expected) {
        found = marker_problem(fault::beacon_markers, offset, index, {});
    }
    found.stored = beacon.markers();
    found.computed = expected;
    return found;
}

problem marker_check::check_known(std::uint64_t offset, const beacon_view& beacon) const {
    problem found;
    std::size_t index = 0;
    beacon.each_marker([&](const marker& m) {
        const bool known = seen(m.highest);
        if (!known) {
            found = marker_problem(fault::marker_unknown, offset, index, m.highest);
            found.stored = m.highest.sequence;
        }
        ++index;
        return known;
    });
    return found;
}

void marker_check::remember(std::vector<range>& ranges, std::uint64_t sequence) {
    // The first range that is not wholly before the number and does not end right before it.
    const auto at = std::ranges::partition_point(
        ranges, [&](const range& r) { return r.last < sequence && sequence - r.last > 1; });
    if (at == ranges.end() || (sequence < at->first && at->first - sequence > 1)) {
        if (range_count_ == max_ranges) {
            resting_ = true;
            return;
        }
        ranges.insert(at, {sequence, sequence});
        ++range_count_;
        return;
    }
    at->first = std::min(at->first, sequence);
    at->last = std::max(at->last, sequence);
    const auto next = at + 1;
    if (next == ranges.end() || next->first - at->last > 1) return;
    at->last = std::max(at->last, next->last);
    ranges.erase(next);
    --range_count_;
}

bool marker_check::seen(const label& l) const {
    const stream_state* s = streams_.find(l.key, l.shard);
    if (s == nullptr) return false;
    const auto ranges = ranges_.find(s);
    if (ranges == ranges_.end()) return false;
    const auto at = std::ranges::partition_point(
        ranges->second, [&](const range& r) { return r.last < l.sequence; });
    return at != ranges->second.end() && at->first <= l.sequence;
}

}  // namespace cdcscope::ss
