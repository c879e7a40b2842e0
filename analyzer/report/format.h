// How the report writes numbers, bytes, durations, times and shares: what findings/words.h lays
// down, with a no-break space between number and unit, and what only a report needs. plain_spaces()
// takes the no-break spaces out again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "proto/wire/printable.h"

namespace cdcscope::report {

inline constexpr std::string_view no_break_space = "\u00a0";
inline constexpr std::string_view nothing = "\u2013";  // cannot exist; a count of none is 0

// 1,048,576
[[nodiscard]] std::string number(std::uint64_t value);
[[nodiscard]] std::string number(std::int64_t value);

// "1 hole", "20 holes": the noun takes an s, or is given as `many`.
[[nodiscard]] std::string count(std::uint64_t value, std::string_view noun,
                                std::string_view many = {});

// Exact to 9,999 B, above with one decimal in KiB, MiB, GiB, TiB.
[[nodiscard]] std::string bytes(std::uint64_t value);
// Exact wherever sums must add up: "440,268 B".
[[nodiscard]] std::string exact_bytes(std::uint64_t value);

// 30.0 µs, 4.0 ms, 192 ms, 2.502 s (below 10 s), 19.0 s (below 2 min), 2 min 19 s, 1 h 30 min.
[[nodiscard]] std::string duration(std::int64_t ns);
// Of the shortest and the longest: one, where both read alike, else "19 ms to 2.3 s".
[[nodiscard]] std::string durations(std::int64_t least_ns, std::int64_t most_ns);
// In running text: as duration(), whole seconds from 2 to 10 minutes ("139 s").
[[nodiscard]] std::string rough_duration(std::int64_t ns);
// In short remarks: as rough_duration(), without digits behind the point below 1 s ("19 ms") from
// 10 ms on.
[[nodiscard]] std::string brief_duration(std::int64_t ns);
// In evidence: always to the millisecond from 1 s on ("138.985 s"), below that as duration().
[[nodiscard]] std::string exact_duration(std::int64_t ns);
// Without needless digits, for limits and labels of charts: "10 s", "2 s", "5 min", "1 h 30 min",
// "350 ms".
[[nodiscard]] std::string short_duration(std::int64_t ns);

// Times of day, UTC: "06:22:01.016", "06:22:01", "2026-11-30", RFC 3339 with nine digits.
[[nodiscard]] std::string time_of_day(std::int64_t ns);
[[nodiscard]] std::string time_of_day_seconds(std::int64_t ns);
[[nodiscard]] std::string date(std::int64_t ns);
[[nodiscard]] std::string rfc3339(std::int64_t ns);
[[nodiscard]] bool same_date(std::int64_t a_ns, std::int64_t b_ns);

// Per cent with two decimals. "100.00 %" only if nothing is missing, "0.00 %" only if nothing is
// there; of nothing: "–".
[[nodiscard]] std::string share(std::uint64_t part, std::uint64_t whole);

// "0..60"
[[nodiscard]] std::string range(std::uint64_t from, std::uint64_t to);

using cdcscope::printable;  // a name cannot move the cursor, turn or break a line

// The layers below name directions c2s and s2c: "bytes of s2c" becomes "bytes from server to
// client".
[[nodiscard]] std::string directions_in_words(std::string_view text);

// no_break_space as a space.
[[nodiscard]] std::string plain_spaces(std::string_view text);

// Upper case for the first letter of a sentence (ASCII).
[[nodiscard]] std::string capitalized(std::string_view text);

}  // namespace cdcscope::report
