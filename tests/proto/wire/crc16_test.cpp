#include "proto/wire/crc16.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace cdcscope {
namespace {

// The check values of the format's reference (ss.md section 6).
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

}  // namespace
}  // namespace cdcscope
