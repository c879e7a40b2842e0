// The table against a plain ordered map, with many more streams than one chunk holds.
#include "proto/ss/stream_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace cdcscope::ss {
namespace {

using id = std::pair<std::string, std::uint64_t>;

TEST(StreamTable, OrdersByKeyBytesThenShardAsAnOrderedMapDoes) {
    std::mt19937_64 random(7);
    stream_table table;
    std::map<id, std::uint64_t> model;
    for (int i = 0; i < 30'000; ++i) {
        const std::string key = std::to_string(random() % 3000);
        const std::uint64_t shard = random() % 3 == 0 ? ~std::uint64_t{0} : random() % 2;
        const std::uint64_t sequence = random() % 1000;
        table.count({key, shard, sequence, sequence + 5}, 1);
        auto& highest = model[{key, shard}];
        highest = std::max(highest, sequence);
    }
    ASSERT_EQ(table.size(), model.size());
    std::size_t rank = 0;
    for (const auto& [stream, highest] : model) {
        const stream_state& s = table.at(rank++);
        EXPECT_EQ(id(s.key, s.shard), stream);
        EXPECT_EQ(s.sequence, highest);
        EXPECT_EQ(s.timestamp_ms, highest + 5);
        EXPECT_EQ(table.find(stream.first, stream.second), &s);
    }
    EXPECT_EQ(table.find("no such", 0), nullptr);
    EXPECT_EQ(table.find("7", 9), nullptr);
}

TEST(StreamTable, TakesMarkersInTurnFromTheCountModuloTheStreamsThereAreNow) {
    stream_table table;
    std::uint32_t given = 0;
    std::vector<std::string> keys;
    for (int i = 0; i < 700; ++i) {
        const std::string key = "k" + std::to_string(100'000 + i);  // in order already
        keys.push_back(key);
        table.count({key, 0, 1, 1}, 1);
        std::vector<std::string> got;
        table.each_marker(3, [&](const marker& m) { got.emplace_back(m.highest.key); });
        std::vector<std::string> want;
        for (std::size_t k = 0; k < std::min<std::size_t>(3, keys.size()); ++k) {
            want.push_back(keys[(given + k) % keys.size()]);
        }
        ASSERT_EQ(got, want) << i;
        table.give(got.size());
        given += static_cast<std::uint32_t>(got.size());
    }
}

// docs/ss.md section 6: {"id":1}, then {"id":2}.
TEST(StreamTable, RunsTheChecksumOverTheChecksums) {
    stream_table table;
    EXPECT_EQ(table.count({"orders", 0, 1, 1}, 0x94cd).running, 0xd8c4);
    EXPECT_EQ(table.count({"orders", 0, 2, 2}, 0x9976).running, 0x81f9);
    EXPECT_EQ(table.count({"empty", 0, 1, 1}, 0xffff).running, 0x0000);
    EXPECT_EQ(table.count({internal_key, 0, 0, 1}, 0xed7c).running, 0x8ed6);
}

TEST(StreamTable, CopiesLeaveTheOriginalAlone) {
    stream_table table;
    table.count({"a", 0, 1, 1}, 1);
    stream_table copy = table;
    copy.count({"b", 0, 1, 1}, 1);
    copy.count({"a", 0, 9, 9}, 1);
    EXPECT_EQ(table.size(), 1U);
    EXPECT_EQ(table.find("a", 0)->sequence, 1U);
    EXPECT_EQ(copy.find("a", 0)->sequence, 9U);
}

}  // namespace
}  // namespace cdcscope::ss
