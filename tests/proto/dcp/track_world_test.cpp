// What connections know together.
#include "proto/dcp/track_world.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace cdcscope::dcp {
namespace {

TEST(SharedKnowledge, EqualTextsAreOneNumber) {
    shared_knowledge all;
    EXPECT_EQ(all.intern(""), 0U);
    const text_id travel = all.intern("travel");
    EXPECT_NE(travel, 0U);
    EXPECT_EQ(all.intern("travel"), travel);
    EXPECT_NE(all.intern("Travel"), travel);
}

TEST(SharedKnowledge, MoreTextsThanAreRememberedAreNotTakenForEqual) {
    shared_knowledge all;
    std::set<text_id> numbers;
    constexpr std::size_t many = 70'000;
    for (std::size_t i = 0; i < many; ++i)
        numbers.insert(all.intern("reader-" + std::to_string(i)));
    EXPECT_EQ(numbers.size(), many);
}

TEST(SharedKnowledge, ANameIsSharedWhileAnotherConnectionHoldsIt) {
    shared_knowledge all;
    EXPECT_EQ(all.open_name(1, 2, 10), 0U);
    EXPECT_EQ(all.open_name(1, 2, 10), 0U) << "its own";
    EXPECT_EQ(all.open_name(1, 2, 11), 10U);
    EXPECT_EQ(all.open_name(3, 2, 12), 0U) << "another server";
    all.close_name(1, 2, 10);
    all.close_name(1, 2, 11);
    EXPECT_EQ(all.open_name(1, 2, 13), 0U);
}

TEST(SharedKnowledge, AnAbandonedStreamIsSavedOnlyByARequestInTime) {
    shared_knowledge all;
    const auto in_time = all.abandon(1, 2, 7, 1000, 30);
    all.asked(1, 2, 7, 1030);
    EXPECT_TRUE(in_time->asked_again);
    const auto late = all.abandon(1, 2, 7, 2000, 30);
    all.asked(1, 2, 8, 2001);
    all.asked(1, 3, 7, 2001);
    EXPECT_FALSE(late->over);
    all.asked(1, 2, 7, 2031);
    EXPECT_FALSE(late->asked_again);
    EXPECT_TRUE(late->over);
    EXPECT_EQ(late->over_at, 2031);
}

TEST(SharedKnowledge, TheFurthestPositionCountsUntilARollback) {
    shared_knowledge all;
    const shared_knowledge::stream_identity stream{1, 2, 3, 7, 0xaa};
    const auto reach = [&](std::uint64_t seqno, std::uint64_t order, std::uint32_t connection) {
        all.reached(stream, {.highest = seqno,
                             .resumable = seqno,
                             .order = order,
                             .closed = all.next_order(),
                             .closed_ns = 1000,
                             .unsure = false,
                             .connection = connection});
    };
    const std::uint64_t first = all.next_order();
    reach(100, first, 10);
    reach(60, all.next_order(), 11);
    const std::uint64_t asked = all.next_order();
    ASSERT_NE(all.earlier(stream, asked, 1000), nullptr);
    EXPECT_EQ(all.earlier(stream, asked, 1000)->highest, 100U);
    EXPECT_EQ(all.earlier({1, 2, 3, 7, 0xbb}, asked, 1000), nullptr) << "another branch";
    EXPECT_EQ(all.earlier(stream, first, 1000), nullptr) << "not closed by then";
    EXPECT_EQ(all.earlier(stream, asked, 999), nullptr) << "heard of late, sent before the close";
    all.next_order();
    all.rolled_back(1, 2, 7);
    EXPECT_EQ(all.earlier(stream, all.next_order(), 1000), nullptr);
    reach(50, all.next_order(), 12);
    EXPECT_EQ(all.earlier(stream, all.next_order(), 1000)->highest, 50U);
}

TEST(SharedKnowledge, AHoleMayHoldWhatAClientAsked) {
    shared_knowledge all;
    const std::uint64_t before = all.next_order();
    all.hole(1);
    EXPECT_TRUE(all.hole_since(1, before));
    EXPECT_FALSE(all.hole_since(2, before)) << "another client";
    EXPECT_FALSE(all.hole_since(1, all.next_order()));
}

TEST(SharedKnowledge, WritesAreKeptOnlyWhereDcpIsAndNotForEver) {
    shared_knowledge all;
    all.wrote(1, 7, 0xaa, 5, {});
    EXPECT_FALSE(all.any_writes());
    all.dcp_seen();
    for (std::uint64_t seqno = 1; seqno <= 70'000; ++seqno) all.wrote(1, 7, 0xaa, seqno, {});
    EXPECT_EQ(all.write_of(1, 7, 0xaa, 1), nullptr);
    EXPECT_NE(all.write_of(1, 7, 0xaa, 70'000), nullptr);
    EXPECT_EQ(all.write_of(1, 8, 0xaa, 70'000), nullptr);
}

TEST(SharedKnowledge, TheNewestHistoryReplacesTheOneBefore) {
    shared_knowledge all;
    EXPECT_EQ(all.newest_history(1, 7, {0xaa, {}, 1}).uuid, 0U);
    EXPECT_EQ(all.newest_history(2, 7, {0xbb, {}, 1}).uuid, 0U) << "another bucket";
    EXPECT_EQ(all.newest_history(1, 7, {0xcc, {}, 2}).uuid, 0xaaU);
}

}  // namespace
}  // namespace cdcscope::dcp
