#include "proto/ss/header.h"

#include <gtest/gtest.h>

#include <string>

namespace cdcscope::ss {
namespace {

TEST(Header, HasTheBytesOfTheWorkedDump) {
    const auto bytes = encode({"orders.ss", 1700000000000, 1U << 20}).value();
    const std::string start("Ss\x01\x09orders.ss\x00\x00\x01\x8b\xcf\xe5\x68\x00\x00\x10\x00\x00",
                            25);
    EXPECT_EQ(as_text(byte_view(bytes).first(25)), start);
    for (std::size_t i = 25; i < 127; ++i) EXPECT_EQ(bytes[i], 0) << i;
    EXPECT_EQ(bytes[127], 0x0d);
}

TEST(Header, TakesNamesUpTo111BytesAndIntervalsFrom128) {
    EXPECT_TRUE(encode({std::string(111, 'n'), 0, 128}));
    EXPECT_FALSE(encode({std::string(112, 'n'), 0, 128}));
    EXPECT_FALSE(encode({"n", 0, 127}));
    EXPECT_TRUE(encode({"n", 0, 0xffffffff}));
    EXPECT_TRUE(encode({"", max_timestamp_ms, 128}));
    EXPECT_FALSE(encode({"", max_timestamp_ms + 1, 128}));
}

TEST(Header, ReadsBackWhatItWrote) {
    const std::string name(111, 'x');
    const auto bytes = encode({name, 12345, 999}).value();
    const decoded_header d = decode_header(bytes);
    EXPECT_FALSE(d.broken || d.padding || d.end_mark);
    EXPECT_EQ(d.value.file_name, name);
    EXPECT_EQ(d.value.created_ms, 12345U);
    EXPECT_EQ(d.value.interval, 999U);
}

TEST(Header, IsShortBelow128Bytes) {
    const auto bytes = encode({"a", 1, 128}).value();
    for (std::size_t n = 0; n < bytes.size(); ++n) {
        EXPECT_EQ(decode_header(byte_view(bytes).first(n)).broken.what, fault::header_short) << n;
    }
}

TEST(Header, CutsAFileNameAtAWholeCharacter) {
    EXPECT_EQ(cut_file_name(std::string(111, 'a')).size(), 111U);
    EXPECT_EQ(cut_file_name(std::string(200, 'a')).size(), 111U);
    EXPECT_EQ(cut_file_name(std::string(110, 'a') + "\xc3\xa9").size(), 110U);
    EXPECT_EQ(cut_file_name(std::string(109, 'a') + "\xc3\xa9").size(), 111U);
}

TEST(Faults, EachHasItsRow) {
    for (int i = 0; i < static_cast<int>(fault::count_); ++i) {
        const auto what = static_cast<fault>(i);
        EXPECT_EQ(row(what).what, what);
        EXPECT_FALSE(row(what).name.empty());
        problem p;
        p.what = what;
        EXPECT_FALSE(describe(p).empty());
    }
}

}  // namespace
}  // namespace cdcscope::ss
