#include "analyzer/capture/pcapng_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analyzer/capture/build.h"

namespace cdcscope::capture::testing {
namespace {

using ::testing::HasSubstr;

readings read_pieces(std::vector<std::string> pieces, read_state end = read_state::end) {
    pcapng_reader reader(std::make_unique<scripted_source>(std::move(pieces), end));
    return read_all(reader);
}
readings read(const std::string& file) {
    return read_pieces({file});
}

const pcapng_form little{false};
const pcapng_form big{true};

TEST(PcapngReader, ReadsEveryKindOfPacketBlockInBothByteOrders) {
    for (const pcapng_form& f : {little, big}) {
        const readings r = read(
            f.section() + f.interface(1) + f.enhanced("enhanced", 1'700'000'000'000'001, 0, 99) +
            f.simple("simple", 6) + f.obsolete("obsolete", 1'700'000'000'000'002));
        ASSERT_EQ(r.packets, (std::vector<std::string>{"enhanced", "simple", "obsolete"}));
        EXPECT_EQ(r.last, next_state::end);
        EXPECT_EQ(r.heads[0].wire_length, 99U);
        EXPECT_EQ(r.heads[0].at.time_ns, 1'700'000'000'000'001'000);
        EXPECT_FALSE(r.heads[1].has_time);
        EXPECT_EQ(r.heads[1].at.time_ns, r.heads[0].at.time_ns) << "keeps its place";
        EXPECT_EQ(r.heads[2].at.time_ns, 1'700'000'000'000'002'000);
        EXPECT_EQ(r.heads[2].at.frame, 3U);
    }
}

TEST(PcapngReader, CutsASimplePacketAtTheSnapLengthOfItsInterface) {
    const readings r = read(little.section() + little.interface(1, {}, 4) +
                            little.simple("simp", 60) + little.simple("abc", 3));
    EXPECT_EQ(r.packets, (std::vector<std::string>{"simp", "abc"}));
    EXPECT_EQ(r.heads[0].wire_length, 60U);
}

TEST(PcapngReader, GivesEachInterfaceItsLinkTypeAndClock) {
    const std::string file =
        little.section() + little.interface(1, little.option(9, "\x09") + little.option(0, "")) +
        little.interface(101, little.option(9, "\x94") + little.option(14, little.n(100, 8)) +
                                  little.option(0, "")) +
        little.enhanced("a", 5'000'000'007, 0) + little.enhanced("b", 3 * 1048576 + 524288, 1);
    const readings r = read(file);
    ASSERT_EQ(r.packets.size(), 2U);
    EXPECT_EQ(r.heads[0].link_type, 1U);
    EXPECT_EQ(r.heads[0].at.time_ns, 5'000'000'007);
    EXPECT_EQ(r.heads[1].link_type, 101U);
    EXPECT_EQ(r.heads[1].at.time_ns, 103'500'000'000);
}

TEST(PcapngReader, StartsAnewInEachSection) {
    const readings r = read(little.section() + little.interface(113) + little.enhanced("a") +
                            big.section() + big.interface(276) + big.enhanced("b") +
                            little.section() + little.interface(1) + little.enhanced("c"));
    ASSERT_EQ(r.packets, (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_EQ(r.heads[0].link_type, 113U);
    EXPECT_EQ(r.heads[1].link_type, 276U);
    EXPECT_EQ(r.heads[2].link_type, 1U);
    EXPECT_EQ(r.heads[2].at.frame, 3U);
    const readings orphan =
        read(little.section() + little.interface(1) + little.section() + little.enhanced("a"));
    EXPECT_EQ(orphan.problem.code, truncated_file);
    EXPECT_THAT(orphan.problem.text, HasSubstr("interface that the file does not describe"));
}

TEST(PcapngReader, PassesOverOtherBlocksHoweverLong) {
    const std::string secret = little.block(10, std::string(3'000'000, 's'));
    const readings r = read(little.section() + little.block(4, "names") + little.interface(1) +
                            secret + little.enhanced("a") + little.block(5, std::string(12, '\0')) +
                            little.block(0x0bad0001, "?") + little.enhanced("b"));
    EXPECT_EQ(r.packets, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(r.heads[1].at.frame, 2U);
    EXPECT_EQ(r.last, next_state::end);
}

// tshark 4.0 shows these as frames of their own.
TEST(PcapngReader, CountsTheBlocksThatWiresharkNumbers) {
    const readings r =
        read(little.section() + little.interface(1) + little.block(9, "MESSAGE=hi\n") +
             little.block(0xbad, "\1\2\3\4") + little.enhanced("a"));
    EXPECT_EQ(r.heads.at(0).at.frame, 3U);
}

TEST(PcapngReader, TellsACutAtEveryByte) {
    const std::vector<std::string> blocks{little.section(), little.interface(1),
                                          little.enhanced("first"), little.block(77, "other"),
                                          little.simple("second", 6)};
    std::string file;
    std::vector<std::size_t> ends{0};
    std::vector<std::size_t> packets{0};
    for (const std::string& b : blocks) {
        file += b;
        ends.push_back(file.size());
        packets.push_back(packets.back() + (b == blocks[2] || b == blocks[4] ? 1 : 0));
    }
    for (std::size_t cut = 0; cut <= file.size(); ++cut) {
        const readings r = read(file.substr(0, cut));
        const auto whole =
            static_cast<std::size_t>(std::ranges::upper_bound(ends, cut) - ends.begin()) - 1;
        EXPECT_EQ(r.packets.size(), packets[whole]) << cut;
        EXPECT_EQ(r.problem.code, ends[whole] == cut ? "" : truncated_file) << cut;
    }
}

TEST(PcapngReader, GoesOnAfterAPauseAtAnyByte) {
    const std::string file = little.section() + little.interface(1) + little.enhanced("first") +
                             little.block(77, "other") + little.simple("second", 6);
    for (std::size_t pause = 0; pause <= file.size(); ++pause) {
        const readings r = read_pieces({file.substr(0, pause), "", file.substr(pause)});
        EXPECT_EQ(r.packets, (std::vector<std::string>{"first", "second"})) << pause;
        EXPECT_EQ(r.last, next_state::end) << pause;
    }
}

TEST(PcapngReader, StopsAtBrokenBlocks) {
    const std::string start = little.section() + little.interface(1) + little.enhanced("good");
    const auto why = [&](const std::string& rest) {
        const readings r = read(start + rest);
        EXPECT_EQ(r.packets.size(), 1U);
        EXPECT_EQ(r.problem.code, truncated_file);
        return r.problem.text;
    };
    std::string lengths = little.enhanced("x");
    lengths[lengths.size() - 4] ^= 4;
    EXPECT_THAT(why(lengths), HasSubstr("two lengths"));
    std::string other = little.block(77, "x");
    other[other.size() - 4] ^= 4;
    EXPECT_THAT(why(other), HasSubstr("two lengths"));
    EXPECT_THAT(why(std::string(64, '\0')), HasSubstr("impossible length"));
    EXPECT_THAT(why(little.n(6, 4) + little.n(13, 4) + std::string(32, 'x')),
                HasSubstr("impossible length"));
    EXPECT_THAT(why(little.n(6, 4) + little.n((16U << 20) + 4, 4) + std::string(32, 'x')),
                HasSubstr("16 MiB"));
    EXPECT_THAT(why(little.block(6, std::string(16, 'x'))), HasSubstr("too short"));
    EXPECT_THAT(why(little.block(3, "")), HasSubstr("too short"));
    EXPECT_THAT(why(little.enhanced("x", 0, 1)), HasSubstr("does not describe"));
    EXPECT_THAT(why(little.block(6, little.n(0, 12) + little.n(5, 4) + little.n(5, 4) + "four")),
                HasSubstr("longer than its block"));
    EXPECT_THAT(why(little.block(0x0a0d0d0a, "....1234")), HasSubstr("byte order"));
    std::string version = little.section();
    version[12] = 2;
    EXPECT_THAT(why(version), HasSubstr("version"));
}

TEST(PcapngReader, TakesTheLargestBlockItMay) {
    const std::string largest(static_cast<std::size_t>(16U << 20) - 32, 'x');
    const readings r = read(little.section() + little.interface(1) + little.enhanced(largest) +
                            little.enhanced("small"));
    ASSERT_EQ(r.packets.size(), 2U);
    EXPECT_EQ(r.packets[0].size(), largest.size());
}

struct clock_case {
    std::uint8_t resolution;
    std::int64_t offset;
    std::uint64_t units;
    std::int64_t expected;
};

TEST(PcapngTime, ConvertsAnyPowerOfTenOrTwo) {
    constexpr std::int64_t limit = 9'223'372'035'000'000'000;
    for (const clock_case& c : std::vector<clock_case>{
             {0, 0, 7, 7'000'000'000},
             {3, 0, 1'700'000'000'123, 1'700'000'000'123'000'000},
             {6, 0, 1'700'000'000'123'456, 1'700'000'000'123'456'000},
             {9, 0, 1'700'000'000'123'456'789, 1'700'000'000'123'456'789},
             {12, 0, 1'000'000'001'999, 1'000'000'001},
             {19, 0, 10'000'000'000'000'000'000U, 1'000'000'000},
             {20, 0, ~0ULL, 0},
             {127, 0, ~0ULL, 0},
             {0x80, 0, 7, 7'000'000'000},
             {0x80 | 20, 0, 1'572'864, 1'500'000'000},
             {0x80 | 34, 0, (1ULL << 34) + 1, 1'000'000'000},
             {0x80 | 40, 0, 3ULL << 39, 1'500'000'000},
             {0x80 | 63, 0, 3ULL << 62, 1'500'000'000},
             {0x80 | 64, 0, 1ULL << 63, 500'000'000},
             {0x80 | 127, 0, ~0ULL, 0},
             {6, -10, 3'000'000, -7'000'000'000},
             {6, 1'700'000'000, 5, 1'700'000'000'000'005'000},
             {0, 0, ~0ULL, limit},
             {0, INT64_MAX, 1, limit},
             {0, INT64_MIN, 1, -limit},
         }) {
        pcapng_time clock;
        clock.set_resolution(c.resolution);
        clock.set_offset(c.offset);
        EXPECT_EQ(clock.nanoseconds(c.units), c.expected)
            << int{c.resolution} << " " << c.units << " " << c.offset;
    }
}

}  // namespace
}  // namespace cdcscope::capture::testing
