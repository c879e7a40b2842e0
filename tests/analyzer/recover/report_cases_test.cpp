// The captures of tests/data/reports whose trouble is one of recovery: what a report on them must
// be able to say.
#include <gtest/gtest.h>

#include "tests/analyzer/recover/talk.h"

namespace cdcscope::recover::testing {
namespace {

constexpr std::uint8_t mutation_opcode = 0x57;

class ReportCase : public ::testing::Test {
  protected:
    void recover(const std::string& file) {
        recover_file(CDCSCOPE_SOURCE_DIR "/tests/data/reports/" + file, got_);
    }
    kept_connection& connection(std::uint32_t id = 1) { return got_.connections.at(id); }
    kept_direction& c2s() { return connection().dirs[0]; }
    kept_direction& s2c() { return connection().dirs[1]; }

    // by_seqno of the mutations of the server, in the order in which they came out.
    std::vector<std::uint64_t> seqnos() {
        std::vector<std::uint64_t> out;
        for (const kept_message& k : s2c().messages) {
            if (static_cast<std::uint8_t>(k.bytes[1]) != mutation_opcode) continue;
            out.push_back(load_be64(as_bytes(k.bytes).data() + 24));
        }
        return out;
    }
    static std::vector<std::uint64_t> from_to(std::uint64_t first, std::uint64_t last) {
        std::vector<std::uint64_t> out;
        for (; first <= last; ++first) out.push_back(first);
        return out;
    }
    void expect_counts(std::uint64_t client, std::uint64_t server) {
        EXPECT_EQ(c2s().totals.messages, client);
        EXPECT_EQ(s2c().totals.messages, server);
    }

    collector got_;
};

TEST_F(ReportCase, ManyMessagesInASegmentAndOneOverSeveral) {
    recover("dcp-pipelined-and-split.pcap");
    expect_counts(4, 35);
    EXPECT_EQ(seqnos().size(), 29U);
    bool big = false;
    for (const kept_message& k : s2c().messages) big = big || k.bytes.size() > 6002;
    EXPECT_TRUE(big);
}

TEST_F(ReportCase, ACaptureThatStartsInAMessage) {
    recover("dcp-capture-starts-mid-message.pcap");
    expect_counts(2, 21);
    EXPECT_EQ(seqnos(), from_to(501, 520));
    ASSERT_EQ(s2c().unparsed.size(), 1U);
    EXPECT_EQ(s2c().unparsed[0].offset, 0U);
    EXPECT_EQ(s2c().unparsed[0].length, 2060U);
    EXPECT_FALSE(connection().info.from_start[1]);
}

TEST_F(ReportCase, AFinBeforeTheLastData) {
    recover("tcp-fin-before-last-data.pcap");
    expect_counts(4, 9);
    EXPECT_EQ(s2c().totals.gap_bytes, 0U);
    EXPECT_EQ(seqnos().size(), 3U);
    EXPECT_TRUE(s2c().ended);
}

TEST_F(ReportCase, ASegmentThatCameBehindTheReplyToIt) {
    recover("tcp-late-segment-after-reply.pcap");
    expect_counts(5, 25);
    EXPECT_EQ(seqnos(), from_to(1, 20));
    EXPECT_EQ(s2c().totals.gap_bytes, 0U);
}

TEST_F(ReportCase, SequenceNumbersThatWrap) {
    recover("tcp-sequence-wrap.pcap");
    expect_counts(4, 45);
    EXPECT_EQ(seqnos(), from_to(1, 40));
    EXPECT_EQ(s2c().totals.gap_bytes, 0U);
}

TEST_F(ReportCase, AcknowledgementsBeforeTheirData) {
    recover("tcp-ack-before-data.pcap");
    expect_counts(4, 15);
    EXPECT_EQ(seqnos().size(), 10U);
    EXPECT_EQ(s2c().totals.gap_bytes, 0U);
}

TEST_F(ReportCase, ALostSegment) {
    recover("tcp-lost-segment-resync.pcap");
    expect_counts(5, 59);
    EXPECT_EQ(s2c().totals.gaps, 1U);
    EXPECT_EQ(s2c().totals.gap_bytes, 1460U);
    EXPECT_EQ(s2c().gaps[0].reason, gap_reason::acked_unseen);
    std::vector<std::uint64_t> expected = from_to(1, 60);
    std::erase_if(expected, [](std::uint64_t n) { return n >= 19 && n <= 25; });
    EXPECT_EQ(seqnos(), expected);
    ASSERT_EQ(s2c().unparsed.size(), 2U);
    EXPECT_EQ(s2c().unparsed[0].length, 51U);
    EXPECT_EQ(s2c().unparsed[0].kind, unparsed_kind::piece);
    EXPECT_EQ(s2c().unparsed[1].length, 176U);
    EXPECT_EQ(s2c().unparsed[1].kind, unparsed_kind::skipped);
}

TEST_F(ReportCase, ASnapLengthThatCutsDocuments) {
    recover("pcap-snaplen-128.pcap");
    expect_counts(3, 4);
    EXPECT_EQ(s2c().totals.cut_messages, 12U);
    EXPECT_EQ(seqnos(), from_to(1, 12));
    EXPECT_EQ(c2s().totals.gap_bytes, 21U);
    EXPECT_EQ(s2c().totals.gap_bytes, 3805U);
    for (const gap& g : s2c().gaps) EXPECT_EQ(g.reason, gap_reason::snaplen);
    ASSERT_EQ(c2s().unparsed.size(), 1U);
    EXPECT_EQ(c2s().unparsed[0].length, 74U);
    ASSERT_EQ(s2c().unparsed.size(), 1U);
    EXPECT_EQ(s2c().unparsed[0].length, 34U);
    EXPECT_EQ(got_.count("tcp.acked_unseen"), 0);
}

TEST_F(ReportCase, EveryPacketTwice) {
    recover("sll2-every-packet-twice.pcap");
    expect_counts(4, 20);
    EXPECT_EQ(seqnos().size(), 15U);
    EXPECT_EQ(got_.count("tcp.duplicates"), 52);
    EXPECT_EQ(got_.count("tcp.retransmission"), 0);
}

TEST_F(ReportCase, OverlappingRetransmissions) {
    recover("tcp-overlapping-retransmission.pcap");
    expect_counts(4, 13);
    EXPECT_EQ(seqnos(), from_to(1, 8));
    EXPECT_EQ(s2c().totals.gap_bytes, 0U);
    EXPECT_EQ(got_.count("tcp.overlap_conflict"), 0);
}

TEST_F(ReportCase, OtherProtocolsOnCanalsPort) {
    recover("canal-port-other-protocols.pcap");
    ASSERT_EQ(got_.connections.size(), 3U);
    EXPECT_EQ(connection(1).info.carries, protocol::canal);
    EXPECT_EQ(connection(1).dirs[1].totals.messages, 1U);
    EXPECT_EQ(connection(1).dirs[0].unparsed.at(0).claimed_length, 0x47455420U);  // "GET "
    EXPECT_EQ(connection(2).info.carries, protocol::canal);
    EXPECT_EQ(connection(2).dirs[0].totals.messages, 4U);
    EXPECT_EQ(connection(2).dirs[1].totals.messages, 4U);
    EXPECT_EQ(connection(3).info.carries, protocol::other);
    EXPECT_EQ(connection(3).dirs[1].totals.gaps, 0U);
    EXPECT_EQ(got_.texts.at(0),
              "c2s: what stands at offset 0 is no message (length over the limit); the next one is "
              "looked for");
}

}  // namespace
}  // namespace cdcscope::recover::testing
