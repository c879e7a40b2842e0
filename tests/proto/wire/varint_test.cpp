#include "proto/wire/varint.h"

#include <gtest/gtest.h>

#include <vector>

namespace cdcscope {
namespace {

using bytes = std::vector<std::uint8_t>;

TEST(Varint, ReadsMinusOneInTenBytes) {
    const bytes b{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
    const varint v = read_varint(b);
    EXPECT_EQ(v.state, varint_state::complete);
    EXPECT_EQ(v.size, 10);
    EXPECT_EQ(static_cast<std::int64_t>(v.value), -1);
}

TEST(Varint, IsTruncatedAtEveryCut) {
    const bytes b{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
    for (std::size_t n = 0; n < b.size(); ++n) {
        EXPECT_EQ(read_varint(byte_view(b).first(n)).state, varint_state::truncated) << n;
    }
}

TEST(Varint, RefusesElevenBytes) {
    EXPECT_EQ(read_varint(bytes(11, 0x80)).state, varint_state::malformed);
    EXPECT_EQ(read_varint(bytes(10, 0x80)).state, varint_state::malformed);
}

// Collection ids and their bytes (unsigned LEB128).
TEST(Leb128, ReadsCollectionIds) {
    const auto id = [](const bytes& b) { return read_leb128_u32(b); };
    EXPECT_EQ(id({0x00}).value, 0U);
    EXPECT_EQ(id({0x7f}).value, 0x7fU);
    EXPECT_EQ(id({0x80, 0x01}).value, 0x80U);
    EXPECT_EQ(id({0xff, 0x01}).value, 0xffU);
    EXPECT_EQ(id({0xd5, 0x0a}).value, 0x555U);
    EXPECT_EQ(id({0xef, 0x9b, 0x03}).value, 0xcdefU);
    EXPECT_EQ(id({0xef, 0x9b, 0xbf, 0xef, 0x0c}).value, 0xcdefcdefU);
    EXPECT_EQ(id({0xff, 0xff, 0xff, 0xff, 0x0f}).value, 0xffffffffU);
    EXPECT_EQ(id({0xff, 0xff, 0xff, 0xff, 0x0f}).size, 5);
}

TEST(Leb128, RefusesLongerThanNeededAndTooLarge) {
    EXPECT_EQ(read_leb128_u32(bytes{0x80, 0x00}).state, varint_state::malformed);
    EXPECT_EQ(read_leb128_u32(bytes{0xff, 0xff, 0xff, 0xff, 0x1f}).state, varint_state::malformed);
    EXPECT_EQ(read_leb128_u32(bytes(5, 0x80)).state, varint_state::malformed);
    EXPECT_EQ(read_leb128_u32(bytes(4, 0x80)).state, varint_state::truncated);
}

}  // namespace
}  // namespace cdcscope
