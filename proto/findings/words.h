// How figures read in sentences: numbers with commas, bytes, durations, times, as the findings and
// every report print them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace cdcscope::findings {

// 1234567 -> "1,234,567".
[[nodiscard]] std::string grouped(std::uint64_t n);

// Exact up to 9,999 B, above with one decimal: "4,235 B", "12.5 KiB", "1.0 GiB". K is 1,024.
[[nodiscard]] std::string bytes_text(std::uint64_t n);

// "30.0 µs", "4.0 ms", "192 ms" below 1 s, "2.502 s" below 10 s, "19.0 s" below 2 min, "2 min 19
// s", "1 h 30 min". Negative ones with a minus sign.
[[nodiscard]] std::string duration_text(std::int64_t ns);
// Always seconds to the millisecond, as evidence gives them: "138.985 s".
[[nodiscard]] std::string seconds_text(std::int64_t ns);

// "06:22:01.016", UTC.
[[nodiscard]] std::string clock_text(std::int64_t time_ns);

// "0x2a"; with `digits`, zeros in front.
[[nodiscard]] std::string hex_text(std::uint64_t n, std::size_t digits = 1);

// A name from the capture as it may stand in a sentence (proto/wire/printable.h), cut at `most`
// bytes with "..." behind.
[[nodiscard]] std::string printable(std::string_view name, std::size_t most = 100);

[[nodiscard]] constexpr std::string_view plural(std::uint64_t n, std::string_view one,
                                                std::string_view many) noexcept {
    return n == 1 ? one : many;
}

// Puts a sentence together; numbers are grouped.
template <typename... Parts>
[[nodiscard]] std::string sentence(const Parts&... parts) {
    std::string out;
    const auto add = [&](const auto& part) {
        if constexpr (std::is_integral_v<std::decay_t<decltype(part)>>) {
            out += grouped(part);
        } else {
            out += part;
        }
    };
    (add(parts), ...);
    return out;
}

}  // namespace cdcscope::findings
