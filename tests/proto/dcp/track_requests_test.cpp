// Pairing of requests and answers, what is negotiated, names, malformed and hostile input.
#include <gmock/gmock.h>

#include <random>

#include "tests/proto/dcp/track_support.h"

namespace cdcscope::dcp {
namespace {

using test::dialogue;
using test::numbers;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(TrackRequests, AnswersPairOldestFirstByDirectionOpcodeAndOpaque) {
    dialogue d;
    d.open();
    d.c2s({.opcode = 0x00, .vbucket_or_status = 3, .opaque = 9, .key = "a"});
    const std::uint32_t first = d.id;
    d.c2s({.opcode = 0x00, .vbucket_or_status = 4, .opaque = 9, .key = "b"});
    const std::uint32_t second = d.id;
    const track_record one = d.s2c({.magic = 0x81, .opcode = 0x00, .opaque = 9});
    EXPECT_EQ(one.request, first);
    EXPECT_TRUE(one.has_partition);
    EXPECT_EQ(one.partition, 3U);
    EXPECT_EQ(one.elapsed_ns, 2'000'000);
    EXPECT_EQ(d.s2c({.magic = 0x81, .opcode = 0x00, .opaque = 9}).request, second);
    EXPECT_THAT(d.codes(), IsEmpty());
    EXPECT_EQ(d.s2c({.magic = 0x81, .opcode = 0x00, .opaque = 9}).request, 0U);
    EXPECT_THAT(d.codes(), ElementsAre("D41 warning"));
}

TEST(TrackRequests, EveryLineOfAStatBelongsToItsRequest) {
    dialogue d;
    d.open();
    d.c2s({.opcode = 0x10, .opaque = 9});
    const std::uint32_t asked = d.id;
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(d.s2c({.magic = 0x81, .opcode = 0x10, .opaque = 9, .value = {'1'}, .key = "name"})
                      .request,
                  asked);
    }
    EXPECT_EQ(d.s2c({.magic = 0x81, .opcode = 0x10, .opaque = 9}).request, asked);
    d.end(direction::s2c, end_of::rst);
    EXPECT_THAT(d.codes(), IsEmpty());
}

TEST(TrackRequests, BeforeDcpOpenNothingIsCertain) {
    dialogue d;
    d.s2c({.magic = 0x81, .opcode = 0x1f, .opaque = 9});
    EXPECT_THAT(d.codes(), ElementsAre("D41 note"));
}

TEST(TrackRequests, AnAnswerWhoseRequestMayLieInAHoleIsNoFinding) {
    dialogue d;
    d.open();
    d.c->hole(direction::s2c);
    d.s2c({.magic = 0x81, .opcode = 0x00, .opaque = 9});
    EXPECT_THAT(d.codes(), ElementsAre("D41 note"));
    d.c->hole(direction::c2s);
    d.s2c({.magic = 0x81, .opcode = 0x00, .opaque = 10});
    EXPECT_EQ(d.codes().size(), 1U);
}

TEST(TrackRequests, RolesComeFromTheFlagsOfDcpOpenNotFromWhoConnected) {
    dialogue d;
    d.open(0, "replication:n0->n1:travel");  // asks the server to consume
    d.s2c({.opcode = 0x5e,
           .opaque = 1,
           .value = {'1', '0', '0', '0'},
           .key = "connection_buffer_size"});
    d.c2s({.magic = 0x81, .opcode = 0x5e, .opaque = 1});
    d.s2c({.opcode = 0x53,
           .vbucket_or_status = 5,
           .opaque = 7,
           .extras = dialogue::request(0, UINT64_MAX)});
    d.c2s({.magic = 0x81, .opcode = 0x53, .opaque = 7, .value = numbers({{0xaa, 8}, {0, 8}})});
    const track_record marker = d.c2s({.opcode = 0x56,
                                       .vbucket_or_status = 5,
                                       .opaque = 7,
                                       .extras = numbers({{0, 8}, {9, 8}, {1, 4}})});
    EXPECT_EQ(marker.stream, 1U);
    EXPECT_EQ(marker.outstanding, 44U);
    EXPECT_EQ(d.s2c({.opcode = 0x5d, .extras = numbers({{44, 4}})}).outstanding, 0U);
    EXPECT_EQ(d.c->story().role, dcp_role::client_produces);
    EXPECT_THAT(d.codes(), IsEmpty());
}

TEST(TrackRequests, AnswersTellTheRolesWhereRequestsWereNotCaptured) {
    for (const auto& [opcode, from, role] :
         {std::tuple{0x53, direction::s2c, dcp_role::client_consumes},
          std::tuple{0x5e, direction::c2s, dcp_role::client_produces},
          std::tuple{0x5c, direction::c2s, dcp_role::client_consumes},
          std::tuple{0x50, direction::s2c, dcp_role::unknown},
          std::tuple{0x0a, direction::s2c, dcp_role::unknown}}) {
        dialogue d(false);
        d.feed(from, test::message({.magic = 0x81, .opcode = static_cast<std::uint8_t>(opcode)}));
        EXPECT_EQ(d.c->story().role, role) << opcode;
    }
}

TEST(TrackRequests, BytesInPlaceOfAMessageSayThatALengthIsWrong) {
    dialogue d;
    d.open();
    d.c2s({.opcode = 0x5c});
    d.c->broken(direction::c2s, 4, {.time_ns = 1, .frame = 9, .file = 0}, ++d.id);
    EXPECT_EQ(d.told().all.back().text,
              "4 bytes behind DCP_NOOP are no message: a length in what was sent is wrong");
    // What follows is found behind a hole: nothing is certain.
    d.c->broken(direction::c2s, 1, {.time_ns = 2, .frame = 10, .file = 0}, ++d.id);
    EXPECT_THAT(d.codes(), ElementsAre("dcp.malformed error", "dcp.malformed note"));
}

TEST(TrackRequests, CollectionsAreOnFromTheAnswerToHello) {
    dialogue d;
    const test::bytes feature = numbers({{0x12, 2}});
    EXPECT_EQ(d.c2s({.opcode = 0x1f, .opaque = 1, .value = feature}).context.collections,
              collection_keys::off);
    d.s2c({.magic = 0x81, .opcode = 0x1f, .opaque = 1, .value = feature});
    EXPECT_EQ(d.c->context().collections, collection_keys::on);
    EXPECT_FALSE(d.c->context().collections_judged);
}

TEST(TrackRequests, AfterALateStartKeysTellWhetherCollectionsAreOn) {
    dialogue plain(false);
    EXPECT_EQ(plain.mutation(1, 7, 1, "key").context.collections, collection_keys::off);
    dialogue prefixed(false);
    const track_record first = prefixed.mutation(1, 7, 1, std::string("\0key", 4));
    EXPECT_EQ(first.context.collections, collection_keys::on);
    EXPECT_TRUE(first.context.collections_judged);
    EXPECT_EQ(prefixed.mutation(1, 7, 2, "key").context.collections, collection_keys::off);
}

TEST(TrackRequests, TheCallersChoiceOverrulesWhatWasNegotiated) {
    test::teller told;
    world all({&told, nullptr, nullptr}, {}, collections_choice::on);
    const auto c = all.add({1, "10.0.0.1:1", "10.0.0.2:11210", true});
    EXPECT_EQ(c->context().collections, collection_keys::on);
}

TEST(TrackRequests, SystemEventsNameCollections) {
    dialogue d;
    const test::bytes feature = numbers({{0x12, 2}});
    d.ask({.opcode = 0x1f, .value = feature}, 0, feature);
    d.ask({.opcode = 0x50, .extras = numbers({{0, 4}, {1, 4}}), .key = "a:b"});
    d.stream(1, 7);
    d.marker(1, 7, 1, 9);
    d.s2c({.opcode = 0x5f,
           .vbucket_or_status = 1,
           .opaque = 7,
           .extras = numbers({{1, 8}, {3, 4}, {0, 1}}),
           .value = numbers({{2, 8}, {8, 4}}),
           .key = "inventory"});
    d.s2c({.opcode = 0x5f,
           .vbucket_or_status = 1,
           .opaque = 7,
           .extras = numbers({{2, 8}, {0, 4}, {0, 1}}),
           .value = numbers({{3, 8}, {8, 4}, {9, 4}}),
           .key = "orders"});
    EXPECT_EQ(d.c->collection(9).collection, "orders");
    EXPECT_EQ(d.c->collection(9).scope, "inventory");
    EXPECT_EQ(d.c->scope(8), "inventory");
    EXPECT_EQ(d.c->collection(10).collection, "");
    EXPECT_EQ(d.c->collection(0).collection, "_default");
    d.mutation(1, 7, 3, "\x09k");
    EXPECT_EQ(d.codes().size(), 1U) << "noop is off, no key is unknown";
}

TEST(TrackRequests, ABrokenLayoutIsOneErrorAndGoesNoFurther) {
    dialogue d;
    d.open();
    d.stream(1, 7);
    d.s2c(
        {.opcode = 0x56, .vbucket_or_status = 1, .opaque = 7, .extras = numbers({{1, 8}, {9, 8}})});
    EXPECT_THAT(d.codes(), ElementsAre("dcp.malformed error"));
    EXPECT_FALSE(d.c->stream(0).in_snapshot);
}

TEST(TrackRequests, FaultsThatRepeatWithoutEndAreCapped) {
    dialogue d;
    d.open();
    d.stream(1, 7);
    for (int i = 0; i < 17'000; ++i) d.mutation(9, 7, 1);
    EXPECT_EQ(d.codes().size(), 16'385U);
    EXPECT_EQ(d.codes().back(), "cap.rules note");
}

// Anything may be on the wire; nothing may break on it.
TEST(TrackRequests, RandomMessagesDoNoHarm) {
    std::mt19937 random(1);
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    dialogue d;
    d.open();
    for (int i = 0; i < 20'000; ++i) {
        test::parts p;
        constexpr std::uint8_t magics[] = {0x80, 0x81, 0x08, 0x18, 0x82, 0x83};
        p.magic = magics[below(6)];
        p.opcode = static_cast<std::uint8_t>(below(4) == 0 ? below(256) : 0x50 + below(0x18));
        p.vbucket_or_status = static_cast<std::uint16_t>(below(3) == 0 ? 0x23 : below(3));
        p.opaque = below(3);
        constexpr std::uint8_t sizes[] = {0, 1, 4, 8, 13, 16, 18, 20, 21, 31, 48};
        p.extras.resize(sizes[below(std::size(sizes))]);
        for (std::uint8_t& byte : p.extras) byte = static_cast<std::uint8_t>(below(3));
        p.key.assign(below(3), static_cast<char>('a' + below(3)));
        p.value.resize(below(2) * below(60));
        for (std::uint8_t& byte : p.value) byte = static_cast<std::uint8_t>(random());
        p.datatype = static_cast<std::uint8_t>(below(8));
        test::bytes raw = message(p);
        if (below(16) == 0) raw.resize(below(static_cast<std::uint32_t>(raw.size())));
        d.wait(below(64) == 0 ? 40 : 0);
        (void)d.feed(below(2) == 0 ? direction::c2s : direction::s2c, raw);
        if (below(500) == 0) d.c->hole(direction::s2c);
    }
    d.end(direction::s2c, end_of::rst);
    d.finish();
    EXPECT_FALSE(d.codes().empty());
}

}  // namespace
}  // namespace cdcscope::dcp
