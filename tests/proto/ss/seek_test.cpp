// Seeking by beacons lands where reading from the start does (R24), and never behind where the real
// reader lands.
#include "proto/ss/seek.h"

#include <gtest/gtest.h>

#include <set>

#include "proto/ss/reader.h"
#include "tests/proto/ss/samples.h"

namespace cdcscope::ss {
namespace {

using by = seek_target::by;

struct stream_id {
    std::string key;
    std::uint64_t shard;
    auto operator<=>(const stream_id&) const = default;
};

// Every number and time around those that occur.
struct contents {
    std::set<stream_id> streams;
    std::set<std::uint64_t> sequences{0, ~std::uint64_t{0}};
    std::set<std::uint64_t> times{0, ~std::uint64_t{0}};
};

contents contents_of(byte_source& source, std::uint32_t interval) {
    contents c;
    reader from(source, interval);
    for (item i = from.next(); i == item::message || i == item::beacon; i = from.next()) {
        if (i != item::message) continue;
        const label& l = from.current().at;
        c.streams.insert({std::string(l.key), l.shard});
        for (const std::uint64_t d : {std::uint64_t{0}, std::uint64_t{1}}) {
            c.sequences.insert(l.sequence + d);
            c.times.insert(l.timestamp_ms - d);
        }
    }
    return c;
}

TEST(Seek, LandsWhereReadingFromTheStartLandsForEveryStreamNumberAndTime) {
    std::size_t compared = 0;
    for (const auto& s : samples::all({"valid", "producer", "reference"})) {
        const auto bytes = samples::read_file(s.file);
        memory_source source(bytes);
        const std::uint32_t interval = decode_header(bytes).value.interval;
        if (interval < first_indexed_interval || bytes.size() < interval) continue;
        const contents c = contents_of(source, interval);
        std::size_t streams = 0;
        for (const stream_id& id : c.streams) {
            if (++streams > 8) break;
            const auto compare = [&](const seek_target& t) {
                EXPECT_EQ(seek(source, interval, t), seek(source, interval, t, false))
                    << s.name << " " << t.key << "/" << id.shard << " " << t.value;
                ++compared;
            };
            for (const std::uint64_t n : c.sequences) {
                compare({id.key, id.shard, by::sequence, n});
                compare({id.key, std::nullopt, by::sequence, n});
            }
            std::size_t times = 0;
            for (const std::uint64_t t : c.times) {
                if (++times % 3 == 0) compare({id.key, id.shard, by::time, t});
            }
        }
    }
    EXPECT_GT(compared, 5'000U);
}

// The real reader stops at the first message of any stream that reaches the value: at ours or
// before it.
TEST(Seek, IsNeverBehindThePlaceWhereTheRealReaderLands) {
    std::size_t compared = 0;
    for (const auto& line : samples::read_lines(samples::folder() / "seek.jsonl")) {
        const auto path = samples::folder() / "valid" / (line["file"].get<std::string>() + ".ss");
        if (!samples::fs::exists(path) || line["result"]["ok"] != true) continue;
        const auto bytes = samples::read_file(path);
        memory_source source(bytes);
        const std::uint32_t interval = decode_header(bytes).value.interval;
        const auto key = line["key"].get<std::string>();
        const auto found = seek(source, interval,
                                {key, std::nullopt, line["by"] == "seq" ? by::sequence : by::time,
                                 line["target"].get<std::uint64_t>()});
        if (!found) continue;
        reader at(source, interval, *found);
        ASSERT_EQ(at.next(), item::message);
        EXPECT_GE(at.current().end, line["result"]["end"].get<std::uint64_t>()) << line;
        ++compared;
    }
    EXPECT_GT(compared, 10U);
}

class counting_source final : public byte_source {
  public:
    explicit counting_source(byte_view bytes) : inner_(bytes) {}
    [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::uint8_t> to) override {
        const std::size_t n = inner_.read(offset, to);
        bytes_read += n;
        return n;
    }
    [[nodiscard]] std::uint64_t size() override { return inner_.size(); }
    std::uint64_t bytes_read = 0;

  private:
    memory_source inner_;
};

TEST(Seek, ReadsLittleOfALargeFile) {
    samples::memory_output out;
    writer w(default_interval);
    ASSERT_TRUE(w.open({"large.ss", 0, default_interval}, out));
    const samples::bytes payload(4000, 'x');
    constexpr std::uint64_t messages = 16'000;
    for (std::uint64_t n = 1; n <= messages; ++n) {
        const std::string key = "stream-" + std::to_string(n % 100);
        ASSERT_TRUE(w.write({key, 0, (n + 99) / 100, n}, payload, out));
    }
    counting_source source(out.written);
    for (const std::uint64_t target : {1U, 37U, 80U, 159U, 160U}) {
        source.bytes_read = 0;
        const auto found = seek(source, default_interval, {"stream-7", 0, by::sequence, target});
        ASSERT_TRUE(found);
        EXPECT_LT(source.bytes_read, std::uint64_t{2} << 20) << target;
        reader at(source, default_interval, *found);
        ASSERT_EQ(at.next(), item::message);
        EXPECT_EQ(at.current().at.sequence, target);
        EXPECT_EQ(at.current().at.key, "stream-7");
    }
}

TEST(Seek, ReadsFromTheStartWhenABeaconLies) {
    auto bytes = samples::read_file(samples::folder() / "damaged/beacon-remaining-plus-1.ss");
    memory_source source(bytes);
    for (std::uint64_t n = 1; n <= 16; ++n) {
        const seek_target t{"A", 0, by::sequence, n};
        EXPECT_EQ(seek(source, 1024, t), seek(source, 1024, t, false)) << n;
    }
}

TEST(BehindBeacon, StepsOverTheRestOfAMessageOfManyIntervals) {
    const auto bytes = samples::read_file(samples::folder() / "valid/large-i1024.ss");
    memory_source source(bytes);
    std::set<std::uint64_t> starts;
    reader from(source, 1024);
    for (item i = from.next(); i == item::message || i == item::beacon; i = from.next()) {
        starts.insert(from.offset());
    }
    for (std::uint64_t k = 1; k <= bytes.size() / 1024; ++k) {
        const auto start = behind_beacon(source, 1024, k);
        ASSERT_TRUE(start) << k;
        EXPECT_TRUE(starts.contains(*start)) << k;
    }
    EXPECT_FALSE(behind_beacon(source, 1024, bytes.size() / 1024 + 1));
    EXPECT_EQ(behind_beacon(source, 1024, 0), std::optional<std::uint64_t>(128));
}

}  // namespace
}  // namespace cdcscope::ss
