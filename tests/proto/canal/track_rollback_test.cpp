// What a rollback is said to have done: batches it dropped, or why there was none to drop.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "proto/canal/track.h"
#include "proto/findings/table.h"
#include "tests/proto/canal/wire_writer.h"

namespace cdcscope::canal {
namespace {

class talk : public findings::finding_sink {
  public:
    talk() {
        connection_start start;
        start.id = 1;
        start.server = "10.0.0.2:11111";
        start.from_start[0] = start.from_start[1] = true;
        own = std::make_unique<tracker>(all_connections, start, *this);
        send(direction::s2c, 1, wire_writer().text(2, "12345678"));
        send(direction::c2s, 2, wire_writer().text(1, "canal").text(2, std::string(40, 'a')));
        send(direction::s2c, 3, {});
        send(direction::c2s, 4, named());
        send(direction::s2c, 3, {});
    }
    void on_finding(findings::finding f) noexcept override {
        if (f.what == findings::code::canal_rollback) said.push_back(f.text);
    }
    static wire_writer named() { return wire_writer().text(1, "example").text(2, "1001"); }
    void get() { send(direction::c2s, 6, named().number(3, 1000).number(4, 1).number(5, 3)); }
    void ack(std::int64_t batch) { send(direction::c2s, 8, named().number(3, batch)); }
    void rollback(std::int64_t batch) { send(direction::c2s, 12, named().number(3, batch)); }
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
        (void)own->feed(m);
    }

    std::int64_t at_ns = 1'700'000'000'000'000'000;
    std::uint32_t frame = 0;
    std::vector<std::string> said;
    world all_connections;
    std::unique_ptr<tracker> own;
};

TEST(CanalRollback, OfABatchThatWasNeverDelivered) {
    talk t;
    t.get();
    t.batch(1);
    t.rollback(123456);
    EXPECT_EQ(t.said, std::vector<std::string>{"the client rolled back batch 123456, which was "
                                               "never delivered here"});
}

TEST(CanalRollback, OfABatchThatIsOverAlready) {
    talk t;
    t.get();
    t.batch(1);
    t.ack(1);
    t.get();
    t.batch(2);
    t.rollback(2);
    t.rollback(2);
    t.rollback(1);
    EXPECT_EQ(t.said, (std::vector<std::string>{
                          "the client rolled back 1 batch with 1 entry",
                          "the client rolled back batch 2, which was rolled back before",
                          "the client rolled back batch 1, which was acknowledged before"}));
}

TEST(CanalRollback, OfAllWhenNoneIsOpen) {
    talk t;
    t.rollback(0);
    t.get();
    t.batch(1);
    t.ack(1);
    t.rollback(0);
    EXPECT_EQ(t.said, (std::vector<std::string>{
                          "the automatic rollback of a new connection found no open batch",
                          "the client rolled back all batches while none was open"}));
}

}  // namespace
}  // namespace cdcscope::canal
