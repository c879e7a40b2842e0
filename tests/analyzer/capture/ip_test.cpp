// Lengths, padding, extension headers and the TCP header: which bytes are payload.

#include "analyzer/capture/ip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/capture/checksum_watch.h"
#include "analyzer/capture/decoder.h"
#include "analyzer/capture/tcp_header.h"
#include "tests/analyzer/capture/build.h"
#include "tests/analyzer/capture/collect.h"

namespace cdcscope::capture::testing {
namespace {

// The segment of a raw IP packet; no payload pointer outlives the call, its bytes are kept.
std::vector<kept_segment> segments_of(const std::string& bytes, std::size_t wire = 0) {
    collector found;
    decoder under_test(found.all());
    packet p;
    p.link_type = 101;
    p.wire_length = static_cast<std::uint32_t>(wire == 0 ? bytes.size() : wire);
    p.bytes = as_bytes(bytes);
    under_test.decode(p);
    return found.segments;
}

std::string payload_of(const std::string& bytes) {
    const auto found = segments_of(bytes);
    return found.empty() ? "no segment" : found[0].payload;
}

TEST(Ip, LeavesPaddingAndTrailersOut) {
    EXPECT_EQ(payload_of(ipv4(tcp("data")) + "padding"), "data");
    EXPECT_EQ(payload_of(ipv6(tcp("data")) + "padding"), "data");
    EXPECT_EQ(payload_of(ipv4(tcp("")) + std::string(6, '\0')), "");
}

TEST(Ip, TakesTheWireLengthWhenTheCardWasToFillTheLengthIn) {
    v4 header;
    header.total = 0;
    EXPECT_EQ(payload_of(ipv4(tcp(std::string(70'000, 'x')), header)).size(), 70'000U);
    EXPECT_EQ(payload_of(ipv6(tcp(std::string(70'000, 'x')), 6, 0)).size(), 70'000U);
}

TEST(Ip, ReadsJumbograms) {
    const std::string segment = tcp(std::string(70'000, 'x'));
    const std::string jumbo = hex("06 00 c2 04") + be32(segment.size() + 8);
    EXPECT_EQ(payload_of(ipv6(jumbo + segment, 0, 0) + "padding").size(), 70'000U);
}

TEST(Ip, StepsOverOptionsAndExtensionHeaders) {
    v4 header;
    header.options = hex("94040000 01010101");
    EXPECT_EQ(payload_of(ipv4(tcp("data"), header)), "data");
    const std::string hop = hex("2b 00 0104 00000000");  // then routing
    const std::string routing =
        hex("3c 02 0000 00000000") + std::string(16, '\0');      // then destination
    const std::string destination = hex("33 00 0104 00000000");  // then authentication
    const std::string authentication = hex("06 04 0000 00000001 00000001") + std::string(12, '\0');
    EXPECT_EQ(payload_of(ipv6(hop + routing + destination + authentication + tcp("data"), 0)),
              "data");
}

TEST(Ip, EndsAChainOfExtensionHeadersThatLoops) {
    std::string chain;
    for (int n = 0; n < 300; ++n) chain += hex("3c 00 0104 00000000");
    EXPECT_EQ(payload_of(ipv6(chain + tcp("data"), 60)), "no segment");
}

TEST(Ip, TakesAnAtomicFragmentAsAWhole) {
    EXPECT_EQ(payload_of(v6_fragment(tcp("data"), 0, false)), "data");
}

TEST(Ip, RefusesHeadersThatCannotBe) {
    std::string bytes = ipv4(tcp("data"));
    bytes[0] = 0x44;  // header of 16 bytes
    EXPECT_EQ(payload_of(bytes), "no segment");
    v4 header;
    header.total = 19;
    EXPECT_EQ(payload_of(ipv4(tcp("data"), header)), "no segment");
    bytes = ipv4(tcp("data"));
    bytes[20 + 12] = 0x40;  // TCP header of 16 bytes
    EXPECT_EQ(payload_of(bytes), "no segment");
    bytes[20 + 12] = '\xf0';  // of 60, in a packet with 24
    EXPECT_EQ(payload_of(bytes), "no segment");
    EXPECT_EQ(payload_of(std::string(1, '\x55') + bytes.substr(1)), "no segment");
}

TEST(Ip, BelievesItsLengthWhenTheCaptureHoldsLess) {
    const std::string whole = ipv4(tcp("0123456789"));
    for (const std::size_t kept : {std::size_t{40}, std::size_t{45}, std::size_t{50}}) {
        // Whether the writer gave the length on the wire, or forgot it.
        for (const std::size_t wire : {whole.size(), kept}) {
            const auto found = segments_of(whole.substr(0, kept), wire);
            ASSERT_EQ(found.size(), 1U);
            EXPECT_EQ(found[0].payload, std::string("0123456789").substr(0, kept - 40));
            EXPECT_EQ(found[0].head.wire_payload, 10U);
        }
    }
}

TEST(TcpHeader, GivesNumbersFlagsAndOptions) {
    const std::string options = hex("0204 05b4 01 030307 0101 080a 01020304 05060708");
    const auto found = segments_of(ipv4(tcp("x", 0xfffffff0, options, 0x02), {6, 0x1234}));
    ASSERT_EQ(found.size(), 1U);
    const segment& s = found[0].head;
    EXPECT_EQ(s.sequence, 0xfffffff0U);
    EXPECT_EQ(s.acknowledgement, 77U);
    EXPECT_EQ(s.flags, tcp_flag::syn);
    EXPECT_EQ(s.window, 512);
    EXPECT_EQ(s.window_scale, 7);
    EXPECT_TRUE(s.has_timestamp);
    EXPECT_EQ(s.timestamp, 0x01020304U);
    EXPECT_EQ(s.ip_id, 0x1234U);
    EXPECT_EQ(found[0].payload, "x");
}

TEST(TcpHeader, ForgetsTheOptionsOfThePacketBefore) {
    collector found;
    decoder under_test(found.all());
    for (const std::string& options :
         {hex("080a 01020304 05060708 0303 0e00").substr(0, 12), std::string{}}) {
        const std::string bytes = ipv4(tcp("x", 1, options, 0x02));
        packet p;
        p.link_type = 101;
        p.wire_length = static_cast<std::uint32_t>(bytes.size());
        p.bytes = as_bytes(bytes);
        under_test.decode(p);
    }
    ASSERT_EQ(found.segments.size(), 2U);
    EXPECT_TRUE(found.segments[0].head.has_timestamp);
    EXPECT_FALSE(found.segments[1].head.has_timestamp);
    EXPECT_EQ(found.segments[1].head.window_scale, -1);
}

TEST(TcpHeader, EndsAtBrokenOptions) {
    for (const std::string& options : {hex("08000000"), hex("08010000"), hex("080a0000"),
                                       hex("03ff0000"), hex("0000080a"), hex("01010108")}) {
        const auto found = segments_of(ipv4(tcp("x", 1, options, 0x02)));
        ASSERT_EQ(found.size(), 1U);
        EXPECT_FALSE(found[0].head.has_timestamp);
        EXPECT_EQ(found[0].payload, "x");
    }
}

TEST(Checksum, IsReportedOnceForEachSenderAndDropsNothing) {
    collector found;
    decoder under_test(found.all());
    for (int n = 0; n < 5; ++n) {
        const std::string bytes = ipv4(tcp("x"));  // made with checksum 0
        packet p;
        p.at = {n, static_cast<std::uint32_t>(n + 1), 0};
        p.link_type = 101;
        p.wire_length = static_cast<std::uint32_t>(bytes.size());
        p.bytes = as_bytes(bytes);
        under_test.decode(p);
    }
    under_test.finish();
    EXPECT_EQ(found.segments.size(), 5U);
    ASSERT_EQ(found.codes(), std::vector<std::string>{"tcp.bad_checksum"});
    EXPECT_EQ(found.observations[0].bytes, 5U);
    EXPECT_THAT(found.observations[0].text,
                ::testing::HasSubstr("all 5 TCP checksums of 10.0.0.1"));
    EXPECT_THAT(found.observations[0].text, ::testing::HasSubstr("offload"));
}

TEST(Checksum, SaysHowManyOfAllAreWrong) {
    const auto told = [](int bad, int good) {
        collector found;
        checksum_watch watch;
        segment s;
        for (int n = 0; n < bad; ++n) watch.see(s, false);
        for (int n = 0; n < good; ++n) watch.see(s, true);
        watch.report(found);
        return found.observations[0].text;
    };
    EXPECT_THAT(told(149, 1), ::testing::HasSubstr("149 of 150 TCP checksums of "));
    EXPECT_THAT(told(149, 1), ::testing::HasSubstr("are wrong; "));
    EXPECT_THAT(told(1, 2), ::testing::HasSubstr("is wrong; "));
    EXPECT_THAT(told(1, 0), ::testing::StartsWith("the TCP checksum of "));
}

}  // namespace
}  // namespace cdcscope::capture::testing
