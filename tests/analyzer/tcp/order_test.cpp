// Order, wrap, windows and repeats.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/analyzer/tcp/wire_script.h"

namespace cdcscope::tcp::testing {
namespace {

constexpr auto c2s = direction::c2s;
constexpr auto s2c = direction::s2c;

TEST(StreamOrder, InOrderBytesAreLentWithoutCopy) {
    struct peek final : stream_consumer {
        const std::uint8_t* data = nullptr;
        void on_start(direction, position, bool) override {}
        void on_data(const chunk& c) override { data = c.bytes.data(); }
        void on_hole(const hole&) override {}
        void on_settled(direction, position, const arrival&) override {}
        void on_end(direction, end_kind, position, position, const arrival&) override {}
        void on_close(end_kind, const arrival&) override {}
    };
    peek to;
    limits limit;
    ring_pool rings;
    observed seen;
    notices notes(seen);
    surroundings with{limit, rings, notes, to, 1, {{}, 1}, 0, 0};
    half_stream half(c2s);
    half.on_syn(99, with);
    const std::string payload = "lent";
    half.on_data(100, as_bytes(payload), 4, true, no_position, with);
    EXPECT_EQ(to.data, as_bytes(payload).data());
}

TEST(StreamOrder, ReversedSegmentsComeOutInOrder) {
    wire_script w;
    w.handshake();
    w.data(s2c, 5007, "ghi");
    w.data(s2c, 5004, "def");
    w.data(s2c, 5001, "abc");
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "abcdefghi");
    EXPECT_TRUE(w.seen.counts.empty());
    const auto& chunks = w.only().chunks[1];
    ASSERT_EQ(chunks.size(), 3U);
    EXPECT_EQ(chunks[2].brought.at.frame, 4U);
    EXPECT_EQ(chunks[2].available.at.frame, 6U);
}

TEST(StreamOrder, SequenceNumbersWrap) {
    wire_script w;
    w.control(s2c, capture::tcp_flag::syn | capture::tcp_flag::ack, 0xfffffffd, 1);
    w.data(s2c, 2, "efg");
    w.data(s2c, 0xfffffffe, "abcd");
    w.data(s2c, 0, "cdefgh");
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "abcdefgh");
    EXPECT_EQ(w.only().chunks[1].back().begin - w.only().origin[1], 7);
}

TEST(StreamOrder, StreamsGrowPastFourGibibytes) {
    wire_script w;
    w.handshake();
    std::uint32_t at = 5001;
    std::uint64_t total = 0;
    for (int i = 0; i < 4100; ++i) {
        // Cut frames: the header alone moves the stream on, so nothing this long is copied.
        capture::segment s = w.segment(s2c, at, "x", 1001);
        s.wire_payload = 1U << 20;
        w.put(s);
        w.acknowledge(c2s, 1001, at + (1U << 20));
        at += 1U << 20;
        total += 1U << 20;
    }
    w.table.finish();
    const auto& last = w.only().chunks[1].back();
    EXPECT_EQ(last.begin - w.only().origin[1], static_cast<position>(total - (1U << 20)));
    EXPECT_GT(total, std::uint64_t{1} << 32);
}

TEST(StreamOrder, ACaptureOfHeadersAloneIsFollowedPastFourGibibytes) {
    wire_script w;
    w.handshake();
    std::uint32_t at = 5001;
    for (int i = 0; i < 4100; ++i, at += 1U << 20) {
        capture::segment s = w.segment(s2c, at, {}, 1001);
        s.wire_payload = 1U << 20;
        w.put(s);
    }
    w.table.finish();
    EXPECT_EQ(w.seen.count("tcp.out_of_window"), 0);
    EXPECT_EQ(w.only().holes[1], std::vector<std::string>{"0+4299161600 snaplen"});
}

TEST(StreamOrder, ASegmentFarAwayIsCountedAndIgnored) {
    wire_script w;
    w.handshake();
    w.data(s2c, 5001, "a");
    w.data(s2c, 5002 + (1U << 30), "junk");
    w.data(s2c, 5002 - (1U << 30), "junk");
    w.data(s2c, 5002, "b");
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "ab");
    EXPECT_TRUE(w.only().holes[1].empty());
    EXPECT_EQ(w.seen.count("tcp.out_of_window"), 2);
}

