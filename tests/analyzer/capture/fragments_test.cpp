// IP fragments in any order, with repeats, overlaps and limits.
#include "analyzer/capture/fragments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analyzer/capture/decoder.h"
#include "tests/analyzer/capture/build.h"
#include "tests/analyzer/capture/collect.h"

namespace cdcscope::capture::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A decoder fed with raw IP packets, a microsecond apart.
class Fragments : public ::testing::Test {
  protected:
    packet_kind feed(const std::string& bytes, std::size_t wire = 0) {
        packet p;
        now_ += 1000;
        p.at = {now_, ++frame_, 0};
        p.link_type = 101;
        p.wire_length = static_cast<std::uint32_t>(wire == 0 ? bytes.size() : wire);
        p.bytes = as_bytes(bytes);
        return decoder_.decode(p);
    }
    std::vector<std::string> payloads() const {
        std::vector<std::string> out;
        for (const kept_segment& s : found_.segments) out.push_back(s.payload);
        return out;
    }
    void set_limits(const fragment_limits& limits) {
        std::destroy_at(&decoder_);
        std::construct_at(&decoder_, found_.all(), limits);
    }

    collector found_;
    decoder decoder_{found_.all()};
    std::int64_t now_ = 0;
    std::uint32_t frame_ = 0;
};

std::string text(std::size_t size) {
    std::string out;
    for (int n = 0; out.size() < size; ++n) out += std::to_string(n) + ",";
    return out.substr(0, size);
}

std::string piece4(const std::string& datagram, std::size_t begin, std::size_t end,
                   std::uint16_t id = 7) {
    return ipv4(datagram.substr(begin, end - begin),
                {6, id, static_cast<std::uint32_t>(begin), end < datagram.size()});
}
std::string piece6(const std::string& datagram, std::size_t begin, std::size_t end,
                   std::uint32_t id = 9) {
    return v6_fragment(datagram.substr(begin, end - begin), static_cast<std::uint32_t>(begin),
                       end < datagram.size(), id);
}

TEST_F(Fragments, ComeTogetherInEveryOrder) {
    const std::string datagram = tcp(text(80));  // 100 bytes
    std::vector<std::size_t> order{0, 1, 2, 3};
    const std::vector<std::size_t> cuts{0, 24, 48, 80, 100};
    std::uint16_t id = 0;
    do {
        ++id;
        for (const std::size_t n : order) feed(piece4(datagram, cuts[n], cuts[n + 1], id));
        for (const std::size_t n : order) feed(piece6(datagram, cuts[n], cuts[n + 1], id));
    } while (std::ranges::next_permutation(order).found);
    decoder_.finish();
    EXPECT_EQ(payloads(), std::vector<std::string>(48, text(80)));
    EXPECT_THAT(found_.codes(), ElementsAre("tcp.bad_checksum", "tcp.bad_checksum"));
}

TEST_F(Fragments, CountTheFrameThatCompletesTheDatagram) {
    const std::string datagram = tcp(text(80));
    EXPECT_EQ(feed(piece4(datagram, 48, 100)), packet_kind::tcp);
    EXPECT_EQ(feed(piece4(datagram, 0, 48)), packet_kind::tcp);
    ASSERT_EQ(found_.segments.size(), 1U);
    EXPECT_EQ(found_.segments[0].head.at.frame, 2U);
    EXPECT_EQ(found_.segments[0].head.ip_id, 7U);
}

TEST_F(Fragments, OfIpv4KeepTheFirstCopyOfEachByte) {
    const std::string datagram = tcp(text(80));
    const std::string other = datagram.substr(0, 20) + std::string(80, '#');
    feed(piece4(datagram, 24, 56));
    feed(piece4(other, 24, 56));  // equal range, other bytes
    feed(piece4(other, 16, 64));  // around it: 16-24 and 56-64 are new
    feed(
        piece4(datagram, 0, 100));  // 0-16 and 64-100 are new; not a fragment but whole: for itself
    feed(piece4(datagram, 0, 48));
    feed(piece4(datagram, 40, 100));
    ASSERT_EQ(found_.segments.size(), 2U);
    std::string expected = text(80);
    for (const std::size_t at : {20U, 21U, 22U, 23U, 56U, 57U, 58U, 59U, 60U, 61U, 62U, 63U})
        expected[at - 20] = '#';
    EXPECT_EQ(found_.segments[1].payload, expected);
    EXPECT_THAT(found_.codes(), IsEmpty());
}

