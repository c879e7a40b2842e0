#include "analyzer/report/format.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <utility>

#include "proto/findings/words.h"

namespace cdcscope::report {
namespace {

constexpr std::int64_t millisecond = 1'000'000, second = 1'000'000'000;
constexpr std::int64_t microsecond = 1'000, minute = 60 * second, hour = 60 * minute;

std::string with_unit(std::string_view value, std::string_view unit) {
    return fmt::format("{}{}{}", value, no_break_space, unit);
}

// Blanks between numbers and units become no-break spaces.
std::string unbroken(std::string_view text) {
    std::string out;
    for (const char c : text) c == ' ' ? out += no_break_space : out += c;
    return out;
}

struct clock_time {
    std::chrono::year_month_day day;
    std::int64_t second_of_day = 0;
    std::int64_t nanos = 0;
};

clock_time split(std::int64_t ns) {
    const std::chrono::sys_time<std::chrono::nanoseconds> when{std::chrono::nanoseconds{ns}};
    const auto day = std::chrono::floor<std::chrono::days>(when);
    const auto rest = (when - day).count();
    return {std::chrono::year_month_day{day}, rest / second, rest % second};
}

std::string hms(std::int64_t second_of_day) {
    return fmt::format("{:02}:{:02}:{:02}", second_of_day / 3600, second_of_day / 60 % 60,
                       second_of_day % 60);
}

std::string ymd(const std::chrono::year_month_day& d) {
    return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(d.year()),
                       static_cast<unsigned>(d.month()), static_cast<unsigned>(d.day()));
}

}  // namespace

std::string number(std::uint64_t value) {
    return findings::grouped(value);
}

std::string number(std::int64_t value) {
    if (value >= 0) return number(static_cast<std::uint64_t>(value));
    return "-" + number(~static_cast<std::uint64_t>(value) + 1);
}

std::string count(std::uint64_t value, std::string_view noun, std::string_view many) {
    if (value == 1) return with_unit("1", noun);
    return with_unit(number(value), many.empty() ? fmt::format("{}s", noun) : std::string(many));
}

std::string exact_bytes(std::uint64_t value) {
    return with_unit(number(value), "B");
}

std::string bytes(std::uint64_t value) {
    return unbroken(findings::bytes_text(value));
}

std::string duration(std::int64_t ns) {
    return ns == 0 ? with_unit("0", "s") : unbroken(findings::duration_text(ns));
}

std::string durations(std::int64_t least_ns, std::int64_t most_ns) {
    auto least = duration(least_ns);
    const auto most = duration(most_ns);
    return least == most ? least : fmt::format("{} to {}", least, most);
}

std::string rough_duration(std::int64_t ns) {
    if (ns < 2 * minute || ns >= 10 * minute) return duration(ns);
    return with_unit(number((ns + second / 2) / second), "s");
}

