// When a hole is final, and what it is called.
#include <gtest/gtest.h>

#include "tests/analyzer/tcp/wire_script.h"

namespace cdcscope::tcp::testing {
namespace {

constexpr auto c2s = direction::c2s;
constexpr auto s2c = direction::s2c;
using strings = std::vector<std::string>;

TEST(Holes, AnAcknowledgementAheadOfTheDataIsNoHoleYet) {
    wire_script w;
    w.handshake();
    w.acknowledge(c2s, 1001, 5004);
    w.data(s2c, 5001, "abc", 1001);
    w.acknowledge(c2s, 1001, 5007);
    w.data(s2c, 5007, "ghi", 1001);
    w.data(s2c, 5004, "def", 1001);
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "abcdefghi");
    EXPECT_TRUE(w.seen.counts.empty());
}

TEST(Holes, AnAcknowledgedHoleIsFinalAfterTwoSeconds) {
    wire_script w;
    w.handshake();
    w.data(s2c, 5004, "def", 1001);
    w.acknowledge(c2s, 1001, 5007);
    w.now_ns += 1'900'000'000;
    w.acknowledge(c2s, 1001, 5007);
    EXPECT_TRUE(w.only().holes[1].empty());
    w.now_ns += 200'000'000;
    w.acknowledge(c2s, 1001, 5007);
    EXPECT_EQ(w.only().holes[1], strings{"0+3 acked_unseen"});
    EXPECT_EQ(w.only().bytes[1], "def");
    EXPECT_EQ(w.seen.count("tcp.gap"), 1);
    EXPECT_EQ(w.seen.count("tcp.acked_unseen"), 1);
}

TEST(Holes, WhatIsFinalAsksForNoTimeAnyMore) {
    wire_script w;
    w.handshake();
    w.data(s2c, 5001, "abc", 1001);
    w.acknowledge(c2s, 1001, 5010);  // and nothing else of the server comes
    EXPECT_EQ(w.table.timers(), 1U);
    w.client = host(7, 7);
    for (int i = 0; i < 4; ++i) {
        w.now_ns += 1'000'000'000;
        w.control(c2s, capture::tcp_flag::syn, 1);
    }
    EXPECT_EQ(w.table.timers(), 0U);
}

TEST(Holes, TheTimeOfOtherConnectionsCountsToo) {
    wire_script w;
    w.handshake();
    w.data(s2c, 5004, "def", 1001);
    w.acknowledge(c2s, 1001, 5007);
    w.client = host(7, 7);
    for (int i = 0; i < 4; ++i) {
        w.now_ns += 700'000'000;
        w.control(c2s, capture::tcp_flag::syn, 1);
    }
    EXPECT_EQ(w.stories[0]->holes[1], strings{"0+3 acked_unseen"});
}

TEST(Holes, AnAcknowledgedHoleIsFinalAfterAMebibyte) {
    wire_script w;
    w.handshake();
    const std::string block(1000, 'x');
    std::uint32_t at = 5002;
    w.data(s2c, at, block, 1001);
    w.acknowledge(c2s, 1001, at += 1000);
    int blocks = 0;
    for (; w.only().holes[1].empty(); ++blocks, at += 1000) {
        ASSERT_LT(blocks, 2000);
        w.data(s2c, at, block, 1001);
    }
    EXPECT_NEAR(blocks, 1049, 1);
}

TEST(Holes, ManyHolesDoNotWaitForEachOther) {
    wire_script w;
    w.handshake();
    const std::string block(1000, 'x');
    std::uint32_t at = 5001;
    for (int i = 0; i < 10000; ++i, at += 1000) {
        if (i % 5 == 4) continue;
        w.data(s2c, at, block, 1001);
        w.acknowledge(c2s, 1001, at + 1000);
        ASSERT_LT(w.table.held(), 1'600'000U);
    }
    w.table.finish();
    EXPECT_EQ(w.only().holes[1].size(), 1999U);
    EXPECT_EQ(w.seen.count("cap.memory"), 0);
}

TEST(Holes, AHoleThatNobodyAcknowledgedStaysOpenToTheEnd) {
    wire_script w;
    w.handshake();
    w.data(s2c, 5004, "def", 1001);
    w.now_ns += 60'000'000'000;
    w.acknowledge(c2s, 1001, 5001);
    EXPECT_TRUE(w.only().holes[1].empty());
    w.table.finish();
    EXPECT_EQ(w.only().holes[1], strings{"0+3 not_acked"});
    EXPECT_EQ(w.seen.count("tcp.gap"), 1);
    EXPECT_EQ(w.seen.count("tcp.acked_unseen"), 0);
}

TEST(Holes, WhatComesAfterItsHoleWasGivenUpIsLeftOut) {
    wire_script w;
    w.handshake();
    w.data(s2c, 5004, "def", 1001);
    w.acknowledge(c2s, 1001, 5007);
    w.now_ns += 3'000'000'000;
    w.data(s2c, 5001, "abc", 1001);
    w.data(s2c, 5001, "abc", 1001);
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "def");
    EXPECT_EQ(w.seen.count("tcp.too_late"), 2);
    EXPECT_EQ(w.seen.count("tcp.retransmission"), 0);
}