TEST_F(Fragments, OfIpv6MayRepeatButNotOverlap) {
    const std::string datagram = tcp(text(80));
    feed(piece6(datagram, 0, 48));
    feed(piece6(datagram, 0, 48));
    feed(piece6(datagram, 48, 100));
    EXPECT_EQ(payloads(), std::vector<std::string>{text(80)});
    EXPECT_THAT(found_.codes(), IsEmpty());

    feed(piece6(datagram, 0, 48, 10));
    feed(piece6(datagram, 40, 100, 10));
    feed(piece6(datagram, 48, 100, 10));  // too late, the datagram is dropped
    EXPECT_EQ(payloads().size(), 1U);
    EXPECT_THAT(found_.codes(), ElementsAre("ip.fragment_overlap"));

    std::string other = datagram;
    other[30] = '#';
    feed(piece6(datagram, 0, 48, 11));
    feed(piece6(other, 0, 48, 11));
    EXPECT_THAT(found_.codes(), ElementsAre("ip.fragment_overlap", "ip.fragment_overlap"));
    decoder_.finish();
}

TEST_F(Fragments, OfDifferentDatagramsStayApart) {
    const std::string one = tcp(text(80));
    const std::string two = tcp(std::string(80, 'b'));
    feed(piece4(one, 0, 48, 1));
    feed(piece4(two, 48, 100, 2));
    feed(piece4(one, 48, 100, 1));
    feed(piece4(two, 0, 48, 2));
    EXPECT_EQ(payloads(), (std::vector<std::string>{text(80), std::string(80, 'b')}));
}

TEST_F(Fragments, ThatNeverBecomeWholeAreReportedAtTheEnd) {
    const std::string datagram = tcp(text(80));
    feed(piece4(datagram, 0, 48));
    feed(piece4(datagram, 72, 100));
    decoder_.finish();
    EXPECT_THAT(found_.codes(), ElementsAre("ip.fragment_incomplete"));
    EXPECT_EQ(found_.observations[0].at.frame, 1U);
    EXPECT_THAT(
        found_.observations[0].text,
        HasSubstr(
            "IPv4 datagram 10.0.0.1 > 10.0.0.2, id 0x0007, lacks fragments (76 of 100 bytes"));
}

TEST_F(Fragments, AreForgottenAfterThirtySecondsOfPacketTime) {
    const std::string datagram = tcp(text(80));
    feed(piece4(datagram, 0, 48));
    now_ += 30'000'000'000 - 1000;
    feed(piece4(datagram, 48, 100));
    EXPECT_EQ(payloads().size(), 1U) << "just in time";
    feed(piece4(datagram, 0, 48));
    now_ += 30'000'000'000;
    feed(piece4(datagram, 48, 100));
    EXPECT_EQ(payloads().size(), 1U) << "too late";
    EXPECT_THAT(found_.codes(), ElementsAre("ip.fragment_incomplete"));
    now_ = 0;  // time that goes back does no harm
    feed(piece4(datagram, 0, 48));
    EXPECT_EQ(payloads().size(), 2U);
}

