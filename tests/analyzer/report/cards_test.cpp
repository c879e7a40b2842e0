// Which findings share a card, and which card comes first.
#include "analyzer/report/cards.h"

#include <gtest/gtest.h>

#include "analyzer/report/finding_folder.h"
#include "analyzer/report/format.h"
#include "analyzer/report/one_direction.h"
#include "analyzer/report/verdict.h"
#include "analyzer/report/words.h"
#include "tests/analyzer/report/sample_models.h"

namespace cdcscope::report {
namespace {

using findings::code;

findings::finding told(code what, severity level, std::uint32_t connection, std::uint32_t first,
                       std::uint32_t at, std::uint32_t id = 0) {
    findings::finding f;
    f.what = what;
    f.level = level;
    f.connection = connection;
    f.first = samples::frame(first, first * samples::ms);
    f.at = samples::frame(at, at * samples::ms);
    f.text = "frame " + std::to_string(at);
    f.id = id;
    return f;
}

model with(finding_folder& folder, std::size_t connections = 2) {
    auto m = samples::base();
    for (std::uint32_t i = 1; i <= connections; ++i) m.connections.push_back(samples::consumer(i));
    samples::add_up(m);
    m.findings = folder.take();
    make_cards(m, findings::thresholds());
    judge(m);
    return m;
}

std::vector<std::string> codes(const model& m) {
    std::vector<std::string> out;
    for (const auto& c : m.cards) out.push_back(c.code);
    return out;
}

TEST(Folding, OneRuleOnOneConnectionIsOneFinding) {
    finding_folder folder;
    for (std::uint32_t i = 1; i <= 300; ++i)
        folder.add(told(code::dcp_stream_rollback, severity::warning, 1, i, i));
    folder.add(told(code::dcp_stream_rollback, severity::note, 1, 400, 400));
    folder.add(told(code::dcp_stream_rollback, severity::warning, 2, 401, 401));
    const auto all = folder.take();
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].count, 300U);
    ASSERT_EQ(all[0].hits.size(), cap::hits);
    EXPECT_EQ(all[0].hits.front().last.frame, 1U);
    EXPECT_EQ(all[0].hits[cap::hits / 2].last.frame, 300U - cap::hits / 2 + 1);
    EXPECT_EQ(all[0].hits.back().last.frame, 300U);
    EXPECT_EQ(all[0].first.frame, 1U);
    EXPECT_EQ(all[0].last.frame, 300U);
    EXPECT_EQ(all[2].level, severity::note);
}

TEST(Folding, TheVbucketsOfAllHitsAreNamed) {
    finding_folder folder;
    for (std::uint32_t i = 300; i > 0; --i) {
        auto one = told(code::dcp_stream_rollback, severity::warning, 1, i, i);
        one.figures = {{"partition", std::uint64_t{i % 200}}};
        folder.add(one);
    }
    const auto all = folder.take();
    ASSERT_EQ(all[0].partitions.size(), 200U);
    EXPECT_EQ(vbuckets_words(all[0].partitions), "vb 0..199");
    EXPECT_EQ(vbuckets_words({1, 3, 4, 7, 8, 9}), "vb 1, 3, 4, 7..9");
    EXPECT_EQ(vbuckets_words({0, 2, 4, 6, 8, 10, 12, 14, 16, 17}),
              "vb 0, 2, 4, 6, 8, 10, 12, 14 and 2 more");
    EXPECT_EQ(beyond_words(3, 0), "3 more in the JSON");
    EXPECT_EQ(beyond_words(295, 200), "295 more, 95 of them in the JSON");
    EXPECT_EQ(beyond_words(7, 7), "7 more");
}