TEST(Holes, BytesBehindAHoleAreAvailableWithoutWaitingForWhoGaveItUp) {
    wire_script w;
    w.handshake();
    w.data(s2c, 5007, "ghi", 1001);
    w.data(s2c, 5004, "def", 1001);
    w.acknowledge(c2s, 1001, 5010);
    w.now_ns += 3'000'000'000;
    w.acknowledge(c2s, 1001, 5010);
    const auto& chunks = w.only().chunks[1];
    ASSERT_EQ(chunks.size(), 2U);
    EXPECT_EQ(chunks[0].available.at.frame, 5U);
    EXPECT_EQ(chunks[1].brought.at.frame, 4U);
    EXPECT_EQ(chunks[1].available.at.frame, 5U);
}

TEST(Holes, WhatWasAcknowledgedAndNeverShownIsSettledInTime) {
    wire_script w;
    w.handshake();
    w.data(s2c, 5001, "abc", 1001);
    w.acknowledge(c2s, 1001, 5020);
    w.now_ns += 2'500'000'000;
    w.acknowledge(c2s, 1001, 5020);
    EXPECT_EQ(w.only().settled[1], std::vector<position>{19});
    w.data(s2c, 5004, "def", 1001);  // it may still come
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "abcdef");
    // What did not is a hole like any other in the end (E2).
    EXPECT_EQ(w.only().holes[1], strings{"6+13 acked_unseen"});
}

TEST(Snaplen, TailsOfCutFramesAreHolesOfKnownLength) {
    wire_script w;
    w.handshake();
    capture::segment s = w.segment(s2c, 5001, "abc", 1001);
    s.wire_payload = 10;
    w.put(s);
    w.data(s2c, 5011, "xyz", 1001);
    w.table.finish();
    EXPECT_EQ(w.only().holes[1], strings{"3+7 snaplen"});
    EXPECT_EQ(w.only().bytes[1], "abcxyz");
    EXPECT_EQ(w.seen.count("capture.snaplen"), 1);
    EXPECT_EQ(w.seen.count("tcp.gap"), 1);
    EXPECT_EQ(w.seen.count("tcp.acked_unseen"), 0);
}

TEST(Snaplen, FramesWithoutAnyPayloadMakeOneHole) {
    wire_script w;
    w.handshake();
    for (std::uint32_t i = 0; i < 3; ++i) {
        capture::segment s = w.segment(s2c, 5001 + 100 * i, {}, 1001);
        s.wire_payload = 100;
        w.put(s);
        w.acknowledge(c2s, 1001, 5101 + 100 * i);
        w.now_ns += 3'000'000'000;
    }
    w.table.finish();
    EXPECT_EQ(w.only().holes[1], strings{"0+300 snaplen"});
}

TEST(Snaplen, ARepeatMayBringWhatTheFirstCopyLacked) {
    wire_script w;
    w.handshake();
    capture::segment s = w.segment(s2c, 5001, "abc", 1001);
    s.wire_payload = 6;
    w.put(s);
    w.data(s2c, 5004, "def", 1001);
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "abcdef");
    EXPECT_TRUE(w.only().holes[1].empty());
}

TEST(Memory, AtTheCapOfADirectionItsLowestHoleIsFinal) {
    limits limit;
    limit.held_per_direction = 10'000;
    wire_script w(limit);
    w.handshake();
    const std::string block(1000, 'x');
    for (std::uint32_t i = 0; i < 20; ++i) {
        w.data(s2c, 5002 + 1000 * i, block);
        EXPECT_LE(w.table.held(), 10'000U);
    }
    w.table.finish();
    EXPECT_EQ(w.only().holes[1], strings{"0+1 memory_cap"});
    EXPECT_EQ(w.only().bytes[1].size(), 20'000U);
    EXPECT_EQ(w.seen.count("cap.memory"), 1);
}

TEST(Memory, AtTheCapOfAllTheLargestHolderLetsGo) {
    limits limit;
    limit.held_total = 20'000;
    wire_script w(limit);
    const std::string block(1000, 'x');
    w.handshake();
    w.data(s2c, 5002, block);
    w.client = host(3, 40001);
    w.handshake();
    for (std::uint32_t i = 0; i < 18; ++i) w.data(s2c, 5002 + 1000 * i, block);
    EXPECT_LE(w.table.held(), 20'000U);
    EXPECT_EQ(w.stories[0]->holes[1].size(), 0U);
    EXPECT_EQ(w.stories[1]->holes[1], strings{"0+1 memory_cap"});
}

TEST(Memory, WhoeverWantsNoContentHoldsNone) {
    wire_script w;
    w.content = false;
    w.handshake();
    w.data(s2c, 5002, std::string(60'000, 'x'), 1001);
    EXPECT_LT(w.table.held(), 500U);
    w.data(s2c, 5001, "a", 1001);
    w.table.finish();
    EXPECT_EQ(w.only().chunks[1].back().size, 60'000U);
}

}  // namespace
}  // namespace cdcscope::tcp::testing