TEST_F(Fragments, HaveACapOnDatagrams) {
    set_limits({3, 1U << 20, 30'000'000'000});
    const std::string datagram = tcp(text(80));
    for (std::uint16_t id = 1; id <= 4; ++id) feed(piece4(datagram, 0, 48, id));
    EXPECT_THAT(found_.codes(), ElementsAre("cap.memory", "ip.fragment_incomplete"));
    feed(piece4(datagram, 48, 100, 1));
    EXPECT_EQ(payloads().size(), 0U) << "the oldest was given up";
    feed(piece4(datagram, 48, 100, 4));
    EXPECT_EQ(payloads().size(), 1U);
}

TEST_F(Fragments, HaveACapOnBytes) {
    fragment_limits limits;
    limits.bytes = 100'000;
    fragment_table table(found_, limits);
    for (std::uint32_t id = 0; id < 10'000; ++id) {
        const std::string bytes =
            ipv4("12345678", {6, static_cast<std::uint16_t>(id), 65'000, true});
        ip_packet p;
        ASSERT_TRUE(parse_ip({as_bytes(bytes).data(), bytes.size(), bytes.size()}, p));
        EXPECT_FALSE(table.add(p, {}));
        ASSERT_LE(table.bytes_held(), limits.bytes + 65'536);
    }
    EXPECT_LE(table.waiting(), 3U);
}

TEST_F(Fragments, GiveAccountOfWhatTheSnapLengthCut) {
    const std::string datagram = tcp(text(80));
    const std::string second = piece4(datagram, 48, 100);
    feed(piece4(datagram, 0, 48));
    feed(second.substr(0, second.size() - 30), second.size());
    ASSERT_EQ(found_.segments.size(), 1U);
    EXPECT_EQ(found_.segments[0].head.wire_payload, 80U);
    EXPECT_EQ(found_.segments[0].payload, text(80).substr(0, 50));
}

TEST_F(Fragments, ThatNoHonestSenderMakesAreLeftOut) {
    const std::string datagram = tcp(text(80));
    feed(piece4(datagram, 48, 100));
    feed(ipv4(std::string(8, 'x'), {6, 7, 100, true}));      // behind the last
    feed(ipv4(std::string(8, 'x'), {6, 7, 40, false}));      // a second last
    feed(ipv4("", {6, 7, 8, true}));                         // empty
    feed(ipv4(std::string(64, 'x'), {6, 7, 65'528, true}));  // beyond the largest datagram
    feed(piece4(datagram, 0, 48));
    EXPECT_EQ(payloads(), std::vector<std::string>{text(80)});
}

TEST_F(Fragments, OfATunnelLeadToTheSegmentInside) {
    const std::string inner = ipv4(tcp(text(200)));
    const std::string datagram = udp(4789, hex("08000000 00004d00") + ethernet(inner));
    feed(ipv4(datagram.substr(104), {17, 3, 104, false}));
    feed(ipv4(datagram.substr(0, 104), {17, 3, 0, true}));
    EXPECT_EQ(payloads(), std::vector<std::string>{text(200)});
}

TEST_F(Fragments, InsideAFragmentedTunnelComeTogetherToo) {
    const std::string datagram = tcp(text(300));
    for (const auto& [begin, end] : {std::pair<std::size_t, std::size_t>{160, 320}, {0, 160}}) {
        const std::string outer = piece4(datagram, begin, end);
        feed(ipv4(outer.substr(0, 80), {4, static_cast<std::uint16_t>(begin), 0, true}));
        feed(ipv4(outer.substr(80), {4, static_cast<std::uint16_t>(begin), 80, false}));
    }
    EXPECT_EQ(payloads(), std::vector<std::string>{text(300)});
}

TEST_F(Fragments, OfAClockThatRunsAheadDoNotAgeTheOthers) {
    const std::string datagram = tcp(text(100));
    now_ += 60'000'000'000;
    feed(piece4(datagram, 0, 48, 1));
    feed(piece4(datagram, 48, datagram.size(), 1));
    now_ -= 60'000'000'000;
    for (std::uint16_t id = 2; id < 6; ++id) {
        feed(piece4(datagram, 0, 48, id));
        feed(piece4(datagram, 48, datagram.size(), id));
    }
    EXPECT_EQ(payloads().size(), 5U);
}

TEST_F(Fragments, ComeTogetherWhateverTheirSizesAndRepeats) {
    std::mt19937 random(5);
    for (std::uint16_t round = 0; round < 500; ++round) {
        const std::string datagram = tcp(text(200 + random() % 3000));
        std::vector<std::pair<std::size_t, std::size_t>> cuts;
        for (std::size_t at = 0; at < datagram.size();) {
            const std::size_t end = std::min(datagram.size(), at + 8 * (1 + random() % 60));
            cuts.emplace_back(at, end);
            if (random() % 4 == 0) cuts.emplace_back(at, end);
            // Overlapping its neighbours with the same bytes, as IPv4 allows.
            if (random() % 4 == 0 && at >= 16) cuts.emplace_back(at - 16, end);
            at = end;
        }
        std::ranges::shuffle(cuts, random);
        const std::size_t before = found_.segments.size();
        for (const auto& [begin, end] : cuts) feed(piece4(datagram, begin, end, round));
        ASSERT_GT(found_.segments.size(), before) << round;
        EXPECT_EQ(found_.segments[before].payload, datagram.substr(20));
        now_ += 40'000'000'000;
    }
}

}  // namespace
}  // namespace cdcscope::capture::testing
