// Exported PDUs.
#include "analyzer/capture/exported_pdu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analyzer/capture/build.h"
#include "tests/analyzer/capture/collect.h"

namespace cdcscope::capture::testing {
namespace {

std::string tag(std::uint16_t kind, const std::string& value) {
    return be16(kind) + be16(value.size()) + value;
}

const std::string tags4 = tag(12, std::string("couchbase\0\0\0", 12)) + tag(20, hex("0a010001")) +
                          tag(21, hex("0a000001")) + tag(24, be32(2)) + tag(25, be32(40000)) +
                          tag(26, be32(11207)) + tag(30, be32(17)) + tag(0, "");

TEST(ExportedPdu, GivesNameEndsAndBytes) {
    const pcapng_form f;
    const temporary_file file("tls.pcapng",
                              f.section() + f.interface(252) + f.enhanced(tags4 + "message"));
    run_result r;
    run(r, {file.path()});
    EXPECT_EQ(r.packets.tcp, 1U);
    ASSERT_EQ(r.found.exported.size(), 1U);
    const exported_pdu& pdu = r.found.exported[0];
    EXPECT_EQ(r.found.dissectors[0], "couchbase");
    EXPECT_EQ(to_string(pdu.source), "10.1.0.1:40000");
    EXPECT_EQ(to_string(pdu.destination), "10.0.0.1:11207");
    EXPECT_TRUE(pdu.over_tcp);
    EXPECT_EQ(pdu.original_frame, 17U);
    EXPECT_EQ(pdu.wire_length, 7U);
    EXPECT_EQ(pdu.at.frame, 1U);
    EXPECT_EQ(r.found.exported_bytes[0], "message");
}

TEST(ExportedPdu, ReadsIpv6AndPassesOverUnknownTags) {
    const std::string bytes = tag(22, hex("fd000000000000000000000000000001")) +
                              tag(999, std::string(40, 'x')) +
                              tag(23, hex("fd000000000000000000000000000002")) + tag(0, "") + "m";
    packet p;
    p.wire_length = static_cast<std::uint32_t>(bytes.size() + 9);
    p.bytes = as_bytes(bytes);
    exported_pdu pdu;
    ASSERT_TRUE(parse_exported_pdu(p, pdu));
    EXPECT_EQ(to_string(pdu.source.ip), "fd00::1");
    EXPECT_EQ(to_string(pdu.destination.ip), "fd00::2");
    EXPECT_EQ(pdu.wire_length, 10U);
    EXPECT_FALSE(pdu.over_tcp);
    EXPECT_EQ(pdu.dissector, "");
}

TEST(ExportedPdu, RefusesTagsCutAnywhere) {
    for (std::size_t cut = 0; cut <= tags4.size(); ++cut) {
        const std::string piece = tags4.substr(0, cut);
        packet p;
        p.wire_length = static_cast<std::uint32_t>(tags4.size());
        p.bytes = as_bytes(piece);
        exported_pdu pdu;
        EXPECT_EQ(parse_exported_pdu(p, pdu), cut == tags4.size()) << cut;
    }
}

TEST(ExportedPdu, CountsAsOtherWhenNobodyWantsIt) {
    collector found;
    decoder under_test({&found, &found, nullptr});
    packet p;
    p.link_type = 252;
    p.wire_length = static_cast<std::uint32_t>(tags4.size());
    p.bytes = as_bytes(tags4);
    EXPECT_EQ(under_test.decode(p), packet_kind::other);
}

}  // namespace
}  // namespace cdcscope::capture::testing
