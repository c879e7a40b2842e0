// Each link type, tag and label, down to one TCP segment; the payload says whether the right bytes
// came out.
#include "analyzer/capture/link_layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/capture/decoder.h"
#include "tests/analyzer/capture/build.h"
#include "tests/analyzer/capture/collect.h"
#include "tests/analyzer/capture/layer_cases.h"

namespace cdcscope::capture::testing {
namespace {

constexpr std::uint32_t on_ethernet = 1;
const std::string packet4 = layer_packet4();
const std::string packet6 = layer_packet6();
const std::string frame = ethernet(packet4);

struct decoded {
    collector found;
    packet_kind kind = packet_kind::other;
};

void decode(decoded& d, std::uint32_t link_type, const std::string& bytes, std::uint32_t wire = 0) {
    decoder under_test(d.found.all());
    packet p;
    p.at = {1'000, 7, 0};
    p.link_type = link_type;
    p.wire_length = wire == 0 ? static_cast<std::uint32_t>(bytes.size()) : wire;
    p.bytes = as_bytes(bytes);
    d.kind = under_test.decode(p);
    under_test.finish();
}

// The payload of the one segment that comes out, or what came out instead.
std::string payload_of(std::uint32_t link_type, const std::string& bytes) {
    decoded d;
    decode(d, link_type, bytes);
    if (d.kind != packet_kind::tcp || d.found.segments.size() != 1) return "no segment";
    return d.found.segments[0].payload;
}

class LinkLayer : public ::testing::TestWithParam<layer_case> {};

TEST_P(LinkLayer, LeadsToTheSegment) {
    EXPECT_EQ(payload_of(GetParam().link_type, GetParam().bytes), "data");
}

// A capture may end anywhere: before the TCP payload there is no segment with wrong content, and no
// read behind the end (ASan).
TEST_P(LinkLayer, GivesNothingFalseWhenCutAnywhere) {
    const layer_case& c = GetParam();
    for (std::size_t cut = 0; cut <= c.bytes.size(); ++cut) {
        const std::string piece(c.bytes.data(), cut);
        decoded d;
        decode(d, c.link_type, std::string(piece.begin(), piece.end()),
               static_cast<std::uint32_t>(c.bytes.size()));
        for (const kept_segment& s : d.found.segments) {
            EXPECT_EQ(s.payload, std::string("data").substr(0, s.payload.size()));
            EXPECT_EQ(s.head.wire_payload, 4U);
            EXPECT_EQ(s.head.sequence, 1000U);
        }
    }
}

TEST_P(LinkLayer, SurvivesAnyByteBeingAnything) {
    const layer_case& c = GetParam();
    for (std::size_t at = 0; at < c.bytes.size(); ++at) {
        for (const int value : {0x00, 0x01, 0x45, 0x7f, 0x80, 0xff}) {
            std::string changed = c.bytes;
            changed[at] = static_cast<char>(value);
            decoded d;
            decode(d, c.link_type, changed);
            EXPECT_LE(d.found.segments.size(), 1U);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(, LinkLayer, ::testing::ValuesIn(layer_cases()),
                         [](const ::testing::TestParamInfo<layer_case>& of) {
                             return of.param.name;
                         });

TEST(LinkLayers, NameTheInnermostEnds) {
    decoded d;
    decode(d, on_ethernet, vxlan(4789, frame));
    ASSERT_EQ(d.found.segments.size(), 1U);
    EXPECT_EQ(to_string(d.found.segments[0].head.source), "10.0.0.1:40000");
    EXPECT_EQ(to_string(d.found.segments[0].head.destination), "10.0.0.2:11210");
    decoded six;
    decode(six, on_ethernet, ethernet(ipv4(packet6, {41})));
    EXPECT_EQ(to_string(six.found.segments.at(0).head.destination), "[fd00::2]:11210");
}

TEST(LinkLayers, FollowEightLayersOfIpAndNoMore) {
    for (const int tunnels : {7, 8, 200}) {
        std::string packet = packet4;
        for (int n = 0; n < tunnels; ++n) packet = ipv4(packet, {4});
        EXPECT_EQ(payload_of(101, packet), tunnels < 8 ? "data" : "no segment") << tunnels;
    }
}

TEST(LinkLayers, RefuseUnknownLinkTypes) {
    decoded d;
    decode(d, 127, frame);
    EXPECT_EQ(d.kind, packet_kind::unknown_link);
    EXPECT_FALSE(knows_link_type(127));
    EXPECT_TRUE(knows_link_type(276));
}

TEST(LinkLayers, TakeNoTcpHeaderOutOfAnIcmpError) {
    EXPECT_EQ(payload_of(on_ethernet, ethernet(ipv4(hex("0301 0000 00000000") + packet4, {1}))),
              "no segment");
    EXPECT_EQ(
        payload_of(on_ethernet, ethernet(ipv6(hex("0100 0000 00000000") + packet6, 58), 0x86dd)),
        "no segment");
}

TEST(LinkLayers, LeaveOtherTrafficAlone) {
    EXPECT_EQ(payload_of(on_ethernet, ethernet(std::string(28, 'a'), 0x0806)), "no segment");
    EXPECT_EQ(payload_of(on_ethernet, over_udp(53, hex("08000000 00004d00"), frame)), "no segment");
    EXPECT_EQ(payload_of(on_ethernet, vxlan(4789, frame).replace(42, 1, "\x09")), "no segment");
}

}  // namespace
}  // namespace cdcscope::capture::testing