TEST(Folding, AStateThatIsSettledBehindManyOthersIsFound) {
    finding_folder folder;
    for (std::uint32_t i = 1; i <= 300; ++i)
        folder.add(told(code::dcp_noop_unanswered, severity::note, 1, i, i, i));
    for (std::uint32_t i = 1; i <= 300; ++i)
        folder.settle({i, true, samples::frame(400 + i, i * samples::ms), {}, std::to_string(i)});
    const auto all = folder.take();
    EXPECT_EQ(all[0].hits.front().text, "1");
    EXPECT_EQ(all[0].hits.back().text, "300");
}

TEST(Folding, AStateThatEndsIsSettledWhereItWasTold) {
    finding_folder folder;
    folder.add(told(code::dcp_noop_unanswered, severity::note, 1, 1, 5, 7));
    folder.settle({7, true, samples::frame(9, 9 * samples::ms), {{"waitedMs", 8.0}}, "over now"});
    folder.settle({8, false, samples::frame(9, 0), {}, "of nothing"});
    const auto all = folder.take();
    EXPECT_FALSE(all[0].going_on);
    EXPECT_EQ(all[0].hits[0].text, "over now");
    EXPECT_EQ(figure_of(all[0].hits[0], "waitedMs"), 8.0);
}

TEST(Grouping, OneFillIsOneCardUnderTheStall) {
    finding_folder folder;
    folder.add(told(code::dcp_flow_full, severity::note, 1, 60, 60));
    folder.add(told(code::dcp_flow_ack_missing, severity::warning, 1, 54, 313));
    folder.add(told(code::dcp_flow_stalled, severity::warning, 1, 60, 313));
    folder.add(told(code::dcp_flow_full, severity::note, 2, 70, 70));
    const auto m = with(folder);
    EXPECT_EQ(codes(m), (std::vector<std::string>{"dcp.flow.stalled", "dcp.flow.full"}));
    EXPECT_EQ(m.cards[0].rules, (std::vector<std::string>{"D11", "D13", "D15"}));
    EXPECT_EQ(m.cards[0].count, 3U);
    EXPECT_EQ(m.hits.warnings, 2U);
    EXPECT_EQ(m.hits.notes, 2U);
}

TEST(Grouping, ARefusalGoesWithWhatWasRefusedOnlyIfItIsTheSameRequest) {
    finding_folder folder;
    folder.add(told(code::canal_ack_out_of_order, severity::error, 1, 152, 152));
    folder.add(told(code::canal_request_refused, severity::error, 1, 152, 154));
    folder.add(told(code::canal_answer_unexpected, severity::warning, 1, 152, 154));
    folder.add(told(code::canal_request_refused, severity::error, 2, 160, 161));
    const auto m = with(folder);
    EXPECT_EQ(codes(m),
              (std::vector<std::string>{"canal.ack.out_of_order", "canal.request.refused"}));
    EXPECT_EQ(m.cards[0].rules, (std::vector<std::string>{"C2", "C3", "C5"}));
}

TEST(Grouping, ChatsHaveNoCard) {
    finding_folder folder;
    folder.add(told(code::canal_write_delayed, severity::chat, 1, 1, 2));
    const auto m = with(folder);
    EXPECT_TRUE(m.cards.empty());
    EXPECT_EQ(m.hits.chats, 1U);
    EXPECT_EQ(m.findings[0].card, no_card);
    EXPECT_EQ(m.result, verdict_kind::clean);
}

TEST(Rank, WhatGoesOnComesBeforeWhatIsOverThenBySeverity) {
    finding_folder folder;
    folder.add(told(code::dcp_seqno_not_increasing, severity::error, 1, 1, 1));
    folder.add(told(code::dcp_noop_unanswered, severity::warning, 1, 2, 3, 5));
    folder.settle(
        {5, false, samples::frame(9, 9 * samples::ms), {{"waitedMs", 7000.0}}, "unanswered"});
    folder.add(told(code::dcp_history_changed, severity::note, 2, 4, 4));
    folder.add(told(code::dcp_stream_ended, severity::warning, 2, 5, 5));
    const auto m = with(folder);
    EXPECT_EQ(codes(m), (std::vector<std::string>{"dcp.noop.unanswered", "dcp.seqno.not_increasing",
                                                  "dcp.stream.ended", "dcp.history.changed"}));
    EXPECT_TRUE(m.cards[0].going_on);
    EXPECT_EQ(m.connections[0].fared, health::error);
    EXPECT_EQ(m.connections[0].cards, (std::vector<std::size_t>{0, 1}));
}

