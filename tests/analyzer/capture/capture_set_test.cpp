// Several files as one capture: order, merging, and what is said about it.

#include "analyzer/capture/capture_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analyzer/capture/build.h"
#include "tests/analyzer/capture/collect.h"

namespace cdcscope::capture::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t start = 1'700'000'000'000'000'000;
constexpr std::int64_t second = 1'000'000'000;

// Packets "a1", "a2" ... at the given seconds.
std::string file_of(const std::string& name, const std::vector<int>& seconds) {
    std::vector<record> records;
    for (const int s : seconds)
        records.push_back({name + std::to_string(records.size() + 1), start + s * second});
    return pcap_file(records);
}

struct outcome {
    std::vector<std::string> packets;
    std::vector<std::string> frames;  // "file:frame"
    collector found;
    std::string error;
    std::vector<std::string> names;
};

void read(outcome& o, const std::vector<std::string>& names) {
    capture_set set(o.found, {});
    o.error = set.open(names);
    if (!o.error.empty()) return;
    packet p;
    next_state last = next_state::packet;
    while ((last = set.next(p)) == next_state::packet) {
        o.packets.emplace_back(as_text(p.bytes));
        o.frames.push_back(std::to_string(p.at.file) + ":" + std::to_string(p.at.frame));
    }
    o.error = set.error();
    o.names = set.names();
    set.finish();
    const reading_progress done = set.progress();
    EXPECT_EQ(done.done, done.total);
}

TEST(CaptureSet, SortsFilesByTheirFirstPacket) {
    const temporary_file late("late.pcap", file_of("l", {10, 11}));
    const temporary_file early("early.pcap", file_of("e", {1, 2}));
    const temporary_file middle("middle.pcap", file_of("m", {5, 6}));
    outcome o;
    read(o, {late.path(), early.path(), middle.path()});
    EXPECT_THAT(o.packets, ElementsAre("e1", "e2", "m1", "m2", "l1", "l2"));
    EXPECT_THAT(o.frames, ElementsAre("0:1", "0:2", "1:1", "1:2", "2:1", "2:2"));
    EXPECT_THAT(o.names, ElementsAre(early.path(), middle.path(), late.path()));
    EXPECT_THAT(o.found.codes(), IsEmpty());
}

TEST(CaptureSet, MergesPacketByPacketWhereFilesOverlap) {
    const temporary_file a("a.pcap", file_of("a", {1, 4, 7, 20}));
    const temporary_file b("b.pcap", file_of("b", {2, 5, 6}));
    const temporary_file c("c.pcap", file_of("c", {5, 30}));
    outcome o;
    read(o, {c.path(), b.path(), a.path()});
    EXPECT_EQ(o.packets.size(), 9U);
    EXPECT_THAT(o.packets, ::testing::AnyOf(
                               ElementsAre("a1", "b1", "a2", "b2", "c1", "b3", "a3", "a4", "c2"),
                               ElementsAre("a1", "b1", "a2", "c1", "b2", "b3", "a3", "a4", "c2")));
    ASSERT_THAT(o.found.codes(), ElementsAre("capture.files_overlap", "capture.files_overlap"));
    EXPECT_THAT(o.found.observations[1].text,
                HasSubstr("b.pcap starts before " + a.path() +
                          " ends (by 18.0 s); packets are taken in order of time"));
}

TEST(CaptureSet, MergesManyFilesCompletelyAndInOrder) {
    std::vector<std::unique_ptr<temporary_file>> files;
    std::vector<std::string> names;
    for (int n = 0; n < 40; ++n) {
        std::vector<int> seconds;
        for (int s = n; s < n + 100; s += 1 + n % 5) seconds.push_back(s);
        files.push_back(
            std::make_unique<temporary_file>(std::to_string(n) + ".pcap", file_of("p", seconds)));
        names.push_back(files.back()->path());
    }
    collector found;
    capture_set set(found, {});
    ASSERT_EQ(set.open({names.rbegin(), names.rend()}), "");
    packet p;
    std::int64_t before = 0;
    int count = 0;
    while (set.next(p) == next_state::packet) {
        EXPECT_GE(p.at.time_ns, before);
        before = p.at.time_ns;
        ++count;
    }
    EXPECT_EQ(count, 8 * (100 + 50 + 34 + 25 + 20));
}

