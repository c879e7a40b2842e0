#include "analyzer/record/wire_json.h"

#include <gtest/gtest.h>

#include <vector>

namespace cdcscope::record {
namespace {

recover::message sample() {
    recover::message m;
    m.connection = 1;
    m.dir = direction::s2c;
    m.offset = 96;
    m.wire_length = m.captured = 130;
    m.frames = {18, 18, {1700000001001000000, 18, 0}};
    return m;
}

std::string text_of(wire_json wire, const recover::message& m,
                    std::optional<std::uint32_t> opaque = {}) {
    json_writer out;
    out.begin_object();
    wire.write(out, m, opaque);
    out.end_object();
    return std::string(out.text());
}

TEST(WireJson, HasTheMembersOfTheReference) {
    EXPECT_EQ(
        text_of(wire_json(), sample(), 0x1700U),
        R"({"wire":{"conn":1,"dir":"s2c","frames":[18],"time":"2023-11-14T22:13:21.001000000Z",)"
        R"("offset":96,"bytes":130,"opaque":"0x1700"}})");
}

TEST(WireJson, NamesTheFileOnlyWithSeveralCaptures) {
    const std::vector<std::string> files = {"a.pcap", "b.pcap"};
    recover::message m = sample();
    m.frames.done.file = 1;
    EXPECT_NE(text_of(wire_json(files), m).find(R"("file":"b.pcap")"), std::string::npos);
    EXPECT_EQ(text_of(wire_json(), m).find("file"), std::string::npos);
}

TEST(WireJson, SaysWhatIsMissing) {
    recover::message m = sample();
    m.frames.first = 7;
    m.cut = true;
    m.captured = 96;
    m.wire_length = 431;
    m.after_gap = true;
    m.gap_bytes = 12;
    const std::string text = text_of(wire_json(), m, 0U);
    EXPECT_NE(text.find(R"("frames":[7,18])"), std::string::npos);
    EXPECT_NE(
        text.find(R"("opaque":"0x0","cut":{"captured":96,"of":431},"afterGap":true,"gapBytes":12)"),
        std::string::npos);
}

TEST(TimeText, ReachesFromBefore1970ToLeapDays) {
    time_text time;
    EXPECT_EQ(time.of(0), "1970-01-01T00:00:00.000000000Z");
    EXPECT_EQ(time.of(-1), "1969-12-31T23:59:59.999999999Z");
    EXPECT_EQ(time.of(1709164799999999999), "2024-02-28T23:59:59.999999999Z");
    EXPECT_EQ(time.of(1709164800000000001), "2024-02-29T00:00:00.000000001Z");
    EXPECT_EQ(time.of(1709164800999999999), "2024-02-29T00:00:00.999999999Z");
}

}  // namespace
}  // namespace cdcscope::record
