#include "proto/dcp/frame.h"

#include <gtest/gtest.h>

#include <vector>

#include "proto/dcp/opcodes.h"
#include "tests/proto/dcp/bytes_of.h"

namespace cdcscope::dcp {
namespace {

using test::bytes_of;

const std::vector<std::uint8_t> prepare = bytes_of(
    "80600005 1f000210 00000029 00001210 0000000000000000 0000000000000004 0000000000000001 "
    "00000000 00000000 00000000"
    "00 00 01 68656c6c6f 776f726c64");

TEST(Header, ReadsEveryFieldOfThePrepareOfTheReference) {
    const header_outcome out = parse_header(prepare);
    ASSERT_EQ(out.state, parse_state::complete);
    EXPECT_EQ(out.value.kind, magic::request);
    EXPECT_EQ(out.value.opcode, 0x60);
    EXPECT_EQ(out.value.vbucket(), 528);
    EXPECT_EQ(out.value.opaque, 0x1210U);
    EXPECT_EQ(out.value.total_length(), 65U);
    EXPECT_EQ(flow_bytes(out.value, *find_opcode(magic::request, 0x60)), 67U);
    const body_parts parts = split(out.value, prepare, {});
    EXPECT_EQ(as_text(parts.key), "hello");
    EXPECT_EQ(as_text(parts.value), "world");
    EXPECT_EQ(parts.key_at, 55U);
    EXPECT_FALSE(parts.malformed || parts.cut);
}

TEST(Header, SaysHowManyBytesAreMissing) {
    EXPECT_EQ(parse_header({}).need, 24U);
    EXPECT_EQ(parse_header(byte_view(prepare).first(1)).need, 23U);
    EXPECT_EQ(parse_header(byte_view(prepare).first(23)).need, 1U);
    EXPECT_EQ(parse_header(byte_view(prepare).first(23)).state, parse_state::need_more);
}

TEST(Header, RefusesOtherFirstBytesAndBodiesAboveTheLimit) {
    for (int first = 0; first < 256; ++first) {
        std::vector<std::uint8_t> bytes = prepare;
        bytes[0] = static_cast<std::uint8_t>(first);
        const bool legal = first == 0x08 || first == 0x18 || (first >= 0x80 && first <= 0x83);
        EXPECT_EQ(parse_header(bytes).state, legal ? parse_state::complete : parse_state::broken)
            << first;
    }
    EXPECT_EQ(parse_header(prepare, 0x29).state, parse_state::complete);
    const header_outcome out = parse_header(prepare, 0x28);
    EXPECT_EQ(out.state, parse_state::broken);
    EXPECT_EQ(out.where, 8U);
}

TEST(Split, CutsPartsOffAtTheBodysEndWhenLengthsContradict) {
    const auto oso = bytes_of("80650000 04000000 00000000 deadbeef 0000000000000000 00000001");
    const header h = parse_header(oso).value;
    const body_parts parts = split(h, oso, {});
    EXPECT_TRUE(parts.malformed);
    EXPECT_TRUE(parts.extras.empty());
    EXPECT_FALSE(parts.cut);
    EXPECT_FALSE(is_candidate(oso));
}

TEST(Split, KeepsWhatIsThereOfACutValue) {
    const header h = parse_header(prepare).value;
    const body_parts parts = split(h, byte_view(prepare).first(62), {});
    EXPECT_TRUE(parts.cut);
    EXPECT_EQ(as_text(parts.value), "wo");
    EXPECT_EQ(parts.value_length, 5U);
}

TEST(Split, FindsTheStreamIdThatAServerForgotToCount) {
    // expiration, framing length 0, stream id 100 in front of the extras
    const auto bytes = bytes_of(
        "08590001 14000007 00000018 00000001 0000000000000001 220064"
        "0000000000000005 0000000000000001 00000009 6b");
    const header h = parse_header(bytes).value;
    const body_parts plain = split(h, bytes, {});
    EXPECT_EQ(plain.framing.size(), 0U);
    decode_context context;
    context.stream_ids = true;
    const body_parts fixed = split(h, bytes, context);
    EXPECT_TRUE(fixed.framing_length_zero);
    EXPECT_EQ(fixed.framing.size(), 3U);
    EXPECT_EQ(as_text(fixed.key), "k");
    EXPECT_EQ(fixed.value_length, 0U);
}

TEST(Candidate, TakesWhatTheTableAllowsOnly) {
    EXPECT_TRUE(is_candidate(prepare));
    const auto with = [](std::size_t at, std::uint8_t value) {
        std::vector<std::uint8_t> bytes = prepare;
        bytes[at] = value;
        return is_candidate(bytes);
    };
    EXPECT_FALSE(with(1, 0x68)) << "opcode that is not assigned";
    EXPECT_FALSE(with(4, 30)) << "extras of another length";
    EXPECT_FALSE(with(3, 0)) << "prepare without a key";
    EXPECT_FALSE(with(5, 8)) << "datatype above 7";
    EXPECT_FALSE(with(2, 1)) << "key of 261 bytes";
    EXPECT_FALSE(with(8, 0x7f)) << "body of 2 GiB";
    EXPECT_FALSE(is_candidate(byte_view(prepare).first(23)));
}

TEST(Candidate, KnowsStatusesAndMagicsInUse) {
    const auto answer =
        bytes_of("81530000 00000023 00000008 00000001 0000000000000000 0000000000000000");
    EXPECT_TRUE(is_candidate(answer));
    auto unknown = answer;
    unknown[7] = 0x60;
    EXPECT_FALSE(is_candidate(unknown));
    const auto framed = bytes_of("08640000 08000000 0000000b 00000001 0000000000000000");
    EXPECT_FALSE(is_candidate(framed)) << "3 framing bytes are missing from the lengths";
    const auto good = bytes_of("08640300 08000000 0000000b 00000001 0000000000000000");
    EXPECT_TRUE(is_candidate(good));
    EXPECT_FALSE(is_candidate(good, {.framing = false}));
}

}  // namespace
}  // namespace cdcscope::dcp