TEST(CaptureSet, KeepsTheOrderOfAFileWhoseTimeGoesBack) {
    const temporary_file a("a.pcap", file_of("a", {1, 9, 3, 4, 2, 10}));
    const temporary_file b("b.pcap", file_of("b", {5, 11}));
    outcome o;
    read(o, {a.path(), b.path()});
    EXPECT_THAT(o.packets, ElementsAre("a1", "b1", "a2", "a3", "a4", "a5", "a6", "b2"));
    EXPECT_THAT(o.found.codes(), ElementsAre("capture.files_overlap", "capture.time_backwards"));
    EXPECT_EQ(o.found.observations[1].at.frame, 3U);
    EXPECT_THAT(o.found.observations[1].text, HasSubstr("most at packet 3 (by 6.000000 s)"));
}

TEST(CaptureSet, ReadsOnInTheOtherFilesWhenOneIsCut) {
    const std::string whole = file_of("a", {1, 2});
    const temporary_file a("a.pcap", whole.substr(0, whole.size() - 1));
    const temporary_file b("b.pcap", file_of("b", {5}));
    outcome o;
    read(o, {a.path(), b.path()});
    EXPECT_THAT(o.packets, ElementsAre("a1", "b1"));
    EXPECT_EQ(o.error, "");
    ASSERT_THAT(o.found.codes(), ElementsAre("capture.truncated_file"));
    EXPECT_THAT(
        o.found.observations[0].text,
        HasSubstr(a.path() + ": cut off inside packet 2 at byte 59 of 59 (1 bytes missing)"));
    EXPECT_EQ(o.found.observations[0].at.frame, 1U);
}

TEST(CaptureSet, TakesFilesWithoutPackets) {
    const temporary_file empty("empty.pcap", file_of("a", {}));
    const temporary_file b("b.pcap", file_of("b", {5}));
    outcome o;
    read(o, {empty.path(), b.path()});
    EXPECT_THAT(o.packets, ElementsAre("b1"));
    EXPECT_THAT(o.names, ElementsAre(b.path(), empty.path()));
    outcome alone;
    read(alone, {empty.path()});
    EXPECT_THAT(alone.packets, IsEmpty());
    ASSERT_THAT(alone.found.codes(), ElementsAre("capture.no_packets"));
    EXPECT_EQ(alone.found.observations[0].text,
              empty.path() +
                  ": no packets (24 bytes, header only); was the capture filter right? tcpdump -w "
                  "x.pcap 'tcp port 11210 or tcp port 11111'");
    EXPECT_EQ(alone.error, "");
}

TEST(CaptureSet, RefusesALinkTypeItCannotRead) {
    const temporary_file wifi("wifi.pcap", pcap_file({{"x"}}, {0xa1b2c3d4, false, 127}));
    outcome o;
    read(o, {wifi.path()});
    EXPECT_EQ(o.error, wifi.path() +
                           ": link type 127 (IEEE 802.11 radiotap) is not read; capture on the "
                           "wired side, or with -i any");
    const pcapng_form f;
    const temporary_file ng("wifi.pcapng", f.section() + f.interface(127) + f.interface(105) +
                                               f.enhanced("x") + f.enhanced("y", 1, 1));
    outcome both;
    read(both, {ng.path()});
    EXPECT_EQ(both.error, ng.path() +
                              ": link types 127 (IEEE 802.11 radiotap) and 105 (IEEE 802.11) are "
                              "not read in any of its 2 interfaces; "
                              "capture on the wired side, or with -i any");
}

TEST(CaptureSet, PassesOverUnknownLinkTypesBesideOthers) {
    const pcapng_form f;
    const temporary_file ng("mixed.pcapng", f.section() + f.interface(127) + f.interface(1) +
                                                f.enhanced("x") + f.enhanced("y", 1, 1));
    outcome o;
    read(o, {ng.path()});
    EXPECT_EQ(o.error, "");
    EXPECT_THAT(o.packets, ElementsAre("x", "y"));
    ASSERT_THAT(o.found.codes(), ElementsAre("capture.unknown_link_type"));
    EXPECT_EQ(o.found.observations[0].bytes, 1U);
}

TEST(CaptureSet, SaysThatPacketsHaveNoTimeStamps) {
    outcome o;
    read(o, {data("reassembly/r62-pcapng-simple-blocks.pcapng")});
    ASSERT_THAT(o.found.codes(), ElementsAre("capture.no_time_stamps"));
    EXPECT_THAT(o.found.observations[0].text, HasSubstr("16 packets have no time stamps"));
}

TEST(CaptureSet, RefusesStandardInputTwice) {
    outcome o;
    read(o, {"-", "-"});
    EXPECT_THAT(o.error, HasSubstr("named twice"));
}

}  // namespace
}  // namespace cdcscope::capture::testing
