// The writer against the files of the real one (R26).
#include <gtest/gtest.h>

#include "tests/proto/ss/samples.h"

namespace cdcscope::ss {
namespace {

TEST(Writer, GivesTheBytesOfTheRealWriterForEveryVector) {
    std::size_t compared = 0;
    for (const auto& path : samples::vectors()) {
        const auto file = samples::fs::path(path).replace_extension().replace_extension(".ss");
        if (!samples::fs::exists(file)) continue;
        EXPECT_EQ(samples::write_vector(samples::read_lines(path)), samples::read_file(file))
            << path;
        ++compared;
    }
    EXPECT_GE(compared, 50U);
}

TEST(Writer, GivesTheSameBytesWhenThePayloadComesInPieces) {
    const auto lines = samples::read_lines(samples::folder() / "valid/mix-i300.input.jsonl");
    samples::memory_output out;
    writer w(300);
    ASSERT_TRUE(w.open({lines[0]["file_name"].get<std::string>(),
                        lines[0]["created_at_ms"].get<std::uint64_t>(), 300},
                       out));
    for (const auto& line : lines) {
        if (line["type"] == "header") continue;
        const bool eos = line["type"] == "eos";
        const auto key = eos ? std::string(internal_key) : line["key"].get<std::string>();
        const auto payload = eos ? samples::bytes{'E', 'O', 'S'} : samples::payload_of(line);
        const label at{key, 0, eos ? 0 : line["seq"].get<std::uint64_t>(),
                       line["ts_ms"].get<std::uint64_t>()};
        samples::memory_output whole;
        writer other(128);
        ASSERT_TRUE(other.open({"", 0, 128}, whole) && other.write(at, payload, whole));
        const std::uint16_t checksum = load_be16(whole.written.data() + whole.written.size() - 3);
        ASSERT_TRUE(w.start(at, static_cast<std::uint32_t>(payload.size()), checksum, out));
        for (const std::uint8_t& b : payload) ASSERT_TRUE(w.put_payload({&b, 1}, out));
        ASSERT_TRUE(w.finish(out));
    }
    EXPECT_EQ(out.written, samples::read_file(samples::folder() / "valid/mix-i300.ss"));
}

TEST(Writer, PutsAnEmptyBeaconBehindTheHeaderForTheSmallestIntervalOnly) {
    for (const std::uint32_t interval : {128U, 129U, 256U}) {
        samples::memory_output out;
        writer w(interval);
        ASSERT_TRUE(w.open({"x.ss", 0, interval}, out));
        EXPECT_EQ(out.written.size(), interval == 128 ? 135U : 128U) << interval;
    }
}

TEST(Writer, StopsWhereTheOutputStopsAndNeverPutsMore) {
    for (std::size_t room = 0; room < 700; ++room) {
        samples::memory_output out(room);
        writer w(200);
        bool well = w.open({"x.ss", 0, 200}, out);
        for (std::uint64_t n = 1; well && n < 10; ++n) {
            well = w.write({"key", 0, n, n}, as_bytes("some payload of some length"), out);
        }
        EXPECT_EQ(well, room >= 128 + 9 * 62 + 4 * 7) << room;
        EXPECT_LE(out.written.size(), room);
    }
}

TEST(MarkerCapacity, HasTheStepsOfTheReferenceWriter) {
    EXPECT_EQ(marker_capacity(128), 0U);
    EXPECT_EQ(marker_capacity(570), 0U);
    EXPECT_EQ(marker_capacity(571), 1U);
    EXPECT_EQ(marker_capacity(1134), 1U);
    EXPECT_EQ(marker_capacity(1135), 2U);
    EXPECT_EQ(marker_capacity(2048), 3U);
    EXPECT_EQ(marker_capacity(4096), 7U);
    EXPECT_EQ(marker_capacity(65536), 116U);
    EXPECT_EQ(marker_capacity(71634), 126U);
    EXPECT_EQ(marker_capacity(71635), 127U);
    EXPECT_EQ(marker_capacity(1U << 20), 127U);
    EXPECT_EQ(marker_capacity(0xffffffff), 127U);
}

TEST(FitsFrame, KeepsWhatRemainsBehindTheFirstByteWithin32Bits) {
    EXPECT_TRUE(fits_frame(1, 0xffffffffULL - 32));
    EXPECT_FALSE(fits_frame(1, 0xffffffffULL - 31));
}

}  // namespace
}  // namespace cdcscope::ss
