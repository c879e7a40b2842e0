// Figures as text.
#include "proto/findings/words.h"

#include <array>
#include <cstdio>

#include "proto/wire/printable.h"

namespace cdcscope::findings {
namespace {

constexpr std::int64_t us = 1'000, ms = 1'000'000, s = 1'000'000'000;

template <typename... Args>
std::string formatted(const char* format, Args... args) {
    std::array<char, 96> text{};
    const int size = std::snprintf(text.data(), text.size(), format, args...);
    return {text.data(), static_cast<std::size_t>(size)};
}

// "4.0", "19.0", "192".
std::string short_number(double value) {
    return formatted(value < 99.95 ? "%.1f" : "%.0f", value);
}

}  // namespace

std::string grouped(std::uint64_t n) {
    std::string digits = std::to_string(n);
    for (std::size_t at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, 1, ',');
    }
    return digits;
}

std::string bytes_text(std::uint64_t n) {
    if (n < 10'000) return grouped(n) + " B";
    constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = static_cast<double>(n) / 1024;
    std::size_t unit = 0;
    while (value >= 1023.95 && unit + 1 < std::size(units)) {
        value /= 1024;
        ++unit;
    }
    return formatted("%.1f %s", value, units[unit]);
}

std::string duration_text(std::int64_t ns) {
    if (ns < 0) return "-" + duration_text(ns == INT64_MIN ? INT64_MAX : -ns);
    const auto as = [&](std::int64_t unit) {
        return static_cast<double>(ns) / static_cast<double>(unit);
    };
    // Each unit ends where rounding would write a thousand of it.
    if (ns < us) return std::to_string(ns) + " ns";
    if (ns < ms - us / 2) return short_number(as(us)) + " µs";
    if (ns < s - ms / 2) return short_number(as(ms)) + " ms";
    if (ns < 10 * s - ms / 2) return seconds_text(ns);
    if (ns < 120 * s - ms * 50) return formatted("%.1f s", as(s));
    const std::int64_t seconds = ns / s + (ns % s >= s / 2 ? 1 : 0);
    if (seconds < 3600) {
        return formatted("%lld min %02lld s", static_cast<long long>(seconds / 60),
                         static_cast<long long>(seconds % 60));
    }
    const std::int64_t minutes = (seconds + 30) / 60;
    return grouped(static_cast<std::uint64_t>(minutes / 60)) +
           formatted(" h %02lld min", static_cast<long long>(minutes % 60));
}

std::string seconds_text(std::int64_t ns) {
    if (ns < 0) return "-" + seconds_text(ns == INT64_MIN ? INT64_MAX : -ns);
    // Half a millisecond goes up, as in clock_text().
    const std::int64_t thousandths = ns / ms + (ns % ms >= ms / 2 ? 1 : 0);
    return formatted("%lld.%03lld s", static_cast<long long>(thousandths / 1000),
                     static_cast<long long>(thousandths % 1000));
}

std::string clock_text(std::int64_t time_ns) {
    constexpr std::int64_t day = 86'400 * s;
    const std::int64_t in_day = (((time_ns % day) + day) % day + ms / 2) / ms % (day / ms);
    return formatted("%02d:%02d:%02d.%03d", static_cast<int>(in_day / 3'600'000),
                     static_cast<int>(in_day / 60'000 % 60), static_cast<int>(in_day / 1000 % 60),
                     static_cast<int>(in_day % 1000));
}

std::string hex_text(std::uint64_t n, std::size_t digits) {
    return formatted("0x%0*llx", static_cast<int>(digits), static_cast<unsigned long long>(n));
}

std::string printable(std::string_view name, std::size_t most) {
    return cdcscope::printable(name, most);
}

}  // namespace cdcscope::findings
