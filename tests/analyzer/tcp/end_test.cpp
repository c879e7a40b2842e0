// Ends, and new connections on old addresses.
#include <gtest/gtest.h>

#include "tests/analyzer/tcp/wire_script.h"

namespace cdcscope::tcp::testing {
namespace {

using capture::tcp_flag::ack;
using capture::tcp_flag::fin;
using capture::tcp_flag::rst;
using capture::tcp_flag::syn;
constexpr auto c2s = direction::c2s;
constexpr auto s2c = direction::s2c;
using strings = std::vector<std::string>;

TEST(StreamEnd, AFinThatCameEarlyWaitsForItsPlace) {
    wire_script w;
    w.handshake();
    w.data(s2c, 5001, "ab");
    w.control(s2c, fin | ack, 5005, 1001);
    EXPECT_TRUE(w.only().ends.empty());
    w.data(s2c, 5003, "cd");
    EXPECT_EQ(w.only().ends, strings{"s2c fin 4"});
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "abcd");
    EXPECT_EQ(w.only().ends.size(), 1U);
    EXPECT_EQ(w.only().end_frames, std::vector<std::uint32_t>{w.frame});  // that filled the hole
}

TEST(StreamEnd, IsToldWithItsOwnFrameWhereTheHoleBeforeItIsFinalOnlyAtTheEnd) {
    for (const std::uint8_t how : {fin, rst}) {
        wire_script w;
        w.handshake();
        w.data(s2c, 5001, "ab");
        w.data(s2c, 5011, "cd");
        w.control(s2c, static_cast<std::uint8_t>(how | ack), 5013, 1001);
        const std::uint32_t frame = w.frame;
        w.acknowledge(c2s, 1001, 5013);
        w.table.finish();
        EXPECT_EQ(w.only().holes[1].size(), 1U);
        EXPECT_EQ(w.only().end_frames, std::vector<std::uint32_t>{frame});
    }
}

TEST(StreamEnd, AResetShowsThatBytesBeforeItAreMissing) {
    for (const bool more : {true, false}) {
        wire_script w;
        w.handshake();
        w.data(c2s, 1001, "ab");
        w.control(c2s, rst, more ? 1011 : 1004);  // one more may be a FIN
        w.table.finish();
        EXPECT_EQ(w.only().holes[0], more ? strings{"2+8 not_acked"} : strings{});
        EXPECT_EQ(w.only().ends.size(), 1U);
    }
}

TEST(StreamEnd, WhatWasAcknowledgedOfADirectionWithNothingButItsSynIsAHole) {
    wire_script w;
    w.handshake();
    w.data(c2s, 1001, "ab", 5001);
    w.acknowledge(c2s, 1003, 5101);
    w.table.finish();
    EXPECT_EQ(w.only().holes[1], strings{"0+100 acked_unseen"});
}

TEST(StreamEnd, TheOtherSideGoesOnAfterAHalfClose) {
    wire_script w;
    w.handshake();
    w.control(c2s, fin | ack, 1001, 5001);
    w.data(s2c, 5001, "more", 1002);
    w.control(s2c, fin | ack, 5005, 1002);
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "more");
    EXPECT_EQ(w.only().ends, (strings{"c2s fin 0", "s2c fin 4"}));
    EXPECT_EQ(w.only().how, end_kind::fin);
}

TEST(StreamEnd, AFinMayCarryTheLastDataAndComeAgain) {
    wire_script w;
    w.handshake();
    capture::segment s = w.segment(s2c, 5001, "end");
    s.flags = fin | ack;
    w.put(s);
    s.ip_id = 999;
    w.put(s);
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "end");
    EXPECT_EQ(w.only().ends, strings{"s2c fin 3"});
    EXPECT_EQ(w.seen.count("tcp.out_of_window"), 0);
}

