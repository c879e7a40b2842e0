// Protobuf's wire format at its borders.
#include "proto/canal/wire.h"

#include <gtest/gtest.h>

#include "tests/support/hex.h"

namespace cdcscope::canal {
namespace {

using support::hex;

fault read_all(std::string_view digits) {
    const auto bytes = hex(digits);
    wire_reader reader{byte_view(bytes)};
    wire_field field;
    while (reader.next(field)) {
    }
    return reader.why();
}

TEST(CanalWire, KeepsTheBytesOfEachField) {
    const auto bytes = hex("0801 1203 616263 1a00 25 01020304");
    wire_reader reader{byte_view(bytes), 100};
    wire_field f;
    ASSERT_TRUE(reader.next(f));
    EXPECT_EQ(std::tuple(f.number, f.tag, f.value, f.end, f.bits),
              std::tuple(1U, 100U, 101U, 102U, 1U));
    ASSERT_TRUE(reader.next(f));
    EXPECT_EQ(std::tuple(f.number, f.tag, f.value, f.end), std::tuple(2U, 102U, 104U, 107U));
    EXPECT_EQ(as_text(f.bytes), "abc");
    ASSERT_TRUE(reader.next(f));
    EXPECT_EQ(std::tuple(f.number, f.tag, f.value, f.end), std::tuple(3U, 107U, 109U, 109U));
    ASSERT_TRUE(reader.next(f));
    EXPECT_EQ(std::tuple(f.number, f.tag, f.value, f.end, f.bits),
              std::tuple(4U, 109U, 110U, 114U, 0x04030201U));
    EXPECT_FALSE(reader.next(f));
    EXPECT_EQ(reader.why(), fault::none);
}

TEST(CanalWire, ReadsNegativeNumbers) {
    const auto bytes = hex("08ffffffffffffffffff01");
    wire_reader reader{byte_view(bytes)};
    wire_field f;
    ASSERT_TRUE(reader.next(f));
    EXPECT_EQ(f.as_int64(), -1);
    EXPECT_EQ(f.as_int32(), -1);
}

TEST(CanalWire, TakesWhatIsJustRight) {
    EXPECT_EQ(read_all(""), fault::none);
    EXPECT_EQ(read_all("08ffffffffffffffffff7f"), fault::none);  // bits beyond 64 are dropped
    EXPECT_EQ(read_all("8880808000 01"), fault::none);           // tag of 5 bytes
    EXPECT_EQ(read_all("12 8080808000"), fault::none);           // length of 5 bytes
    EXPECT_EQ(read_all("0b 10 01 0c"), fault::none);             // group
    EXPECT_EQ(read_all("09 0102030405060708"), fault::none);
}

TEST(CanalWire, NamesWhatIsWrong) {
    EXPECT_EQ(read_all("08ffffffffffffffffffff01"), fault::bad_varint);
    EXPECT_EQ(read_all("08ff"), fault::truncated);
    EXPECT_EQ(read_all("08"), fault::truncated);
    EXPECT_EQ(read_all("12"), fault::truncated);
    EXPECT_EQ(read_all("1202 61"), fault::beyond_parent);
    EXPECT_EQ(read_all("12 ffffffff07"), fault::beyond_parent);
    EXPECT_EQ(read_all("12 808080808000"), fault::beyond_parent);
    EXPECT_EQ(read_all("00"), fault::bad_tag);
    EXPECT_EQ(read_all("0200"), fault::bad_tag);
    EXPECT_EQ(read_all("888080808000 01"), fault::bad_tag);
    EXPECT_EQ(read_all("0e"), fault::bad_wire_type);
    EXPECT_EQ(read_all("0f"), fault::bad_wire_type);
    EXPECT_EQ(read_all("0c"), fault::bad_group);
    EXPECT_EQ(read_all("0b 14"), fault::bad_group);
    EXPECT_EQ(read_all("0b"), fault::truncated);
    EXPECT_EQ(read_all("0d 010203"), fault::truncated);
}

TEST(CanalWire, FollowsGroupsSixteenDeep) {
    const auto nested = [](int depth) {
        std::string digits;
        for (int i = 0; i < depth; ++i) digits += "0b";
        for (int i = 0; i < depth; ++i) digits += "0c";
        return digits;
    };
    EXPECT_EQ(read_all(nested(16)), fault::none);
    EXPECT_EQ(read_all(nested(17)), fault::too_deep);
    EXPECT_EQ(read_all(nested(100000)), fault::too_deep);
}

TEST(CanalWire, StopsAtTheFirstFaultAndSaysWhere) {
    const auto bytes = hex("0801 0e 0801");
    wire_reader reader{byte_view(bytes), 10};
    wire_field f;
    EXPECT_TRUE(reader.next(f));
    EXPECT_FALSE(reader.next(f));
    EXPECT_FALSE(reader.next(f));
    EXPECT_EQ(reader.fault_offset(), 12U);
}

}  // namespace
}  // namespace cdcscope::canal
