// Tables that keep how it began and how it ended.
#include "analyzer/report/first_and_last.h"

#include <gtest/gtest.h>

namespace cdcscope::report {
namespace {

using rows = std::vector<int>;

first_and_last<int> of(int count, std::size_t most) {
    first_and_last<int> kept(most);
    for (int i = 0; i < count; ++i) EXPECT_EQ(kept.add(i), static_cast<std::uint64_t>(i));
    return kept;
}

TEST(FirstAndLast, KeepsAllUpToItsBound) {
    auto kept = of(6, 6);
    EXPECT_EQ(kept.left_out(), 0U);
    EXPECT_EQ(kept.take(), (rows{0, 1, 2, 3, 4, 5}));
}

TEST(FirstAndLast, BeyondItKeepsBothEndsInOrder) {
    for (const int count : {7, 8, 9, 10, 11, 12, 100}) {
        auto kept = of(count, 6);
        EXPECT_EQ(kept.left_out(), static_cast<std::uint64_t>(count - 6));
        EXPECT_EQ(kept.take(), (rows{0, 1, 2, count - 3, count - 2, count - 1}));
        EXPECT_EQ(kept.left_out(), static_cast<std::uint64_t>(count - 6)) << "after take() too";
    }
}

TEST(FirstAndLast, ANumberFindsItsRowOrNothing) {
    auto kept = of(10, 6);
    for (const std::uint64_t number : {0U, 2U, 7U, 9U}) {
        ASSERT_NE(kept.find(number), nullptr) << number;
        EXPECT_EQ(*kept.find(number), static_cast<int>(number));
    }
    for (const std::uint64_t number : {3U, 6U, 10U})
        EXPECT_EQ(kept.find(number), nullptr) << number;
    EXPECT_EQ(kept.find(UINT64_MAX), nullptr);
}

}  // namespace
}  // namespace cdcscope::report
