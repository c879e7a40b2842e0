// Cutting streams into messages: cut messages, unparsed runs, limits.

#include <gtest/gtest.h>

#include "tests/analyzer/recover/talk.h"

namespace cdcscope::recover::testing {
namespace {

constexpr auto c2s = direction::c2s;
constexpr auto s2c = direction::s2c;

TEST(Framing, AMessageInsideOneSegmentIsLentAsAView) {
    struct peek final : handler, capture::observation_sink {
        std::vector<const std::uint8_t*> at;
        void on_connection(const connection_info&) override {}
        void on_protocol(const connection_info&) override {}
        void on_message(const message& m) override { at.push_back(m.bytes.data()); }
        void on_gap(const gap&) override {}
        void on_unparsed(const unparsed_run&) override {}
        void on_end(std::uint32_t, direction, end_kind, const frame_ref&) override {}
        void on_closed(std::uint32_t, end_kind, const frame_ref&) override {}
        void on_observation(const capture::observation&) override {}
    };
    peek to;
    recovery all({}, to, to);
    talk script;
    const std::string two = noop(1) + noop(2);
    capture::segment syn = script.segment(s2c, 0, {}, 0);
    syn.sequence = script.initial[1];
    syn.flags = capture::tcp_flag::syn | capture::tcp_flag::ack;
    all.on_segment(syn);
    all.on_segment(script.segment(s2c, 0, two, 0));
    ASSERT_EQ(to.at.size(), 2U);
    EXPECT_EQ(to.at[0], as_bytes(two).data());
    EXPECT_EQ(to.at[1], as_bytes(two).data() + 24);
}

TEST(Framing, FramesOfAMessageAreThoseThatFirstBroughtIt) {
    talk t;
    t.handshake();  // frames 1 to 3
    const std::string m = mutation(1, std::string(100, 'v'));
    t.put(t.segment(s2c, 60, std::string_view(m).substr(60), 0));
    t.put(t.segment(s2c, 0, std::string_view(m).substr(0, 30), 0));
    t.put(t.segment(s2c, 0, std::string_view(m).substr(0, 60), 0));
    const message& got = t.finish().dirs[1].messages.at(0).m;
    EXPECT_EQ(got.frames.first, 4U);
    EXPECT_EQ(got.frames.last, 6U);
    EXPECT_EQ(got.frames.done.frame, 6U);
}

TEST(Framing, ABeginningInAnEarlierFileCountsAsFrameOne) {
    talk t;
    t.handshake();
    const std::string m = noop(1);
    capture::segment s = t.segment(s2c, 0, std::string_view(m).substr(0, 10), 0);
    s.at = {t.now_ns, 70, 0};
    t.all.on_segment(s);
    s = t.segment(s2c, 10, std::string_view(m).substr(10), 0);
    s.at = {t.now_ns, 3, 1};
    t.all.on_segment(s);
    const message& got = t.finish().dirs[1].messages.at(0).m;
    EXPECT_EQ(got.frames.first, 1U);
    EXPECT_EQ(got.frames.last, 3U);
    EXPECT_EQ(got.frames.done.file, 1U);
}

TEST(CutMessages, AHoleInTheValueLeavesACutMessage) {
    talk t;
    t.handshake();
    const std::string m = mutation(1, std::string(400, 'v'));
    const std::string_view bytes = m;
    t.say(s2c, bytes.substr(0, 100));
    t.lose(s2c, bytes.substr(100, 150));
    t.say(s2c, bytes.substr(250));
    t.say(s2c, mutation(2, "next"));
    const kept_direction& have = t.finish().dirs[1];
    ASSERT_EQ(have.messages.size(), 2U);
    const kept_message& cut = have.messages[0];
    EXPECT_TRUE(cut.m.cut);
    EXPECT_EQ(cut.bytes, bytes.substr(0, 100));
    EXPECT_EQ(cut.m.captured, m.size() - 150);
    EXPECT_EQ(cut.m.wire_length, m.size());
    EXPECT_FALSE(cut.m.after_gap);
    EXPECT_TRUE(have.messages[1].m.after_gap);
    EXPECT_EQ(have.messages[1].m.gap_bytes, 150U);
    ASSERT_EQ(have.gaps.size(), 1U);
    EXPECT_TRUE(have.gaps[0].inside_value);
    EXPECT_EQ(have.totals.unparsed, 0U);
}

TEST(CutMessages, TheLastByteOfTheKeyDecides) {
    for (const std::size_t captured : {24U + 31U + 5U, 24U + 31U + 4U}) {
        talk t;
        t.handshake();
        const std::string m = mutation(1, std::string(400, 'v'));  // its key is "key-1"
        t.say(s2c, std::string_view(m).substr(0, captured));
        t.lose(s2c, std::string_view(m).substr(captured));
        t.say(s2c, noop(2) + noop(3) + noop(4));
        const kept_direction& have = t.finish().dirs[1];
        EXPECT_EQ(have.totals.cut_messages, captured == 60 ? 1U : 0U);
        EXPECT_EQ(have.totals.unparsed, captured == 60 ? 0U : 1U);
        EXPECT_EQ(have.totals.messages, 3U);
        EXPECT_EQ(have.gaps[0].inside_value, captured == 60);
    }
}

TEST(CutMessages, WhatTheEndOfTheStreamCutsOffIsNone) {
    talk t;
    t.handshake();
    const std::string m = mutation(1, std::string(400, 'v'));
    t.say(s2c, std::string_view(m).substr(0, 200));
    const kept_direction& have = t.finish().dirs[1];
    EXPECT_TRUE(have.messages.empty());
    ASSERT_EQ(have.unparsed.size(), 1U);
    EXPECT_EQ(have.unparsed[0].kind, unparsed_kind::incomplete);
    EXPECT_EQ(have.unparsed[0].length, 200U);
    EXPECT_EQ(t.got.count("tcp.incomplete_at_end"), 1);
}

TEST(CutMessages, APieceOfACanalPacketIsUnparsed) {
    talk t;
    t.server.port = 11111;
    t.handshake();
    const std::string batch = canal_batch(1, std::string(500, 'r'));
    t.say(s2c, canal_handshake());
    t.say(s2c, std::string_view(batch).substr(0, 200));
    t.lose(s2c, std::string_view(batch).substr(200, 100));
    t.say(s2c, std::string_view(batch).substr(300));
    t.say(s2c, canal_ack());
    const kept_direction& have = t.finish().dirs[1];
    EXPECT_EQ(have.totals.messages, 2U);
    EXPECT_EQ(have.totals.cut_messages, 0U);
    ASSERT_EQ(have.unparsed.size(), 2U);
    EXPECT_EQ(have.unparsed[0].kind, unparsed_kind::piece);
    EXPECT_EQ(have.unparsed[0].length, 200U);
    EXPECT_EQ(have.unparsed[1].kind, unparsed_kind::skipped);
    EXPECT_EQ(t.got.count("tcp.resync"), 1);
}

// E6: the length of a message that a hole hit in its header is never believed.
TEST(Holes, ALengthOfMixedBytesIsNotWaitedFor) {
    for (std::size_t lost = 1; lost < 24; ++lost) {
        talk t;
        t.handshake();
        const std::string m = mutation(1, std::string(100, 'v'));
        t.say(s2c, std::string_view(m).substr(0, 24 - lost));
        t.lose(s2c, std::string_view(m).substr(24 - lost, lost));
        t.say(s2c, std::string_view(m).substr(24));
        t.say(s2c, noop(2) + noop(3) + noop(4));
        EXPECT_EQ(t.finish().dirs[1].totals.messages, 3U) << lost;
    }
}

TEST(Limits, ALengthOfFourGibibytesAllocatesNothing) {
    talk t;
    t.handshake();
    std::string m = noop(1);
    m.replace(8, 4, "\xff\xff\xff\xff");
    t.say(s2c, m);
    t.say(s2c, noop(2) + noop(3) + noop(4));
    EXPECT_LT(t.all.most_held(), 2000U);
    EXPECT_EQ(t.finish().dirs[1].totals.messages, 3U);
}

TEST(Limits, AMessageUnderConstructionGrowsAsItsBytesArrive) {
    talk t;
    t.handshake();
    const std::string m = mutation(1, std::string(30U << 20, 'v'));
    t.say(s2c, std::string_view(m).substr(0, 1000));
    EXPECT_LT(t.all.held(), 2000U);
}

TEST(Limits, TheLargestBodyIsTakenAndOneMoreIsNot) {
    options chosen;
    chosen.messages.dcp_body = 1000;
    for (const std::size_t beyond : {0U, 1U}) {
        talk t(chosen);
        t.handshake();
        const std::string m = mutation(1, std::string(1000 - 31 - 5 + beyond, 'v'));
        t.say(s2c, m);
        t.say(s2c, noop(2) + noop(3) + noop(4));
        const kept_connection& have = t.finish();
        EXPECT_EQ(have.dirs[1].totals.messages, 4U - beyond);
        EXPECT_EQ(t.got.count("cap.message"), static_cast<int>(beyond));
        EXPECT_EQ(t.got.count("tcp.resync"), 0);
        EXPECT_EQ(have.dirs[1].totals.unparsed_bytes, beyond * m.size());
    }
}

TEST(Limits, WithoutMemoryAnUnfinishedMessageIsGivenUp) {
    options chosen;
    chosen.tcp.held_total = 50'000;
    talk t(chosen);
    t.handshake();
    const std::string m = mutation(1, std::string(100'000, 'v'));
    for (std::size_t at = 0; at < m.size(); at += 1000)
        t.say(s2c, std::string_view(m).substr(at, 1000));
    t.say(s2c, noop(2) + noop(3) + noop(4));
    EXPECT_LE(t.all.most_held(), 51'500U);
    EXPECT_EQ(t.finish().dirs[1].totals.messages, 3U);
    EXPECT_GE(t.got.count("cap.memory"), 1);
}

TEST(Limits, WithoutMemoryAClaimThatIsTooLargeTakesNoMessageWithIt) {
    options chosen;
    chosen.tcp.held_total = 50'000;
    talk t(chosen);
    t.handshake();
    t.lose(s2c, noop(1));
    // Looks like the beginning of a mutation of 20 MB.
    t.say(s2c, mutation(2, std::string(20'000'000, 'v')).substr(0, 60));
    constexpr int messages = 400;
    for (int i = 0; i < messages; ++i) t.say(s2c, mutation(3, std::string(300, 'v')));
    EXPECT_LE(t.all.most_held(), 52'000U);
    EXPECT_EQ(t.finish().dirs[1].totals.messages, static_cast<std::uint64_t>(messages));
}

TEST(Limits, WhatIsKeptOfACutMessageIsGivenUpToo) {
    options chosen;
    chosen.tcp.held_total = 50'000;
    talk t(chosen);
    t.handshake();
    const std::string m = mutation(1, std::string(200'000, 'v'));
    t.say(s2c, std::string_view(m).substr(0, 40'000));
    t.lose(s2c, std::string_view(m).substr(40'000, 1000));
    for (std::size_t at = 41'000; at < m.size(); at += 1000) {
        if (at % 2000 == 0) {
            t.lose(s2c, std::string_view(m).substr(at, 1000));
        } else {
            t.say(s2c, std::string_view(m).substr(at, 1000));
        }
        if (at % 10'000 == 0) {
            t.now_ns += 3'000'000'000;
            t.acknowledge(c2s);
        }
    }
    t.say(s2c, noop(2) + noop(3) + noop(4));
    EXPECT_LE(t.all.most_held(), 60'000U);
    const kept_direction& have = t.finish().dirs[1];
    EXPECT_EQ(have.totals.messages, 3U);
    EXPECT_EQ(have.totals.stream_bytes,
              have.totals.message_bytes + have.totals.gap_bytes + have.totals.unparsed_bytes);
    EXPECT_EQ(have.totals.stream_bytes, t.said[1]);
    EXPECT_GE(t.got.count("cap.memory"), 1);
}

TEST(Limits, AnUndecidedBeginningAsksForTimeOnlyWhileTimeCanDecide) {
    talk t;
    // In the middle of a connection: a whole message, and the beginning of one.
    t.say(s2c, noop(1) + mutation(2, std::string(500, 'v')).substr(0, 100));
    t.acknowledge(c2s);
    EXPECT_EQ(t.all.timers(), 1U);
    t.client = talk::host(9, 9);
    for (int i = 0; i < 10; ++i) {
        t.now_ns += 1'000'000'000;
        capture::segment syn = t.segment(c2s, 0, {}, 0);
        syn.flags = capture::tcp_flag::syn;
        t.put(syn);
    }
    EXPECT_EQ(t.all.timers(), 0U);
}

TEST(OutOfStep, ANegativeCanalLengthIsNamedWithWhatStandsBehindIt) {
    talk t;
    t.server.port = 11111;
    t.handshake();
    t.say(s2c, canal_handshake());
    t.say(c2s, std::string("\xff\xff\xff\xfe") + "rest");
    const kept_direction& have = t.finish().dirs[0];
    ASSERT_EQ(have.unparsed.size(), 1U);
    EXPECT_EQ(have.unparsed[0].kind, unparsed_kind::bad_length);
    EXPECT_EQ(have.unparsed[0].claimed_length, 0xfffffffeU);
    EXPECT_EQ(have.heads[0], "rest");
    EXPECT_EQ(t.got.count("tcp.out_of_step"), 1);
}

TEST(OutOfStep, AnEmptyCanalPacketIsAMessage) {
    talk t;
    t.server.port = 11111;
    t.handshake();
    t.say(s2c, canal_handshake());
    t.say(c2s, std::string(4, '\0'));
    EXPECT_EQ(t.finish().dirs[0].totals.messages, 1U);
}

TEST(Resync, ADecoyInADocumentIsPassedOver) {
    talk t;
    t.handshake();
    const std::string decoys = noop(1) + noop(2) + std::string(50, 'x');
    const std::string m = mutation(1, decoys + std::string(300, 'v'));
    t.lose(s2c, std::string_view(m).substr(0, 60));
    t.say(s2c, std::string_view(m).substr(60));
    t.say(s2c, noop(7) + noop(8));
    const kept_direction& have = t.finish().dirs[1];
    ASSERT_EQ(have.totals.messages, 2U);
    EXPECT_EQ(have.messages[0].m.offset, m.size());
}

TEST(Resync, AChainOfTwoAtThePauseOfTheWriterIsBelieved) {
    talk t;
    t.handshake();
    t.lose(s2c, noop(1));
    t.say(s2c, noop(2) + noop(3));
    t.acknowledge(c2s);
    t.now_ns += 3'000'000'000;
    t.acknowledge(c2s);
    t.say(s2c, noop(4));
    t.now_ns += 3'000'000'000;
    t.say(s2c, mutation(5, std::string(200, 'v')).substr(0, 100));
    EXPECT_EQ(t.got.connections.at(1).dirs[1].messages.size(), 3U);
}

TEST(Resync, ManyShortPacketsInARowStayLinear) {
    talk t;
    t.server.port = 11111;
    t.handshake();
    std::string row;
    for (int i = 0; i < 100'000; ++i) row += canal_packet(3, {});
    // Behind a hole only rows: each packet in them begins a chain that breaks at the end.
    t.say(s2c, canal_handshake());
    t.lose(s2c, "12345");
    for (std::size_t at = 0; at < row.size(); at += 60'000) {
        t.say(s2c, std::string_view(row).substr(at, 60'000));
        t.say(s2c, "break!");
    }
    (void)t.finish();
}

}  // namespace
}  // namespace cdcscope::recover::testing
