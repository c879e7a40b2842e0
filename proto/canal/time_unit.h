// java.util.concurrent.TimeUnit, whose ordinal is Get.unit.
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>

namespace cdcscope::canal {

struct time_unit {
    std::string_view name;
    std::int64_t ns;
};

inline constexpr time_unit time_units[] = {
    {"NANOSECONDS", 1},           {"MICROSECONDS", 1'000},     {"MILLISECONDS", 1'000'000},
    {"SECONDS", 1'000'000'000},   {"MINUTES", 60'000'000'000}, {"HOURS", 3'600'000'000'000},
    {"DAYS", 86'400'000'000'000},
};

// The unit in force: the server takes other values as milliseconds.
[[nodiscard]] constexpr const time_unit& unit_of(std::int32_t ordinal) noexcept {
    const bool known = ordinal >= 0 && ordinal < static_cast<std::int32_t>(std::size(time_units));
    return time_units[known ? ordinal : 2];
}

// A wait of `amount` > 0, in nanoseconds; at most 100 years.
[[nodiscard]] constexpr std::int64_t wait_of(std::int64_t amount, std::int32_t unit) noexcept {
    constexpr std::int64_t most = 100LL * 365 * 86'400'000'000'000;
    const std::int64_t ns = unit_of(unit).ns;
    return amount > most / ns ? most : amount * ns;
}

}  // namespace cdcscope::canal
