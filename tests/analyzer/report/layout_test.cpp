// Text in columns fits them.
#include "analyzer/report/layout.h"

#include <gtest/gtest.h>

namespace cdcscope::report {
namespace {

std::string wrapped(std::string_view first, std::string_view text, std::size_t indent,
                    std::size_t width) {
    std::string out;
    wrap(out, first, text, indent, width);
    return out;
}

TEST(Layout, WidthsAreThoseOfATerminal) {
    EXPECT_EQ(display_width("abc"), 3U);
    EXPECT_EQ(display_width("größe"), 5U);
    EXPECT_EQ(display_width("订单"), 4U);
    EXPECT_EQ(display_width("e\u0301"), 1U);
    EXPECT_EQ(display_width("\xff\xfe"), 2U);
}

TEST(Layout, NamesAreShortenedInTheMiddle) {
    EXPECT_EQ(elide("short", 5), "short");
    EXPECT_EQ(elide("replication:n0->n1:travel", 21), "replicatio..n1:travel");
    EXPECT_EQ(display_width(elide("订单订单订单订单", 7)), 6U);
    EXPECT_EQ(elide("abcdef", 2), "..");
}

TEST(Layout, LinesBreakAtBlanksAndHang) {
    EXPECT_EQ(wrapped("  1 ", "one two three", 4, 12), "  1 one two\n    three\n");
    EXPECT_EQ(wrapped("", "exactly ten", 0, 11), "exactly ten\n");
    EXPECT_EQ(wrapped("", "exactly ten", 0, 10), "exactly\nten\n");
}

TEST(Layout, NoBreakSpacesHoldNumberAndUnitTogether) {
    EXPECT_EQ(wrapped("", "window of 4,096\u00a0B", 0, 15), "window of\n4,096 B\n");
}

TEST(Layout, AWordLongerThanALineIsCut) {
    EXPECT_EQ(wrapped("", std::string(25, 'x'), 0, 10),
              std::string(10, 'x') + "\n" + std::string(10, 'x') + "\n" + "xxxxx\n");
}

TEST(Layout, PaddingCountsColumnsNotBytes) {
    EXPECT_EQ(pad_right("ö", 3), "ö  ");
    EXPECT_EQ(pad_left("ö", 3), "  ö");
    EXPECT_EQ(pad_left("abcd", 3), "abcd");
}

}  // namespace
}  // namespace cdcscope::report
