// What a hole, a late start or another connection that is heard late may hide is uncertain, and
// what they cannot hide is not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "proto/canal/track.h"
#include "proto/findings/table.h"
#include "tests/proto/canal/wire_writer.h"

namespace cdcscope::canal {
namespace {

using testing::Contains;
using testing::Not;

constexpr auto c2s = direction::c2s;
constexpr auto s2c = direction::s2c;

class talk : public findings::finding_sink {
  public:
    void on_finding(findings::finding f) noexcept override {
        rules.push_back(std::string(findings::entry_of(f.what).rule) + " " +
                        std::string(findings::name(f.level)) + (f.uncertain ? "?" : ""));
    }

    // Positions in the stream count messages: what a packet acknowledges is how many the other side
    // had sent.
    struct side {
        side(talk& of, std::uint32_t id, bool from_start)
            : to(of),
              tracked(of.shared, {id, "10.0.0.2:11111", port_kind::data, {from_start, from_start}},
                      of) {}
        void send(std::int32_t type, const wire_writer& body) {
            const bool server = type == 1 || type == 3 || type == 7;
            const auto bytes = framed(type, body);
            to.at.time_ns += 1'000'000;
            ++to.at.frame;
            message_input m;
            m.id = to.at.frame;
            m.dir = server ? s2c : c2s;
            m.payload = byte_view(bytes).subspan(4);
            m.frames = {to.at.frame, to.at.frame, to.at};
            m.acknowledges = sent[index(opposite(m.dir))];
            ++sent[index(m.dir)];
            (void)tracked.feed(m);
        }
        // Not captured.
        void lose(direction dir, std::int64_t messages = 1) { sent[index(dir)] += messages; }
        void open() {
            send(1, wire_writer().text(2, "12345678"));
            send(2, wire_writer().text(1, "canal").text(2, std::string(40, 'a')));
            send(3, {});
            send(4, named());
            send(3, {});
        }
        void open_and_rollback() {
            open();
            rollback();
        }
        void get() { send(6, named().number(3, 1000).number(4, -1).number(5, 2)); }
        void batch(std::int64_t id, std::int64_t position) {
            const auto header = wire_writer().text(2, "mysql-bin.000001").number(3, position);
            const auto entry = wire_writer().message(1, header).number(2, 3);
            send(7, wire_writer().number(1, id).message(2, entry));
        }
        void nothing() { send(7, wire_writer().number(1, -1)); }
        void acknowledge(std::int64_t id) { send(8, named().number(3, id)); }
        void rollback() { send(12, named().number(3, 0)); }
        void unsubscribe() { send(5, named()); }
        void end(direction dir, close_kind how) { tracked.end(dir, how, ++to.at.frame, to.at); }

        static wire_writer named() { return wire_writer().text(1, "example").text(2, "1001"); }

        talk& to;
        tracker tracked;
        std::int64_t sent[2] = {0, 0};
    };
    side& connect(bool from_start = true) {
        return sides_.emplace_back(*this, static_cast<std::uint32_t>(sides_.size() + 1),
                                   from_start);
    }

    std::vector<std::string> rules;
    frame_ref at{1'700'000'000'000'000'000, 0, 0};
    world shared;

