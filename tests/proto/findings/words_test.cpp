// Figures read as the reports' rules of wording want them.
#include "proto/findings/words.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace cdcscope::findings {
namespace {

TEST(Words, NumbersHaveCommas) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1000), "1,000");
    EXPECT_EQ(grouped(18446744073709551615ULL), "18,446,744,073,709,551,615");
}

TEST(Words, BytesAreExactBelowTenThousand) {
    EXPECT_EQ(bytes_text(4235), "4,235 B");
    EXPECT_EQ(bytes_text(9999), "9,999 B");
    EXPECT_EQ(bytes_text(10'000), "9.8 KiB");
    EXPECT_EQ(bytes_text(1ULL << 20), "1.0 MiB");
    EXPECT_EQ(bytes_text((1ULL << 20) - 1), "1.0 MiB");
    EXPECT_EQ(bytes_text(UINT64_MAX), "16.0 EiB");
}

TEST(Words, DurationsGetCoarserAsTheyGrow) {
    EXPECT_EQ(duration_text(0), "0 ns");
    EXPECT_EQ(duration_text(30'000), "30.0 µs");
    EXPECT_EQ(duration_text(4'000'000), "4.0 ms");
    EXPECT_EQ(duration_text(192'000'000), "192 ms");
    EXPECT_EQ(duration_text(2'502'000'000), "2.502 s");
    EXPECT_EQ(duration_text(19'000'000'000), "19.0 s");
    EXPECT_EQ(duration_text(139'000'000'000), "2 min 19 s");
    EXPECT_EQ(duration_text(5'400'000'000'000), "1 h 30 min");
    EXPECT_EQ(duration_text(999'499), "999 µs");
    EXPECT_EQ(duration_text(999'500), "1.0 ms");
    EXPECT_EQ(duration_text(999'499'999), "999 ms");
    EXPECT_EQ(duration_text(999'500'000), "1.000 s");
    EXPECT_EQ(duration_text(9'999'500'000), "10.0 s");
    EXPECT_EQ(duration_text(119'950'000'000), "2 min 00 s");
    EXPECT_EQ(duration_text(138'985'000'000), "2 min 19 s");
    EXPECT_EQ(duration_text(3'599'500'000'000), "1 h 00 min");
    EXPECT_EQ(duration_text(-4'000'000), "-4.0 ms");
    EXPECT_EQ(duration_text(INT64_MIN).front(), '-');
    EXPECT_EQ(seconds_text(138'985'000'000), "138.985 s");
    EXPECT_EQ(seconds_text(-1'500'000), "-0.002 s");
    // As clock_text() rounds: from 22.2105, shown as .211, to 21.000.
    EXPECT_EQ(duration_text(1'210'500'000), "1.211 s");
}

TEST(Words, TimesOfDayHaveMilliseconds) {
    EXPECT_EQ(clock_text(1'796'019'721'016'000'000), "06:22:01.016");
    EXPECT_EQ(clock_text(1'796'019'721'016'499'999), "06:22:01.016");
    EXPECT_EQ(clock_text(1'796'019'721'016'500'000), "06:22:01.017");
    EXPECT_EQ(clock_text(-1'000'000), "23:59:59.999");
    EXPECT_EQ(clock_text(-1), "00:00:00.000");
}

TEST(Words, NamesOfTheCaptureCannotBreakALine) {
    EXPECT_EQ(printable("eq_dcpq:a"), "eq_dcpq:a");
    EXPECT_EQ(printable("a\nb\x1b[31m"), "a\\x0ab\\x1b[31m");
    EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
    EXPECT_EQ(printable("gr\xc3\xbc\xc3\x9f"
                        "e"),
              "grüße");
    EXPECT_EQ(printable("abcdef", 3), "abc...");
}

TEST(Words, SentencesAreMadeOfTextAndGroupedNumbers) {
    EXPECT_EQ(sentence("vb ", std::uint16_t{7}, ": ", 1234U, " items"), "vb 7: 1,234 items");
}

}  // namespace
}  // namespace cdcscope::findings
