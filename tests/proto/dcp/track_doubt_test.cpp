// What a message that the capture cut, or a direction that starts late, may hide is uncertain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/proto/dcp/track_support.h"

namespace cdcscope::dcp {
namespace {

using test::dialogue;
using test::numbers;
using testing::ElementsAre;
using testing::IsEmpty;

// The message without its last bytes, as a capture that lost them has it.
test::bytes cut(const test::parts& p, std::size_t missing) {
    test::bytes all = test::message(p);
    all.resize(all.size() - missing);
    return all;
}

TEST(TrackDoubt, HowFarACutRollbackWentIsNotKnown) {
    dialogue d;
    d.open();
    d.c2s({.opcode = 0x53,
           .vbucket_or_status = 1,
           .opaque = 9,
           .extras = dialogue::request(1000, UINT64_MAX)});
    const test::parts answer{.magic = 0x81,
                             .opcode = 0x53,
                             .vbucket_or_status = 0x23,
                             .opaque = 9,
                             .value = numbers({{500, 8}})};
    d.feed(direction::s2c, cut(answer, 8), true);
    EXPECT_THAT(d.codes(), ElementsAre("D23 note"));
    EXPECT_TRUE(d.told().all[0].uncertain);
    d.c2s({.opcode = 0x53,
           .vbucket_or_status = 1,
           .opaque = 10,
           .extras = dialogue::request(900, UINT64_MAX)});
    EXPECT_EQ(d.codes().size(), 1U) << "D24 has no position to compare with";
}

TEST(TrackDoubt, ACutSettingIsNotApplied) {
    dialogue d;
    d.open();
    const test::parts setting{
        .opcode = 0x5e, .opaque = 9, .value = {'t', 'r', 'u', 'e'}, .key = "enable_expiry_opcode"};
    d.feed(direction::c2s, cut(setting, 4), true);
    d.s2c({.magic = 0x81, .opcode = 0x5e, .opaque = 9});
    d.stream(5, 7);
    d.marker(5, 7, 1, 1);
    d.s2c({.opcode = 0x59,
           .vbucket_or_status = 5,
           .opaque = 7,
           .extras = numbers({{1, 8}, {1, 8}, {0, 4}}),
           .key = "k"});
    EXPECT_THAT(d.codes(), ElementsAre("D37 note"));
    EXPECT_TRUE(d.told().all[0].uncertain);
}

// Of the two sides' rules only those that depend on their order.
TEST(TrackDoubt, WhereTheOrderIsNotKnownRulesThatNeedItNote) {
    for (const bool known : {true, false}) {
        dialogue d;
        d.open();
        d.stream(5, 7);
        d.marker(5, 7, 1, 1);
        if (!known) d.c->order_unknown();
        d.s2c({.opcode = 0x59,
               .vbucket_or_status = 5,
               .opaque = 7,
               .extras = numbers({{1, 8}, {1, 8}, {0, 4}}),
               .key = "k"});
        d.c2s({.magic = 0x81, .opcode = 0x59, .vbucket_or_status = 0x04, .opaque = 7});
        d.s2c({.magic = 0x81, .opcode = 0x5e, .opaque = 99});
        EXPECT_THAT(d.codes(), known ? ElementsAre("D37 warning", "D29 error", "D41 warning")
                                     : ElementsAre("D37 warning", "D29 note", "D41 note"));
    }
}

TEST(TrackDoubt, AnAnswerTellsOfARefusalThoughItsRequestIsOutOfSight) {
    for (const bool from_start : {true, false}) {
        dialogue d(from_start);
        if (from_start) d.open();
        d.s2c({.magic = 0x81, .opcode = 0x53, .vbucket_or_status = 0x07, .opaque = 9});
        d.s2c({.magic = 0x81,
               .opcode = 0x53,
               .vbucket_or_status = 0x23,
               .opaque = 10,
               .value = numbers({{500, 8}})});
        d.s2c({.magic = 0x81, .opcode = 0x5e, .vbucket_or_status = 0x04, .opaque = 11});
        d.s2c({.magic = 0x81, .opcode = 0x53, .opaque = 12});
        if (from_start) {
            EXPECT_THAT(d.codes(),
                        ElementsAre("D41 warning", "D41 warning", "D41 warning", "D41 warning"));
        } else {
            EXPECT_THAT(d.codes(), ElementsAre("D41 note", "D20 warning", "D41 note", "D23 note",
                                               "D41 note", "D38 note", "D41 note"));
        }
    }
}

TEST(TrackDoubt, ACutMarkerIsAsGoodAsMissing) {
    dialogue d;
    d.open();
    d.stream(5, 7);
    d.marker(5, 7, 1, 4);
    d.mutation(5, 7, 4);
    const test::parts marker{.opcode = 0x56,
                             .vbucket_or_status = 5,
                             .opaque = 7,
                             .extras = {0},
                             .value = numbers({{5, 8}, {9, 8}, {1, 4}, {0, 8}, {0, 8}})};
    d.feed(direction::s2c, cut(marker, 36), true);
    d.mutation(5, 7, 6);
    EXPECT_THAT(d.codes(), IsEmpty());
    d.marker(5, 7, 10, 12);
    d.mutation(5, 7, 13);
    EXPECT_THAT(d.codes(), ElementsAre("D02 error"));
}

TEST(TrackDoubt, ADirectionOfWhichNothingWasCapturedHidesRequests) {
    dialogue d(false);
    d.c2s({.opcode = 0x50, .extras = numbers({{0, 4}, {1, 4}}), .key = "one"});
    d.c2s({.magic = 0x81, .opcode = 0x5c, .opaque = 77});
    EXPECT_THAT(d.codes(), ElementsAre("D18 note"));
}

TEST(TrackDoubt, WhatWasAskedBeforeADirectionBeginsMayHaveBeenAnswered) {
    for (const bool from_start : {true, false}) {
        dialogue d(from_start);
        d.c2s({.opcode = 0x1f, .opaque = 1, .key = "agent"});
        d.c2s({.opcode = 0x50, .opaque = 2, .extras = numbers({{0, 4}, {1, 4}}), .key = "one"});
        d.s2c({.magic = 0x81, .opcode = 0x50, .opaque = 2});
        d.end(direction::s2c);
        if (from_start) {
            EXPECT_THAT(d.codes(), ElementsAre("D40 warning"));
        } else {
            EXPECT_THAT(d.codes(), IsEmpty());
        }
    }
}

}  // namespace
}  // namespace cdcscope::dcp
