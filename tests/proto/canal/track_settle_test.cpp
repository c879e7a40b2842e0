// Findings whose state goes on are told again at its end: waits for an answer, open batches.
#include <gtest/gtest.h>

#include <memory>

#include "proto/canal/track.h"
#include "proto/findings/table.h"
#include "tests/proto/canal/wire_writer.h"

namespace cdcscope::canal {
namespace {

struct told {
    std::string rule, text;
    bool lasts = false;
    std::uint32_t id = 0;
    std::vector<std::string> ends;  // "over" or "goes on", time in s, and the text
    std::vector<findings::figure> figures;
};

class talk : public findings::finding_sink {
  public:
    talk() { connect(); }
    void on_finding(findings::finding f) noexcept override {
        if (f.level < findings::severity::warning) return;
        all.push_back(
            {std::string(findings::entry_of(f.what).rule), f.text, f.id != 0, f.id, {}, {}});
    }
    void on_settled(std::uint32_t id, bool over, const frame_ref& at,
                    std::vector<findings::figure> figures, std::string text) noexcept override {
        for (told& each : all) {
            if (each.id != id) continue;
            each.ends.push_back((over ? "over " : "goes on ") +
                                std::to_string(at.time_ns / second) + " " + text);
            each.figures = std::move(figures);
        }
    }
    void connect() {
        connection_start start;
        start.id = static_cast<std::uint32_t>(trackers.size() + 1);
        start.server = "10.0.0.2:11111";
        trackers.push_back(std::make_unique<tracker>(all_connections, start, *this));
        send(direction::s2c, 1, wire_writer().text(2, "12345678"));
        ask(2, wire_writer().text(1, "canal").text(2, std::string(40, 'a')));
        answer();
        ask(4, named());
        answer();
    }
    static wire_writer named() { return wire_writer().text(1, "example").text(2, "1001"); }
    void ask(std::int32_t type, const wire_writer& body) { send(direction::c2s, type, body); }
    void get() { ask(6, named().number(3, 1000).number(4, 1).number(5, 3)); }  // waits for 1 s
    void ack(std::int64_t batch) { ask(8, named().number(3, batch)); }
    void rollback() { ask(12, named().number(3, 0)); }
    void answer() { send(direction::s2c, 3, {}); }
    void batch(std::int64_t id) {
        const auto header = wire_writer()
                                .text(2, "mysql-bin.000001")
                                .number(3, 100 * id)
                                .number(6, at_ns / 1'000'000);
        const auto entry = wire_writer().message(1, header).number(2, 3);
        send(direction::s2c, 7, wire_writer().number(1, id).message(2, entry));
    }
    void send(direction dir, std::int32_t type, const wire_writer& body) {
        const auto bytes = framed(type, body);
        at_ns += 1'000'000;
        ++frame;
        message_input m;
        m.id = frame;
        m.dir = dir;
        m.payload = byte_view(bytes).subspan(4);
        m.frames = {frame, frame, {at_ns, frame, 0}};
        m.first_ns = at_ns;
        (void)trackers.back()->feed(m);
    }
    void wait(std::int64_t seconds) { at_ns += seconds * second; }
    void close(direction dir) {
        ++frame;
        trackers.back()->end(dir, close_kind::fin, frame, {at_ns, frame, 0});
    }
    void finish() {
        ++frame;
        for (auto& t : trackers) t->finish(frame, {at_ns, frame, 0});
        all_connections.finish();
    }
    // The findings of a rule that last.
    std::vector<told> lasting(const std::string& rule) const {
        std::vector<told> out;
        for (const told& each : all) {
            if (each.rule == rule && each.lasts) out.push_back(each);
        }
        return out;
    }

