// Streams: look-up, positions, links, what is known after a late start or a hole.
#include <gmock/gmock.h>

#include "tests/proto/dcp/track_support.h"

namespace cdcscope::dcp {
namespace {

using test::dialogue;
using test::numbers;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(TrackStream, RecordsLinkAnItemToItsStreamAndSnapshot) {
    dialogue d;
    d.open();
    d.stream(5, 7, 0, UINT64_MAX, 0xabc);
    const std::uint32_t asked = d.id - 1;
    const track_record marker = d.marker(5, 7, 1, 9);
    EXPECT_EQ(marker.snapshot, 1U);
    const std::uint32_t marker_id = d.id;
    const track_record item = d.mutation(5, 7, 4);
    EXPECT_EQ(item.stream, 1U);
    EXPECT_EQ(item.snapshot, 1U);
    EXPECT_EQ(item.opened_by, asked);
    EXPECT_EQ(item.marker, marker_id);
    EXPECT_EQ(item.snapshot_end, 9U);
    EXPECT_EQ(item.vbucket_uuid, 0xabcU);
    EXPECT_TRUE(item.has_partition);
    EXPECT_EQ(item.partition, 5U);
}

TEST(TrackStream, TheAnswerToAMarkerBelongsToTheOneThatAskedForIt) {
    dialogue d;
    d.open();
    d.stream(5, 7);
    d.marker(5, 7, 1, 9, 0x01 | 0x08);
    const std::uint32_t asked = d.id;
    d.mutation(5, 7, 9);
    d.marker(5, 7, 10, 19);
    const track_record answer = d.c2s({.magic = 0x81, .opcode = 0x56, .opaque = 7});
    EXPECT_EQ(answer.request, asked);
    EXPECT_EQ(answer.elapsed_ns, 3'000'000);
    EXPECT_EQ(answer.partition, 5U);
    EXPECT_EQ(d.c2s({.magic = 0x81, .opcode = 0x56, .opaque = 7}).request, 0U);
}

TEST(TrackStream, AnswersHaveTheVbucketOfTheirRequestWhereTheOpcodeHasOne) {
    dialogue d;
    d.open();
    for (const std::uint8_t opcode : {0x54, 0x91, 0x96, 0xb7}) {
        d.c2s({.opcode = opcode, .vbucket_or_status = 12, .opaque = 9});
        const track_record answer = d.s2c({.magic = 0x81, .opcode = opcode, .opaque = 9});
        EXPECT_TRUE(answer.has_partition);
        EXPECT_EQ(answer.partition, 12U);
    }
    d.c2s({.opcode = 0xfe, .opaque = 9});
    EXPECT_FALSE(d.s2c({.magic = 0x81, .opcode = 0xfe, .opaque = 9}).has_partition);
}

TEST(TrackStream, TheStoryHasThePositionToResumeFrom) {
    dialogue d;
    d.open();
    d.stream(5, 7, 0, UINT64_MAX, 0xabc);
    d.marker(5, 7, 0, 100);
    d.mutation(5, 7, 57);
    const stream_story& s = d.c->stream(0);
    EXPECT_EQ(s.log_uuid, 0xabcU);
    EXPECT_EQ(s.last_seqno, 57U);
    EXPECT_EQ(s.resume_snapshot_start(), 0U);
    EXPECT_EQ(s.resume_snapshot_end(), 100U);
    d.mutation(5, 7, 100);
    EXPECT_EQ(s.resume_snapshot_start(), 100U);
    EXPECT_EQ(s.resume_snapshot_end(), 100U);
}

TEST(TrackStream, ARefusedItemChangesNothing) {
    dialogue d;
    d.open();
    d.stream(5, 7);
    d.marker(5, 7, 1, 9);
    d.mutation(5, 7, 4);
    d.mutation(5, 7, 12);
    EXPECT_THAT(d.codes(), ElementsAre("D02 error"));
    EXPECT_EQ(d.c->stream(0).last_seqno, 4U);
    EXPECT_EQ(d.c->stream(0).mutations, 1U);
}

TEST(TrackStream, AnOutOfOrderSnapshotMovesTheLastSeqnoAtItsEnd) {
    dialogue d;
    d.open();
    d.control("enable_out_of_order_snapshots", "true");
    d.stream(5, 7);
    d.s2c({.opcode = 0x65, .vbucket_or_status = 5, .opaque = 7, .extras = numbers({{1, 4}})});
    for (const std::uint64_t seqno : {9, 3, 7}) d.mutation(5, 7, seqno);
    EXPECT_EQ(d.c->stream(0).last_seqno, 0U);
    d.s2c({.opcode = 0x65, .vbucket_or_status = 5, .opaque = 7, .extras = numbers({{2, 4}})});
    EXPECT_EQ(d.c->stream(0).last_seqno, 9U);
    EXPECT_THAT(d.codes(), IsEmpty());
}

TEST(TrackStream, AfterALateStartTheFirstMessageMakesItsStreamKnown) {
    dialogue d(false);
    for (const std::uint64_t seqno : {501, 502, 503}) d.mutation(33, 7, seqno);
    EXPECT_THAT(d.codes(), ElementsAre("D04 note"));
    EXPECT_TRUE(d.told().all[0].uncertain);
    ASSERT_EQ(d.c->stream_count(), 1U);
    EXPECT_EQ(d.c->stream(0).first_seqno, 501U);
    EXPECT_EQ(d.c->stream(0).last_seqno, 503U);
    EXPECT_FALSE(d.c->stream(0).request_seen);
    EXPECT_FALSE(d.c->stream(0).in_snapshot);
}

TEST(TrackStream, BehindAHoleTheMarkerInForceIsNotKnownUntilTheNextOne) {
    dialogue d;
    d.open();
    d.stream(5, 7);
    d.marker(5, 7, 1, 9);
    d.mutation(5, 7, 4);
    d.c->hole(direction::s2c);
    d.mutation(5, 7, 20);
    EXPECT_THAT(d.codes(), IsEmpty());
    d.marker(5, 7, 21, 22);
    d.mutation(5, 7, 23);
    EXPECT_THAT(d.codes(), ElementsAre("D02 error"));
}

TEST(TrackStream, StreamsOfOneVbucketAreToldApartByTheirStreamId) {
    dialogue d;
    d.open();
    d.control("enable_stream_id", "true");
    const auto ask = [&](std::uint32_t opaque, const std::string& sid) {
        const std::string filter = "{\"sid\":" + sid + "}";
        d.c2s({.opcode = 0x53,
               .vbucket_or_status = 5,
               .opaque = opaque,
               .extras = dialogue::request(0, UINT64_MAX),
               .value = test::bytes(filter.begin(), filter.end())});
        d.s2c(
            {.magic = 0x81, .opcode = 0x53, .opaque = opaque, .value = numbers({{1, 8}, {0, 8}})});
    };
    ask(7, "100");
    ask(8, "777");
    EXPECT_THAT(d.codes(), IsEmpty());
    ASSERT_EQ(d.c->stream_count(), 2U);
    EXPECT_EQ(d.c->stream(0).stream_id, 100U);
    EXPECT_EQ(d.c->stream(1).stream_id, 777U);
    ask(9, "777");
    EXPECT_THAT(d.codes(), ElementsAre("D21 warning"));
}

TEST(TrackStream, OneOpaqueForManyVbucketsIsNoFault) {
    dialogue d;
    d.open();
    for (std::uint16_t vb = 0; vb < 1024; ++vb) d.stream(vb, 7);
    for (std::uint16_t vb = 0; vb < 1024; ++vb) {
        d.marker(vb, 7, 1, 1);
        d.mutation(vb, 7, 1);
    }
    EXPECT_THAT(d.codes(), IsEmpty());
}

TEST(TrackStream, EndedStreamsAreDroppedWhenThereAreVeryMany) {
    dialogue d;
    d.open();
    for (std::uint32_t i = 0; i < 66'000; ++i) {
        d.stream(1, 0x100000 + i);
        d.stream_end(1, 0x100000 + i, 0);
    }
    EXPECT_LE(d.c->stream_count(), 65'536U);
    EXPECT_GE(d.c->stream_count(), 40'000U);
    EXPECT_EQ(d.c->story().streams_opened, 66'000U);
    EXPECT_EQ(d.c->stream(d.c->stream_count() - 1).index, 66'000U);
}

TEST(TrackStream, ATimeoutIsToldOnceAndItsFigureRunsOnToTheEnd) {
    dialogue d;
    d.open();
    d.control("enable_noop", "true");
    d.control("set_noop_interval", "300");
    d.stream(20, 7, 0, 2);
    d.marker(20, 7, 1, 2);
    d.mutation(20, 7, 2);
    d.wait(11);
    d.s2c({.opcode = 0x5c, .opaque = 1});
    d.c2s({.magic = 0x81, .opcode = 0x5c, .opaque = 1});
    d.wait(60);
    d.end(direction::c2s);
    EXPECT_THAT(d.codes(), ElementsAre("D50 warning"));
    const auto& settled = d.told().settled.at(d.told().all[0].id);
    EXPECT_EQ(settled.text,
              "vb 20: seqno 2 reached the requested end 2, no STREAM_END in 71.003 s");
}

}  // namespace
}  // namespace cdcscope::dcp
