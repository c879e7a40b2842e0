// Where a stream begins.
#include <gtest/gtest.h>

#include "tests/analyzer/tcp/wire_script.h"

namespace cdcscope::tcp::testing {
namespace {

using capture::tcp_flag::ack;
using capture::tcp_flag::syn;
constexpr auto c2s = direction::c2s;
constexpr auto s2c = direction::s2c;

TEST(StreamStart, SynNamesTheFirstByte) {
    wire_script w;
    w.handshake();
    w.data(c2s, 1001, "hello", 5001);
    w.data(s2c, 5001, "world", 1006);
    w.table.finish();
    EXPECT_EQ(w.only().bytes[0], "hello");
    EXPECT_EQ(w.only().bytes[1], "world");
    EXPECT_TRUE(w.only().from_syn[0]);
    EXPECT_TRUE(w.only().from_syn[1]);
    EXPECT_TRUE(w.seen.counts.empty());
}

TEST(StreamStart, SynWithCongestionBitsIsASyn) {
    wire_script w;
    w.control(c2s, syn | 0xc0, 1000);
    w.data(c2s, 1001, "x");
    w.table.finish();
    EXPECT_TRUE(w.only().from_syn[0]);
}

TEST(StreamStart, TheSameSynAgainIsNoNewConnection) {
    wire_script w;
    w.control(c2s, syn, 1000);
    w.control(c2s, syn, 1000);
    w.control(s2c, syn | ack, 5000, 1001);
    w.control(s2c, syn | ack, 5000, 1001);
    w.data(c2s, 1001, "a", 5001);
    w.control(c2s, syn, 1000);
    w.table.finish();
    EXPECT_EQ(w.only().bytes[0], "a");
}

TEST(StreamStart, DataOnTheSynCountsFromOneBehindIt) {
    wire_script w;
    capture::segment s = w.segment(c2s, 1000, "fast");
    s.flags = syn;
    w.put(s);
    w.control(s2c, syn | ack, 5000, 1005);
    w.data(c2s, 1005, " open", 5001);
    w.table.finish();
    EXPECT_EQ(w.only().bytes[0], "fast open");
}

TEST(StreamStart, WithoutSynTheLowestOfTheFirstSegmentsIsTheBeginning) {
    wire_script w;
    w.data(s2c, 5010, "second");
    w.data(s2c, 5003, "first..");
    w.data(s2c, 5016, "third");
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "first..secondthird");
    EXPECT_FALSE(w.only().from_syn[1]);
    EXPECT_EQ(w.seen.count("tcp.mid_stream"), 1);
    EXPECT_EQ(w.seen.count("tcp.gap"), 0);
}

TEST(StreamStart, BytesThatTurnUpBeforeADecidedBeginningAreLeftOutAndCounted) {
    limits limit;
    limit.start_segments = 2;
    wire_script w(limit);
    w.data(s2c, 5010, "ab");
    w.data(s2c, 5012, "cd");
    w.data(s2c, 5000, "0123456789");
    w.data(s2c, 5014, "ef");
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "abcdef");
    EXPECT_EQ(w.seen.count("tcp.before_start"), 1);
}

TEST(StreamStart, DataBeforeItsSynBelongsToIt) {
    wire_script w;
    w.data(c2s, 1001, "early", 5001);
    w.control(c2s, syn, 1000);
    w.control(s2c, syn | ack, 5000, 1001);
    w.data(c2s, 1006, "!", 5001);
    w.table.finish();
    EXPECT_EQ(w.only().bytes[0], "early!");
    EXPECT_TRUE(w.only().from_syn[0]);
    EXPECT_EQ(w.seen.count("tcp.reordered_syn"), 1);
    EXPECT_EQ(w.seen.count("tcp.mid_stream"), 0);
}

TEST(StreamStart, ASynShowsBytesThatAreMissingBeforeTheFirstData) {
    wire_script w;
    w.data(c2s, 1005, "late", 5001);
    w.control(c2s, syn, 1000);
    w.table.finish();
    EXPECT_EQ(w.only().holes[0], std::vector<std::string>{"0+4 not_acked"});
    EXPECT_EQ(w.only().bytes[0], "late");
}

TEST(StreamStart, ClientIsWhoDoesNotHoldAKnownPort) {
    wire_script w;
    w.data(s2c, 5001, "x");
    w.table.finish();
    EXPECT_EQ(w.only().who.client.port, 40000);
    EXPECT_EQ(w.only().who.server.port, 11210);
}

TEST(StreamStart, TheAnswerToASynComesFromTheServer) {
    wire_script w;
    w.server = host(2, 999);
    w.control(s2c, syn | ack, 5000, 1001);
    w.table.finish();
    EXPECT_EQ(w.only().who.server.port, 999);
}

TEST(StreamStart, ABareAcknowledgementDoesNotFixTheBeginning) {
    wire_script w;
    w.acknowledge(s2c, 5000, 1001);
    w.data(s2c, 5001, "data");
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "data");
    EXPECT_TRUE(w.only().holes[1].empty());
}

TEST(StreamStart, AKeepAliveDoesNotFixTheBeginning) {
    wire_script w;
    w.acknowledge(c2s, 1001, 5001);
    capture::segment probe = w.segment(s2c, 5000, std::string_view("\0", 1), 1001);
    probe.flags = ack;
    w.put(probe);
    w.data(s2c, 5001, "data");
    w.table.finish();
    EXPECT_EQ(w.only().bytes[1], "data");
    EXPECT_EQ(w.seen.count("tcp.keep_alive"), 1);
}

}  // namespace
}  // namespace cdcscope::tcp::testing
