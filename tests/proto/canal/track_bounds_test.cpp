// What the state machine does where the captures do not go: connections that vanish, one direction
// only, very many requests.
#include <gtest/gtest.h>

#include "proto/canal/track.h"
#include "proto/findings/table.h"
#include "tests/proto/canal/wire_writer.h"

namespace cdcscope::canal {
namespace {

struct collector : findings::finding_sink {
    void on_finding(findings::finding found) noexcept override {
        rules.push_back(std::string(findings::entry_of(found.what).rule) + " " +
                        std::string(findings::name(found.level)));
    }
    std::vector<std::string> rules;
};

struct fates : observer {
    void on_batch(const batch_facts& batch) noexcept override {
        all.emplace_back(batch.id, batch.fate);
    }
    std::vector<std::pair<std::int64_t, batch_fate>> all;
};

class connection {
  public:
    connection(world& shared, std::uint32_t id, collector& found, bool client_captured = true,
               bool server_captured = true)
        : tracker_(shared,
                   {id, "10.0.0.2:11111", port_kind::data, {client_captured, server_captured}},
                   found) {}

    track_record send(std::int32_t type, const wire_writer& body) {
        const bool server = type == 1 || type == 3 || type == 7;
        const auto bytes = framed(type, body);
        at_.time_ns += 1'000'000;
        ++at_.frame;
        message_input m;
        m.id = at_.frame;
        m.dir = server ? direction::s2c : direction::c2s;
        m.payload = byte_view(bytes).subspan(4);
        m.frames = {at_.frame, at_.frame, at_};
        return tracker_.feed(m);
    }
    void open() {
        send(1, wire_writer().text(2, "12345678"));
        send(2, wire_writer().text(1, "canal").text(2, std::string(40, 'a')));
        send(3, {});
        send(4, named());
        send(3, {});
    }
    track_record get() { return send(6, named().number(3, 1000).number(4, -1).number(5, 2)); }
    track_record batch(std::int64_t id, std::int64_t position) {
        const auto header = wire_writer().text(2, "mysql-bin.000001").number(3, position);
        const auto entry =
            wire_writer().message(1, header).number(2, 2).message(3, wire_writer().number(2, 1));
        return send(7, wire_writer().number(1, id).message(2, entry));
    }
    track_record acknowledge(std::int64_t id) { return send(8, named().number(3, id)); }
    // The first bytes of a MESSAGES, then a hole.
    void lose_end_of_batch(std::int64_t id, std::size_t captured = 16) {
        const auto bytes =
            framed(7, wire_writer().number(1, id).text(2, std::string(1000, '\x0a')));
        tracker_.damaged(direction::s2c, byte_view(bytes).first(captured), ++at_.frame,
                         {at_.frame, at_.frame, at_});
        tracker_.hole(direction::s2c);
    }
    void end(direction dir, close_kind how) { tracker_.end(dir, how, ++at_.frame, at_); }
    void finish() { tracker_.finish(++at_.frame, at_); }

    static wire_writer named() { return wire_writer().text(1, "example").text(2, "1001"); }

