// The charts of a connection show the part of its life in which something changes.
#include "analyzer/report/window_span.h"

#include <gtest/gtest.h>

namespace cdcscope::report {
namespace {

constexpr std::int64_t ms = 1'000'000;

connection lives(std::int64_t length_ms) {
    connection c;
    c.life = {0, length_ms * ms};
    c.flow.make().on = true;
    return c;
}

TEST(Busiest, IsTheShortestPartWithItsShareOfAllMovement) {
    // 5 up, then 90 up and down within 10 ms, then 5 down a long time after.
    const std::vector<point> values{{0, 5}, {500, 50}, {510, 5}, {2000, 0}};
    const auto part = busiest(values, 0.85);
    EXPECT_EQ(part.from, 500);
    EXPECT_EQ(part.to, 510);
    EXPECT_EQ(busiest(values, 1).from, 0);
    EXPECT_EQ(busiest(values, 1).to, 2000);
}

TEST(Busiest, OfASingleJumpIsItsMoment) {
    const std::vector<point> values{{0, 1}, {700, 1000}, {900, 1001}};
    EXPECT_EQ(busiest(values, 0.9).from, 700);
    EXPECT_EQ(busiest(values, 0.9).length(), 0);
    EXPECT_EQ(busiest({}, 0.9).length(), 0);
}

TEST(WindowSpan, IsThePartInWhichTheBytesMove) {
    auto c = lives(260);
    c.window.add(11 * ms, 400);
    for (int i = 0; i < 20; ++i) c.window.add((63 + 2 * i) * ms, i % 2 == 0 ? 9000 : 100);
    c.window.add(250 * ms, 101);
    const auto part = window_span(c);
    EXPECT_GE(part.from, 60 * ms);
    EXPECT_LE(part.from, 63 * ms);
    EXPECT_GE(part.to, 101 * ms);
    EXPECT_LE(part.to, 110 * ms);
}

TEST(WindowSpan, IsTheWholeWhereChangesAreSpreadOverIt) {
    auto c = lives(260);
    for (int i = 0; i < 20; ++i) c.window.add((10 + 12 * i) * ms, i % 2 == 0 ? 9000 : 100);
    EXPECT_EQ(window_span(c).length(), c.life.length());
    EXPECT_EQ(window_span(lives(5)).length(), 5 * ms);
}

TEST(WindowSpan, HoldsAllWaiting) {
    auto c = lives(10'000);
    for (int i = 0; i < 20; ++i) c.window.add((60 + i) * ms, i % 2 == 0 ? 9000 : 100);
    c.flow.make().full = {{70 * ms, 71 * ms}, {3'000 * ms, 3'050 * ms}};
    EXPECT_GE(window_span(c).to, 3'050 * ms);
    // Of what lasts to the end its beginning is enough.
    c.flow.make().full.back() = {79 * ms, 10'000 * ms};
    c.flow.make().full_at_end = true;
    EXPECT_LT(window_span(c).to, 200 * ms);
}

TEST(TimelineSpan, LeavesOutTheTimeInWhichNothingHappens) {
    auto c = lives(2'000);
    c.ticks.add(tick_kind::data, 1'000 * ms);
    c.ticks.add(tick_kind::noop, 1'100 * ms);
    stream_row s;
    s.asked = {1'000 * ms, 3, 0};
    s.live = true;
    const auto part = timeline_span(c, {&s});
    EXPECT_LT(part.from, 1'000 * ms);
    EXPECT_GT(part.from, 900 * ms);
    EXPECT_GT(part.to, 1'100 * ms);
    EXPECT_LT(part.to, 1'200 * ms);
    c.ticks.add(tick_kind::noop, 1'900 * ms);
    EXPECT_EQ(timeline_span(c, {&s}).length(), c.life.length());
}

}  // namespace
}  // namespace cdcscope::report
