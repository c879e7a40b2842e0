// Each link type, tag and label, down to one TCP segment; the payload says whether the right bytes
// came out.
#include "analyzer/capture/link_layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/capture/decoder.h"
#include "tests/analyzer/capture/build.h"
#include "tests/analyzer/capture/collect.h"

namespace cdcscope::capture::testing {
namespace {

constexpr std::uint32_t on_ethernet = 1;

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

struct layer_case {
    std::string name;
    std::uint32_t link_type;
    std::string bytes;
    friend void PrintTo(const layer_case& c, std::ostream* out) { *out << c.name; }
};

const std::string packet4 = ipv4(tcp("data"));
const std::string packet6 = ipv6(tcp("data"));
const std::string frame = ethernet(packet4);

std::string vxlan(std::uint16_t port, const std::string& inner) {
    return ethernet(ipv4(udp(port, hex("08000000 00004d00") + inner), {17}));
}
std::string gre(const std::string& header, const std::string& inner) {
    return ethernet(ipv4(header + inner, {47}));
}
std::string over_udp(std::uint16_t port, const std::string& header, const std::string& inner) {
    return ethernet(ipv4(udp(port, header + inner), {17}));
}

const std::vector<layer_case> layers{
    {"Ethernet", 1, frame},
    {"EthernetIpv6", 1, ethernet(packet6, 0x86dd)},
    {"Vlan", 1, ethernet(hex("0005 0800") + packet4, 0x8100)},
    {"QinQ", 1, ethernet(hex("0005 8100 0006 0800") + packet4, 0x88a8)},
    {"FiveTags", 1,
     ethernet(hex("0005 8100 0006 9100 0001 9200 0002 8100 0003 86dd") + packet6, 0x88a8)},
    {"VnTag", 1, ethernet(hex("00010002 8100 0005 0800") + packet4, 0x8926)},
    {"Snap", 1, ethernet(hex("aaaa03 000000 0800") + packet4, 300)},
    {"MplsOneLabel", 1, ethernet(hex("00064140") + packet4, 0x8847)},
    {"MplsThreeLabels", 1, ethernet(hex("00064040 00065040 00066140") + packet6, 0x8847)},
    {"MplsMulticast", 1, ethernet(hex("00064140") + packet4, 0x8848)},
    {"MplsPseudowireWithControlWord", 1, ethernet(hex("00064140 00000000") + frame, 0x8847)},
    {"MplsPseudowire", 1, ethernet(hex("00064140") + frame, 0x8847)},
    {"ProviderBackboneBridge", 1, ethernet(hex("00000001") + frame, 0x88e7)},
    {"Pppoe", 1,
     ethernet(hex("1100 0009") + be16(packet4.size() + 2) + hex("0021") + packet4 + "padding",
              0x8864)},
    {"PppoeIpv6", 1,
     ethernet(hex("1100 0009") + be16(packet6.size() + 2) + hex("0057") + packet6, 0x8864)},
    {"PppoeShortProtocol", 1,
     ethernet(hex("1100 0009") + be16(packet4.size() + 1) + hex("21") + packet4, 0x8864)},
    {"NullLittleEndian", 0, hex("02000000") + packet4},
    {"NullBigEndian", 0, hex("00000002") + packet4},
    {"NullIpv6OfDarwin", 0, hex("1e000000") + packet6},
    {"NullIpv6OfFreeBsd", 0, hex("0000001c") + packet6},
    {"Loop", 108, hex("00000002") + packet4},
    {"LoopIpv6OfOpenBsd", 108, hex("00000018") + packet6},
    {"Raw", 101, packet4},
    {"RawIpv6", 101, packet6},
    {"RawTwelve", 12, packet4},
    {"RawFourteen", 14, packet6},
    {"Ipv4", 228, packet4},
    {"Ipv6", 229, packet6},
    {"Ppp", 9, hex("ff03 0021") + packet4},
    {"PppWithoutAddress", 9, hex("0057") + packet6},
    {"PppMpls", 50, hex("ff03 0281 00064140") + packet4},
    {"PppoeLink", 51, hex("1100 0009") + be16(packet4.size() + 2) + hex("0021") + packet4},
    {"PppWithDirection", 204, hex("00 ff03 0021") + packet4},
    {"CiscoHdlc", 104, hex("0f00 0800") + packet4},
    {"Sll", 113, hex("0000 0001 0006 0200000000010000 0800") + packet4},
    {"SllVlan", 113, hex("0000 0001 0006 0200000000010000 8100 0005 86dd") + packet6},
    {"Sll2", 276, hex("0800 0000 00000002 0001 00 06 0200000000010000") + packet4},
    {"Sll2Ipv6", 276, hex("86dd 0000 00000002 0001 04 06 0200000000010000") + packet6},
    {"Nflog", 239,
     hex("02 00 0000 08000100 08000203 05000a00 78000000") + le(packet4.size() + 4, 2) + le(9, 2) +
         packet4},
    {"Pktap", 258, le(108, 4) + le(1, 4) + le(1, 4) + std::string(96, '\0') + frame},
    {"Gre", 1, gre(hex("0000 0800"), packet4)},
    {"GreChecksum", 1, gre(hex("8000 0800 1234 0000"), packet4)},
    {"GreKeyAndSequence", 1, gre(hex("3000 86dd 0000002a 00000001"), packet6)},
    {"GreAllFields", 1, gre(hex("b000 0800 12340000 0000002a 00000001"), packet4)},
    {"GreEthernet", 1, gre(hex("2000 6558 00000100"), frame)},
    {"GreMpls", 1, gre(hex("0000 8847 00064140"), packet4)},
    {"GrePptp", 1, gre(hex("3081 880b 00100001 00000001 00000002"), hex("ff03 0021") + packet4)},
    {"ErspanOne", 1, gre(hex("0000 88be"), frame)},
    {"ErspanTwo", 1, gre(hex("1000 88be 00000001 10001001 00000001"), frame)},
    {"ErspanThree", 1, gre(hex("1000 22eb 00000001 20001001 00000001 00000000"), frame)},
    {"ErspanThreeWithPlatform", 1,
     gre(hex("1000 22eb 00000001 20001001 00000001 00000001 0000000000000000"), frame)},
    {"Vxlan", 1, vxlan(4789, frame)},
    {"VxlanOldPort", 1, vxlan(8472, frame)},
    {"VxlanInVxlan", 1, vxlan(4789, vxlan(4789, vxlan(4789, frame)))},
    {"VxlanGpeIp", 1, over_udp(4790, hex("0c000001 00004d00"), packet4)},
    {"VxlanGpeEthernet", 1, over_udp(4790, hex("0c000003 00004d00"), frame)},
    {"Geneve", 1, over_udp(6081, hex("00006558 00000100"), frame)},
    {"GeneveWithOptions", 1,
     over_udp(6081, hex("03000800 00000100 0102800300000000 0000000000000000").substr(0, 20),
              packet4)},
    {"Gtp", 1, over_udp(2152, hex("30ff") + be16(packet4.size()) + hex("00000001"), packet4)},
    {"GtpWithExtension", 1,
     over_udp(2152, hex("34ff") + be16(packet6.size() + 8) + hex("00000001 0001 00 85 01 0009 00"),
              packet6)},
    {"MplsInUdp", 1, over_udp(6635, hex("00064140"), packet4)},
    {"IpInIp", 1, ethernet(ipv4(packet4, {4}))},
    {"SixInFour", 1, ethernet(ipv4(packet6, {41}))},
    {"FourInSix", 1, ethernet(ipv6(packet4, 4), 0x86dd)},
    {"SixInSix", 1, ethernet(ipv6(packet6, 41), 0x86dd)},
    {"AuthenticationHeader", 1,
     ethernet(
         ipv4(hex("06 04 0000 00000001 00000001 000000000000000000000000") + tcp("data"), {51}))},
    {"VlanInVxlanOverVlan", 1,
     ethernet(hex("0005 0800") + ipv4(udp(4789, hex("08000000 00004d00") +
                                                    ethernet(hex("0005 0800") + packet4, 0x8100)),
                                      {17}),
              0x8100)},
};

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

INSTANTIATE_TEST_SUITE_P(, LinkLayer, ::testing::ValuesIn(layers),
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

TEST(LinkLayers, FollowEightTunnelsAndNoMore) {
    for (const int tunnels : {7, 8, 200}) {
        std::string packet = packet4;
        for (int n = 0; n < tunnels; ++n) packet = ipv4(packet, {4});
        EXPECT_EQ(payload_of(101, packet), tunnels <= 8 - 1 ? "data" : "no segment") << tunnels;
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