  private:
    tracker tracker_;
    frame_ref at_{1'700'000'000'000'000'000, 0, 0};
};

TEST(CanalTracker, ForgetsAConnectionThatVanishedWithoutAnEnd) {
    collector found;
    world shared;
    connection gone(shared, 1, found);
    gone.open();
    gone.get();
    gone.batch(1, 100);
    gone.finish();
    EXPECT_TRUE(found.rules.empty());
    connection next(shared, 2, found);
    next.open();
    next.end(direction::c2s, close_kind::fin);
    EXPECT_EQ(found.rules, std::vector<std::string>{"C13 warning"});
}

TEST(CanalTracker, ReadsNoBatchIdBehindAPieceOfALength) {
    const auto told = [](std::size_t captured) {
        collector found;
        world shared;
        connection c(shared, 1, found);
        c.open();
        c.get();
        c.batch(5, 100);
        c.acknowledge(5);
        c.get();
        c.lose_end_of_batch(1, captured);  // its id goes back, which is a finding where it was seen
        return found.rules;
    };
    EXPECT_FALSE(told(16).empty());
    for (std::size_t captured = 0; captured < 4; ++captured)
        EXPECT_TRUE(told(captured).empty()) << captured;
}

TEST(CanalTracker, CallsNothingUnansweredWhereOneDirectionWasCaptured) {
    collector client_only;
    world shared;
    connection c(shared, 1, client_only, false, false);
    for (int i = 0; i < 10000; ++i) c.get();
    c.finish();
    EXPECT_TRUE(client_only.rules.empty());

    collector server_only;
    connection s(shared, 2, server_only, false, false);
    for (int i = 1; i < 100; ++i) s.batch(i, i * 100);
    s.send(3, {});
    s.finish();
    EXPECT_TRUE(server_only.rules.empty());
}

TEST(CanalTracker, LinksAnAcknowledgementToItsBatchAndCountsWhatStaysOpen) {
    collector found;
    fates batches;
    world shared({}, &batches);
    connection c(shared, 1, found);
    c.open();
    c.get();
    const track_record first = c.batch(1, 100);
    EXPECT_EQ(first.outstanding, 1U);
    EXPECT_EQ(first.request_type, 6);
    EXPECT_EQ(first.elapsed_ns, 1'000'000);
    c.get();
    EXPECT_EQ(c.batch(2, 200).outstanding, 2U);
    const track_record ack = c.acknowledge(1);
    EXPECT_EQ(ack.outstanding, 1U);
    EXPECT_EQ(ack.batch, 7U);
    EXPECT_EQ(ack.elapsed_ns, 3'000'000);
    c.finish();
    const key_info key = shared.key(ack.key);
    EXPECT_EQ(key.client_id, "1001");
    EXPECT_EQ(key.acked_file, "mysql-bin.000001");
    EXPECT_EQ(key.acked_offset, 100);
    EXPECT_EQ(key.open, 1U);
    shared.finish();
    EXPECT_EQ(batches.all, (std::vector<std::pair<std::int64_t, batch_fate>>{
                               {1, batch_fate::acked}, {2, batch_fate::open}}));
    EXPECT_TRUE(found.rules.empty());
}

TEST(CanalTracker, CountsABatchAsDeliveredOfWhichAHoleLeftTheId) {
    collector found;
    world shared;
    connection c(shared, 1, found);
    c.open();
    c.get();
    c.lose_end_of_batch(1);
    EXPECT_EQ(c.acknowledge(1).outstanding, 0U);
    c.get();
    c.batch(2, 200);
    c.acknowledge(2);
    c.end(direction::c2s, close_kind::fin);
    c.finish();
    EXPECT_EQ(found.rules, std::vector<std::string>{});
}

TEST(CanalTracker, SaysNothingOfAConnectionThatDoesNotBeginWithAHandshake) {
    collector found;
    world shared;
    connection c(shared, 1, found);
    EXPECT_TRUE(c.send(3, {}).ignored);
    EXPECT_TRUE(c.send(9, {}).ignored);
    c.end(direction::s2c, close_kind::rst);
    EXPECT_TRUE(found.rules.empty());
}

TEST(CanalTracker, StaysFastWithVeryManyOpenRequestsAndBatches) {
    collector found;
    world shared;
    connection c(shared, 1, found);
    c.open();
    for (int i = 1; i <= 50000; ++i) {
        c.acknowledge(i);
        if (i % 5 == 0) c.batch(i, i);
    }
    for (int i = 1; i <= 20000; ++i) {
        c.get();
        c.batch(100000 + i, 100000 + i);
    }
    c.finish();
    EXPECT_FALSE(found.rules.empty());
}

}  // namespace
}  // namespace cdcscope::canal
