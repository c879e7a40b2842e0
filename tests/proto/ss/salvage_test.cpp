// What can be saved of damaged files (R22).
#include "proto/ss/salvage.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "proto/ss/verifier.h"
#include "tests/proto/ss/samples.h"

namespace cdcscope::ss {
namespace {

struct saved_message {
    std::string key;
    std::uint64_t shard, sequence, timestamp_ms;
    samples::bytes payload;
    auto operator<=>(const saved_message&) const = default;
};

saved_message copy_of(reader& at) {
    const label& l = at.current().at;
    samples::bytes scratch;
    const byte_view p = at.whole_payload(scratch);
    return {std::string(l.key), l.shard, l.sequence, l.timestamp_ms, {p.begin(), p.end()}};
}

class saver final : public salvage_visitor {
  public:
    bool on_message(reader& at) override {
        messages.push_back(copy_of(at));
        EXPECT_EQ(messages.back().payload.size(), at.current().size);
        return true;
    }
    void on_lost(const lost_range& l) override {
        EXPECT_LT(l.offset, l.end);
        EXPECT_GE(l.offset, lost_to);
        lost_to = l.end;
        lost.push_back({l.offset, l.end});
    }
    std::vector<saved_message> messages;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> lost;
    std::uint64_t lost_to = 0;
};

struct outcome {
    std::vector<saved_message> messages;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> lost;
    salvage_summary sum;
};

outcome salvage_bytes(byte_view bytes) {
    memory_source source(bytes);
    saver s;
    const salvage_summary sum = salvage(source, s);
    return {s.messages, s.lost, sum};
}

// Messages of a good file without its EOS.
std::vector<saved_message> messages_of(const char* name) {
    const auto bytes = samples::read_file(samples::folder() / name);
    memory_source source(bytes);
    reader from(source, decode_header(bytes).value.interval);
    std::vector<saved_message> all;
    for (item i = from.next(); i == item::message || i == item::beacon; i = from.next()) {
        if (i == item::message && !from.current().eos) all.push_back(copy_of(from));
    }
    return all;
}

TEST(Salvage, SavesAllOfEveryUndamagedSample) {
    for (const auto& s : samples::all({"valid", "producer", "reference"})) {
        const auto bytes = samples::read_file(s.file);
        const outcome got = salvage_bytes(bytes);
        EXPECT_TRUE(got.lost.empty()) << s.name;
        std::size_t want = 0;
        for (const auto& line : s.expected()) want += line["type"] == "message";
        EXPECT_EQ(got.messages.size(), want) << s.name;
    }
}

// How many of the original's messages each damage leaves undamaged.
TEST(Salvage, SavesEveryUndamagedMessageOfEveryDamagedSample) {
    const auto orders = messages_of("valid/orders-eos.ss");
    const auto mix = messages_of("valid/mix-i1024.ss");
    const auto streams = messages_of("valid/streams-7-i2048.ss");
    const std::set<std::string> first_is_lost{
        "payload-bit",    "checksum-bit",   "key-bad-character", "key-not-utf8", "key-length-0",
        "key-length-250", "timestamp-huge", "size-plus-1",       "size-minus-1", "size-4g"};
    std::size_t compared = 0;
    for (const auto& s : samples::all({"damaged"})) {
        const std::string stem = s.file.stem().string();
        const outcome got = salvage_bytes(samples::read_file(s.file));
        std::vector<saved_message> want;
        if (stem.starts_with("header-") && !stem.starts_with("header-cut")) want = orders;
        if (stem.starts_with("garbage-") || stem == "two-eos" || stem == "eos-payload-bit")
            want = orders;
        if (stem == "message-end-mark" || stem == "cut-in-eos") want = orders;
        if (first_is_lost.contains(stem)) want = {orders.begin() + 1, orders.end()};
        if (stem.starts_with("beacon-") || stem.starts_with("marker-")) want = mix;
        if (stem.starts_with("interval-")) want = mix;
        if (stem.starts_with("markers-")) want = streams;
        if (stem == "beacon-not-last") want.resize(16);
        if (stem == "message-after-eos") {
            ASSERT_EQ(got.messages.size(), 4U);
            EXPECT_TRUE(std::equal(orders.begin(), orders.end(), got.messages.begin()));
            ++compared;
            continue;
        }
        if (want.empty()) continue;  // cuts: below
        EXPECT_EQ(got.messages, want) << s.name;
        ++compared;
    }
    EXPECT_GE(compared, 45U);
}

TEST(Salvage, SavesWhatWasWholeBeforeEveryCut) {
    for (const char* name : {"valid/mix-i128.ss", "valid/mix-i571.ss", "valid/orders-eos.ss"}) {
        const auto bytes = samples::read_file(samples::folder() / name);
        const auto all = messages_of(name);
        memory_source source(bytes);
        reader from(source, decode_header(bytes).value.interval);
        std::vector<std::size_t> ends;
        for (item i = from.next(); i == item::message || i == item::beacon; i = from.next()) {
            if (i == item::message && !from.current().eos) ends.push_back(from.current().end);
        }
        for (std::size_t n = header_size; n < bytes.size(); n += 7) {
            const auto whole =
                static_cast<std::ptrdiff_t>(std::ranges::upper_bound(ends, n) - ends.begin());
            const outcome got = salvage_bytes(byte_view(bytes).first(n));
            EXPECT_EQ(got.messages, std::vector(all.begin(), all.begin() + whole)) << n;
        }
    }
}

TEST(Salvage, KeepsWhatStandsBehindAnEosAndTheTimeOfTheLastOne) {
    const auto bytes =
        samples::read_file(samples::folder() / "interop/short-reopened-after-eos.ss");
    const outcome got = salvage_bytes(bytes);
    EXPECT_EQ(got.messages.size(), 2U);
    EXPECT_TRUE(got.sum.eos_ms);
    EXPECT_TRUE(got.lost.empty());
}

TEST(Salvage, FindsMessagesWithoutKnowingTheInterval) {
    for (const char* name : {"valid/mix-i300.ss", "valid/mix-i1024.ss", "valid/large-i1024.ss",
                             "valid/split-everywhere-i200.ss", "valid/split-everywhere-i600.ss"}) {
        auto bytes = samples::read_file(samples::folder() / name);
        const std::size_t interval_at = 4U + bytes[3] + 8U;
        for (std::size_t i = 0; i < 4; ++i) bytes[interval_at + i] = 0;
        const outcome got = salvage_bytes(bytes);
        EXPECT_EQ(got.messages, messages_of(name)) << name;
        EXPECT_EQ(got.sum.header, fault::header_interval);
    }
}

// A byte anywhere costs at most the message it stands in (two where it stands between them and
// takes a key along).
TEST(Salvage, LosesOnlyTheMessageThatWasHit) {
    for (const char* name : {"valid/mix-i300.ss", "valid/mix-i1024.ss"}) {
        const auto good = samples::read_file(samples::folder() / name);
        const auto all = messages_of(name);
        std::mt19937 random(3);
        for (int round = 0; round < 400; ++round) {
            auto bytes = good;
            const std::size_t at = header_size + random() % (bytes.size() - header_size);
            bytes[at] = static_cast<std::uint8_t>(bytes[at] + 1 + random() % 255);
            const outcome got = salvage_bytes(bytes);
            std::multiset<saved_message> left(got.messages.begin(), got.messages.end());
            std::size_t missing = 0;
            for (const saved_message& m : all) missing += left.contains(m) ? 0 : 1;
            EXPECT_LE(missing, 1U) << name << " byte " << at;
            EXPECT_LE(got.messages.size(), all.size() + 1) << name << " byte " << at;
        }
    }
}

TEST(Salvage, SavesMostWhenStretchesAreMissing) {
    const auto good = samples::read_file(samples::folder() / "valid/mix-i1024.ss");
    const auto all = messages_of("valid/mix-i1024.ss");
    std::mt19937 random(5);
    for (int round = 0; round < 100; ++round) {
        auto bytes = good;
        const std::size_t at = header_size + random() % (bytes.size() - header_size - 100);
        const std::size_t n = 1 + random() % 100;
        bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                    bytes.begin() + static_cast<std::ptrdiff_t>(at + n));
        const outcome got = salvage_bytes(bytes);
        // Nothing is shorter than 40 bytes, so a stretch of 100 touches at most four messages.
        EXPECT_GE(got.messages.size() + 4, all.size()) << at << " " << n;
    }
}

TEST(HoldsMessage, TellsATornEndFromDamageInTheMiddle) {
    const auto torn = samples::read_file(samples::folder() / "damaged/cut-in-rest-of-message.ss");
    memory_source torn_source(torn);
    EXPECT_FALSE(holds_message(torn_source, 1024, 745));
    const auto hit = samples::read_file(samples::folder() / "damaged/size-4g.ss");
    memory_source hit_source(hit);
    EXPECT_TRUE(holds_message(hit_source, 1U << 20, 129));
}

// Every offset looks like the start of a large message: the work has to stay in proportion.
TEST(Salvage, EndsSoonOnAFileMadeToKeepItBusy) {
    samples::bytes bytes(2U << 20, 'a');
    const auto head = encode({"x", 0, 1U << 20}).value();
    std::ranges::copy(head, bytes.begin());
    for (std::size_t at = header_size; at + 40 < bytes.size(); at += 32) {
        bytes[at] = 1;
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at) + 2, 24, std::uint8_t{0});
        store_be32(bytes.data() + at + 26, 1U << 20);
    }
    const outcome got = salvage_bytes(bytes);
    EXPECT_TRUE(got.messages.empty());
}

}  // namespace
}  // namespace cdcscope::ss
