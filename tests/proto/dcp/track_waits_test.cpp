// What waits for a time to pass goes when it is settled, not when the time is over: durable writes
// are many, and seconds long.
#include <gtest/gtest.h>

#include "proto/dcp/track_connection.h"
#include "tests/proto/dcp/track_support.h"

namespace cdcscope::dcp::test {
namespace {

struct no_links final : link_sink {
    void on_link(link_kind, std::uint32_t, std::uint32_t) noexcept override {}
};

TEST(Waits, OfCompletedAndAcknowledgedPreparesAreNotKept) {
    dialogue d;
    world_state all;
    no_links links;
    observer watch;
    all.sinks = {d.teller_.get(), &links, &watch};
    auto mine = std::make_unique<connection_state>(
        all, connection_setup{1, "10.0.0.1:50000", "10.0.0.2:11210", true});
    connection_state& state = *mine;
    d.c = std::make_unique<connection>(std::move(mine));
    d.open(1, "replication:a");
    d.control("enable_sync_writes", "true");
    d.control("consumer_name", "node-1");
    d.stream(7, 0x70);
    const std::int64_t began = d.time_ns;
    for (std::uint64_t n = 0; n < 1000; ++n) {
        d.time_ns = began;  // all at once: no limit has passed
        const std::uint64_t seqno = 2 * n + 1;
        d.marker(7, 0x70, seqno, seqno);
        d.prepare(7, 0x70, seqno, "key");
        EXPECT_LE(state.prepare_waits.size(), 1U);
        EXPECT_LE(state.ack_waits.size(), 1U);
        d.c2s({.opcode = 0x61,
               .vbucket_or_status = 7,
               .opaque = 0x70,
               .extras = numbers({{seqno, 8}})});
        d.marker(7, 0x70, seqno + 1, seqno + 1);
        d.commit(7, 0x70, seqno, seqno + 1, "key");
    }
    EXPECT_EQ(state.story.durability.prepares, 1000U);
    EXPECT_EQ(state.story.durability.commits, 1000U);
    EXPECT_EQ(state.story.durability.acks, 1000U);
    EXPECT_GE(state.ack_waits.size(), 1U) << "the prepares were to be acknowledged";
    d.c.reset();  // before its world
}

}  // namespace
}  // namespace cdcscope::dcp::test