// A keep-alive without answer on connection 1, settled when that closed; connection 2 goes on
// after it for `after_ns`.
model unanswered_then_closed(std::int64_t after_ns) {
    finding_folder folder;
    folder.add(told(code::dcp_seqno_not_increasing, severity::error, 2, 1, 1));
    folder.add(told(code::dcp_noop_unanswered, severity::warning, 1, 2, 3, 5));
    const auto closed = samples::frame(9, 60 * samples::second);
    folder.settle({5, false, closed, {{"waitedMs", 7000.0}}, "unanswered"});
    auto m = samples::base();
    for (std::uint32_t i = 1; i <= 2; ++i) m.connections.push_back(samples::consumer(i));
    m.connections[0].closed = {true, direction::c2s, recover::end_kind::fin, closed};
    m.connections[0].life.to = closed.time_ns;
    m.connections[1].life.to = closed.time_ns + after_ns;
    m.capture.span.to = closed.time_ns + std::max<std::int64_t>(after_ns, samples::ms);
    samples::add_up(m);
    m.findings = folder.take();
    make_cards(m, findings::thresholds());
    judge(m);
    return m;
}

TEST(Rank, WhatLastedUntilItsConnectionClosedDoesNotGoOn) {
    const auto m = unanswered_then_closed(30 * samples::second);
    EXPECT_EQ(codes(m),
              (std::vector<std::string>{"dcp.seqno.not_increasing", "dcp.noop.unanswered"}));
    EXPECT_FALSE(m.cards[1].going_on);
    EXPECT_EQ(m.cards[1].state, "until the connection ended");
    EXPECT_EQ(m.cards[1].shown.back().what, "still so when the connection ends");
    EXPECT_EQ(m.second_line.find("still going on"), std::string::npos);
}

TEST(Rank, WhatLastedUntilTheCaptureEndedWithItsConnectionGoesOn) {
    const auto m = unanswered_then_closed(-1 * samples::second);
    EXPECT_EQ(m.cards[0].code, "dcp.noop.unanswered");
    EXPECT_EQ(m.cards[0].state, "still going on");
}

TEST(Rank, AStallThatItsConnectionEndedDoesNotGoOn) {
    finding_folder folder;
    folder.add(told(code::dcp_flow_stalled, severity::warning, 1, 1, 20, 1));
    auto m = samples::stalled();
    m.connections.push_back(samples::consumer(2));
    m.connections[1].life.to = m.capture.span.to = m.connections[0].life.to + 60 * samples::second;
    samples::add_up(m);
    m.findings = folder.take();
    m.cards.clear();
    make_cards(m, findings::thresholds());
    EXPECT_FALSE(m.cards[0].going_on);
    EXPECT_EQ(m.cards[0].state, "until the connection ended");
    EXPECT_NE(m.cards[0].condition.find("until the connection ended"), std::string::npos);
}

