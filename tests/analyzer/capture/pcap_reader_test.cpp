#include "analyzer/capture/pcap_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/analyzer/capture/build.h"

namespace cdcscope::capture::testing {
namespace {

using ::testing::HasSubstr;

const std::vector<record> three{{"first", 1'700'000'000'123'456'000},
                                {"the second", 1'700'000'001'000'000'000, 1500},
                                {"", 1'700'000'002'000'000'000, 60}};

readings read_pieces(std::vector<std::string> pieces, read_state end = read_state::end) {
    opened_reader opened = open_pcap(std::make_unique<scripted_source>(std::move(pieces), end));
    if (!opened.reader) {
        readings r;
        r.problem.text = opened.error;
        return r;
    }
    return read_all(*opened.reader);
}

TEST(PcapReader, ReadsEveryMagicInBothByteOrders) {
    for (const std::uint32_t magic : {0xa1b2c3d4U, 0xa1b23c4dU, 0xa1b2cd34U}) {
        for (const bool big : {false, true}) {
            const std::string file = pcap_file(three, {magic, big, 113});
            EXPECT_TRUE(is_pcap(as_bytes(file)));
            const readings r = read_pieces({file});
            ASSERT_EQ(r.packets, (std::vector<std::string>{"first", "the second", ""}))
                << std::hex << magic << big;
            EXPECT_EQ(r.last, next_state::end);
            EXPECT_EQ(r.heads[0].at.time_ns, 1'700'000'000'123'456'000);
            EXPECT_EQ(r.heads[0].at.frame, 1U);
            EXPECT_EQ(r.heads[1].wire_length, 1500U);
            EXPECT_EQ(r.heads[2].at.frame, 3U);
            EXPECT_EQ(r.heads[2].link_type, 113U);
        }
    }
}

TEST(PcapReader, KeepsNanoseconds) {
    const readings r = read_pieces({pcap_file({{"x", 1'700'000'000'123'456'789}}, {0xa1b23c4d})});
    EXPECT_EQ(r.heads.at(0).at.time_ns, 1'700'000'000'123'456'789);
}

TEST(PcapReader, ReadsTimesAfter2038) {
    const readings r = read_pieces({pcap_file({{"x", 4'200'000'000'000'000'000}})});
    EXPECT_EQ(r.heads.at(0).at.time_ns, 4'200'000'000'000'000'000);
}

TEST(PcapReader, IsNotMisledByASnapLengthBelowItsPackets) {
    const readings r =
        read_pieces({pcap_file({{std::string(3000, 'x')}}, {0xa1b2c3d4, false, 1, 96})});
    EXPECT_EQ(r.packets.at(0).size(), 3000U);
}

TEST(PcapReader, LeavesTheLengthOfTheFrameCheckSequenceOutOfTheLinkType) {
    const readings r = read_pieces({pcap_file({{"x"}}, {0xa1b2c3d4, false, 0x24000001})});
    EXPECT_EQ(r.heads.at(0).link_type, 1U);
}

TEST(PcapReader, TellsACutAtEveryByte) {
    const std::string file = pcap_file(three);
    const std::vector<std::size_t> ends{24, 24 + 16 + 5, 24 + 32 + 15, file.size()};
    for (std::size_t cut = 0; cut <= file.size(); ++cut) {
        const readings r = cut == 0 ? read_pieces({}) : read_pieces({file.substr(0, cut)});
        if (cut < 24) {
            EXPECT_THAT(r.problem.text, HasSubstr("header")) << cut;
            continue;
        }
        const auto whole =
            static_cast<std::size_t>(std::ranges::upper_bound(ends, cut) - ends.begin()) - 1;
        EXPECT_EQ(r.packets.size(), whole) << cut;
        const bool at_boundary = std::ranges::count(ends, cut) != 0;
        EXPECT_EQ(r.last, at_boundary ? next_state::end : next_state::error) << cut;
        EXPECT_EQ(r.problem.code, at_boundary ? "" : truncated_file) << cut;
    }
}

TEST(PcapReader, SaysWhereAFileIsCutAndHowMuchIsMissing) {
    const std::string file = pcap_file({{"first"}, {std::string(2000, 'x')}});
    EXPECT_EQ(read_pieces({file.substr(0, file.size() - 24)}).problem.text,
              "cut off inside packet 2 at byte 2,037 of 2,037 (24 bytes missing); everything "
              "before it was read. Compare the size with the "
              "original");
}

TEST(PcapReader, SaysThatACompressedStreamEndedEarlyEvenBetweenRecords) {
    const readings r = read_pieces({pcap_file(three)}, read_state::cut);
    EXPECT_EQ(r.packets.size(), 3U);
    EXPECT_EQ(r.problem.code, truncated_file);
}

TEST(PcapReader, StopsAtARecordOfImpossibleLength) {
    std::string file = pcap_file(three);
    file.replace(24 + 16 + 5 + 8, 4, le(0x7fffffff, 4));
    const readings r = read_pieces({file});
    EXPECT_EQ(r.packets.size(), 1U);
    EXPECT_EQ(r.problem.code, truncated_file);
    EXPECT_THAT(r.problem.text, HasSubstr("damaged at packet 2, byte 45"));
}

TEST(PcapReader, GoesOnAfterAPauseAtAnyByte) {
    const std::string file = pcap_file(three);
    for (std::size_t pause = 24; pause < file.size(); ++pause) {
        const readings r = read_pieces({file.substr(0, pause), "", file.substr(pause)});
        EXPECT_EQ(r.packets, (std::vector<std::string>{"first", "the second", ""})) << pause;
        EXPECT_EQ(r.pauses, 1) << pause;
        EXPECT_EQ(r.last, next_state::end) << pause;
        EXPECT_EQ(r.heads.back().at.frame, 3U);
    }
}

TEST(PcapReader, ReadsAPipeThatDeliversByteByByteWithPauses) {
    std::vector<record> many(40, record{std::string(700, 'y')});
    const std::string file = pcap_file(many);
    std::vector<std::string> pieces{file.substr(0, 24)};
    for (std::size_t n = 24; n < file.size(); ++n) {
        if (n % 97 == 0) pieces.emplace_back();
        pieces.push_back(file.substr(n, 1));
    }
    const readings r = read_pieces(pieces);
    EXPECT_EQ(r.packets.size(), 40U);
    EXPECT_EQ(r.last, next_state::end);
    EXPECT_GT(r.pauses, 100);
}

TEST(PcapReader, TellsACutBehindAPause) {
    const std::string file = pcap_file(three);
    const readings r = read_pieces({file.substr(0, 50), "", file.substr(50, 5)});
    EXPECT_EQ(r.packets.size(), 1U);
    EXPECT_EQ(r.problem.code, truncated_file);
}

TEST(PcapReader, ReadsRecordsUpToTheLargestThatLibpcapTakes) {
    for (const std::size_t size : {std::size_t{262144}, std::size_t{262145}}) {
        const readings r = read_pieces({pcap_file({{std::string(size, 'z')}})});
        EXPECT_EQ(r.packets.size(), size == 262144 ? 1U : 0U);
        EXPECT_EQ(r.problem.code, size == 262144 ? "" : truncated_file);
    }
}

}  // namespace
}  // namespace cdcscope::capture::testing
