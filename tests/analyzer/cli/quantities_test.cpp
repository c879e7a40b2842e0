#include "analyzer/cli/quantities.h"

#include <gtest/gtest.h>

#include "analyzer/cli/command.h"
#include "analyzer/cli/nearest.h"
#include "analyzer/cli/progress.h"

namespace cdcscope::cli {
namespace {

constexpr std::int64_t second = 1'000'000'000;

TEST(Sizes, AreInPowersOf1024) {
    EXPECT_EQ(parse_size("--x", "4096"), 4096U);
    EXPECT_EQ(parse_size("--x", "64KiB"), 65536U);
    EXPECT_EQ(parse_size("--x", "1.5 MiB"), 1572864U);
    EXPECT_EQ(parse_size("--x", "16GiB"), 17179869184U);
    for (const char* bad : {"", "much", "-1", "1XB", "1e30GiB", "0x10"}) {
        EXPECT_THROW((void)parse_size("--x", bad), usage_error) << bad;
    }
}

TEST(Times, CanBeAbsoluteRelativeOrOfTheDay) {
    EXPECT_EQ(parse_time("--since", "1970-01-02T00:00:01Z").resolve(0), 86401 * second);
    EXPECT_EQ(parse_time("--since", "1970-01-02 02:00:01.5+02:00").resolve(0),
              86401 * second + second / 2);
    EXPECT_EQ(parse_time("--since", "+90s").resolve(5 * second), 95 * second);
    EXPECT_EQ(parse_time("--since", "+0.25").resolve(0), second / 4);
    EXPECT_EQ(parse_time("--since", "06:22:00").resolve(86400 * second * 3 + 7),
              86400 * second * 3 + 22920 * second);
    for (const char* bad : {"", "25:00", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "+", "+-1",
                            "06:22", "24:00:00"}) {
        EXPECT_THROW((void)parse_time("--since", bad), usage_error) << bad;
    }
}

TEST(Ports, NameTheirProtocol) {
    const auto ports = parse_ports("dcp=12000,canal=1");
    ASSERT_EQ(ports.size(), 2U);
    EXPECT_EQ(ports[0], (std::pair<std::string, std::uint16_t>{"dcp", 12000}));
    EXPECT_EQ(ports[1], (std::pair<std::string, std::uint16_t>{"canal", 1}));
    for (const char* bad :
         {"", "dcp", "dcp=", "dcp=0", "dcp=65536", "http=80", "dcp=1,", "dcp=1x"}) {
        EXPECT_THROW((void)parse_ports(bad), usage_error) << bad;
    }
}

TEST(Nearest, IsTheWordThatWasProbablyMeant) {
    const std::vector<std::string> words{"extract", "report", "streams"};
    EXPECT_EQ(nearest("extrct", words), "extract");
    EXPECT_EQ(nearest("rpeort", words), "report");
    EXPECT_EQ(nearest("banana", words), std::nullopt);
}

TEST(ProgressLine, GivesUpBarThenRateThenName) {
    const progress_state s{.file = "travel-1.pcap", .done = 48, .total = 100, .messages = 1204318};
    EXPECT_EQ(
        progress_line(s, 1.0, 100),
        "travel-1.pcap  [#########-----------]  48 %   0 MiB/s   1,204,318 messages   1 s left");
    for (int width = 1; width < 120; ++width) {
        EXPECT_LT(progress_line(s, 1.0, width).size(), static_cast<std::size_t>(std::max(width, 2)))
            << width;
    }
    EXPECT_EQ(progress_line(s, 1.0, 50).find('['), std::string::npos);
}

}  // namespace
}  // namespace cdcscope::cli
