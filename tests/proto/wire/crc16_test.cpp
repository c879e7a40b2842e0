#include "proto/wire/crc16.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace cdcscope {
namespace {

// The check values of the format's reference (docs/ss.md section 6).
TEST(Crc16, GivesTheCheckValuesOfCdma2000) {
    EXPECT_EQ(crc16(as_bytes("123456789")), 0x4c06);
    EXPECT_EQ(crc16(as_bytes("")), 0xffff);
    EXPECT_EQ(crc16(as_bytes(std::string(1, '\0'))), 0x6b6c);
    EXPECT_EQ(crc16(as_bytes("\xff")), 0xff00);
    EXPECT_EQ(crc16(as_bytes("a")), 0x7f83);
    EXPECT_EQ(crc16(as_bytes("EOS")), 0xed7c);
    EXPECT_EQ(crc16(as_bytes("hello, world")), 0x8028);
    EXPECT_EQ(crc16(as_bytes(std::string(100, 'A'))), 0x604e);
    std::vector<std::uint8_t> every(256);
    std::iota(every.begin(), every.end(), std::uint8_t{0});
    EXPECT_EQ(crc16(every), 0xf8e6);
}

TEST(Crc16, GoesOnWhereItStopped) {
    const std::string text = "a stream of bytes cut at every place";
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        const std::uint16_t first = crc16(as_bytes(text).first(cut));
        EXPECT_EQ(crc16(as_bytes(text).subspan(cut), first), crc16(as_bytes(text))) << cut;
    }
}

// Bit by bit, as the polynomial is defined.
std::uint16_t by_definition(byte_view bytes, std::uint16_t crc) {
    for (const std::uint8_t b : bytes) {
        crc = static_cast<std::uint16_t>(crc ^ b << 8);
        for (int bit = 0; bit < 8; ++bit) {
            crc = static_cast<std::uint16_t>(crc << 1 ^ ((crc & 0x8000U) != 0 ? 0xc867U : 0U));
        }
    }
    return crc;
}

TEST(Crc16, EqualsItsDefinitionForEveryLengthStartAndPlaceInMemory) {
    std::mt19937 random(1);
    std::vector<std::uint8_t> bytes(5000);
    for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random());
    for (std::size_t size = 0; size < 700; ++size) {
        const byte_view some = byte_view(bytes).subspan(random() % 64, size);
        const auto start = static_cast<std::uint16_t>(random());
        ASSERT_EQ(crc16(some, start), by_definition(some, start)) << size;
    }
    for (int round = 0; round < 200; ++round) {
        const byte_view some = byte_view(bytes).subspan(random() % 100).first(random() % 4900);
        const auto start = static_cast<std::uint16_t>(random());
        ASSERT_EQ(crc16(some, start), by_definition(some, start)) << some.size();
    }
}

}  // namespace
}  // namespace cdcscope
