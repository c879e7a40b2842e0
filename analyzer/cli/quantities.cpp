#include "analyzer/cli/quantities.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>

#include "analyzer/cli/command.h"

namespace cdcscope::cli {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t day_ns = 86'400 * second_ns;

std::optional<double> as_double(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
        return std::nullopt;
    }
    return value;
}

// A number of exactly `digits` digits at the front of `text`, which moves behind it.
std::optional<int> take_digits(std::string_view& text, std::size_t digits) {
    if (text.size() < digits) return std::nullopt;
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + digits, value);
    if (error != std::errc{} || end != text.data() + digits || text[0] == '-') return std::nullopt;
    text.remove_prefix(digits);
    return value;
}

bool take(std::string_view& text, std::string_view any_of) {
    if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
    text.remove_prefix(1);
    return true;
}

// "06:22:00.123456789"
std::optional<std::int64_t> take_time_of_day(std::string_view& text) {
    const auto hour = take_digits(text, 2);
    if (!hour || !take(text, ":")) return std::nullopt;
    const auto minute = take_digits(text, 2);
    if (!minute || !take(text, ":")) return std::nullopt;
    const auto second = take_digits(text, 2);
    if (!second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
    std::int64_t ns = (*hour * 3600LL + *minute * 60LL + *second) * second_ns;
    if (take(text, ".")) {
        std::int64_t unit = second_ns / 10;
        const std::size_t before = text.size();
        while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
            ns += (text.front() - '0') * unit;
            unit /= 10;
            text.remove_prefix(1);
        }
        if (text.size() == before) return std::nullopt;
    }
    return ns;
}

// The offset behind a time: "Z", "+02:00", or nothing (UTC).
std::optional<std::int64_t> take_zone(std::string_view& text) {
    if (text.empty() || take(text, "Zz")) return 0;
    const bool east = text.front() == '+';
    if (!take(text, "+-")) return std::nullopt;
    const auto hour = take_digits(text, 2);
    if (!hour || !take(text, ":")) return std::nullopt;
    const auto minute = take_digits(text, 2);
    if (!minute) return std::nullopt;
    const std::int64_t ns = (*hour * 3600LL + *minute * 60LL) * second_ns;
    return east ? ns : -ns;
}

std::optional<time_bound> read_time(std::string_view text) {
    if (take(text, "+")) {
        if (!text.empty() && text.back() == 's') text.remove_suffix(1);
        const auto seconds = as_double(text);
        if (!seconds || *seconds < 0 || *seconds > 4e9) return std::nullopt;
        return time_bound{time_bound::kind::from_first_packet,
                          static_cast<std::int64_t>(std::llround(*seconds * 1e9))};
    }
    std::string_view clock = text;
    if (const auto ns = take_time_of_day(clock); ns && clock.empty()) {
        return time_bound{time_bound::kind::time_of_day, *ns};
    }
    const auto year = take_digits(text, 4);
    if (!year || !take(text, "-")) return std::nullopt;
    const auto month = take_digits(text, 2);
    if (!month || !take(text, "-")) return std::nullopt;
    const auto day = take_digits(text, 2);
    if (!day || !take(text, "Tt ")) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year{*year},
                                           std::chrono::month{static_cast<unsigned>(*month)},
                                           std::chrono::day{static_cast<unsigned>(*day)}};
    const auto ns = take_time_of_day(text);
    if (!ns || !date.ok() || *year < 1970 || *year > 2261) return std::nullopt;
    const auto zone = take_zone(text);
    if (!zone || !text.empty()) return std::nullopt;
    const std::int64_t days = std::chrono::sys_days{date}.time_since_epoch().count();
    return time_bound{time_bound::kind::absolute, days * day_ns + *ns - *zone};
}

}  // namespace

std::uint64_t parse_number(std::string_view option, std::string_view text) {
    std::uint64_t value = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    if (error != std::errc{} || end != last)
        throw usage_error(fmt::format("{} {}: a whole number is needed", option, text));
    return value;
}

std::uint64_t parse_size(std::string_view option, std::string_view text) {
    constexpr std::array<std::pair<std::string_view, int>, 14> units{{{"", 0},
                                                                      {"B", 0},
                                                                      {"K", 10},
                                                                      {"k", 10},
                                                                      {"KiB", 10},
                                                                      {"KB", 10},
                                                                      {"M", 20},
                                                                      {"MiB", 20},
                                                                      {"MB", 20},
                                                                      {"G", 30},
                                                                      {"GiB", 30},
                                                                      {"GB", 30},
                                                                      {"T", 40},
                                                                      {"TiB", 40}}};
    const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    std::string_view unit = text.substr(digits);
    while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
    const auto number = as_double(text.substr(0, digits));
    for (const auto& [name, shift] : units) {
        if (!number || name != unit) continue;
        const double bytes = std::ldexp(*number, shift);
        if (bytes < 9e18) return static_cast<std::uint64_t>(bytes);
    }
    throw usage_error(
        fmt::format("{} {}: not a size; write 4096, 64KiB, 512MiB or 16GiB", option, text));
}

std::int64_t time_bound::resolve(std::int64_t first_packet_ns) const noexcept {
    if (what == kind::from_first_packet) return first_packet_ns + ns;
    if (what == kind::time_of_day) return first_packet_ns - first_packet_ns % day_ns + ns;
    return ns;
}

time_bound parse_time(std::string_view option, std::string_view text) {
    if (auto bound = read_time(text)) {
        bound->text = text;
        return *bound;
    }
    throw usage_error(
        fmt::format("{} {}: not a time; write 06:22:00, 2026-11-30T06:22:00Z or +90s "
                    "(from the first packet)",
                    option, text));
}

std::vector<std::pair<std::string, std::uint16_t>> parse_ports(std::string_view text) {
    std::vector<std::pair<std::string, std::uint16_t>> ports;
    while (true) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const std::string_view item = text.substr(0, comma);
        const std::size_t equals = std::min(item.find('='), item.size());
        const std::string_view protocol = item.substr(0, equals);
        if (equals == item.size() || (protocol != "dcp" && protocol != "canal")) {
            throw usage_error(
                fmt::format("--port {}: write dcp=PORT or canal=PORT, several with commas", item));
        }
        const std::string_view number = item.substr(equals + 1);
        unsigned port = 0;
        const auto [end, error] =
            std::from_chars(number.data(), number.data() + number.size(), port);
        if (error != std::errc{} || end != number.data() + number.size() || port < 1 ||
            port > 65535) {
            throw usage_error(fmt::format("--port {}: a port is 1 to 65535", item));
        }
        ports.emplace_back(protocol, static_cast<std::uint16_t>(port));
        if (comma == text.size()) return ports;
        text.remove_prefix(comma + 1);
    }
}

}  // namespace cdcscope::cli