// A file of a rotated set is missing: so much of one direction was not captured.
TEST(StreamOrder, SegmentsFarAheadThatFollowEachOtherAreBelieved) {
    wire_script w;
    w.handshake();
    w.data(s2c, 5001, "a", 1001);
    const std::uint32_t far = 5002 + (1U << 29) + (1U << 27);
    for (std::uint32_t i = 0; i < 5; ++i) {
        w.data(s2c, far + 3 * i, "xyz", 1001);
        w.acknowledge(c2s, 1001, far + 3 * i + 3);
    }
    w.data(s2c, far + 12, "xyz", 1001);
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "axyzxyzxyz");
    EXPECT_EQ(w.only().holes[1], std::vector<std::string>{"1+671088646 acked_unseen"});
    EXPECT_EQ(w.seen.count("tcp.out_of_window"), 2);
}

TEST(StreamOrder, SegmentsFarBehindThatFollowEachOtherAreAnotherConnection) {
    wire_script w;
    w.handshake();
    w.data(s2c, 5001, "a", 1001);
    const std::uint32_t far = 5002 - (1U << 30);
    for (std::uint32_t i = 0; i < 5; ++i) w.data(s2c, far + 3 * i, "xyz", 1001);
    w.table.finish();
    ASSERT_EQ(w.stories.size(), 2U);
    EXPECT_EQ(w.stories[0]->bytes[1], "a");
    EXPECT_EQ(w.stories[1]->bytes[1], "xyzxyzxyz");
}

TEST(StreamOrder, CopiesOfOneSegmentFarAwayAreNotBelieved) {
    wire_script w;
    w.handshake();
    w.data(s2c, 5001, "a", 1001);
    for (int i = 0; i < 10; ++i) w.data(s2c, 5002 + (1U << 30), "junk", 1001);
    for (int i = 0; i < 10; ++i) w.data(s2c, 5002 - (1U << 30), "junk", 1001);
    w.data(s2c, 5002, "b", 1001);
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "ab");
}

TEST(StreamOrder, AHoleOfAlmostTwoGibibytesIsNeverHeld) {
    wire_script w;
    w.handshake();
    w.data(s2c, 5001 + 0x7fffffffU, "x");
    EXPECT_EQ(w.table.held(), 0U);
    w.table.finish();
    EXPECT_TRUE(w.only().holes[1].empty());
}

TEST(StreamOrder, TheFarthestSegmentThatCountsIsHalfAGibibyteAhead) {
    for (const std::uint32_t beyond : {0U, 1U}) {
        wire_script w;
        w.handshake();
        w.data(s2c, 5001 + (1U << 29) + beyond, "x");
        EXPECT_LT(w.table.held(), 1000U);
        w.table.finish();
        EXPECT_EQ(w.only().holes[1].size(), 1U - beyond);
        EXPECT_EQ(w.seen.count("tcp.out_of_window"), static_cast<int>(beyond));
    }
}

TEST(StreamRepeats, AnExactRepeatIsARetransmission) {
    wire_script w;
    w.handshake();
    w.data(s2c, 5001, "abc");
    w.data(s2c, 5001, "abc");
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "abc");
    EXPECT_EQ(w.seen.count("tcp.retransmission"), 1);
    EXPECT_EQ(w.seen.count("tcp.overlap_conflict"), 0);
}

TEST(StreamRepeats, ARepeatWithMoreGivesItsTail) {
    wire_script w;
    w.handshake();
    w.data(s2c, 5001, "abc");
    w.data(s2c, 5001, "abcdef");
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "abcdef");
}

TEST(StreamRepeats, TheSameFrameTwiceIsACopyAndNoRetransmission) {
    wire_script w;
    w.handshake();
    capture::segment s = w.segment(s2c, 5001, "abc");
    s.has_timestamp = true;
    s.timestamp = 77;
    w.put(s);
    w.put(s);
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "abc");
    EXPECT_EQ(w.seen.count("tcp.duplicates"), 1);
    EXPECT_EQ(w.seen.count("tcp.retransmission"), 0);
}

TEST(StreamRepeats, AnEqualFrameMuchLaterIsARetransmission) {
    wire_script w;
    w.handshake();
    const capture::segment s = w.segment(s2c, 5001, "abc");
    w.put(s);
    w.now_ns += 10'000'000;
    w.put(s);
    EXPECT_EQ(w.seen.count("tcp.duplicates"), 0);
    EXPECT_EQ(w.seen.count("tcp.retransmission"), 1);
}

TEST(StreamRepeats, FirstCopyWinsWhenDeliveredBytesDiffer) {
    wire_script w;
    w.handshake();
    w.data(s2c, 5001, "abcdef");
    w.data(s2c, 5001, "abXdYfgh");
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "abcdefgh");
    EXPECT_EQ(w.seen.count("tcp.overlap_conflict"), 1);
    EXPECT_EQ(w.seen.texts["tcp.overlap_conflict"],
              "2 bytes of s2c were captured twice with different values, the first at offset 2: "
              "0x63, then 0x58; the first "
              "copy is used");
}

