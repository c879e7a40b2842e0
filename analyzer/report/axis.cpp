#include "analyzer/report/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "analyzer/report/format.h"

namespace cdcscope::report {
namespace {

constexpr std::int64_t ms = 1'000'000, second = 1'000 * ms, minute = 60 * second,
                       hour = 60 * minute, day = 24 * hour;
constexpr double edge_room = 0.18;  // labels nearer to an end than this would touch its own

// Round steps of time: 1-2-5 below a second, what clocks count in above.
std::int64_t time_step(std::int64_t at_least) {
    for (std::int64_t power = 1000; power < second; power *= 10) {
        for (const std::int64_t times : {1, 2, 5}) {
            if (power * times >= at_least) return power * times;
        }
    }
    constexpr std::array<std::int64_t, 21> steps{
        second,     2 * second, 5 * second,  10 * second, 15 * second, 30 * second, minute,
        2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute, hour,        2 * hour,
        3 * hour,   6 * hour,   12 * hour,   day,         2 * day,     7 * day,     28 * day};
    const auto it = std::lower_bound(steps.begin(), steps.end(), at_least);
    if (it != steps.end()) return *it;
    auto step = steps.back();
    while (step < at_least && step < INT64_MAX / 2) step *= 2;
    return step;
}

// "06:22:33" needs no more than its step says: 22:38, .400, 21.050.
std::string short_time(std::int64_t ns, std::int64_t before, std::int64_t step) {
    const auto full = time_of_day(ns), last = time_of_day(before);
    if (step >= day) return date(ns).substr(5);
    if (step >= hour) return full.substr(0, 5);
    if (step >= second)
        return full.substr(0, 3) == last.substr(0, 3) ? full.substr(3, 5) : full.substr(0, 8);
    if (step < ms) return fmt::format(".{:06}", ns / 1000 % 1'000'000);
    return full.substr(0, 8) == last.substr(0, 8) ? full.substr(8) : full.substr(6);
}

std::string edge_time(std::int64_t ns, std::int64_t length) {
    if (ns % second == 0) return time_of_day_seconds(ns);
    if (ns % ms != 0 && length < 20 * ms)
        return fmt::format("{}.{:06}", time_of_day_seconds(ns), ns / 1000 % 1'000'000);
    return length < 20 * second ? time_of_day(ns) : time_of_day_seconds(ns);
}

// Steps of 1, 2, 5 times a power of ten: the least that needs at most three lines up to `largest`.
double round_step(double largest) {
    const auto wanted = largest / 3;
    const auto power = std::pow(10.0, std::floor(std::log10(wanted)));
    for (const double times : {1.0, 2.0, 5.0}) {
        if (power * times >= wanted) return power * times;
    }
    return power * 10;
}

// Lines at 0 and every step; `unit` stands on the top one.
value_axis linear(double largest, double scale, double least_step, std::string_view unit) {
    value_axis axis;
    const auto shown = std::max(largest / scale, least_step);
    const auto step = std::max(least_step, round_step(shown));
    axis.top = std::max(largest * 1.12, step * scale);
    for (int i = 0; i * step * scale <= axis.top * 1.0001 && i <= 3; ++i) {
        const auto value = i * step;
        const auto whole = std::abs(value - std::round(value)) < 1e-9;
        axis.ticks.push_back({value * scale / axis.top,
                              whole ? number(static_cast<std::uint64_t>(std::llround(value)))
                                    : fmt::format("{:g}", value),
                              false});
    }
    if (!unit.empty()) axis.ticks.back().label += fmt::format("{}{}", no_break_space, unit);
    return axis;
}

}  // namespace

time_span round_span(const time_span& span, const time_span& limits) {
    const auto step = time_step(span.length() / 12);
    return {std::max(limits.from, span.from / step * step),
            std::min(limits.to, (span.to / step + 1) * step)};
}

time_span axis_span(const time_span& life) {
    const auto length = life.length();
    if (length < ms || length >= 20 * second) return life;
    const auto step = time_step(length / 20), just = length / 200;
    const auto from = (life.from + just) / step * step,
               to = (life.to - just + step - 1) / step * step;
    return {from, to};
}

std::vector<tick> time_ticks(const time_span& span, bool compact) {
    const auto length = span.length();
    if (length <= 0) return {{0, edge_time(span.from, 0), false}};
    std::vector<tick> ticks{{0, edge_time(span.from, length), false}};
    const auto step = time_step(compact ? length / 4 : length / 6);
    auto before = span.from;
    bool middle = false;  // narrow screens have room for one label, in the middle
    for (auto at = (span.from / step + 1) * step; at < span.to; at += step) {
        const auto place = static_cast<double>(at - span.from) / static_cast<double>(length);
        const auto room = compact ? 0.4 : edge_room;
        if (place < room || place > 1 - room || (compact && ticks.size() > 1)) continue;
        const auto narrow = !middle && place > 0.42 && place < 0.58;
        middle = middle || narrow;
        ticks.push_back({place, short_time(at, before, step), !narrow});
        before = at;
    }
    ticks.push_back({1, edge_time(span.to, length), false});
    // Both ends in full find no room on the narrowest screens.
    ticks.front().tight = ticks.front().label.size() + ticks.back().label.size() > 24;
    return ticks;
}

value_axis byte_axis(std::uint64_t largest) {
    constexpr std::array<std::string_view, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
    double scale = 1;
    std::size_t unit = 0;
    for (auto rest = static_cast<double>(largest); rest > 9999 && unit + 1 < units.size();
         rest /= 1024) {
        scale *= 1024;
        ++unit;
    }
    return linear(static_cast<double>(largest), scale, unit == 0 ? 1 : 0.001, units[unit]);
}

value_axis count_axis(std::uint64_t largest) {
    return linear(static_cast<double>(largest), 1, 1, {});
}

value_axis duration_axis(std::int64_t largest_ns) {
    const auto largest = std::max<std::int64_t>(largest_ns, 1);
    const auto as = [&](std::int64_t unit, std::string_view name) {
        return linear(static_cast<double>(largest), static_cast<double>(unit), 0.001, name);
    };
    if (largest < ms) return as(1000, "µs");
    if (largest < second) return as(ms, "ms");
    if (largest < 2 * minute) return as(second, "s");
    return largest < 2 * hour ? as(minute, "min") : as(hour, "h");
}

log_axis duration_log_axis(std::int64_t least_ns, std::int64_t most_ns) {
    constexpr std::array<std::int64_t, 11> marks{ms,          10 * ms,    100 * ms,    second,
                                                 10 * second, minute,     10 * minute, hour,
                                                 10 * hour,   100 * hour, 1000 * hour};
    log_axis axis;
    axis.least = marks.front();
    for (const auto mark : marks) {
        if (mark <= least_ns) axis.least = mark;
    }
    axis.most = std::max<std::int64_t>(std::min(most_ns, INT64_MAX / 4) * 3, axis.least * 10);
    std::vector<std::int64_t> inside;
    for (const auto mark : marks) {
        if (mark >= axis.least && mark <= axis.most) inside.push_back(mark);
    }
    const auto every = (inside.size() + 3) / 4;
    for (std::size_t i = 0; i < inside.size(); i += every) {
        axis.ticks.push_back({axis.place(inside[i]), short_duration(inside[i]), false});
    }
    return axis;
}

double log_axis::place(std::int64_t ns) const {
    const auto low = std::log(static_cast<double>(least)),
               high = std::log(static_cast<double>(most));
    const auto value = std::log(static_cast<double>(std::max(ns, least)));
    return high <= low ? 0 : std::clamp((value - low) / (high - low), 0.0, 1.0);
}

}  // namespace cdcscope::report