    static constexpr std::int64_t second = 1'000'000'000;
    std::int64_t at_ns = 1'700'000'000 * second;
    std::uint32_t frame = 0;
    std::vector<told> all;
    world all_connections;
    std::vector<std::unique_ptr<tracker>> trackers;
};

TEST(CanalSettled, AWaitThatAnAnswerEnds) {
    talk t;
    t.get();
    t.wait(7);
    t.rollback();  // any packet: time goes on
    t.wait(2);
    t.batch(1);
    const auto found = t.lasting("C1");
    ASSERT_EQ(found.size(), 1U);
    ASSERT_EQ(found[0].ends.size(), 1U);
    EXPECT_EQ(found[0].ends[0],
              "over 1700000009 GET was answered after 9.002 s, it asked to wait for 1.000 s");
    EXPECT_EQ(std::get<double>(found[0].figures.at(1).value), 9002.0);
    t.finish();
    EXPECT_EQ(t.lasting("C1")[0].ends.size(), 1U);
}

TEST(CanalSettled, AWaitThatTheServersCloseEnds) {
    talk t;
    t.get();
    t.wait(7);
    t.rollback();
    t.wait(3);
    t.close(direction::s2c);
    t.finish();
    const auto found = t.lasting("C1");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].ends, std::vector<std::string>{
                                 "goes on 1700000010 GET had no answer for 10.0 s, it asked to "
                                 "wait for 1.000 s, until the server closed"});
}

TEST(CanalSettled, AnOpenBatchThatIsAcknowledged) {
    talk t;
    t.get();
    t.batch(1);
    t.wait(61);
    t.get();
    t.batch(2);
    t.wait(9);
    t.ack(1);
    t.ack(2);
    EXPECT_TRUE(t.lasting("C13").at(0).ends.empty());  // it may be refused yet
    t.get();
    t.batch(3);
    const auto found = t.lasting("C13");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].text, "batch 1 is not acknowledged after 61.0 s");
    EXPECT_EQ(found[0].ends, std::vector<std::string>{
                                 "over 1700000070 batch 1 was acknowledged only after 70.0 s"});
}

TEST(CanalSettled, OpenBatchesThatAreRolledBack) {
    talk t;
    for (int id = 1; id <= 3; ++id) {
        t.get();
        t.batch(id);
    }
    t.wait(62);
    t.rollback();
    t.finish();
    const auto found = t.lasting("C13");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].text, "batch 1 and 2 more are not acknowledged after 62.0 s");
    EXPECT_EQ(found[0].ends,
              std::vector<std::string>{
                  "over 1700000062 batch 1 and 2 more were rolled back only after 62.0 s"});
}

TEST(CanalSettled, AnOpenBatchThatStaysSo) {
    talk t;
    t.get();
    t.batch(1);
    t.wait(61);
    t.get();
    t.wait(2);
    t.close(direction::c2s);
    t.finish();
    const auto found = t.lasting("C13");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].ends,
              std::vector<std::string>{
                  "goes on 1700000063 batch 1 was still not acknowledged after 63.0 s"});
}

TEST(CanalSettled, TooManyOpenBatches) {
    talk t;
    for (int id = 1; id <= 12; ++id) {
        t.get();
        t.batch(id);
    }
    t.wait(4);
    t.ack(1);
    EXPECT_TRUE(t.lasting("C13").at(0).ends.empty());
    t.ack(2);
    t.finish();
    const auto found = t.lasting("C13");
    ASSERT_EQ(found.size(), 1U);
    ASSERT_EQ(found[0].ends.size(), 1U);
    EXPECT_TRUE(found[0].ends[0].starts_with("over 1700000004 up to 12 batches with ") &&
                found[0].ends[0].find(" were outstanding, over after 4.00") != std::string::npos)
        << found[0].ends[0];
    EXPECT_EQ(std::get<std::uint64_t>(found[0].figures.at(0).value), 12U);
}

TEST(CanalSettled, ACloseSettlesWhatIsOpen) {
    talk t;
    for (int id = 1; id <= 11; ++id) {
        t.get();
        t.batch(id);
    }
    t.wait(4);
    t.close(direction::s2c);
    const auto found = t.lasting("C13");
    ASSERT_EQ(found.size(), 1U);
    ASSERT_EQ(found[0].ends.size(), 1U);
    EXPECT_TRUE(found[0].ends[0].starts_with("goes on 1700000004 up to 11 batches"))
        << found[0].ends[0];
    EXPECT_GT(found[0].id, 1U << 31);  // DCP has those below
}

}  // namespace
}  // namespace cdcscope::canal
