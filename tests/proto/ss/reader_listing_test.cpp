// The reader against the listings of an independent walk (R27), and payloads in every shape.
#include <gtest/gtest.h>

#include "proto/ss/verifier.h"
#include "proto/wire/crc16.h"
#include "tests/proto/ss/samples.h"

namespace cdcscope::ss {
namespace {

using samples::json;

std::string hex4(std::uint16_t value) {
    char text[5];
    std::snprintf(text, sizeof text, "%04x", value);
    return text;
}

// What the walk meets, as the lines of a listing.
class listing final : public visitor {
  public:
    void on_header(const header& h) override {
        interval_ = h.interval;
        lines.push_back({{"type", "header"},
                         {"file_name", h.file_name},
                         {"created_at_ms", h.created_ms},
                         {"beacon_interval", h.interval},
                         {"marker_capacity", marker_capacity(h.interval)}});
    }
    void on_message(reader& at) override {
        const message& m = at.current();
        json line{{"type", m.eos ? "eos" : "message"},
                  {"offset", m.offset},
                  {"end", m.end},
                  {"size", m.size},
                  {"crc16", hex4(m.stored)}};
        line.update(fields(m.at));
        if (!m.checksum_ok()) line["crc16_computed"] = hex4(m.computed);
        lines.push_back(line);
        check_payload(at);
    }
    void on_beacon(std::uint64_t offset, const beacon_view& b) override {
        json items = json::array();
        b.each_marker([&](const marker& m) {
            items.push_back(fields(m.highest));
            items.back()["running"] = hex4(m.running);
            return true;
        });
        lines.push_back({{"type", "beacon"},
                         {"offset", offset},
                         {"index", offset / interval_},
                         {"size", b.size()},
                         {"remaining", b.remaining()},
                         {"items", items}});
    }
    std::vector<json> lines;

  private:
    static json fields(const label& l) {
        return {{"key", l.key}, {"shard", l.shard}, {"seq", l.sequence}, {"ts_ms", l.timestamp_ms}};
    }
    void check_payload(reader& at) {
        const message m = at.current();
        samples::bytes pieces;
        auto c = at.payload();
        for (byte_view p = at.next_piece(c); !p.empty(); p = at.next_piece(c)) {
            pieces.insert(pieces.end(), p.begin(), p.end());
        }
        EXPECT_EQ(pieces.size(), m.size);
        EXPECT_EQ(crc16(pieces), m.computed);
        samples::bytes scratch;
        const byte_view whole = at.whole_payload(scratch);
        EXPECT_TRUE(std::ranges::equal(whole, pieces));
    }
    std::uint32_t interval_ = 0;
};

TEST(Reader, GivesTheLinesOfEveryListing) {
    for (const auto& s : samples::all()) {
        const auto bytes = samples::read_file(s.file);
        memory_source source(bytes);
        listing got;
        (void)walk(source, got);
        std::vector<json> want;
        for (json line : s.expected()) {
            if (line["type"] == "summary") continue;
            line.erase("sha256");
            want.push_back(line);
        }
        EXPECT_EQ(got.lines, want) << s.name;
    }
}

TEST(Reader, GivesTheSameLinesOfVectorsWhoseFileIsLeftOut) {
    std::size_t compared = 0;
    for (const char* name : {"large-1m", "streams-127-i73728", "streams-128-i73728",
                             "streams-200-1m", "streams-300-i73728"}) {
        const auto stem = samples::folder() / "valid" / name;
        const auto bytes =
            samples::write_vector(samples::read_lines(stem.string() + ".input.jsonl"));
        memory_source source(bytes);
        listing got;
        (void)walk(source, got);
        std::size_t i = 0;
        for (json line : samples::read_lines(stem.string() + ".expected.jsonl")) {
            if (line["type"] == "summary") continue;
            line.erase("sha256");
            ASSERT_LT(i, got.lines.size()) << name;
            EXPECT_EQ(got.lines[i++], line) << name;
            ++compared;
        }
        EXPECT_EQ(i, got.lines.size()) << name;
    }
    EXPECT_GT(compared, 1000U);
}

// A source that holds only what was written so far.
class growing_source final : public byte_source {
  public:
    explicit growing_source(byte_view bytes) : bytes_(bytes) {}
    [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::uint8_t> to) override {
        return memory_source(bytes_.first(now)).read(offset, to);
    }
    [[nodiscard]] std::uint64_t size() override { return now; }
    std::size_t now = 0;

  private:
    byte_view bytes_;
};

TEST(Reader, FollowsAFileThatGrowsByteByByte) {
    for (const char* name :
         {"valid/mix-i128.ss", "valid/mix-i571.ss", "valid/split-everywhere-i200.ss"}) {
        const auto bytes = samples::read_file(samples::folder() / name);
        const std::uint32_t interval = decode_header(bytes).value.interval;
        std::vector<std::uint64_t> want;
        memory_source whole(bytes);
        reader all(whole, interval);
        for (item i = all.next(); i != item::end; i = all.next()) {
            if (i == item::message) want.push_back(all.current().offset);
        }
        growing_source growing(bytes);
        growing.now = header_size;
        reader from(growing, interval);
        std::vector<std::uint64_t> got;
        for (; growing.now <= bytes.size(); ++growing.now) {
            for (item i = from.next(); i == item::message || i == item::beacon; i = from.next()) {
                if (i == item::message) got.push_back(from.current().offset);
            }
        }
        EXPECT_EQ(got, want) << name;
    }
}

class broken_source final : public byte_source {
  public:
    broken_source(byte_view bytes, std::uint64_t bad) : inner_(bytes), bad_(bad) {}
    [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::uint8_t> to) override {
        return offset + to.size() > bad_ ? failed : inner_.read(offset, to);
    }
    [[nodiscard]] std::uint64_t size() override { return inner_.size(); }

  private:
    memory_source inner_;
    std::uint64_t bad_;
};

TEST(Reader, SaysThatTheFileCanNotBeReadInsteadOfThatItEnds) {
    const auto bytes = samples::read_file(samples::folder() / "valid/mix-i1024.ss");
    broken_source source(bytes, 128);
    reader from(source, 1024);
    ASSERT_EQ(from.next(), item::broken);
    EXPECT_EQ(from.broken().what, fault::read_failed);
}

}  // namespace
}  // namespace cdcscope::ss
