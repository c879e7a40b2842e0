// What is said about files that are no captures, or not to be opened.
#include "analyzer/capture/file_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "analyzer/capture/capture_file.h"
#include "tests/analyzer/capture/build.h"

namespace cdcscope::capture::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

// The error of opening a file with this content, without the file's name.
std::string error_of(const std::string& content, const std::string& name = "file.pcap") {
    const temporary_file file(name, content);
    open_options options;
    options.command = "report";
    const capture_file opened(file.path(), options);
    const std::string prefix = file.path() + ": ";
    return opened.error().starts_with(prefix) ? opened.error().substr(prefix.size())
                                              : "no prefix: " + opened.error();
}

TEST(FileErrors, SuggestTheNearestName) {
    const temporary_file file("travel-1.pcap", "x");
    const temporary_file other("report.html", "x");
    std::string wrong = file.path();
    wrong.replace(wrong.find("travel"), 6, "travle");
    EXPECT_EQ(capture_file(wrong, {}).error(),
              wrong + ": no such file; did you mean " + file.path() + "?");
    EXPECT_EQ(capture_file("/nonexistent-folder/x.pcap", {}).error(),
              "/nonexistent-folder/x.pcap: no such file");
    EXPECT_EQ(nearest_name(::testing::TempDir() + "nothing-like-this-is-there"), "");
}

TEST(FileErrors, NameDirectoriesAndPermissions) {
    EXPECT_THAT(capture_file(::testing::TempDir(), {}).error(), HasSubstr("is a directory"));
    EXPECT_EQ(describe_open_error("x.pcap", EACCES),
              "x.pcap: permission denied; captures written by tcpdump often belong to root: try "
              "sudo, or chmod a+r on a copy");
    EXPECT_THAT(describe_open_error("x.pcap", EIO), HasSubstr("cannot open: "));
}

TEST(FileErrors, SayWhatTheFileIsInstead) {
    constexpr const char* wanted = "give a pcap or pcapng file, plain, gzip or zstd";
    EXPECT_EQ(error_of(""), std::string("empty file (0 bytes); ") + wanted);
    EXPECT_EQ(error_of("2026-11-30 06:22:00 everything is fine\n"),
              std::string("not a capture: it starts with \"2026-11-30 06:22\" (text); ") + wanted);
    EXPECT_EQ(error_of("one\ntwo"),
              std::string("not a capture: it starts with \"one\" (text); ") + wanted);
    EXPECT_EQ(
        error_of(hex("7f454c46 02010100 00")),
        std::string("not a capture: it starts with the bytes 7f 45 4c 46 02 01 01 00; ") + wanted);
    EXPECT_EQ(error_of("\xff"),
              std::string("not a capture: it starts with the bytes ff; ") + wanted);
    EXPECT_THAT(error_of(hex("53 73 01 0f") + "a.ss"),
                HasSubstr("it is a SeaStreamer file; did you mean cdcscope ss cat"));
}

TEST(FileErrors, TellHowToUnpackWhatIsNotRead) {
    EXPECT_THAT(error_of(hex("fd377a585a00 0004"), "t.pcap.xz"),
                HasSubstr("xz compression is not read; unpack it: xz -dc "));
    EXPECT_THAT(error_of(hex("fd377a585a00 0004"), "t.pcap.xz"),
                EndsWith("t.pcap.xz | cdcscope report -"));
    EXPECT_THAT(error_of("BZh91AY"), HasSubstr("bzip2 -dc"));
    EXPECT_THAT(error_of(hex("04224d18 6440")), HasSubstr("lz4 -dc"));
    EXPECT_THAT(error_of(hex("504b0304 1400")), HasSubstr("unzip -p"));
}

TEST(FileErrors, TellOfCutHeaders) {
    EXPECT_THAT(error_of(pcap_file({}).substr(0, 23)), HasSubstr("cut off inside the file header"));
    EXPECT_EQ(error_of(pcap_file({})), "no prefix: ")
        << "a header alone is a capture without packets";
}

}  // namespace
}  // namespace cdcscope::capture::testing