// Batches of connection 1 with these lags in seconds; it closes, connection 2 goes on.
model lagging(const std::vector<std::int64_t>& seconds, bool closes) {
    finding_folder folder;
    folder.add(told(code::canal_lag, severity::warning, 1, 1, 1));
    auto m = samples::base();
    for (std::uint32_t i = 1; i <= 2; ++i) m.connections.push_back(samples::consumer(i));
    for (const auto s : seconds) {
        batch_row b;
        b.connection = 1;
        b.batch = m.batches.size() + 1;
        b.has_lag = true;
        b.lag_ns = s * samples::second;
        b.delivered = samples::frame(10 + static_cast<std::uint32_t>(b.batch),
                                     static_cast<std::int64_t>(b.batch) * samples::second);
        m.batches.push_back(b);
    }
    if (closes) {
        const auto at = samples::frame(50, 30 * samples::second);
        m.connections[0].closed = {true, direction::c2s, recover::end_kind::rst, at};
        m.connections[0].life.to = at.time_ns;
    }
    samples::add_up(m);
    m.findings = folder.take();
    make_cards(m, findings::thresholds());
    return m;
}

TEST(Rank, ALagGoesOnIfItGrowsOrLastedToTheEndOfTheCapture) {
    EXPECT_EQ(lagging({20, 30, 20}, false).cards[0].state, "still going on");
    EXPECT_EQ(lagging({20, 30, 20}, true).cards[0].state, "until the connection ended");
    EXPECT_FALSE(lagging({20, 30, 20}, true).cards[0].going_on);
    EXPECT_EQ(lagging({20, 30, 40}, true).cards[0].state, "growing");
    const auto once = lagging({176}, false);
    EXPECT_FALSE(once.cards[0].going_on);
    EXPECT_EQ(once.cards[0].state, "seen in one batch");
    EXPECT_TRUE(plain_spaces(once.cards[0].text).starts_with("1 batch: 2 min 56 s behind"))
        << once.cards[0].text;
}

TEST(Words, AWindowThatWasFullForTheSameTimeEachTimeSaysItOnce) {
    finding_folder folder;
    folder.add(told(code::dcp_flow_full, severity::note, 1, 60, 60));
    folder.add(told(code::dcp_flow_full, severity::note, 1, 70, 70));
    auto m = samples::base();
    m.connections.push_back(samples::consumer(1));
    auto& f = m.connections[0].flow.make();
    f.on = true;
    f.full_times = 2;
    f.full_least_ns = 5'510'000;
    f.full_most_ns = 5'520'000;
    samples::add_up(m);
    m.findings = folder.take();
    make_cards(m, findings::thresholds());
    EXPECT_EQ(m.cards[0].brief, "2\u00a0times, for 5.5\u00a0ms");
}

TEST(Words, AStreamThatEndsInsideAPacketIsNotCalledMalformed) {
    finding_folder folder;
    auto f = told(code::canal_malformed, severity::error, 1, 54, 54);
    f.figures = {{"part", std::string("the last packet")},
                 {"reason", std::string("the client's stream ends inside it")}};
    folder.add(f);
    auto note = told(code::tcp_incomplete_at_end, severity::note, 1, 53, 53);
    note.text = "the client's stream ends inside a message: 4 of at least 25 bytes are here";
    folder.add(note);
    const auto m = with(folder);
    ASSERT_EQ(m.cards.size(), 1U);
    EXPECT_EQ(m.cards[0].code, "canal.malformed");
    EXPECT_EQ(m.cards[0].title,
              "the client's stream ends inside a packet: 4 of at least 25 bytes are here");
    EXPECT_EQ(m.cards[0].condition, "ended inside a packet");
    EXPECT_EQ(m.cards[0].advice[1].find("--port"), std::string::npos);
}

TEST(Words, ABatchDroppedByAnEarlierRequestHasNoNegativeTime) {
    batch_row b;
    b.state = batch_state::rolled_back;
    b.delivered = samples::frame(62, 100 * samples::ms);
    b.finished = samples::frame(59, 97 * samples::ms);
    EXPECT_EQ(plain_spaces(after_words(b)), " on arrival, by a request sent 3.0 ms before");
    EXPECT_EQ(held_ns(b), 0);
    EXPECT_EQ(batch_words(b).find('-'), std::string::npos);
    b.finished = samples::frame(63, 103 * samples::ms);
    EXPECT_EQ(plain_spaces(after_words(b)), " after 3.0 ms");
}

