// One packet for each link type, tag, label and tunnel; all carry the same segment, whose payload
// is "data".
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tests/analyzer/capture/build.h"

namespace cdcscope::capture::testing {

struct layer_case {
    std::string name;
    std::uint32_t link_type;
    std::string bytes;
    friend void PrintTo(const layer_case& c, std::ostream* out) { *out << c.name; }
};

inline std::string layer_packet4() {
    return ipv4(tcp("data"));
}
inline std::string layer_packet6() {
    return ipv6(tcp("data"));
}
inline std::string vxlan(std::uint16_t port, const std::string& inner) {
    return ethernet(ipv4(udp(port, hex("08000000 00004d00") + inner), {17}));
}
inline std::string gre(const std::string& header, const std::string& inner) {
    return ethernet(ipv4(header + inner, {47}));
}
inline std::string over_udp(std::uint16_t port, const std::string& header,
                            const std::string& inner) {
    return ethernet(ipv4(udp(port, header + inner), {17}));
}

inline std::vector<layer_case> layer_cases() {
    const std::string packet4 = layer_packet4();
    const std::string packet6 = layer_packet6();
    const std::string frame = ethernet(packet4);
    return {
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
         hex("02 00 0000 08000100 08000203 05000a00 78000000") + le(packet4.size() + 4, 2) +
             le(9, 2) + packet4},
        {"Pktap", 258, le(108, 4) + le(1, 4) + le(1, 4) + std::string(96, '\0') + frame},
        {"Gre", 1, gre(hex("0000 0800"), packet4)},
        {"GreChecksum", 1, gre(hex("8000 0800 1234 0000"), packet4)},
        {"GreKeyAndSequence", 1, gre(hex("3000 86dd 0000002a 00000001"), packet6)},
        {"GreAllFields", 1, gre(hex("b000 0800 12340000 0000002a 00000001"), packet4)},
        {"GreEthernet", 1, gre(hex("2000 6558 00000100"), frame)},
        {"GreMpls", 1, gre(hex("0000 8847 00064140"), packet4)},
        {"GrePptp", 1,
         gre(hex("3081 880b 00100001 00000001 00000002"), hex("ff03 0021") + packet4)},
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
         over_udp(2152,
                  hex("34ff") + be16(packet6.size() + 8) + hex("00000001 0001 00 85 01 0009 00"),
                  packet6)},
        {"MplsInUdp", 1, over_udp(6635, hex("00064140"), packet4)},
        {"VxlanGroupPolicy", 1, over_udp(4789, hex("88000005 00004d00"), frame)},
        {"Tzsp", 1, over_udp(37008, hex("01000001 0a 01 c4 00 01"), frame)},
        {"MplsLink", 219, hex("00064140") + packet4},
        {"IpInIp", 1, ethernet(ipv4(packet4, {4}))},
        {"SixInFour", 1, ethernet(ipv4(packet6, {41}))},
        {"FourInSix", 1, ethernet(ipv6(packet4, 4), 0x86dd)},
        {"SixInSix", 1, ethernet(ipv6(packet6, 41), 0x86dd)},
        {"AuthenticationHeader", 1,
         ethernet(ipv4(hex("06 04 0000 00000001 00000001 000000000000000000000000") + tcp("data"),
                       {51}))},
        {"VlanInVxlanOverVlan", 1,
         ethernet(
             hex("0005 0800") + ipv4(udp(4789, hex("08000000 00004d00") +
                                                   ethernet(hex("0005 0800") + packet4, 0x8100)),
                                     {17}),
             0x8100)},
    };
}

}  // namespace cdcscope::capture::testing
