// Causal order of the two directions.
#include <gtest/gtest.h>

#include <deque>

#include "proto/dcp/frame.h"
#include "tests/analyzer/recover/talk.h"

namespace cdcscope::recover::testing {
namespace {

constexpr auto c2s = direction::c2s;
constexpr auto s2c = direction::s2c;
using strings = std::vector<std::string>;

TEST(CausalOrder, AnAnswerCapturedBeforeItsRequestWaitsForIt) {
    talk t;
    t.handshake();
    const std::string question = noop(1);
    const std::string answer = noop_answer(1);
    t.put(t.segment(c2s, 0, answer, question.size()));
    EXPECT_TRUE(t.got.connections.empty());
    t.put(t.segment(s2c, 0, question, 0));
    EXPECT_EQ(t.finish().order, (strings{"s2c message 0", "c2s message 0"}));
}

TEST(CausalOrder, InOrderMessagesGoAtOnce) {
    talk t;
    t.handshake();
    t.say(s2c, noop(1));
    EXPECT_EQ(t.got.connections.at(1).order.size(), 1U);
    t.say(c2s, noop_answer(1));
    EXPECT_EQ(t.got.connections.at(1).order.size(), 2U);
}

TEST(CausalOrder, AMessageWaitsForEveryOtherThatItsLastByteAcknowledged) {
    talk t;
    t.handshake();
    const std::string a = mutation(1, "one"), b = mutation(2, "two");
    const std::string ack = buffer_ack(100);
    t.put(t.segment(c2s, 0, ack, a.size() + b.size()));
    t.put(t.segment(s2c, a.size(), b, 0));
    EXPECT_TRUE(t.got.connections.empty());
    t.put(t.segment(s2c, 0, a, 0));
    EXPECT_EQ(t.finish().order, (strings{"s2c message 0", "s2c message " + std::to_string(a.size()),
                                         "c2s message 0"}));
}

TEST(CausalOrder, WhatAcknowledgesLessGoesBetweenTwoMessagesOfOneSegment) {
    talk t;
    t.handshake();
    const std::string a = noop(1), b = noop(2);
    t.put(t.segment(c2s, 0, noop_answer(1), a.size()));
    t.put(t.segment(s2c, 0, a + b, 0));
    EXPECT_EQ(t.finish().order, (strings{"s2c message 0", "c2s message 0", "s2c message 24"}));
}

TEST(CausalOrder, ADirectionOfWhichNothingWasCapturedIsNotWaitedFor) {
    talk t;
    t.said[1] = 4000;
    const std::string one = buffer_ack(1), more = buffer_ack(2);
    t.say(c2s, one + more + one + more);
    t.acknowledge(c2s);
    t.now_ns += 300'000'000;
    t.acknowledge(c2s);
    EXPECT_EQ(t.got.connections.at(1).order.size(), 4U);
}

TEST(CausalOrder, NothingBeforeTheFirstCapturedByteIsWaitedFor) {
    talk t;
    t.said[1] = 5000;
    t.say(c2s, buffer_ack(1) + buffer_ack(2) + buffer_ack(3));
    t.say(s2c, noop(1) + noop(2) + noop(3));
    t.now_ns += 300'000'000;
    t.acknowledge(c2s);
    EXPECT_EQ(t.got.connections.at(1).order.size(), 6U);
}

TEST(CausalOrder, ALateStartWaitsForWhereTheOtherDirectionBegins) {
    talk t;
    t.said[1] = 5000;
    const std::string question = noop(1), answer = noop_answer(1);
    t.say(s2c, question);
    t.say(c2s, answer);
    t.say(s2c, noop(2) + noop(3) + noop(4));
    t.say(c2s, noop_answer(2) + noop_answer(3) + noop_answer(4));
    EXPECT_EQ(t.got.connections.size(), 0U);
    t.now_ns += 300'000'000;
    t.acknowledge(c2s);
    EXPECT_EQ(t.finish().order,
              (strings{"s2c message 0", "c2s message 0", "s2c message 24", "s2c message 48",
                       "s2c message 72", "c2s message 24", "c2s message 48", "c2s message 72"}));
}

TEST(CausalOrder, ALateStartWaitsForWhatComesALittleLaterInTheFile) {
    talk t;
    const std::string question = noop(1) + noop(2) + noop(3);
    const std::string answer = noop_answer(1) + noop_answer(2) + noop_answer(3);
    for (std::size_t at = 0; at < answer.size(); at += 4)
        t.put(t.segment(c2s, at, std::string_view(answer).substr(at, 4), question.size()));
    EXPECT_TRUE(t.got.connections.empty());
    t.put(t.segment(s2c, 0, question, 0));
    EXPECT_EQ(t.finish().order.front(), "s2c message 0");
}

TEST(CausalOrder, AnAnswerShowsWhereTheMessagesBeforeItEnd) {
    talk t;
    t.server.port = 11111;
    t.handshake();
    t.say(s2c, canal_handshake());
    t.lose(s2c, canal_ack());
    t.say(s2c, canal_ack() + canal_ack());
    t.say(c2s, canal_get());
    t.now_ns += 2'100'000'000;
    t.acknowledge(c2s);
    t.say(s2c, canal_batch(1, "row"));
    t.say(c2s, canal_get());
    t.say(s2c, canal_batch(2, "row"));
    EXPECT_EQ(t.got.connections.at(1).dirs[1].messages.size(), 5U);
}

TEST(CausalOrder, OfAHoleWithoutAnEndTheRulesHearBeforeTheReplyThatAcknowledgesIt) {
    talk t;
    t.handshake();
    t.say(c2s, noop_answer(1));
    t.lose(s2c, noop(1));
    t.say(c2s, noop_answer(1));
    t.now_ns += 2'600'000'000;
    t.acknowledge(c2s);
    const kept_connection& c = t.got.connections.at(1);
    EXPECT_EQ(c.order, (strings{"c2s message 0", "c2s message 24"}));
    EXPECT_EQ(c.missing, strings{"s2c 0 before 1"});
}

TEST(CausalOrder, AHoleInTheValueOfACutMessageHidesNone) {
    talk t;
    t.handshake();
    const std::string item = mutation(1, std::string(1000, 'v'));
    t.put(t.segment(s2c, 0, std::string_view(item).substr(0, 200), 0));
    t.said[1] = item.size();
    t.say(c2s, buffer_ack(1));
    t.now_ns += 2'600'000'000;
    t.acknowledge(c2s);
    EXPECT_EQ(t.got.connections.at(1).order, strings{"c2s message 0"});
    EXPECT_TRUE(t.got.connections.at(1).missing.empty());
}

TEST(CausalOrder, WhatWasAcknowledgedButNeverShownIsWaitedForTwoSeconds) {
    talk t;
    t.handshake();
    t.lose(s2c, noop(1));
    t.say(c2s, noop_answer(1));
    EXPECT_TRUE(t.got.connections.empty());
    t.now_ns += 2'600'000'000;
    t.acknowledge(c2s);
    EXPECT_EQ(t.got.connections.at(1).order, strings{"c2s message 0"});
}

TEST(CausalOrder, AFinalHoleTakesItsPlaceBeforeWhatAcknowledgesMore) {
    talk t;
    t.handshake();
    t.lose(s2c, noop(1));
    t.say(c2s, noop_answer(1));
    t.say(s2c, noop(2));
    t.say(c2s, noop_answer(2));
    t.now_ns += 2'600'000'000;
    t.acknowledge(c2s);
    EXPECT_EQ(t.finish().order,
              (strings{"s2c gap 0", "c2s message 0", "s2c message 24", "c2s message 24"}));
}

TEST(CausalOrder, IfBothWaitForEachOtherTheOneCompletedFirstGoes) {
    talk t;
    t.handshake();
    const std::string a = buffer_ack(1), b = noop(2);
    // A repeat with a later acknowledgement came first for each of them.
    t.put(t.segment(c2s, 0, a, b.size()));
    t.put(t.segment(s2c, 0, b, a.size()));
    EXPECT_EQ(t.got.connections.at(1).order, (strings{"c2s message 0", "s2c message 0"}));
}

TEST(CausalOrder, AnEndStandsBehindWhatItAcknowledges) {
    talk t;
    t.handshake();
    t.lose(s2c, noop(1));
    t.close(c2s);
    EXPECT_TRUE(t.got.connections.empty());
    t.put(t.segment(s2c, 0, noop(1), 0));
    EXPECT_EQ(t.finish().order, (strings{"s2c message 0", "c2s end 0"}));
}

TEST(CausalOrder, ARstWithoutAcknowledgementStandsBehindWhatItsSenderHadAcknowledged) {
    talk t;
    t.handshake();
    t.lose(s2c, noop(1));
    t.say(s2c, noop(2));
    t.acknowledge(c2s);
    capture::segment rst = t.segment(c2s, 0, {}, 0);
    rst.flags = capture::tcp_flag::rst;
    t.put(rst);
    EXPECT_EQ(t.finish().order, (strings{"s2c gap 0", "s2c message 24", "c2s end 0"}));
}

TEST(CausalOrder, AmongThoseThatAreFreeTheOneCompletedFirstGoes) {
    talk t;
    t.handshake();
    t.lose(s2c, noop(1));
    t.say(s2c, noop(2));
    t.acknowledge(c2s);
    t.say(s2c, noop(3));
    capture::segment rst = t.segment(c2s, 0, {}, 0);
    rst.flags = capture::tcp_flag::rst;
    t.put(rst);
    EXPECT_EQ(t.finish().order,
              (strings{"s2c gap 0", "s2c message 24", "s2c message 48", "c2s end 0"}));
}

TEST(CausalOrder, NobodyWaitsForARst) {
    talk t;
    t.handshake();
    t.lose(c2s, noop_answer(1));
    t.say(c2s, noop_answer(2));
    t.say(s2c, noop(3));
    capture::segment rst = t.segment(c2s, t.said[0], {}, 0);
    rst.flags = capture::tcp_flag::rst;
    t.put(rst);
    EXPECT_EQ(t.finish().order,
              (strings{"c2s gap 0", "c2s message 24", "s2c message 0", "c2s end 0"}));
}

TEST(CausalOrder, WithoutMemoryEverythingGoesAtOnceAndIsCounted) {
    options chosen;
    chosen.tcp.held_total = 20'000;
    talk t(chosen);
    t.handshake();
    t.lose(s2c, noop(1));
    for (int i = 0; i < 600; ++i) t.say(c2s, noop_answer(1));
    EXPECT_LE(t.all.most_held(), 21'000U);
    EXPECT_EQ(t.finish().dirs[0].messages.size(), 600U);
    EXPECT_GE(t.got.count("cap.memory"), 1);
}

// Two connections whose segments were rewritten: overlaps, repeats, neighbours swapped also across
// the directions.
TEST(CausalOrder, InAMessyCaptureEveryAnswerFollowsItsRequest) {
    collector got;
    recover_file(CDCSCOPE_SOURCE_DIR "/captures/dcp/messy_tcp_ipv4.pcap", got);
    ASSERT_EQ(got.connections.size(), 2U);
    std::size_t messages = 0;
    for (auto& [id, c] : got.connections) {
        std::size_t at[2] = {0, 0};
        std::map<std::pair<int, std::uint32_t>, int> open[2];
        for (const std::string& line : c.order) {
            if (line.find("message") == std::string::npos) continue;
            const direction dir = line.starts_with("c2s") ? c2s : s2c;
            const kept_message& k = c.dirs[index(dir)].messages[at[index(dir)]++];
            const dcp::header h = dcp::parse_header(as_bytes(k.bytes)).value;
            ++messages;
            if (!h.is_response()) {
                ++open[index(dir)][{h.opcode, h.opaque}];
                continue;
            }
            EXPECT_GE(--(open[index(opposite(dir))][{h.opcode, h.opaque}]), 0)
                << "frame " << k.m.frames.done.frame;
        }
        EXPECT_EQ(c.dirs[0].totals.unparsed + c.dirs[1].totals.unparsed, 0U);
    }
    EXPECT_EQ(messages, 278U);
    EXPECT_EQ(got.count("tcp.gap"), 0);
    EXPECT_EQ(got.count("tcp.overlap_conflict"), 0);
}

constexpr std::int64_t second = 1'000'000'000;

// Two holes; what was captured behind the second one is older than the time that undecided bytes
// are waited for when it is let out, but was not known before.
TEST(CausalOrder, UndecidedBytesAreWaitedForFromWhenAHoleLetsThemOut) {
    talk t;
    t.server.port = 11111;
    t.handshake();
    t.say(s2c, canal_handshake());
    t.say(c2s, canal_get());
    t.lose(s2c, canal_batch(1, "row"));
    t.lose(c2s, canal_get());
    const std::uint64_t batch = t.said[1], get = t.said[0];
    t.say(s2c, canal_batch(2, "row"));
    t.now_ns += second / 5;
    t.say(c2s, canal_get());
    t.now_ns += 2 * second - second / 10;
    t.acknowledge(s2c);  // the hole of the client is final
    t.now_ns += second / 5;
    t.acknowledge(c2s);  // that of the server, too
    const strings order = t.finish().order;
    const auto of = [&](const std::string& what) {
        return std::find(order.begin(), order.end(), what) - order.begin();
    };
    const auto answer = of("s2c message " + std::to_string(batch));
    ASSERT_LT(answer, static_cast<std::ptrdiff_t>(order.size()));
    EXPECT_LT(answer, of("c2s message " + std::to_string(get)));
}

TEST(CausalOrder, WhatIsHeldBeforeAHoleWithoutAnEndGoesFirst) {
    talk t;
    t.server.port = 11111;
    t.handshake();
    t.say(s2c, canal_handshake());
    t.say(c2s, canal_get());
    t.lose(c2s, canal_get());
    const std::uint64_t held = t.said[0];
    t.say(c2s, canal_get());
    const std::uint64_t end = t.said[0];
    t.lose(c2s, canal_get());
    t.acknowledge(s2c);
    t.now_ns += 2 * second + second / 8;
    t.acknowledge(s2c);
    const kept_connection& c = t.finish();
    ASSERT_EQ(c.missing.size(), 1U);
    const auto message =
        std::find(c.order.begin(), c.order.end(), "c2s message " + std::to_string(held)) -
        c.order.begin();
    EXPECT_EQ(c.missing[0],
              "c2s " + std::to_string(end) + " before " + std::to_string(message + 1));
}

TEST(CausalOrder, AConnectionIsBehindWhileSomethingMayStillCome) {
    talk t;
    t.server.port = 11111;
    t.handshake();
    t.say(s2c, canal_handshake());
    t.say(c2s, canal_get());
    EXPECT_TRUE(t.got.connections.at(1).behind.empty());
    t.lose(c2s, canal_get());
    t.say(s2c, canal_batch(1, "row"));
    EXPECT_EQ(t.got.connections.at(1).behind, std::vector<bool>{true});
    t.say(c2s, canal_get());
    t.now_ns += 2 * second + second / 8;
    t.say(s2c, canal_batch(2, "row"));
    EXPECT_EQ(t.got.connections.at(1).behind, (std::vector<bool>{true, false}));
}

TEST(CausalOrder, AMessageTellsWhatItsSenderHad) {
    talk t;
    t.handshake();
    t.say(s2c, noop(1));
    t.say(c2s, noop_answer(1));
    t.say(s2c, noop(2));
    kept_connection& c = t.finish();
    EXPECT_EQ(c.dirs[1].messages[0].m.acknowledges, 0);
    EXPECT_EQ(c.dirs[0].messages[0].m.acknowledges, 24);
    EXPECT_EQ(c.dirs[1].messages[1].m.acknowledges, 24);
}

}  // namespace
}  // namespace cdcscope::recover::testing