TEST(Words, BatchesThatALaterConnectionRollsBackAreNotLeftOpen) {
    finding_folder folder;
    auto f = told(code::canal_batch_unacknowledged, severity::warning, 1, 67, 94);
    f.figures = {{"batches", std::vector<std::uint64_t>{6, 7}}};
    folder.add(f);
    auto m = samples::base();
    m.connections.push_back(samples::consumer(1));
    for (const std::uint64_t id : {5U, 6U, 7U}) {
        batch_row b;
        b.connection = 1;
        b.batch = id;
        b.state = batch_state::rolled_back;
        b.delivered = samples::frame(67, 67 * samples::ms);
        b.finished = samples::frame(107, 144 * samples::ms);
        m.batches.push_back(b);
    }
    samples::add_up(m);
    m.findings = folder.take();
    make_cards(m, findings::thresholds());
    EXPECT_EQ(m.cards[0].state, "over after 50\u00a0ms");
    EXPECT_NE(plain_spaces(m.cards[0].text).find("rolled 2 batches back, 50.0 ms after"),
              std::string::npos)
        << m.cards[0].text;
    for (const auto& b : m.batches) EXPECT_GE(b.fared, health::note);
}

TEST(Words, RulesOfCanalHaveTheirLetter) {
    card c;
    c.rules = {"C2", "C3"};
    EXPECT_EQ(rules_words(c), "rules C2, C3");
}

TEST(Words, TheTallySaysWhyThereAreFewerFindings) {
    auto m = samples::stalled();
    EXPECT_EQ(plain_spaces(tally_sentence(m)),
              "0 errors, 2 warnings, 1 note in 1 finding (met 3 times; what is one fact on one "
              "connection is one finding).");
    m.hits = {0, 1, 0, 0};
    EXPECT_EQ(plain_spaces(tally_sentence(m)), "0 errors, 1 warning, 0 notes in 1 finding.");
}

TEST(Rank, ANoteThatGoesOnStaysBehindErrors) {
    finding_folder folder;
    folder.add(told(code::dcp_prepare_unresolved, severity::note, 1, 1, 2, 5));
    folder.settle({5, false, samples::frame(9, 9 * samples::ms), {{"ageMs", 1e9}}, "open"});
    folder.add(told(code::dcp_seqno_not_increasing, severity::error, 1, 3, 3));
    EXPECT_EQ(codes(with(folder)).front(), "dcp.seqno.not_increasing");
}

TEST(Evidence, OfManyTimesTheFirstThreeAndTheLastTwoAreShown) {
    finding_folder folder;
    for (std::uint32_t i = 1; i <= 20; ++i)
        folder.add(told(code::dcp_seqno_not_increasing, severity::error, 1, i * 10, i * 10));
    const auto m = with(folder);
    ASSERT_EQ(m.cards[0].shown.size(), cap::evidence);
    EXPECT_EQ(m.cards[0].shown[2].at.frame, 30U);
    EXPECT_EQ(m.cards[0].shown[3].at.frame, 190U);
    EXPECT_EQ(m.cards[0].evidence_left_out, 15U);
    EXPECT_EQ(m.cards[0].filters[0].expression, "frame.number in {10, 20, 30, 190, 200}");
}

TEST(Verdict, WhatIsUncertainIsNoFault) {
    finding_folder folder;
    auto f = told(code::dcp_stream_unknown, severity::note, 1, 1, 1);
    f.uncertain = true;
    folder.add(f);
    const auto m = with(folder);
    EXPECT_EQ(m.result, verdict_kind::notes_only);
    EXPECT_EQ(m.headline, "Nothing certain went wrong; 1\u00a0finding is uncertain.");
}