  private:
    std::deque<side> sides_;
};

// It got a batch long after the hole.
talk::side& holder_behind_a_hole(talk& t) {
    auto& a = t.connect();
    a.open();
    a.tracked.hole(s2c);
    a.get();
    a.nothing();
    a.get();
    a.batch(1, 100);
    return a;
}

TEST(CanalDoubt, ALostRequestMakesTheTimeOfARollbackUncertain) {
    for (const bool lost : {false, true}) {
        talk t;
        auto& a = t.connect();
        a.open();
        a.get();
        a.batch(1, 100);
        if (lost) {
            a.lose(c2s);
            a.tracked.hole(c2s);
        } else {
            a.get();
        }
        a.rollback();
        a.batch(2, 200);  // answers the GET: the rollback is behind it
        a.get();
        a.batch(3, 100);
        EXPECT_THAT(t.rules, Contains(lost ? "C10 note?" : "C10 warning"));
        EXPECT_THAT(t.rules, Not(Contains("C11 warning")));
        EXPECT_THAT(t.rules, Not(Contains("C12 warning")));
    }
}

TEST(CanalDoubt, AnAnswerThatMayBelongToALostRequestEndsNoDoubt) {
    talk t;
    auto& a = t.connect();
    a.open();
    a.lose(c2s);
    a.tracked.hole(c2s);
    a.get();
    a.nothing();  // answers what was lost
    a.nothing();
    EXPECT_EQ(t.rules, std::vector<std::string>{"C2 note?"});
    a.get();
    a.nothing();
    a.nothing();
    EXPECT_EQ(t.rules.back(), "C2 warning");
}

TEST(CanalDoubt, ARequestSentWithinAHoleMayBeAnsweredInIt) {
    for (const bool early : {true, false}) {
        talk t;
        auto& a = t.connect();
        a.open();
        a.get();
        a.lose(s2c);
        if (early) {
            a.tracked.hole(s2c);
            a.tracked.hole_ends(s2c, 5);  // two answers
        } else {
            a.tracked.hole(s2c);
        }
        a.get();
        a.lose(s2c);
        a.get();
        if (!early) a.tracked.hole_ends(s2c, 5);
        a.nothing();
        a.unsubscribe();
        a.send(3, {});
        a.end(s2c, close_kind::fin);
        EXPECT_EQ(t.rules, std::vector<std::string>{}) << early;
    }
}

TEST(CanalDoubt, AResetBehindACloseAnswersWhatWasNotCaptured) {
    talk t;
    auto& a = t.connect();
    a.open();
    a.unsubscribe();
    a.end(c2s, close_kind::fin);
    a.end(c2s, close_kind::rst);
    EXPECT_EQ(t.rules, std::vector<std::string>{"C1 note?"});
    auto& b = t.connect();
    b.open();
    b.unsubscribe();
    b.end(c2s, close_kind::rst);
    EXPECT_EQ(t.rules.back(), "C1 warning");
}

TEST(CanalDoubt, AnIdWithinAHoleMayHaveBeenHandedOut) {
    talk t;
    auto& a = t.connect();
    a.open();
    a.get();
    a.lose(s2c);
    a.tracked.hole(s2c);
    a.tracked.hole_ends(s2c, 4);
    a.get();
    a.batch(2, 200);
    a.acknowledge(1);
    EXPECT_THAT(t.rules, Contains("C4 note?"));
    a.acknowledge(7);
    EXPECT_EQ(t.rules.back(), "C4 error");
}

TEST(CanalDoubt, ConnectionsOfWhichOneIsHeardLateAreNotCompared) {
    for (const bool late : {false, true}) {
        talk t;
        auto& a = t.connect();
        a.open();
        a.get();
        a.batch(1, 100);
        a.tracked.behind(late);
        auto& b = t.connect();
        b.open();
        b.rollback();  // the acknowledgement of the other may have been first
        b.get();
        EXPECT_THAT(t.rules, Contains(late ? "C10 note?" : "C10 error"));
        EXPECT_THAT(t.rules, Contains(late ? "C17 note?" : "C17 warning"));
        a.acknowledge(1);
        EXPECT_EQ(t.rules.back(), late ? "C4 note?" : "C4 error");
        a.tracked.behind(false);
        b.nothing();
        b.get();
        EXPECT_THAT(t.rules, Contains("C17 warning")) << "told when it is certain";
    }
}

TEST(CanalDoubt, AConnectionWhoseEndMayLieInAHoleDoesNotCompete) {
    talk t;
    auto& a = t.connect();
    a.open();
    a.get();
    a.tracked.hole(c2s);
    auto& b = t.connect();
    b.open();
    b.get();
    EXPECT_THAT(t.rules, Contains("C17 note?"));
    EXPECT_THAT(t.rules, Not(Contains("C17 warning")));
    a.get();  // it goes on
    b.nothing();
    b.get();
    EXPECT_THAT(t.rules, Contains("C17 warning"));
}

TEST(CanalDoubt, WhereOneConnectionStartsLateAnotherMayHaveEndedUnseen) {
    for (const bool late : {false, true}) {
        talk t;
        auto& a = t.connect();
        a.open();
        a.get();
        auto& b = t.connect(!late);
        b.get();
        EXPECT_EQ(t.rules.back(), late ? "C17 note?" : "C17 warning");
    }
}

TEST(CanalDoubt, ABeginningThatIsMissingElsewhereMakesAnEndUncertain) {
    for (const bool lacking : {false, true}) {
        talk t;
        auto& a = t.connect();
        a.open();
        a.get();
        if (lacking) t.shared.lacking(t.at.time_ns + 1);
        auto& b = t.connect();
        b.open();
        b.get();
        EXPECT_EQ(t.rules.back(), lacking ? "C17 note?" : "C17 warning");
    }
}

TEST(CanalDoubt, WhereACaptureHasHolesOnlyWhoIsHeardAgainWasThere) {
    for (const bool lossy : {false, true}) {
        talk t;
        auto& a = t.connect();
        a.open();
        if (lossy) a.tracked.hole(s2c);  // long over: it held no end
        a.get();
        a.nothing();
        a.get();
        a.batch(1, 100);
        auto& b = t.connect();
        b.open();
        b.rollback();
        b.get();
        EXPECT_THAT(t.rules, Contains(lossy ? "C10 note?" : "C10 error"));
        EXPECT_EQ(t.rules.back(), lossy ? "C17 note?" : "C17 warning");
        const auto told = t.rules.size();
        a.get();
        if (!lossy) {
            EXPECT_EQ(t.rules.size(), told) << "once";
            continue;
        }
        ASSERT_EQ(t.rules.size(), told + 2);
        EXPECT_EQ(t.rules[told], "C10 error");
        EXPECT_EQ(t.rules[told + 1], "C17 warning");
        a.nothing();
        EXPECT_EQ(t.rules.size(), told + 2);
    }
}

TEST(CanalDoubt, AConnectionOfWhichNothingIsHeardYetMayTakeBatches) {
    for (const bool unheard : {false, true}) {
        talk t;
        auto& a = t.connect();
        a.open();
        a.get();
        a.batch(1, 100);
        if (unheard) t.shared.unheard(true);
        a.get();
        a.batch(3, 300);
        EXPECT_EQ(t.rules.back(), unheard ? "C12 note?" : "C12 warning");
        if (unheard) t.shared.unheard(false);
        a.acknowledge(1);
        a.acknowledge(3);
        a.get();
        a.batch(4, 400);
        a.get();
        a.batch(6, 600);
        EXPECT_EQ(t.rules.back(), "C12 warning") << "once nothing old is open";
    }
}

TEST(CanalDoubt, AHoleMayHaveClosedWhatARollbackIsSaidToHaveDropped) {
    for (const bool hole : {false, true}) {
        talk t;
        auto& a = holder_behind_a_hole(t);
        t.connect().open_and_rollback();
        if (hole) a.tracked.hole(c2s);  // its acknowledgement may have been first
        a.get();
        EXPECT_EQ(std::ranges::count(t.rules, "C10 error"), hole ? 0 : 1);
    }
}

TEST(CanalDoubt, WhatIsHeardLateIsNeitherARestartNorARepeat) {
    talk t;
    auto& a = t.connect();
    a.open();
    a.get();
    a.batch(1, 100);
    a.acknowledge(1);
    auto& b = t.connect();
    b.open();
    const auto before = t.at;
    t.at.time_ns += 1'000'000'000;
    a.get();
    a.batch(3, 300);
    EXPECT_EQ(t.rules.back(), "C12 warning") << "a batch is missing";
    const auto told = t.rules.size();
    t.at.time_ns = before.time_ns;  // all of this happened before
    b.rollback();
    b.get();
    b.batch(2, 200);
    for (std::size_t i = told; i < t.rules.size(); ++i)
        EXPECT_THAT(t.rules[i], testing::EndsWith("note?"));
    b.acknowledge(2);
    t.at.time_ns += 2'000'000'000;
    a.acknowledge(3);
    EXPECT_THAT(t.rules, Not(Contains("C4 error"))) << "the rollback came before batch 3";
}

TEST(CanalDoubt, ARollbackThatWasRefusedIsNotToldLater) {
    for (const bool refused : {false, true}) {
        talk t;
        auto& a = holder_behind_a_hole(t);
        auto& b = t.connect();
        b.open_and_rollback();
        if (refused) {
            const auto error = wire_writer().number(1, 400).text(
                2, "rollback error, clientId:1001 batchId:0 is not exist");
            b.send(3, error);
        }
        a.end(c2s, close_kind::fin);  // its end shows as well that it was there
        EXPECT_EQ(std::ranges::count(t.rules, "C10 error"), refused ? 0 : 1);
    }
}

TEST(CanalDoubt, OnlyBatchesThatNoHoleCanHaveClosedAreToldOf) {
    talk t;
    auto& a = t.connect();
    a.open();
    a.get();
    a.batch(1, 100);
    a.tracked.hole(c2s);  // perhaps its acknowledgement
    a.get();
    a.nothing();
    a.get();
    a.nothing();
    a.get();
    a.batch(2, 200);
    a.end(c2s, close_kind::fin);
    EXPECT_EQ(t.rules, std::vector<std::string>{"C13 warning"});
    talk u;
    auto& b = u.connect();
    b.open();
    b.get();
    b.batch(1, 100);
    b.tracked.hole(c2s);
    b.end(s2c, close_kind::fin);
    EXPECT_EQ(u.rules, std::vector<std::string>{"C13 note?"});
}

}  // namespace
}  // namespace cdcscope::canal
