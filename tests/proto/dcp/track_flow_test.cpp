// Flow control: both accounts, fills and stalls, what a record says of them.
#include <gmock/gmock.h>

#include "tests/proto/dcp/track_support.h"

namespace cdcscope::dcp {
namespace {

using test::dialogue;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t marker_bytes = 44, mutation_bytes = 57;  // key of two bytes

TEST(TrackFlow, RecordsCarryTheUnacknowledgedBytesAfterEachMessage) {
    dialogue d;
    d.open();
    d.control("connection_buffer_size", "1000");
    d.stream(1, 7);
    EXPECT_EQ(d.marker(1, 7, 1, 9).outstanding, marker_bytes);
    EXPECT_EQ(d.mutation(1, 7, 1).outstanding, marker_bytes + mutation_bytes);
    const track_record ack = d.ack(marker_bytes);
    EXPECT_EQ(ack.outstanding, mutation_bytes);
    EXPECT_TRUE(ack.flow_known);
    EXPECT_EQ(ack.window, 1000U);
}

TEST(TrackFlow, BytesCountBeforeTheWindowIsSetAndAZeroWindowForgetsThem) {
    dialogue d;
    d.open();
    d.stream(1, 7);
    d.marker(1, 7, 1, 9);
    EXPECT_FALSE(d.mutation(1, 7, 1).flow_known);
    d.control("connection_buffer_size", "500");
    EXPECT_EQ(d.c->story().flow.outstanding, marker_bytes + mutation_bytes);
    d.control("connection_buffer_size", "0");
    EXPECT_EQ(d.c->story().flow.outstanding, 0U);
    EXPECT_EQ(d.c->story().flow.largest_window, 500U);
}

TEST(TrackFlow, ARefusedWindowIsNotInForce) {
    dialogue d;
    d.open();
    d.control("connection_buffer_size", "500", 4);
    EXPECT_EQ(d.c->story().flow.window, 0U);
    EXPECT_THAT(d.codes(), ElementsAre("D38 warning"));
}

TEST(TrackFlow, AStallIsSettledWithItsWholeLength) {
    dialogue d;
    d.open();
    d.control("enable_noop", "true");
    d.control("set_noop_interval", "200");
    d.control("connection_buffer_size", "100");
    d.stream(1, 7);
    d.marker(1, 7, 1, 9);
    d.mutation(1, 7, 1);
    d.wait(12);
    d.s2c({.opcode = 0x5c, .opaque = 1});
    EXPECT_THAT(d.codes(), ElementsAre("D11 note", "D13 warning", "D15 warning"));
    d.wait(100);
    d.ack(101);
    const auto& settled = d.told().settled;
    ASSERT_EQ(settled.size(), 3U);
    for (const auto& [id, how] : settled) EXPECT_TRUE(how.over);
    EXPECT_EQ(
        settled.at(d.told().all[1].id).text,
        "window of 100 B full with 101 B since 22:13:20.016, nothing could be sent for 112.002 s");
    ASSERT_EQ(d.c->story().flow.stalls.size(), 1U);
    EXPECT_EQ(d.c->story().flow.full_ns, 112'002'000'000);
}

TEST(TrackFlow, AStallThatNeverEndsIsSettledAsOpen) {
    dialogue d;
    d.open();
    d.control("connection_buffer_size", "40");
    d.stream(1, 7);
    d.marker(1, 7, 1, 9);
    d.finish();
    ASSERT_EQ(d.told().settled.size(), 1U);
    EXPECT_FALSE(d.told().settled.begin()->second.over);
    EXPECT_FALSE(d.c->story().flow.stalls.at(0).over);
}

TEST(TrackFlow, ThresholdsMoveTheLimits) {
    findings::thresholds limits;
    ASSERT_FALSE(limits.set("dcp.flow.stalled.note=100ms"));
    ASSERT_FALSE(limits.set("dcp.flow.stalled.warning=200ms"));
    dialogue d;
    d.c.reset();
    d.world_ = std::make_unique<world>(world_sinks{d.teller_.get(), nullptr, nullptr}, limits);
    d.c = d.world_->add({1, "10.0.0.1:1", "10.0.0.2:11210", true});
    d.open();
    d.control("connection_buffer_size", "40");
    d.stream(1, 7);
    d.marker(1, 7, 1, 9);
    d.wait(0.15);
    d.s2c({.opcode = 0x5c, .opaque = 1});
    d.wait(0.1);
    d.s2c({.opcode = 0x5c, .opaque = 2});
    EXPECT_THAT(d.codes(), ElementsAre("D11 note", "D13 note", "D13 warning"));
}

TEST(TrackFlow, AcknowledgementsThatAddTheTwoBytesOfAPrepareLeaveNothing) {
    dialogue d;
    d.open();
    d.control("enable_sync_writes", "true");
    d.control("consumer_name", "c");
    d.control("connection_buffer_size", "1000");
    d.stream(1, 7);
    d.marker(1, 7, 1, 9);
    d.prepare(1, 7, 1, "a");
    d.prepare(1, 7, 2, "b");
    d.ack(44 + 2 * (55 + 1 + 2));
    EXPECT_THAT(d.codes(), IsEmpty());
    EXPECT_EQ(d.c->story().flow.outstanding, 0U);
    EXPECT_EQ(d.c->story().flow.counted - d.c->story().flow.wire, 4U);
}

TEST(TrackFlow, AcknowledgementsWithoutThemLoseTwoBytesAPrepare) {
    dialogue d;
    d.open();
    d.control("enable_sync_writes", "true");
    d.control("consumer_name", "c");
    d.control("connection_buffer_size", "1000");
    d.stream(1, 7);
    d.marker(1, 7, 1, 9);
    d.prepare(1, 7, 1, "a");
    d.prepare(1, 7, 2, "b");
    d.ack(44 + 2 * (55 + 1));
    ASSERT_THAT(d.codes(), ElementsAre("D56 note"));
    EXPECT_EQ(d.told().all[0].text,
              "acknowledgements leave out 2 B for each of 2 prepares: 4 B of the window of 1,000 B "
              "are lost, all of it after 498 more");
    EXPECT_EQ(d.c->story().flow.outstanding, 4U);
}

}  // namespace
}  // namespace cdcscope::dcp
