// Names as parts of stream keys.
#include "analyzer/record/stream_key.h"

#include <gtest/gtest.h>

namespace cdcscope::record {
namespace {

TEST(StreamKey, UsesTheChecksumOfZip) {
    EXPECT_EQ(crc32(as_bytes("123456789")), 0xcbf43926U);
    EXPECT_EQ(crc32({}), 0U);
}

TEST(StreamKey, LeavesGoodNamesAlone) {
    EXPECT_EQ(key_part("orders_2023-A"), "orders_2023-A");
    EXPECT_EQ(stream_key("canal", {"example", "shop", "orders"}), "canal.example.shop.orders");
    EXPECT_EQ(stream_key("canal", {"example"}, ".packets.c2s"), "canal.example.packets.c2s");
}

TEST(StreamKey, MarksChangedNamesWithTheirChecksum) {
    EXPECT_EQ(key_part("orders$2023"), "orders_2023-2d7a2fb4");
    EXPECT_EQ(key_part("a.b"), "a_b-1eef715d");
    EXPECT_NE(key_part("a.b"), key_part("a$b"));
    EXPECT_NE(key_part("a.b"), key_part("a_b"));
    EXPECT_EQ(key_part("\xe4\xb8\xad").substr(0, 4), "___-");
}

TEST(StreamKey, NeverPasses249) {
    const std::string a(240, 'a');
    const std::string b = std::string(240, 'a') + "b";
    EXPECT_EQ(stream_key("x", {std::string(247, 'a')}).size(), 249U);
    EXPECT_EQ(stream_key("x", {std::string(247, 'a')}), "x." + std::string(247, 'a'));
    EXPECT_EQ(stream_key("x", {std::string(248, 'a')}).size(), 249U);
    const std::string first = stream_key("canal", {"example", a, a}, ".c2s");
    const std::string second = stream_key("canal", {"example", a, b}, ".c2s");
    EXPECT_LE(first.size(), longest_key);
    EXPECT_NE(first, second);
    EXPECT_EQ(first.substr(0, 15), "canal.example.a");
    EXPECT_LE(stream_key("canal", {std::string(3000, '$'), a, b}, ".packets.c2s").size(),
              longest_key);
}

TEST(StreamKey, NumbersConnectionsWithFourDigitsOrMore) {
    EXPECT_EQ(connection_part(7), "c0007");
    EXPECT_EQ(connection_part(123456), "c123456");
}

TEST(StreamKey, TellsServersApart) {
    EXPECT_EQ(with_crc("example", "10.0.0.2:11111"), "example-56c9e768");
}

}  // namespace
}  // namespace cdcscope::record
