// Numbers read as the reports' rules of wording want them.
#include "analyzer/report/format.h"

#include <gtest/gtest.h>

namespace cdcscope::report {
namespace {

constexpr std::int64_t ms = 1'000'000, second = 1'000 * ms, minute = 60 * second,
                       hour = 60 * minute;

TEST(Format, NumberAndUnitDoNotBreak) {
    EXPECT_EQ(exact_bytes(440'268), "440,268\u00a0B");
    EXPECT_EQ(plain_spaces(exact_bytes(440'268)), "440,268 B");
}

TEST(Format, NegativeNumbersKeepTheirCommas) {
    EXPECT_EQ(number(std::int64_t{-1234}), "-1,234");
    EXPECT_EQ(number(INT64_MIN), "-9,223,372,036,854,775,808");
}

TEST(Format, NounsTakeAnSUnlessThereIsOne) {
    EXPECT_EQ(plain_spaces(count(0, "hole")), "0 holes");
    EXPECT_EQ(plain_spaces(count(1, "hole")), "1 hole");
    EXPECT_EQ(plain_spaces(count(2, "entry", "entries")), "2 entries");
}

TEST(Format, RoughDurationsAreWholeSecondsBetweenTwoAndTenMinutes) {
    EXPECT_EQ(plain_spaces(rough_duration(119 * second)), "119.0 s");
    EXPECT_EQ(plain_spaces(rough_duration(120 * second)), "120 s");
    EXPECT_EQ(plain_spaces(rough_duration(138'985 * ms)), "139 s");
    EXPECT_EQ(plain_spaces(rough_duration(10 * minute)), "10 min 00 s");
    EXPECT_EQ(plain_spaces(rough_duration(90 * minute)), "1 h 30 min");
}

TEST(Format, EvidenceIsAlwaysToTheMillisecond) {
    EXPECT_EQ(plain_spaces(exact_duration(138'985 * ms)), "138.985 s");
    EXPECT_EQ(plain_spaces(exact_duration(5400 * second)), "5,400.000 s");
    EXPECT_EQ(plain_spaces(exact_duration(4 * ms)), "4.0 ms");
    EXPECT_EQ(plain_spaces(exact_duration(second - 1)), "1.000 s");
    EXPECT_EQ(plain_spaces(exact_duration(-2 * second)), "-2.000 s");
    EXPECT_EQ(plain_spaces(exact_duration(INT64_MAX)), "9,223,372,036.855 s");
}

TEST(Format, LabelsHaveNoNeedlessDigits) {
    EXPECT_EQ(plain_spaces(short_duration(0)), "0 s");
    EXPECT_EQ(plain_spaces(short_duration(5'000)), "5 µs");
    EXPECT_EQ(plain_spaces(short_duration(350 * ms)), "350 ms");
    EXPECT_EQ(plain_spaces(short_duration(10 * second)), "10 s");
    EXPECT_EQ(plain_spaces(short_duration(300 * second)), "5 min");
    EXPECT_EQ(plain_spaces(short_duration(hour)), "1 h");
    EXPECT_EQ(plain_spaces(short_duration(hour + 30 * minute)), "1 h 30 min");
}

TEST(Format, SharesSayAllOnlyIfNothingIsMissing) {
    EXPECT_EQ(plain_spaces(share(440'268, 441'955)), "99.62 %");
    EXPECT_EQ(plain_spaces(share(10, 10)), "100.00 %");
    EXPECT_EQ(plain_spaces(share(999'999'999, 1'000'000'000)), "> 99.99 %");
    EXPECT_EQ(plain_spaces(share(1, 1'000'000'000)), "< 0.01 %");
    EXPECT_EQ(plain_spaces(share(0, 5)), "0.00 %");
    EXPECT_EQ(share(0, 0), "–");
}

TEST(Format, TimesAreUtc) {
    constexpr std::int64_t at = 1'796'019'721'016'000'001;
    EXPECT_EQ(date(at), "2026-11-30");
    EXPECT_EQ(time_of_day(at), "06:22:01.016");
    EXPECT_EQ(time_of_day_seconds(at), "06:22:01");
    EXPECT_EQ(rfc3339(at), "2026-11-30T06:22:01.016000001Z");
    EXPECT_EQ(rfc3339(-1), "1969-12-31T23:59:59.999999999Z");
    EXPECT_TRUE(same_date(at, at + 17 * hour));
    EXPECT_FALSE(same_date(at, at + 18 * hour));
}

TEST(Format, NamesCannotMoveTheCursor) {
    EXPECT_EQ(printable("a\nb\x1b[31m"), "a\\x0ab\\x1b[31m");
    EXPECT_EQ(printable("\xff"), "\\xff");
    EXPECT_EQ(printable("\u202egnp"), "\\xe2\\x80\\xaegnp");
    EXPECT_EQ(printable("größe"), "größe");
}

TEST(Format, ShortRemarksHaveNoNeedlessDigits) {
    EXPECT_EQ(plain_spaces(brief_duration(19'000'000)), "19 ms");
    EXPECT_EQ(plain_spaces(brief_duration(4'000'000)), "4.0 ms");
    EXPECT_EQ(plain_spaces(brief_duration(139'000'000'000)), "139 s");
}

TEST(Format, DirectionsAreSaidInWords) {
    EXPECT_EQ(directions_in_words("1460 bytes of s2c are missing at offset 4546"),
              "1,460 B from server to client are missing at offset 4,546");
    EXPECT_EQ(directions_in_words("frame 1203 brings bytes of c2s from before"),
              "frame 1203 brings bytes from client to server from before");
    EXPECT_EQ(directions_in_words("the beginning of c2s; s2c ends"),
              "the beginning of the client's stream; the server's stream ends");
}

}  // namespace
}  // namespace cdcscope::report
