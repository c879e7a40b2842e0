// The set of key hashes of a snapshot.
#include "proto/dcp/track_keys.h"

#include <gtest/gtest.h>

#include <random>
#include <unordered_set>

namespace cdcscope::dcp {
namespace {

TEST(KeySet, KnowsWhatWasThereAsAnOrdinarySetDoes) {
    std::mt19937_64 random(1);
    key_set keys;
    std::unordered_set<std::uint64_t> wanted;
    for (int i = 0; i < 20'000; ++i) {
        const std::uint64_t hash = random() % 16'384
                                   << 1;  // the lowest bit is not the set's to keep
        EXPECT_EQ(keys.insert(hash), wanted.insert(hash).second);
    }
    EXPECT_EQ(keys.size(), wanted.size());
}

TEST(KeySet, IsEmptyAfterClearWhateverItsSize) {
    for (const std::uint64_t size : {0, 1, 7, 100, 5000}) {
        key_set keys;
        for (std::uint64_t i = 0; i < size; ++i) keys.insert(i << 1);
        keys.clear();
        EXPECT_EQ(keys.size(), 0U);
        EXPECT_TRUE(keys.insert(0));
        EXPECT_FALSE(keys.insert(0));
    }
}

}  // namespace
}  // namespace cdcscope::dcp
