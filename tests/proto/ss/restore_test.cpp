// Going on in a file (R17): the bytes are those of a file that was never closed.
#include "proto/ss/restore.h"

#include <gtest/gtest.h>

#include "tests/proto/ss/samples.h"

namespace cdcscope::ss {
namespace {

class nothing final : public visitor {};

restored restore_bytes(byte_view bytes) {
    memory_source source(bytes);
    nothing n;
    return restore(source, n);
}

// Writes the lines of a vector from `from` on into what is there.
samples::bytes go_on(samples::bytes bytes, const std::vector<samples::json>& lines,
                     std::size_t from) {
    restored r = restore_bytes(bytes);
    EXPECT_FALSE(r.damage) << describe(r.damage);
    bytes.resize(static_cast<std::size_t>(r.state.offset));
    samples::memory_output out;
    out.written = std::move(bytes);
    writer w(r.interval, std::move(r.state));
    if (r.beacon_missing) {
        EXPECT_TRUE(w.write_beacon(out));
    }
    for (std::size_t i = from; i < lines.size(); ++i) {
        const samples::json& line = lines[i];
        const auto ts = line["ts_ms"].get<std::uint64_t>();
        if (line["type"] == "eos") {
            EXPECT_TRUE(w.write_eos(ts, out));
            continue;
        }
        const auto key = line["key"].get<std::string>();
        EXPECT_TRUE(
            w.write({key, line["shard"].get<std::uint64_t>(), line["seq"].get<std::uint64_t>(), ts},
                    samples::payload_of(line), out));
    }
    return std::move(out.written);
}

TEST(Restore, GivesTheBytesOfOneGoWhereverTheFileWasClosed) {
    for (const char* name :
         {"mix-i128", "mix-i300", "mix-i571", "mix-i1024", "mix-i4096", "streams-growing-i2048",
          "end-at-beacon-then-eos-i1024", "shards-i2048", "disorder-i1024", "header-only-i128"}) {
        const auto stem = (samples::folder() / "valid" / name).string();
        const auto lines = samples::read_lines(stem + ".input.jsonl");
        const auto whole = samples::read_file(stem + ".ss");
        for (std::size_t cut = 1; cut < lines.size(); ++cut) {
            const std::vector<samples::json> first(
                lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(cut));
            ASSERT_EQ(go_on(samples::write_vector(first), lines, cut), whole) << name << " " << cut;
        }
    }
}

TEST(Restore, TakesAnEosOffAndForgetsIt) {
    for (const std::uint32_t interval : {128U, 600U, 1024U, 1U << 20}) {
        auto lines = samples::read_lines(samples::folder() / "valid/mix-i1024.input.jsonl");
        lines[0]["beacon_interval"] = interval;
        const auto whole = samples::write_vector(lines);
        const samples::json eos{{"type", "eos"}, {"ts_ms", 1700000000000}};
        for (std::size_t cut = 1; cut < lines.size(); ++cut) {
            std::vector<samples::json> first(lines.begin(),
                                             lines.begin() + static_cast<std::ptrdiff_t>(cut));
            first.push_back(eos);
            ASSERT_EQ(go_on(samples::write_vector(first), lines, cut), whole)
                << interval << " " << cut;
        }
    }
}

TEST(Restore, CutsATornEndWhereverTheFileEnds) {
    const auto lines = samples::read_lines(samples::folder() / "valid/mix-i300.input.jsonl");
    const auto whole = samples::read_file(samples::folder() / "valid/mix-i300.ss");
    for (std::size_t n = header_size; n < whole.size(); n += 3) {
        const samples::bytes torn(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
        const restored r = restore_bytes(torn);
        ASSERT_FALSE(r.damage) << n << " " << describe(r.damage);
        // The next line to write is the one behind the last whole message.
        ASSERT_EQ(go_on(torn, lines, 1 + static_cast<std::size_t>(r.messages)), whole) << n;
    }
}

TEST(Restore, RefusesEveryDamageThatIsNotATornEnd) {
    for (const auto& s : samples::all({"damaged"})) {
        const auto what = samples::fs::path(s.name).filename().string();
        const auto problems = s.problems();
        const restored r = restore_bytes(samples::read_file(s.file));
        if (problems.empty()) {
            EXPECT_FALSE(r.damage) << s.name;
            continue;
        }
        const auto text = problems[0]["what"].get<std::string>();
        const bool torn = text == "message is cut off" || text.starts_with("beacon is ");
        // Wrong contents of markers are told from those of a reopened file only if they name what
        // was never there.
        if (what.starts_with("marker-checksum") || what.starts_with("marker-timestamp") ||
            what.starts_with("markers-")) {
            continue;
        }
        EXPECT_EQ(static_cast<bool>(r.damage), !torn) << s.name;
    }
}

TEST(Restore, GoesOnInFilesThatARealProducerOpenedAgain) {
    for (const auto& s : samples::all({"valid", "producer", "reference"})) {
        const restored r = restore_bytes(samples::read_file(s.file));
        EXPECT_FALSE(r.damage) << s.name << " " << describe(r.damage);
        for (const auto& line : s.expected()) {
            if (line["type"] != "message") continue;
            EXPECT_GE(r.state.offset, line["end"].get<std::uint64_t>()) << s.name;
        }
    }
}

}  // namespace
}  // namespace cdcscope::ss
