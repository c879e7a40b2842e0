// Every damage is found where the listing has it (R23).
#include "proto/ss/verifier.h"

#include <gtest/gtest.h>

#include "tests/proto/ss/samples.h"

namespace cdcscope::ss {
namespace {

class offsets final : public visitor {
  public:
    void on_problem(const problem& p) override {
        seen.push_back(p.offset);
        texts.push_back(describe(p));
    }
    [[nodiscard]] std::uint64_t first() const { return *std::ranges::min_element(seen); }
    std::vector<std::uint64_t> seen;
    std::vector<std::string> texts;
};

class first_marker final : public visitor {
  public:
    void on_beacon(std::uint64_t at, const beacon_view& b) override {
        if (offset == 0 && b.markers() > 0) offset = at + 6;
    }
    std::uint64_t offset = 0;
};

struct verified {
    walk_summary sum;
    std::vector<std::uint64_t> offsets;
    std::vector<std::string> texts;
};

verified verify_bytes(byte_view bytes, marker_rule rule = marker_rule::exact) {
    memory_source source(bytes);
    offsets found;
    const walk_summary sum = verify(source, rule, found);
    return {sum, found.seen, found.texts};
}

TEST(Verify, FindsTheFirstProblemOfEverySampleAtItsOffsetAndNoneElsewhere) {
    for (const auto& s : samples::all()) {
        const verified got = verify_bytes(samples::read_file(s.file),
                                          s.reopened ? marker_rule::known : marker_rule::exact);
        const auto want = s.problems();
        ASSERT_EQ(got.offsets.empty(), want.empty()) << s.name;
        if (want.empty()) continue;
        std::uint64_t first = ~std::uint64_t{0};
        for (const auto& p : want) first = std::min(first, p["offset"].get<std::uint64_t>());
        EXPECT_EQ(*std::ranges::min_element(got.offsets), first) << s.name;
    }
}

TEST(Verify, WordsWhatTheListingsWord) {
    for (const auto& s : samples::all({"damaged"})) {
        const verified got = verify_bytes(samples::read_file(s.file));
        const auto want = s.problems();
        if (want.empty()) continue;
        const auto text = want[0]["what"].get<std::string>();
        // Markers are described shorter, and where a marker's key is wrong it is said to be a
        // marker's.
        if (text.starts_with("beacon markers") ||
            got.texts.at(0).find("marker") != std::string::npos || text.starts_with("data after")) {
            continue;
        }
        EXPECT_EQ(got.texts.at(0), text) << s.name;
    }
}

TEST(Verify, KnowsReopenedFilesFromThoseWrittenInOneGo) {
    const auto reopened = samples::read_file(samples::folder() / "valid/reopen-i1024.ss");
    EXPECT_GT(verify_bytes(reopened, marker_rule::exact).sum.problems, 0U);
    EXPECT_EQ(verify_bytes(reopened, marker_rule::known).sum.problems, 0U);
}

TEST(Verify, KnownMarkersStillHaveToNameAMessageThatWasThere) {
    auto bytes = samples::read_file(samples::folder() / "valid/reopen-i1024.ss");
    first_marker found;
    memory_source source(bytes);
    (void)walk(source, found);
    ASSERT_GT(found.offset, 0U);
    // Highest byte of the marker's sequence: length, key and shard stand before it.
    bytes[found.offset + 1 + bytes[found.offset] + 8] = 1;
    EXPECT_EQ(verify_bytes(bytes, marker_rule::known).sum.problems, 1U);
}

TEST(Verify, NoticesEveryBitOfASmallFileExceptThoseThatNothingProtects) {
    const auto good = samples::read_file(samples::folder() / "valid/eos-crosses-beacon-i1024.ss");
    std::vector<std::size_t> unnoticed;
    for (std::size_t i = 0; i < good.size(); ++i) {
        auto bytes = good;
        bytes[i] ^= 1;
        if (verify_bytes(bytes).sum.problems == 0) unnoticed.push_back(i);
    }
    // Name and creation time; the key, shard, number and time of a message are seen where a marker
    // repeats them only.
    for (const std::size_t i : unnoticed) {
        const bool header_text = i >= 4 && i < 4U + good[3] + 8U;
        const bool label_of_first = i > 128 && i < 128 + 1 + 6 + 24;
        EXPECT_TRUE(header_text || label_of_first) << i;
    }
}

TEST(Verify, ReportsATornEndForEveryCutThatIsNotBetweenFrames) {
    for (const char* name :
         {"valid/mix-i128.ss", "valid/orders-eos.ss", "valid/end-at-beacon-i1024.ss"}) {
        const auto bytes = samples::read_file(samples::folder() / name);
        memory_source source(bytes);
        reader from(source, decode_header(bytes).value.interval);
        std::vector<bool> whole(bytes.size() + 1, false);
        whole[header_size] = decode_header(bytes).value.interval != header_size;
        for (item i = from.next(); i != item::end; i = from.next()) {
            whole[from.offset()] = !from.beacon_is_due();
        }
        for (std::size_t n = 0; n <= bytes.size(); ++n) {
            const verified got = verify_bytes(byte_view(bytes).first(n));
            EXPECT_EQ(got.sum.problems == 0, whole[n]) << name << " cut at " << n;
        }
    }
}

}  // namespace
}  // namespace cdcscope::ss
