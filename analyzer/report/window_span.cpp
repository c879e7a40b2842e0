#include "analyzer/report/window_span.h"

#include <algorithm>

#include "analyzer/report/axis.h"

namespace cdcscope::report {
namespace {

constexpr double nearly_all = 0.95;

}  // namespace

time_span busiest(std::span<const point> values, double share) {
    if (values.empty()) return {};
    std::vector<std::uint64_t> moved;  // up to and including the point
    std::uint64_t sum = 0, before = 0;
    for (const auto& p : values) {
        sum += p.value > before ? p.value - before : before - p.value;
        before = p.value;
        moved.push_back(sum);
    }
    const auto wanted = static_cast<std::uint64_t>(static_cast<double>(sum) * share);
    time_span best{values.front().at, values.back().at};
    for (std::size_t i = 0, j = 0; i < values.size(); ++i) {
        const auto left_out = i == 0 ? 0 : moved[i - 1];
        while (j < values.size() && moved[j] - left_out < wanted) ++j;
        if (j == values.size()) break;
        if (values[j].at - values[i].at < best.length()) best = {values[i].at, values[j].at};
        if (j == i) ++j;
    }
    return best;
}

time_span window_span(const connection& c) {
    const auto values = c.window.points();
    if (values.empty()) return c.life;
    auto busy = busiest(values, nearly_all);
    // The rest as well, where it takes little more room.
    const auto first =
        std::find_if(values.begin(), values.end(), [](const point& p) { return p.value > 0; });
    const time_span all{first == values.end() ? values.front().at : first->at, values.back().at};
    if (all.length() * 2 < busy.length() * 3) busy = all;
    // Waiting that goes on to the end shows as well in a part of it.
    for (const auto& full : c.flow->full) {
        const auto goes_on = c.flow->full_at_end && &full == &c.flow->full.back();
        busy.from = std::min(busy.from, full.from);
        busy.to = std::max(busy.to, goes_on ? full.from : full.to);
    }
    const auto length = std::max<std::int64_t>(busy.length(), 1000);
    busy = round_span({busy.from - length / 50, busy.to + length / 8}, c.life);
    return busy.length() * 5 < c.life.length() * 2 ? busy : c.life;
}

time_span ledger_span(const connection& c, const std::vector<const batch_row*>& batches) {
    if (batches.empty()) return c.life;
    time_span busy{INT64_MAX, INT64_MIN};
    for (const auto* b : batches) {
        busy.from = std::min(busy.from, b->delivered.time_ns);
        busy.to = std::max(busy.to, b->finished.frame == 0 ? c.life.to : b->finished.time_ns);
    }
    const auto room = std::max<std::int64_t>(busy.length() / 5, 1'000'000);
    busy = {busy.from - room, busy.to + room};
    return busy.length() * 4 < c.life.length() ? round_span(busy, c.life) : c.life;
}

time_span timeline_span(const connection& c, const std::vector<const stream_row*>& streams) {
    time_span busy{INT64_MAX, INT64_MIN};
    const auto happens = [&](std::int64_t from, std::int64_t to) {
        busy.from = std::min(busy.from, from);
        busy.to = std::max(busy.to, to);
    };
    for (const auto& [kind, ticks] : c.ticks.all()) {
        if (!ticks.empty()) happens(ticks.first(), ticks.last());
    }
    for (const auto* s : streams) {
        if (s->asked.frame != 0) happens(s->asked.time_ns, s->asked.time_ns);
        if (s->finished.frame != 0 && !s->live) happens(s->finished.time_ns, s->finished.time_ns);
    }
    for (const auto& full : c.flow->full) happens(full.from, full.to);
    if (busy.from > busy.to) return c.life;
    const auto room = std::max<std::int64_t>(busy.length() / 8, 1000);
    busy = round_span({busy.from - room, busy.to + room}, c.life);
    return busy.length() * 5 < c.life.length() ? busy : c.life;
}

}  // namespace cdcscope::report