TEST(StreamEnd, DataBehindAFinIsOutOfWindow) {
    wire_script w;
    w.handshake();
    w.control(s2c, fin | ack, 5003, 1001);
    w.data(s2c, 5001, "abXX");
    w.data(s2c, 5010, "XX");
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "ab");
    EXPECT_EQ(w.seen.count("tcp.out_of_window"), 2);
}

TEST(StreamEnd, AFinThatIsNeverReachedLeavesAHole) {
    wire_script w;
    w.handshake();
    w.data(s2c, 5001, "ab");
    w.control(s2c, fin | ack, 5011, 1001);
    w.acknowledge(c2s, 1001, 5012);
    w.table.finish();
    EXPECT_EQ(w.only().holes[1], strings{"2+8 acked_unseen"});
    EXPECT_EQ(w.only().ends, strings{"s2c fin 10"});
}

TEST(StreamEnd, ARstAtTheNextByteEndsTheConnection) {
    wire_script w;
    w.handshake();
    w.control(c2s, rst | ack, 1001, 5001);
    w.table.finish();
    EXPECT_EQ(w.only().ends, strings{"c2s rst 0"});
    EXPECT_EQ(w.only().how, end_kind::rst);
}

TEST(StreamEnd, ARstFarAwayIsOutOfWindow) {
    wire_script w;
    w.handshake();
    w.control(s2c, rst, 5001 + (1U << 30));
    w.data(s2c, 5001, "on");
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "on");
    EXPECT_TRUE(w.only().ends.empty());
    EXPECT_EQ(w.seen.count("tcp.out_of_window"), 1);
}

TEST(StreamEnd, ARstOutsideTheWindowIsIgnoredAndANote) {
    wire_script w;
    w.handshake();
    w.acknowledge(c2s, 1001, 5001);  // offers 60000 bytes, not scaled
    w.control(s2c, rst, 5001 + 65535 * 128 + 1);
    w.control(s2c, rst, 5000);
    EXPECT_TRUE(w.only().ends.empty());
    EXPECT_EQ(w.seen.count("tcp.rst_ignored"), 2);
    EXPECT_EQ(w.seen.count("tcp.out_of_window"), 0);
}

TEST(StreamEnd, DataOfBeforeARstIsTakenWhenItComesLate) {
    wire_script w;
    w.handshake();
    w.control(s2c, rst | ack, 5005, 1001);
    w.data(s2c, 5001, "abcd");
    EXPECT_EQ(w.only().ends, strings{"s2c rst 4"});
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "abcd");
}

TEST(StreamEnd, RepeatsAfterTheEndBelongToTheOldConnection) {
    wire_script w;
    w.handshake();
    w.data(s2c, 5001, "abc", 1001);
    w.control(c2s, fin | ack, 1001, 5004);
    w.control(s2c, fin | ack, 5004, 1002);
    w.control(c2s, ack, 1002, 5005);
    w.data(s2c, 5001, "abc", 1001);
    w.control(s2c, fin | ack, 5004, 1002);
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "abc");
    EXPECT_EQ(w.seen.count("tcp.out_of_window"), 0);
}

TEST(StreamEnd, ASynBehindAFinBelongsToAnotherConnection) {
    wire_script w;
    w.control(s2c, fin | ack, 5001, 1001);
    w.control(s2c, syn | ack, 5005, 1001);
    w.table.finish();
    ASSERT_EQ(w.stories.size(), 2U);
    EXPECT_EQ(w.stories[0]->ends, strings{"s2c fin 0"});
}

TEST(StreamEnd, ARstBehindAFinThatStillWaitsDoesNotOvertakeIt) {
    wire_script w;
    w.control(s2c, fin | ack, 5001, 1001);
    w.control(s2c, rst, 5002);
    w.table.finish();
    EXPECT_EQ(w.only().ends, (strings{"s2c fin 0", "s2c rst 1"}));
}

