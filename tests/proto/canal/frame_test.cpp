// Recognising frames without state.
#include "proto/canal/frame.h"

#include <gtest/gtest.h>

#include "tests/support/hex.h"

namespace cdcscope::canal {
namespace {

using support::hex;

match frame(std::string_view digits, port_kind port = port_kind::data) {
    return check_frame(hex(digits), port);
}

TEST(CanalFrame, TakesTheBeginningsThatServersAndClientsSend) {
    EXPECT_EQ(frame("00000010 10011801 2a0a 1208 bf0867f881e63834"),
              match::whole);                               // HANDSHAKE, 1.1.4 and later
    EXPECT_EQ(frame("00000004 1801 2a00"), match::whole);  // HANDSHAKE before
    EXPECT_EQ(frame("00000004 10011803"), match::whole);   // good ACK
    EXPECT_EQ(frame("00000004 1803 2a00"), match::whole);  // good ACK of a proto2 server
    EXPECT_EQ(frame("00000011 10011807 2a0b 08ffffffffffffffffff01"),
              match::whole);  // MESSAGES, empty poll
    EXPECT_EQ(frame("0000000b 1807 2a07 0801 1203 0a0108"),
              match::whole);                                    // MESSAGES with an entry
    EXPECT_EQ(frame("00000006 1806 2a02 1800"), match::whole);  // GET
    EXPECT_EQ(frame("00000004 180c 2a00"), match::whole);       // CLIENTROLLBACK
    EXPECT_EQ(frame("00000008 0811 1001 1806 2001"),
              match::whole);  // magic, version, type, compression
}

TEST(CanalFrame, RefusesWhatIsNoPacket) {
    EXPECT_EQ(frame("00000001 18"), match::no);        // shorter than the shortest
    EXPECT_EQ(frame("80000004 10011803"), match::no);  // negative length
    EXPECT_EQ(frame("08000001 10011803"), match::no);  // one beyond the limit
    EXPECT_EQ(frame("00000004 20011803"), match::no);  // first tag
    EXPECT_EQ(frame("00000004 18031001"), match::no);  // not ascending
    EXPECT_EQ(frame("00000004 18001001"), match::no);
    EXPECT_EQ(frame("00000002 1800"), match::no);            // type 0
    EXPECT_EQ(frame("00000002 180d"), match::no);            // type 13
    EXPECT_EQ(frame("00000002 1001"), match::no);            // no type
    EXPECT_EQ(frame("00000005 1803 2a00 00"), match::no);    // body ends before the Packet
    EXPECT_EQ(frame("00000004 1803 2a01"), match::no);       // body ends behind it
    EXPECT_EQ(frame("00000003 1a0103"), match::no);          // wrong wire type
    EXPECT_EQ(frame("00000006 1803 3000 2a00"), match::no);  // field 6
    EXPECT_EQ(frame("00000004 1807 2a00"), match::no);       // MESSAGES without a batch id
    EXPECT_EQ(frame("0000000a 1807 2a06 0801 1202 1201"),
              match::no);                                            // entry without a header first
    EXPECT_EQ(frame("00000009 1807 2a05 0801 1202 0a"), match::no);  // entry longer than the body
}

TEST(CanalFrame, IsPartialAtEveryCutAndWholeWithBytesBehindIt) {
    const auto bytes = hex("0000000b 1807 2a07 0801 1203 0a0108");
    for (std::size_t n = 0; n < bytes.size(); ++n) {
        EXPECT_EQ(check_frame(byte_view(bytes).first(n), port_kind::data), match::partial) << n;
    }
    auto longer = bytes;
    longer.push_back(0xff);
    EXPECT_EQ(check_frame(longer, port_kind::data), match::whole);
}

TEST(CanalFrame, ReadsLengthsToTheLimitAndNoFurther) {
    EXPECT_EQ(read_length(hex("000000")).state, length_state::incomplete);
    EXPECT_EQ(read_length(hex("00000000")).state, length_state::good);
    EXPECT_EQ(read_length(hex("00000000")).whole(), 4U);
    EXPECT_EQ(read_length(hex("08000000")).state, length_state::good);
    EXPECT_EQ(read_length(hex("08000001")).state, length_state::over_limit);
    EXPECT_EQ(read_length(hex("7fffffff")).state, length_state::over_limit);
    EXPECT_EQ(read_length(hex("80000000")).state, length_state::negative);
    EXPECT_EQ(read_length(hex("00000010"), 15).state, length_state::over_limit);
}

TEST(CanalFrame, TellsTheAdminPortFromTheDataPort) {
    const auto data = hex("00000010 10011801 2a0a 1208 bf0867f881e63834");
    const auto admin = hex("00000010 10011801 220a 1208 bf0867f881e63834");
    EXPECT_EQ(recognise_server(data), server_start::data);
    EXPECT_EQ(recognise_server(admin), server_start::admin);
    EXPECT_EQ(recognise_server(hex("00000004 1801 2a00")), server_start::data);
    for (std::size_t n = 0; n < data.size(); ++n) {
        EXPECT_EQ(recognise_server(byte_view(data).first(n)), server_start::undecided) << n;
        EXPECT_EQ(recognise_server(byte_view(admin).first(n)), server_start::undecided) << n;
    }
    EXPECT_EQ(check_frame(admin, port_kind::data), match::no);
    EXPECT_EQ(check_frame(data, port_kind::admin), match::no);
}

TEST(CanalFrame, IsNotFooledByOtherServers) {
    EXPECT_EQ(recognise_server(hex("4a0000000a352e352e39")),
              server_start::neither);                                             // MySQL greeting
    EXPECT_EQ(recognise_server(hex("485454502f312e31")), server_start::neither);  // HTTP
    EXPECT_EQ(recognise_server(hex("00000004 10011803")),
              server_start::neither);  // an ACK is no start
    EXPECT_EQ(recognise_server(hex("811f0000000000000000000000000001")), server_start::neither);
    EXPECT_EQ(recognise_server(hex("00000405 1001")),
              server_start::neither);  // no HANDSHAKE is that long
}

}  // namespace
}  // namespace cdcscope::canal
