// What a connection carries, by port and by content, and which side is the client.

#include <gtest/gtest.h>

#include "analyzer/recover/foreign.h"
#include "tests/analyzer/recover/talk.h"

namespace cdcscope::recover::testing {
namespace {

constexpr auto c2s = direction::c2s;
constexpr auto s2c = direction::s2c;

protocol carried(std::uint16_t port, const std::vector<std::pair<direction, std::string>>& said) {
    talk t;
    t.server.port = port;
    t.handshake();
    for (const auto& [dir, bytes] : said) t.say(dir, bytes);
    return t.finish().info.carries;
}

const std::string hello = dcp_message(0x80, 0x1f, {}, "agent", std::string("\0\x12", 2));
const std::string mysql =
    std::string("\x4e\0\0\0\x0a", 5) + "5.7.42-log" + std::string("\0thread", 7);

TEST(Detection, KnownPortsCarryWhatTheyPromise) {
    EXPECT_EQ(carried(11210, {{c2s, hello}}), protocol::dcp);
    EXPECT_EQ(carried(11111, {{s2c, canal_handshake()}}), protocol::canal);
}

TEST(Detection, ContentDecidesOnOtherPorts) {
    EXPECT_EQ(carried(5000, {{c2s, hello}}), protocol::dcp);
    EXPECT_EQ(carried(5000, {{s2c, canal_handshake()}}), protocol::canal);
    EXPECT_EQ(carried(5000, {{c2s, "GET / HTTP/1.1\r\n"}}), protocol::other);
    EXPECT_EQ(carried(5000, {{c2s, hello.substr(0, 10)}, {c2s, hello.substr(10)}}), protocol::dcp);
}

TEST(Detection, TheAdminProtocolIsToldByItsHandshakeOnAnyPort) {
    std::string packet = field(2, 1) + field(3, 1) + field(4, field(2, "12345678"));
    std::string handshake;
    put_be(handshake, packet.size(), 4);
    handshake += packet;
    EXPECT_EQ(carried(11110, {{s2c, handshake}}), protocol::canal_admin);
    EXPECT_EQ(carried(5000, {{s2c, handshake}}), protocol::canal_admin);
}

TEST(Detection, TlsIsNamedOnAnyPort) {
    const std::string client_hello = std::string("\x16\x03\x01\x00\x40", 5) + std::string(64, 'x');
    for (const std::uint16_t port : {11210, 11111, 11207, 5000}) {
        EXPECT_EQ(carried(port, {{c2s, client_hello}}), protocol::tls) << port;
    }
}

TEST(Detection, AnotherProtocolOnAKnownPortIsNamedAndNotGarbled) {
    talk t;
    t.server.port = 11111;
    t.handshake();
    t.say(s2c, mysql);
    t.say(c2s, "whatever");
    const kept_connection& have = t.finish();
    EXPECT_EQ(have.info.carries, protocol::other);
    EXPECT_EQ(have.dirs[1].unparsed.at(0).kind, unparsed_kind::other_protocol);
    EXPECT_EQ(have.dirs[1].unparsed.at(0).length, mysql.size());
    EXPECT_EQ(t.got.texts.at(0),
              "connection 1 on port 11111 is not canal: it speaks MySQL (server greeting "
              "\"5.7.42-log\")");
    ASSERT_NE(have.info.foreign, nullptr);
    EXPECT_EQ(have.info.foreign->version, "5.7.42-log");
}

TEST(Detection, AClientThatSpeaksHttpToACanalServerLeavesItsPacketsAlone) {
    talk t;
    t.server.port = 11111;
    t.handshake();
    t.say(s2c, canal_handshake());
    t.say(c2s, "GET /metrics HTTP/1.1\r\n\r\n");
    const kept_connection& have = t.finish();
    EXPECT_EQ(have.info.carries, protocol::canal);
    EXPECT_EQ(have.dirs[1].totals.messages, 1U);
    EXPECT_EQ(have.dirs[0].unparsed.at(0).kind, unparsed_kind::bad_length);
    EXPECT_EQ(have.dirs[0].unparsed.at(0).claimed_length, 0x47455420U);
}

TEST(Detection, AnotherProtocolCostsNextToNoMemory) {
    talk t;
    t.server.port = 5000;
    t.handshake();
    t.say(c2s, "GET / HTTP/1.1\r\n\r\n");
    t.lose(s2c, "x");
    for (int i = 0; i < 100; ++i) t.say(s2c, std::string(1400, 'h'));
    EXPECT_LT(t.all.most_held(), 20'000U);
    const kept_connection& have = t.finish();
    EXPECT_EQ(have.dirs[1].totals.unparsed_bytes, 140'000U);
    EXPECT_EQ(have.dirs[1].totals.gap_bytes, 1U);
}

TEST(Detection, PortsCanBeAdded) {
    options chosen;
    chosen.ports.add(protocol::dcp, 12000);
    talk t(chosen);
    t.server.port = 12000;
    t.say(s2c, noop(1) + noop(2) + noop(3));
    const kept_connection& have = t.finish();
    EXPECT_EQ(have.info.carries, protocol::dcp);
    EXPECT_EQ(have.info.server.port, 12000);
}

// The first packet comes from the server, and neither port is known.
TEST(Detection, RolesComeFromTheContentWhereNothingElseTells) {
    talk t;
    t.server.port = 5000;
    t.say(s2c, mutation(1, "a") + mutation(2, "b") + mutation(3, "c"));
    t.say(c2s, buffer_ack(1));
    const kept_connection& have = t.finish();
    EXPECT_EQ(have.info.carries, protocol::dcp);
    EXPECT_EQ(have.info.server.port, 5000);
    EXPECT_EQ(have.dirs[1].totals.messages, 3U);
    EXPECT_EQ(have.dirs[0].totals.messages, 1U);
}

TEST(Detection, ALateStartOnAPortThatPromisesNothingIsSearched) {
    talk t;
    t.server.port = 5000;
    t.say(s2c, std::string(3000, 'v'));
    t.say(s2c, mutation(1, "a") + mutation(2, "b") + mutation(3, "c"));
    const kept_connection& have = t.finish();
    EXPECT_EQ(have.info.carries, protocol::dcp);
    const std::size_t i = have.info.server.port == 5000 ? 1 : 0;
    EXPECT_EQ(have.dirs[i].totals.messages, 3U);
    EXPECT_EQ(have.dirs[i].totals.unparsed_bytes, 3000U);
}

TEST(Detection, NamesWhatIsWellKnown) {
    EXPECT_EQ(name_foreign(as_bytes("HTTP/1.1 200 OK")), "HTTP");
    EXPECT_EQ(name_foreign(as_bytes(mysql)), "MySQL");
    EXPECT_EQ(name_foreign(as_bytes("SSH-2.0-x")), "SSH");
    EXPECT_EQ(name_foreign(as_bytes("")), "");
    EXPECT_EQ(name_foreign(as_bytes("{\"json\":1}")), "");
}

}  // namespace
}  // namespace cdcscope::recover::testing
