#include <gtest/gtest.h>

#include "proto/wire/printable.h"
#include "proto/wire/utf8.h"

namespace cdcscope {
namespace {

TEST(Printable, LeavesTextAsItIs) {
    EXPECT_EQ(printable("eq_dcpq:größe 表 \U0001f600 a\\b"), "eq_dcpq:größe 表 \U0001f600 a\\b");
    EXPECT_EQ(printable("no\u00a0break"), "no\u00a0break");
    EXPECT_EQ(printable("\u200c\u200d"), "\u200c\u200d");
    EXPECT_EQ(printable(""), "");
}

TEST(Printable, EscapesEachByteOfWhatIsNotShown) {
    EXPECT_EQ(printable("a\nb\x1b[31m\x7f"), "a\\x0ab\\x1b[31m\\x7f");
    EXPECT_EQ(printable("\u009b31m\u0085"), "\\xc2\\x9b31m\\xc2\\x85");
    EXPECT_EQ(printable("\u202ertl\u2066x\u2069"),
              "\\xe2\\x80\\xaertl\\xe2\\x81\\xa6x\\xe2\\x81\\xa9");
    for (const std::string_view hidden :
         {"\u00ad", "\u061c", "\u200b", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202e",
          "\u2060", "\u2068", "\ufeff", "\U000e0001", "\U000e007f"}) {
        const std::string shown = printable(hidden);
        EXPECT_EQ(shown.size(), 4 * hidden.size()) << shown;
        EXPECT_TRUE(shown.starts_with("\\x")) << shown;
    }
}

TEST(Printable, EscapesBytesThatAreNoUtf8) {
    EXPECT_EQ(printable("a\xff\xfe"), "a\\xff\\xfe");
    EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
    EXPECT_EQ(printable("\xe2\x80"), "\\xe2\\x80");           // cut short
}

TEST(Printable, CutsBetweenCharacters) {
    EXPECT_EQ(printable("abcdef", 3), "abc...");
    EXPECT_EQ(printable("abc", 3), "abc");
    EXPECT_EQ(printable("abß", 3), "ab...");
    EXPECT_EQ(printable("ab\u009b", 9), "ab...");
    EXPECT_EQ(printable("ab\u009b", 10), "ab\\xc2\\x9b");
}

TEST(AsUtf8, ChangesOnlyBytesThatAreNoUtf8) {
    EXPECT_EQ(as_utf8("a\n\u202eß"), "a\n\u202eß");
    EXPECT_EQ(as_utf8("b\xff\xc3"), "b\\xff\\xc3");
    EXPECT_TRUE(is_utf8(as_bytes(as_utf8("\xf4\x90\x80\x80\xc2"))));
}

}  // namespace
}  // namespace cdcscope