TEST(Verdict, SayTheCountWhereSeveralConnectionsShareAFault) {
    finding_folder folder;
    for (std::uint32_t i = 1; i <= 2; ++i) {
        folder.add(told(code::dcp_flow_stalled, severity::warning, i, 1, 20, i));
        folder.settle({i,
                       false,
                       samples::frame(9, 60 * samples::second),
                       {{"stalledMs", 60'000.0}},
                       "stalled"});
    }
    auto m = samples::base();
    for (std::uint32_t i = 1; i <= 2; ++i) {
        m.connections.push_back(samples::consumer(i));
        m.connections.back().flow.make().on = m.connections.back().flow.make().full_at_end = true;
        m.connections.back().flow.make().filled = samples::frame(1, samples::ms);
    }
    samples::add_up(m);
    m.findings = folder.take();
    make_cards(m, findings::thresholds());
    judge(m);
    EXPECT_TRUE(m.headline.starts_with("2 connectors have received nothing for")) << m.headline;
}

TEST(Rank, ADurableWriteThatItsConnectionLeavesOpenDoesNotGoOn) {
    finding_folder folder;
    auto open = told(code::dcp_prepare_unresolved, severity::warning, 1, 2, 3, 7);
    open.text = "prepare of key k (vb 0, seqno 1, majority) open when its connection closed, after";
    open.figures = {{"key", std::string("k")}, {"partition", std::uint64_t{0}}};
    folder.add(open);
    folder.settle({7, false, samples::frame(9, 9 * samples::ms), open.figures, open.text});
    folder.add(told(code::dcp_seqno_not_increasing, severity::error, 2, 4, 4));
    const auto m = with(folder);
    EXPECT_EQ(codes(m),
              (std::vector<std::string>{"dcp.seqno.not_increasing", "dcp.prepare.unresolved"}));
    EXPECT_FALSE(m.cards[1].going_on);
    EXPECT_EQ(m.cards[1].state, "the connection closed first");
}

TEST(Headline, SaysWhichConnectionItIsAboutWhereThereAreSeveral) {
    const auto headline = [](std::size_t connections, std::uint32_t on, std::string text) {
        finding_folder folder;
        auto f = told(code::dcp_seqno_not_increasing, severity::error, on, 1, 1);
        f.text = std::move(text);
        folder.add(f);
        return with(folder, connections).headline;
    };
    EXPECT_NE(headline(2, 2, "seqno 3 came after 4").find("(connection 2, "), std::string::npos);
    EXPECT_EQ(headline(1, 1, "seqno 3 came after 4"), "Seqno 3 came after 4.");
    EXPECT_EQ(headline(2, 2, "on connection 2 went wrong"), "On connection 2 went wrong.");
    EXPECT_EQ(headline(2, 2, "connections 1 and 2 collide"), "Connections 1 and 2 collide.");
    EXPECT_NE(headline(12, 2, "as before on connection 12").find("(connection 2, "),
              std::string::npos);
    EXPECT_TRUE(headline(1, 1, "vb 3: seqno 3 came after 4").starts_with("Stream vb 3: "));
}

TEST(Words, OfTwoThatCompeteBothAreNamed) {
    finding_folder folder;
    auto f = told(code::canal_consumer_competing, severity::warning, 2, 1, 1);
    f.figures = {{"connections", std::vector<std::uint64_t>{1}}};
    folder.add(f);
    auto shared = told(code::dcp_name_shared, severity::note, 2, 3, 3);
    shared.figures = {{"name", std::string("n")}, {"other", std::uint64_t{1}}};
    folder.add(shared);
    const auto m = with(folder);
    EXPECT_EQ(m.cards[0].title.find("connections 1 and 2 compete for the batches of"), 0U)
        << m.cards[0].title;
    EXPECT_EQ(m.cards[1].title, "connections 1 and 2 both use the name n");
}

TEST(Words, HitsWithoutWordsAddNoSentence) {
    const auto text_with = [](std::string later, int more) {
        finding_folder folder;
        auto f = told(code::tcp_duplicates, severity::note, 1, 1, 1);
        f.text = "frame 1 is a copy";
        folder.add(f);
        for (int i = 0; i < more; ++i) {
            f.text = later;
            folder.add(f);
        }
        return with(folder).cards[0].text;
    };
    EXPECT_EQ(text_with("", 51), "Frame 1 is a copy. 52 times in all.");
    EXPECT_EQ(text_with("so is 2", 1), "Frame 1 is a copy. So is 2.");
    EXPECT_EQ(text_with("so is 2", 5),
              "Frame 1 is a copy. So is 2. So is 2. So is 2. 6 times in all.");
    finding_folder folder;
    auto f = told(code::tcp_mid_stream, severity::note, 1, 1, 1);
    f.text.clear();
    folder.add(f);
    folder.add(f);
    EXPECT_EQ(with(folder).cards[0].text, findings::entry_of(code::tcp_mid_stream).statement);
}

TEST(Words, AKeepAliveIsNotAll) {
    const auto told_of = [](std::uint64_t sent, std::uint64_t answered) {
        finding_folder folder;
        folder.add(told(code::dcp_flow_stalled, severity::warning, 1, 1, 20, 1));
        auto m = samples::stalled();
        m.connections[0].noop.sent = sent;
        m.connections[0].noop.answered = answered;
        m.findings = folder.take();
        m.cards.clear();
        make_cards(m, findings::thresholds());
        return plain_spaces(m.cards[0].text);
    };
    EXPECT_NE(told_of(1, 1).find(" The keep-alive was answered."), std::string::npos);
    EXPECT_NE(told_of(1, 0).find(" The keep-alive was not answered."), std::string::npos);
    EXPECT_NE(told_of(6, 6).find(" All 6 keep-alives were answered."), std::string::npos);
    EXPECT_NE(told_of(6, 1).find(" 1 of 6 keep-alives was answered."), std::string::npos);
}

TEST(Words, OnlyASubscriptionSaysWhoseFilterIsInForce) {
    const auto filter_of = [](bool from_start, bool sent, std::string filter) {
        auto m = samples::base();
        m.connections = {samples::consumer(1)};
        auto& c = m.connections[0];
        c.what = role::canal_client;
        c.from_start = from_start;
        c.canal.make().filter_sent = sent;
        c.canal.make().filter = std::move(filter);
        for (const auto& f : facts_of(m, c)) {
            if (f.label == "Filter") return f.value;
        }
        return std::string{};
    };
    EXPECT_EQ(filter_of(true, true, ""), "set by the server");
    EXPECT_EQ(filter_of(true, true, "shop\\..*"), "shop\\..*");
    EXPECT_EQ(filter_of(false, false, ""), "not captured");
    EXPECT_EQ(filter_of(true, false, ""), "never subscribed");
}

TEST(Words, ALagThatGrewSaysWhenItWasLastSeen) {
    auto closed = lagging({20, 30, 40}, true).cards[0];
    EXPECT_EQ(closed.as_of, "when the client closed");
    EXPECT_NE(closed.text.find(" The client closed at 06:22:30.000, "), std::string::npos)
        << closed.text;
    EXPECT_TRUE(closed.text.ends_with(", and did not come back.")) << closed.text;
    EXPECT_EQ(lagging({20, 30, 40}, false).cards[0].as_of, "");
}

TEST(Words, WhatBecameOfTheOlderConnectionOfANameIsSaid) {
    const auto text_with = [](std::int64_t closed_after, direction by) {
        finding_folder folder;
        auto f = told(code::dcp_name_shared, severity::note, 2, 3, 3);
        f.figures = {{"name", std::string("n")}, {"other", std::uint64_t{1}}};
        folder.add(f);
        auto m = samples::base();
        for (std::uint32_t i = 1; i <= 2; ++i) m.connections.push_back(samples::consumer(i));
        auto& older = m.connections[0];
        older.life.to = f.at.time_ns + closed_after;
        older.closed = {true, by, recover::end_kind::fin, f.at};
        m.findings = folder.take();
        make_cards(m, findings::thresholds());
        return plain_spaces(m.cards[0].text);
    };
    EXPECT_NE(text_with(2 * samples::ms, direction::s2c)
                  .find(" The server closed connection 1 2.0 ms later."),
              std::string::npos)
        << text_with(2 * samples::ms, direction::s2c);
    EXPECT_NE(text_with(85 * samples::second, direction::c2s)
                  .find(" Connection 1 lived on for 85.0 s, until the client closed it."),
              std::string::npos)
        << text_with(85 * samples::second, direction::c2s);
}

TEST(Words, ANameFromElsewhereDoesNotAnnounceACollection) {
    const auto text_with = [](std::string name, bool events) {
        finding_folder folder;
        auto f = told(code::dcp_collection_unknown, severity::note, 1, 3, 3);
        f.figures = {{"collectionId", std::uint64_t{9}}, {"key", std::string("k")}};
        folder.add(f);
        auto m = samples::base();
        m.connections.push_back(samples::consumer(1));
        m.connections[0].collections = {{9, std::move(name)}};
        if (events) m.connections[0].by_type = {{"system_event", 1}};
        m.findings = folder.take();
        make_cards(m, findings::thresholds());
        return m.cards[0].text;
    };
    EXPECT_TRUE(text_with("hotel", false)
                    .ends_with(" 0x9 is named hotel by the manifest, not by a system event."));
    EXPECT_NE(text_with("hotel", true).find("the manifest or another stream"), std::string::npos);
    EXPECT_EQ(text_with("", false).find("named"), std::string::npos);
}

TEST(Words, WhereToResumeSaysWhatWasNotAcknowledged) {
    auto m = samples::stalled();
    m.streams[0].last_item_ns = samples::morning + samples::second;
    EXPECT_EQ(resume_remark(m, m.streams[0]), "sent, not acknowledged");
    m.connections[0].flow.make().acknowledgements = 1;
    EXPECT_EQ(resume_remark(m, m.streams[0]), "the last ones sent, not acknowledged");
    m.connections[0].flow.make().full_at_end = false;
    EXPECT_EQ(resume_remark(m, m.streams[0]), "");
}

TEST(Verdict, OneDirectionOnlyIsNoCleanBill) {
    auto m = samples::clean();
    m.connections[0].one_direction = true;
    m.connections[0].of[0] = {};
    m.connections.push_back(samples::consumer(2));
    mark_half_judged(m);
    judge(m);
    EXPECT_EQ(plain_spaces(m.headline),
              "No errors, no warnings; 1 of 2 connections not judged in full: one direction only.");
    EXPECT_EQ(m.connections[0].condition, "one direction only");
    EXPECT_EQ(m.connections[0].fared, health::note);
    EXPECT_EQ(m.connections[1].fared, health::ok);
    EXPECT_NE(plain_spaces(m.second_line).find(" DCP rules where one direction is missing)"),
              std::string::npos)
        << m.second_line;
}

TEST(Words, AHoleIsAFaultOfTheCaptureOnlyIfTheOtherSideHasIt) {
    connection c;
    EXPECT_FALSE(other_side_has_all(c, true));
    c.holes = {{direction::s2c, true, 0, 9, "not captured, but acknowledged by TCP", {}}};
    EXPECT_TRUE(other_side_has_all(c, false));
    c.holes.push_back({direction::s2c, true, 20, 9, "cut off by the snapshot length", {}});
    EXPECT_FALSE(other_side_has_all(c, false));
    EXPECT_TRUE(other_side_has_all(c, true));
    c.holes.push_back({direction::s2c, true, 40, 9, "not captured", {}});
    EXPECT_FALSE(other_side_has_all(c, true));
}

}  // namespace
}  // namespace cdcscope::report