std::string brief_duration(std::int64_t ns) {
    if (ns < 10'000'000 || ns >= 1'000'000'000) return rough_duration(ns);
    return fmt::format("{}{}ms", (ns + 500'000) / 1'000'000, no_break_space);
}

std::string exact_duration(std::int64_t ns) {
    if (ns < 0) return "-" + exact_duration(ns == INT64_MIN ? INT64_MAX : -ns);
    if (ns < second - millisecond / 2) return duration(ns);
    const auto ms = ns / millisecond + (ns % millisecond >= millisecond / 2 ? 1 : 0);
    return with_unit(fmt::format("{}.{:03}", number(ms / 1000), ms % 1000), "s");
}

std::string short_duration(std::int64_t ns) {
    if (ns < 0) return "-" + short_duration(ns == INT64_MIN ? INT64_MAX : -ns);
    const auto whole = [ns](std::int64_t unit) { return ns % unit == 0; };
    if (ns == 0) return with_unit("0", "s");
    if (ns < millisecond)
        return whole(microsecond) ? with_unit(number(ns / microsecond), "µs") : duration(ns);
    if (ns < second)
        return whole(millisecond) ? with_unit(number(ns / millisecond), "ms") : duration(ns);
    if (ns < minute) {
        return whole(second)
                   ? with_unit(number(ns / second), "s")
                   : with_unit(fmt::format("{:.1f}", static_cast<double>(ns) / second), "s");
    }
    if (ns < hour) return whole(minute) ? with_unit(number(ns / minute), "min") : duration(ns);
    return whole(hour) ? with_unit(number(ns / hour), "h") : duration(ns);
}

std::string time_of_day(std::int64_t ns) {
    return findings::clock_text(ns);
}

std::string time_of_day_seconds(std::int64_t ns) {
    return hms(split(ns).second_of_day);
}

std::string date(std::int64_t ns) {
    return ymd(split(ns).day);
}

std::string rfc3339(std::int64_t ns) {
    const auto t = split(ns);
    return fmt::format("{}T{}.{:09}Z", ymd(t.day), hms(t.second_of_day), t.nanos);
}

bool same_date(std::int64_t a_ns, std::int64_t b_ns) {
    return split(a_ns).day == split(b_ns).day;
}

std::string share(std::uint64_t part, std::uint64_t whole) {
    if (whole == 0) return std::string(nothing);
    if (part == 0) return with_unit("0.00", "%");
    if (part >= whole) return with_unit("100.00", "%");
    const auto percent = static_cast<double>(part) / static_cast<double>(whole) * 100;
    if (percent < 0.01) return fmt::format("<{0}0.01{0}%", no_break_space);
    if (percent >= 99.995) return fmt::format(">{0}99.99{0}%", no_break_space);
    return with_unit(fmt::format("{:.2f}", percent), "%");
}

std::string range(std::uint64_t from, std::uint64_t to) {
    return fmt::format("{}..{}", number(from), number(to));
}

namespace {
// "1460 bytes of" as "1,460 B of", "offset 4546" as "offset 4,546": amounts as the rest of a report
// has them.
std::string amounts_in_words(std::string_view text) {
    constexpr std::string_view unit = " bytes of ", before = "offset ";
    std::string out;
    while (!text.empty()) {
        const auto from = text.find_first_of("0123456789");
        out += text.substr(0, from);
        if (from == std::string_view::npos) break;
        text.remove_prefix(from);
        const auto digits = text.substr(0, text.find_first_not_of("0123456789"));
        text.remove_prefix(digits.size());
        const auto is_bytes = text.starts_with(unit);
        std::uint64_t value = 0;
        const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if ((is_bytes || out.ends_with(before)) && read.ec == std::errc{}) {
            out += is_bytes ? number(value) + " B of " : number(value);
            if (is_bytes) text.remove_prefix(unit.size());
        } else {
            out += digits;
        }
    }
    return out;
}
}  // namespace

std::string directions_in_words(std::string_view text) {
    constexpr std::pair<std::string_view, std::string_view> words[] = {
        {" B of s2c", " B from server to client"},
        {" B of c2s", " B from client to server"},
        {"bytes of s2c", "bytes from server to client"},
        {"bytes of c2s", "bytes from client to server"},
        {"s2c", "the server's stream"},
        {"c2s", "the client's stream"}};
    auto out = amounts_in_words(text);
    for (const auto& [code, said] : words) {
        for (auto at = out.find(code); at != std::string::npos; at = out.find(code, at))
            out.replace(at, code.size(), said);
    }
    return out;
}

std::string plain_spaces(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        if (text.substr(at, no_break_space.size()) == no_break_space) {
            out += ' ';
            at += no_break_space.size();
        } else {
            out += text[at++];
        }
    }
    return out;
}

std::string capitalized(std::string_view text) {
    std::string out(text);
    if (!out.empty() && out.front() >= 'a' && out.front() <= 'z') {
        out.front() = static_cast<char>(out.front() - 'a' + 'A');
    }
    return out;
}

}  // namespace cdcscope::report
