// Axes have few, round, ordered labels, whatever the values.
#include "analyzer/report/axis.h"

#include <gtest/gtest.h>

#include "analyzer/report/format.h"

namespace cdcscope::report {
namespace {

constexpr std::int64_t morning = 1'796'019'720'000'000'000;  // 2026-11-30 06:22:00 UTC
constexpr std::int64_t ms = 1'000'000, second = 1'000 * ms;

std::vector<std::string> labels(const std::vector<tick>& ticks) {
    std::vector<std::string> out;
    for (const auto& t : ticks) out.push_back(plain_spaces(t.label));
    return out;
}

TEST(TimeTicks, WriteOutTheEndsAndShortenBetween) {
    EXPECT_EQ(labels(time_ticks({morning, morning + 140 * second})),
              (std::vector<std::string>{"06:22:00", "22:30", "23:00", "23:30", "06:24:20"}));
    EXPECT_EQ(labels(time_ticks({morning + 12'340 * ms, morning + 12'580 * ms})),
              (std::vector<std::string>{"06:22:12.340", ".400", ".450", ".500", "06:22:12.580"}));
    EXPECT_EQ(labels(time_ticks({morning + 33 * second, morning + 43 * second})).front(),
              "06:22:33");
    EXPECT_EQ(labels(time_ticks({morning, morning + 140 * second}, true)).size(), 3U);
}

TEST(TimeTicks, StayInOrderWithinTheChartAtAnyLength) {
    for (std::int64_t length = 1; length > 0 && length < INT64_MAX / 7; length *= 7) {
        const auto ticks = time_ticks({morning, morning + length});
        EXPECT_LE(ticks.size(), 8U) << length;
        for (std::size_t i = 1; i < ticks.size(); ++i)
            EXPECT_GT(ticks[i].at, ticks[i - 1].at) << length;
        EXPECT_EQ(ticks.front().at, 0);
        EXPECT_EQ(ticks.back().at, 1);
    }
    EXPECT_EQ(time_ticks({morning, morning}).size(), 1U);
}

TEST(RoundSpan, WidensToRoundTimesWithinItsLimits) {
    const time_span limits{morning, morning + 100 * second};
    const auto span = round_span({morning + 1001 * ms, morning + 1017 * ms}, limits);
    EXPECT_EQ(span.from, morning + 1000 * ms);
    EXPECT_EQ(span.to, morning + 1018 * ms);
    EXPECT_EQ(round_span({morning, morning + 100 * second}, limits).to, limits.to);
}

TEST(AxisSpan, EndsOnTimesThatAreShortToWrite) {
    const auto span = axis_span({morning + 12'347 * ms, morning + 12'570 * ms});
    EXPECT_EQ(span.from, morning + 12'340 * ms);
    EXPECT_EQ(span.to, morning + 12'580 * ms);
}

TEST(AxisSpan, CutsOffWhatNobodySees) {
    const auto span = axis_span({morning + 5 * second, morning + 11'001 * ms});
    EXPECT_EQ(span.from, morning + 5 * second);
    EXPECT_EQ(span.to, morning + 11 * second);
}

TEST(AxisSpan, LeavesAloneWhatIsWrittenInWholeSecondsAnyhow) {
    const auto span = axis_span({morning + 1 * ms, morning + 140'001 * ms});
    EXPECT_EQ(span.from, morning + 1 * ms);
    EXPECT_EQ(span.to, morning + 140'001 * ms);
}

TEST(ValueAxis, CarriesTheUnitOnTop) {
    EXPECT_EQ(labels(byte_axis(4235).ticks), (std::vector<std::string>{"0", "2,000", "4,000 B"}));
    EXPECT_EQ(labels(byte_axis(341'654).ticks), (std::vector<std::string>{"0", "200 KiB"}));
    EXPECT_EQ(labels(count_axis(10).ticks), (std::vector<std::string>{"0", "5", "10"}));
    EXPECT_EQ(labels(duration_axis(23'900 * ms).ticks),
              (std::vector<std::string>{"0", "10", "20 s"}));
}

TEST(ValueAxis, HasRoomAboveAnyValue) {
    for (std::uint64_t v = 0; v < UINT64_MAX / 3; v = v * 3 + 1) {
        const auto axis = byte_axis(v);
        EXPECT_GE(axis.top, static_cast<double>(v));
        ASSERT_GE(axis.ticks.size(), 2U);
        EXPECT_LE(axis.ticks.size(), 4U);
        for (const auto& t : axis.ticks) EXPECT_LE(t.at, 1.001);
    }
}

TEST(LogAxis, SpreadsFromSecondsToHours) {
    const auto axis = duration_log_axis(2 * second, 5400 * second);
    EXPECT_GT(axis.place(30 * second), axis.place(2 * second));
    EXPECT_LT(axis.place(5400 * second), 0.95);  // room for its label
    EXPECT_EQ(axis.place(0), 0);
    EXPECT_GE(axis.ticks.size(), 2U);
}

}  // namespace
}  // namespace cdcscope::report
