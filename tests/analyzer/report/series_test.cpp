// Series stay small and keep their peaks.
#include "analyzer/report/series.h"

#include <gtest/gtest.h>

#include <array>

#include <algorithm>
#include <numeric>
#include <random>

namespace cdcscope::report {
namespace {

TEST(StepSeries, KeepsEveryPointUpToItsBound) {
    step_series s(3, 4);
    for (std::int64_t i = 0; i < 3; ++i) s.add(i, static_cast<std::uint64_t>(i));
    EXPECT_FALSE(s.thinned());
    EXPECT_EQ(s.points().size(), 3U);
    s.add(3, 3);
    EXPECT_TRUE(s.thinned());
}

TEST(StepSeries, OneBeyondTheBoundLosesNoExtremeOfALongLine) {
    step_series s(100, 50);
    std::mt19937_64 random(7);
    std::int64_t at = 0;
    for (int i = 0; i < 100'000; ++i)
        s.add(at += static_cast<std::int64_t>(random() % 1000), random() % 5000 + 1);
    s.add(at += 10, 1'000'000);
    s.add(at += 10, 0);
    for (int i = 0; i < 100'000; ++i)
        s.add(at += static_cast<std::int64_t>(random() % 100'000), random() % 5000 + 1);
    const auto points = s.points();
    EXPECT_LE(points.size(), 200U);
    EXPECT_EQ(s.largest(), 1'000'000U);
    EXPECT_TRUE(
        std::any_of(points.begin(), points.end(), [](auto& p) { return p.value == 1'000'000; }));
    EXPECT_TRUE(std::any_of(points.begin(), points.end(), [](auto& p) { return p.value == 0; }));
    EXPECT_TRUE(
        std::is_sorted(points.begin(), points.end(), [](auto& a, auto& b) { return a.at < b.at; }));
    EXPECT_EQ(points.back().at, at);
}

TEST(StepSeries, TimeThatGoesBackIsTakenAsTheLastOne) {
    step_series s;
    s.add(10, 1);
    s.add(5, 2);
    EXPECT_EQ(s.points().back(), (point{10, 2}));
}

TEST(StepSeries, ExtremeTimesDoNotOverflow) {
    step_series s(2, 4);
    for (const auto at :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, INT64_MAX / 2, INT64_MAX - 1})
        s.add(at, 1);
    EXPECT_EQ(s.points().back().at, INT64_MAX - 1);
}

TEST(TimeSums, BarsAreRoundAndAddUp) {
    time_sums s;
    std::uint64_t all = 0;
    for (std::int64_t i = 0; i < 10'000; ++i) {
        s.add(i * 13'000'000, 3);
        all += 3;
    }
    const auto view = s.bars(240);
    EXPECT_LE(view.sums.size(), 240U);
    EXPECT_EQ(view.width, 1'000'000'000);
    EXPECT_EQ(view.from % view.width, 0);
    EXPECT_EQ(std::accumulate(view.sums.begin(), view.sums.end(), std::uint64_t{0}), all);
}

TEST(TimeSums, AFewThingsKeepAFineWidth) {
    time_sums s;
    s.add(1'000'000, 5);
    s.add(1'000'400, 6);
    s.add(1'240'000, 7);
    const auto view = s.bars(240);
    EXPECT_EQ(view.width, 2000);
    EXPECT_EQ(view.sums.front(), 11U);
    EXPECT_EQ(view.sums.back(), 7U);
}

TEST(TimeSums, FewThingsFarApartStayFew) {
    time_sums s(120);
    constexpr std::int64_t minute = 60'000'000'000;
    for (std::int64_t i = 0; i < 100; ++i) s.add(i * minute, 1);
    s.add(99 * minute + 2000, 1);
    const auto view = s.bars(240);
    EXPECT_EQ(view.width, 50'000'000'000);
    EXPECT_EQ(view.sums.size(), 119U);
    EXPECT_EQ(view.sums.back(), 2U);
}

TEST(TimeSums, ManyAddUpInTheirBoundWhateverTheirOrder) {
    time_sums s(120);
    std::mt19937_64 random(3);
    std::uint64_t all = 0;
    std::int64_t at = 1'700'000'000'000'000'000;
    for (int i = 0; i < 50'000; ++i) {
        at += static_cast<std::int64_t>(random() % 3'000'000) - 1'000'000;
        const auto amount = random() % 100;
        s.add(at, amount);
        all += amount;
    }
    for (const std::size_t most : {std::size_t{240}, std::size_t{20}, std::size_t{1}}) {
        const auto view = s.bars(most);
        EXPECT_LE(view.sums.size(), most);
        EXPECT_EQ(std::accumulate(view.sums.begin(), view.sums.end(), std::uint64_t{0}), all);
    }
    EXPECT_EQ(s.total(), all);
}

TEST(TickCourses, AreKeptByKind) {
    tick_courses ticks;
    EXPECT_TRUE(ticks.empty());
    ticks.add(tick_kind::noop, 5);
    ticks.add(tick_kind::data, 7, 3);
    ticks.add(tick_kind::noop, 9);
    EXPECT_EQ(ticks[tick_kind::noop].total(), 2U);
    EXPECT_EQ(ticks[tick_kind::data].total(), 3U);
    EXPECT_TRUE(ticks[tick_kind::takeover].empty());
}

TEST(TimeSums, EmptyGivesNoBars) {
    EXPECT_TRUE(time_sums{}.bars().sums.empty());
}

TEST(DurationHistogram, ClassesAreHalfOpen) {
    duration_histogram h;
    h.add(999'999, false);
    h.add(1'000'000, false);
    h.add(1'999'999, true);
    const auto [first, end] = h.used();
    ASSERT_EQ(end - first, 2U);
    EXPECT_EQ(duration_histogram::edge(first), 500'000);
    EXPECT_EQ(h.all()[first].committed, 1U);
    EXPECT_EQ(h.all()[first + 1].committed, 1U);
    EXPECT_EQ(h.all()[first + 1].aborted, 1U);
}

TEST(DurationHistogram, WhatIsOutsideGoesToTheEnds) {
    duration_histogram h;
    h.add(-5, false);
    h.add(INT64_MAX, false);
    EXPECT_EQ(h.used(), (std::pair<std::size_t, std::size_t>{0, duration_histogram::classes}));
    EXPECT_EQ(duration_histogram{}.used(), (std::pair<std::size_t, std::size_t>{0, 0}));
}

TEST(TimeSums, RememberWhenTheFirstAndTheLastCame) {
    time_sums sums;
    EXPECT_EQ(sums.total(), 0U);
    for (const std::int64_t at : std::array<std::int64_t, 3>{5, 1, 9}) sums.add(at * 1000, 2);
    EXPECT_EQ(sums.total(), 6U);
    EXPECT_EQ(sums.first(), 1000);
    EXPECT_EQ(sums.last(), 9000);
}

}  // namespace
}  // namespace cdcscope::report