TEST(StreamRepeats, FirstCopyWinsByteByByteWhenWaitingBytesDiffer) {
    wire_script w;
    w.handshake();
    w.data(s2c, 5003, "cd");
    w.data(s2c, 5007, "gh");
    w.data(s2c, 5002, "BXXEFXXI");
    w.data(s2c, 5001, "a");
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "aBcdEFghI");
    EXPECT_EQ(w.seen.count("tcp.overlap_conflict"), 1);
}

TEST(StreamRepeats, WhatIsLongGoneClaimsNoConflict) {
    wire_script w;
    w.handshake();
    const std::string block(1000, 'x');
    std::uint32_t at = 5001;
    for (int i = 0; i < 70; ++i, at += 1000) w.data(s2c, at, block);
    w.data(s2c, 5001, std::string(1000, 'y'));
    EXPECT_EQ(w.seen.count("tcp.overlap_conflict"), 0);
    w.data(s2c, at - 1000, std::string(1000, 'y'));
    EXPECT_EQ(w.seen.count("tcp.overlap_conflict"), 1);
}

TEST(StreamRepeats, KeepAlivesAreDroppedWhateverTheirByte) {
    wire_script w;
    w.handshake();
    w.data(s2c, 5001, "abc", 1001);
    w.data(s2c, 5003, "?", 1001);
    w.acknowledge(s2c, 5003, 1001);
    w.data(s2c, 5004, "def", 1001);
    w.data(s2c, 5002, "?", 1001);  // captured late: wholly in bytes that are here
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "abcdef");
    EXPECT_EQ(w.seen.count("tcp.keep_alive"), 3);
    EXPECT_EQ(w.seen.count("tcp.overlap_conflict"), 0);
    EXPECT_EQ(w.seen.count("tcp.retransmission"), 0);
}

TEST(StreamRepeats, AZeroWindowProbeIsRealDataTheFirstTime) {
    wire_script w;
    w.handshake();
    capture::segment shut = w.segment(c2s, 1001, {}, 5001);
    shut.window = 0;
    w.put(shut);
    w.data(s2c, 5001, "a");
    w.put(shut);
    w.data(s2c, 5001, "a");
    w.data(s2c, 5001, "abc");
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "abc");
    EXPECT_EQ(w.seen.count("tcp.zero_window_probe"), 1);
}

TEST(StreamOrder, AnyOrderOfAnyOverlappingPiecesGivesTheSameBytes) {
    std::mt19937 random(4711);
    std::string stream;
    for (int i = 0; i < 400; ++i) stream += static_cast<char>('a' + random() % 26);
    for (int round = 0; round < 1000; ++round) {
        const std::uint32_t initial = static_cast<std::uint32_t>(random());
        std::vector<std::pair<std::size_t, std::size_t>> pieces;
        for (std::size_t at = 0; at < stream.size();) {
            const std::size_t size = std::min<std::size_t>(1 + random() % 60, stream.size() - at);
            const std::size_t back =
                std::min<std::size_t>(at, random() % 4 == 0 ? random() % 30 : 0);
            pieces.emplace_back(at - back, size + back);
            at += size;
        }
        std::shuffle(pieces.begin(), pieces.end(), random);
        wire_script w;
        w.control(s2c, capture::tcp_flag::syn | capture::tcp_flag::ack, initial, 1);
        for (const auto& [at, size] : pieces) {
            w.data(s2c, initial + 1 + static_cast<std::uint32_t>(at),
                   std::string_view(stream).substr(at, size));
        }
        w.table.finish();
        ASSERT_EQ(w.only().bytes[1], stream) << "round " << round;
        ASSERT_TRUE(w.only().holes[1].empty());
        ASSERT_EQ(w.seen.count("tcp.overlap_conflict"), 0);
    }
}

TEST(StreamOrder, AMillionLateSegmentsInReverseOrderStayNearLinear) {
    limits limit;
    limit.held_per_direction = limit.held_total = std::uint64_t{1} << 30;
    wire_script w(limit);
    w.handshake();
    constexpr std::uint32_t count = 1'000'000;
    for (std::uint32_t i = count; i > 0; --i) w.data(s2c, 5001 + 4 * (i - 1), "abcd");
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1].size(), std::size_t{4} * count);
    EXPECT_TRUE(w.only().holes[1].empty());
}

}  // namespace
}  // namespace cdcscope::tcp::testing