TEST(PortReuse, ANewSynBeginsANewConnectionAfterAClose) {
    wire_script w;
    w.handshake();
    w.control(c2s, fin | ack, 1001, 5001);
    w.control(s2c, fin | ack, 5001, 1002);
    w.control(c2s, syn, 90000);
    w.control(s2c, syn | ack, 80000, 90001);
    w.data(c2s, 90001, "new", 80001);
    w.table.finish();
    ASSERT_EQ(w.stories.size(), 2U);
    EXPECT_EQ(w.stories[0]->how, end_kind::reused);
    EXPECT_EQ(w.stories[1]->who.id, 2U);
    EXPECT_EQ(w.stories[1]->bytes[0], "new");
}

TEST(PortReuse, ANewSynBeginsANewConnectionWithoutACloseEvenInTheOldWindow) {
    wire_script w;
    w.handshake();
    w.data(c2s, 1001, "old", 5001);
    w.control(c2s, syn, 1500);
    w.control(s2c, syn | ack, 5200, 1501);
    w.data(s2c, 5201, "new", 1501);
    w.table.finish();
    ASSERT_EQ(w.stories.size(), 2U);
    EXPECT_EQ(w.stories[0]->bytes[0], "old");
    EXPECT_EQ(w.stories[1]->bytes[1], "new");
}

TEST(PortReuse, TheAnswerBeforeItsSynBeginsTheNewConnectionToo) {
    wire_script w;
    w.handshake();
    w.control(s2c, syn | ack, 80000, 90001);
    w.control(c2s, syn, 90000);
    w.data(c2s, 90001, "new", 80001);
    w.table.finish();
    ASSERT_EQ(w.stories.size(), 2U);
    EXPECT_EQ(w.stories[1]->bytes[0], "new");
    EXPECT_TRUE(w.stories[1]->from_syn[0]);
}

TEST(PortReuse, AConnectionWhoseSynWasMissedIsSeenByItsNumbers) {
    wire_script w;
    w.handshake();
    w.control(c2s, fin | ack, 1001, 5001);
    w.control(s2c, fin | ack, 5001, 1002);
    w.data(c2s, 0x90000000, "new", 0xa0000000);
    w.data(s2c, 0xa0000000, "answer", 0x90000003);
    w.table.finish();
    ASSERT_EQ(w.stories.size(), 2U);
    EXPECT_EQ(w.stories[1]->bytes[0], "new");
    EXPECT_EQ(w.stories[1]->bytes[1], "answer");
}

TEST(Forgetting, AClosedConnectionGoesAfterTwoMinutesOfPacketTime) {
    wire_script w;
    w.handshake();
    w.control(c2s, rst, 1001);
    w.now_ns += 119'000'000'000;
    w.control(c2s, rst, 1001);
    EXPECT_FALSE(w.only().closed);
    w.client = host(9, 1);
    w.now_ns += 121'000'000'000;
    w.control(c2s, syn, 7);
    EXPECT_TRUE(w.stories[0]->closed);
    EXPECT_EQ(w.stories[0]->how, end_kind::rst);
    EXPECT_EQ(w.table.open_connections(), 1U);
}

TEST(Forgetting, AnIdleConnectionIsKeptForADay) {
    wire_script w;
    w.handshake();
    w.client = host(9, 1);
    w.now_ns += 23LL * 3600 * 1'000'000'000;
    w.control(c2s, syn, 7);
    EXPECT_FALSE(w.stories[0]->closed);
    w.now_ns += 2LL * 3600 * 1'000'000'000;
    w.control(c2s, syn, 7);
    EXPECT_TRUE(w.stories[0]->closed);
    EXPECT_EQ(w.stories[0]->how, end_kind::timed_out);
}

TEST(Forgetting, TimeThatGoesBackwardsForgetsNobody) {
    wire_script w;
    w.handshake();
    w.now_ns -= 100LL * 3600 * 1'000'000'000;
    w.data(c2s, 1001, "a", 5001);
    EXPECT_FALSE(w.only().closed);
    EXPECT_EQ(w.only().bytes[0], "a");
}

}  // namespace
}  // namespace cdcscope::tcp::testing
