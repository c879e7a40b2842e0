// What the .ss sink writes, refuses and says (docs/ss.md section 13).
#include "analyzer/sink/ss_file.h"

#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <thread>

#include "tests/analyzer/sink/ss_fixture.h"

namespace cdcscope::sink {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

class SsFile : public ss_fixture {
  protected:
    ss_file_options options(std::uint32_t interval = ss::default_interval) {
        ss_file_options o;
        o.path = path();
        o.interval = interval;
        return o;
    }
    static void must(const status& s) { ASSERT_TRUE(s.ok()) << s.error; }
};

TEST_F(SsFile, NumbersEachKeyFromOneAndEndsWithEos) {
    ss_file_sink sink;
    must(sink.open(options()));
    must(sink.write(record_of("a", 1000, "one")));
    must(sink.write(record_of("b", 1001, "two")));
    must(sink.write(record_of("a", 1002, "three")));
    EXPECT_FALSE(fs::exists(path()));
    must(sink.finish(true));
    EXPECT_FALSE(fs::exists(path() + ".part"));
    const contents c = read(path());
    EXPECT_THAT(c.problems, IsEmpty());
    EXPECT_TRUE(c.sum.eos);
    EXPECT_THAT(c.messages, ElementsAre(message{"a", 1, 1000, "one"}, message{"b", 1, 1001, "two"},
                                        message{"a", 2, 1002, "three"}));
    EXPECT_EQ(c.file_name, "out.ss");
    EXPECT_EQ(c.created_ms, 1000U);
    EXPECT_EQ(sink.figures().written, 3U);
}

TEST_F(SsFile, TakesTheCreationTimeFromTheOptionElseFromTheFirstPacket) {
    ss_file_sink first;
    must(first.open(options()));
    first.created(777 * 1'000'000);
    must(first.write(record_of("a", 1000, "x")));
    must(first.finish(true));
    EXPECT_EQ(read(path()).created_ms, 777U);

    ss_file_options o = options();
    o.force = true;
    o.created_ns = 5'000'000;
    ss_file_sink second;
    must(second.open(o));
    second.created(777 * 1'000'000);
    must(second.finish(true));
    EXPECT_EQ(read(path()).created_ms, 5U);
}

TEST_F(SsFile, WritesAValidEmptyFileWhenNothingCame) {
    for (const bool eos : {true, false}) {
        ss_file_options o = options(128);
        o.eos = eos;
        o.force = true;
        ss_file_sink sink;
        must(sink.open(o));
        must(sink.finish(true));
        const contents c = read(path());
        EXPECT_THAT(c.problems, IsEmpty());
        EXPECT_EQ(c.sum.eos, eos);
        EXPECT_EQ(c.created_ms, 0U);
    }
}

TEST_F(SsFile, GivesAnInterruptedFileItsNameWithoutEos) {
    ss_file_sink sink;
    must(sink.open(options()));
    must(sink.write(record_of("a", 1000, "one")));
    must(sink.finish(false));
    const contents c = read(path());
    EXPECT_THAT(c.problems, IsEmpty());
    EXPECT_FALSE(c.sum.eos);
    EXPECT_EQ(c.messages.size(), 1U);
}

TEST_F(SsFile, GivesTheSameBytesForTheSameRecords) {
    std::vector<std::vector<std::uint8_t>> made;
    for (int i = 0; i < 2; ++i) {
        ss_file_options o = options(700);
        o.force = true;
        ss_file_sink sink;
        must(sink.open(o));
        for (int n = 0; n < 100; ++n)
            must(sink.write(record_of("k" + std::to_string(n % 7), n, "payload")));
        must(sink.finish(true));
        made.push_back(bytes_of(path()));
    }
    EXPECT_EQ(made[0], made[1]);
}

TEST_F(SsFile, NeverLetsTimeGoBackAndClampsItToTheFormat) {
    ss_file_sink sink;
    must(sink.open(options()));
    must(sink.write(record_of("a", 1000, "x")));
    must(sink.write(record_of("b", 900, "x")));
    must(sink.write(record_of("a", -5, "x")));
    must(sink.write(record_of("a", 1001, "x")));
    must(sink.finish(true));
    std::vector<std::uint64_t> times;
    for (const message& m : read(path()).messages) times.push_back(m.timestamp_ms);
    EXPECT_THAT(times, ElementsAre(1000, 1000, 1000, 1001));
    EXPECT_EQ(sink.figures().raised_times, 2U);
}

TEST_F(SsFile, CutsTimesToMilliseconds) {
    ss_file_sink sink;
    must(sink.open(options()));
    record r = record_of("a", 0, "x");
    r.time_ns = 1'999'999;
    must(sink.write(r));
    must(sink.finish(true));
    EXPECT_EQ(read(path()).messages[0].timestamp_ms, 1U);
}

TEST_F(SsFile, RefusesWhatNoReaderCouldRead) {
    ss_file_sink sink;
    must(sink.open(options()));
    EXPECT_THAT(sink.write(record_of("a/b", 1, "x")).error, HasSubstr("'/' is none of"));
    EXPECT_THAT(sink.write(record_of("", 1, "x")).error, HasSubstr("1 to 249 bytes"));
    EXPECT_THAT(sink.write(record_of(std::string(250, 'k'), 1, "x")).error, HasSubstr("1 to 249"));
    EXPECT_TRUE(sink.write(record_of(std::string(249, 'k'), 1, "x")).ok());
    EXPECT_TRUE(sink.write(record_of("k", 1, "x")).ok());
    EXPECT_THAT(sink.write(record_of("a", 1, "")).error, HasSubstr("it is empty"));
    for (const auto key : {ss::internal_key, ss::wildcard_key, ss::ruststream_key}) {
        EXPECT_THAT(sink.write(record_of(key, 1, "x")).error, HasSubstr("SeaStreamer's own"));
    }
    must(sink.finish(true));
    EXPECT_EQ(read(path()).messages.size(), 2U);
}

TEST_F(SsFile, KnowsWhichIntervalsAreImpossibleAndWhichUnusual) {
    EXPECT_THAT(interval_fault(5), HasSubstr("128 to 4294967295"));
    EXPECT_THAT(interval_fault(127), HasSubstr("127"));
    EXPECT_EQ(interval_fault(128), "");
    EXPECT_EQ(interval_fault(0xffffffffULL), "");
    EXPECT_NE(interval_fault(0x100000000ULL), "");
    EXPECT_EQ(interval_warning(1U << 20), "");
    EXPECT_THAT(interval_warning(570), HasSubstr("no room for an index"));
    EXPECT_THAT(interval_warning(571), HasSubstr("multiples of 1,024"));
    EXPECT_EQ(interval_warning(1024), "");
}

TEST_F(SsFile, CutsALongNameInTheHeaderAndWarnsOfOthers) {
    ss_file_options o = options();
    o.path = path(std::string(150, 'n') + ".ss");
    ss_file_sink sink;
    must(sink.open(o));
    must(sink.finish(true));
    EXPECT_EQ(read(o.path).file_name, std::string(111, 'n'));
    EXPECT_THAT(sink.notes(), ElementsAre(HasSubstr("the first 111 bytes")));

    o.path = path("\xc3\xa4.ss");
    ss_file_sink other;
    must(other.open(o));
    must(other.finish(true));
    EXPECT_THAT(other.notes(), ElementsAre(HasSubstr("TypeScript")));
    EXPECT_EQ(read(o.path).file_name, "\xc3\xa4.ss");
}

TEST_F(SsFile, ReplacesNothingWithoutBeingAsked) {
    std::ofstream(path()) << "precious";
    ss_file_sink sink;
    EXPECT_THAT(sink.open(options()).error, HasSubstr("exists; --force replaces it"));
    EXPECT_EQ(fs::file_size(path()), 8U);
    ss_file_options o = options();
    o.force = true;
    ss_file_sink forced;
    must(forced.open(o));
    EXPECT_EQ(fs::file_size(path()), 8U);
    must(forced.finish(true));
    EXPECT_EQ(read(path()).problems.size(), 0U);
}

// ---- --append

TEST_F(SsFile, AppendsAsIfTheFileHadNeverBeenClosed) {
    for (const std::uint32_t interval : {128U, 571U, 1024U, 1U << 20}) {
        const auto write = [&](const std::string& to, int from, int end, bool append) {
            ss_file_options o = options(interval);
            o.path = to;
            o.append = append;
            ss_file_sink sink;
            must(sink.open(o));
            for (int n = from; n < end; ++n) {
                must(sink.write(
                    record_of("k" + std::to_string(n % 5), 1000 + n, "payload number n")));
            }
            must(sink.finish(true));
        };
        fs::create_directory(folder_ / "whole");
        write(path("whole/out.ss"), 0, 60, false);
        for (const int cut : {0, 1, 7, 30, 59, 60}) {
            write(path(), 0, cut, false);
            write(path(), cut, 60, true);
            const contents c = read(path());
            EXPECT_THAT(c.problems, IsEmpty());
            EXPECT_EQ(c.messages, read(path("whole/out.ss")).messages);
            // An empty first part has no first record to take the creation time from.
            if (cut > 0) {
                EXPECT_EQ(bytes_of(path()), bytes_of(path("whole/out.ss"))) << cut;
            }
            fs::remove(path());
        }
        fs::remove_all(folder_ / "whole");
    }
}

TEST_F(SsFile, TakesTheEosOffFirstAndKeepsTheIntervalOfTheFile) {
    ss_file_sink first;
    must(first.open(options(1024)));
    must(first.write(record_of("a", 1000, "one")));
    must(first.finish(true));
    ss_file_options o = options(4096);
    o.append = true;
    {
        ss_file_sink stopped;
        must(stopped.open(o));
        EXPECT_TRUE(read(path()).sum.eos) << "opening changes nothing";
        must(stopped.write(record_of("a", 900, "two")));
        must(stopped.finish(false));
        EXPECT_THAT(stopped.notes(), ElementsAre(HasSubstr("keeps its beacon interval")));
    }
    const contents c = read(path());
    EXPECT_FALSE(c.sum.eos);
    EXPECT_EQ(c.interval, 1024U);
    EXPECT_THAT(c.messages,
                ElementsAre(message{"a", 1, 1000, "one"}, message{"a", 2, 1000, "two"}));
}

TEST_F(SsFile, CutsATornEndOffBeforeAppending) {
    ss_file_sink first;
    must(first.open(options(200)));
    for (int n = 0; n < 20; ++n) must(first.write(record_of("a", n, "some payload")));
    must(first.finish(false));
    fs::resize_file(path(), fs::file_size(path()) - 5);
    ss_file_options o = options(200);
    o.append = true;
    ss_file_sink second;
    must(second.open(o));
    must(second.write(record_of("a", 50, "last")));
    must(second.finish(true));
    EXPECT_THAT(second.notes(), ElementsAre(HasSubstr("not written to their end")));
    const contents c = read(path());
    EXPECT_THAT(c.problems, IsEmpty());
    ASSERT_EQ(c.messages.size(), 20U);
    EXPECT_EQ(c.messages.back(), (message{"a", 20, 50, "last"}));
}

TEST_F(SsFile, RefusesToAppendToADamagedFileAndLeavesItAlone) {
    const fs::path samples = fs::path(CDCSCOPE_SOURCE_DIR) / "tests/data/ss/damaged";
    for (const char* name :
         {"payload-bit", "size-4g", "size-plus-1", "key-length-250", "message-after-eos",
          "garbage-1-after-eos", "beacon-missing", "header-interval-0", "header-cut-60"}) {
        fs::copy_file(samples / (std::string(name) + ".ss"), path(),
                      fs::copy_options::overwrite_existing);
        const auto before = bytes_of(path());
        ss_file_options o = options();
        o.append = true;
        ss_file_sink sink;
        EXPECT_THAT(sink.open(o).error, HasSubstr("cdcscope ss repair")) << name;
        EXPECT_EQ(bytes_of(path()), before) << name;
    }
}

TEST_F(SsFile, AppendsToNothingAndToAnEmptyFileByMakingAFile) {
    for (const bool empty : {false, true}) {
        fs::remove(path());
        if (empty) std::ofstream(path()).flush();
        ss_file_options o = options();
        o.append = true;
        ss_file_sink sink;
        must(sink.open(o));
        must(sink.write(record_of("a", 1, "x")));
        must(sink.finish(true));
        EXPECT_EQ(read(path()).messages.size(), 1U);
    }
}

TEST_F(SsFile, AsksWhetherARunMayGoOnInAFile) {
    ss_file_sink first;
    must(first.open(options()));
    must(first.write(record_of("cdcscope.capture", 1, "layout raw")));
    must(first.finish(true));
    ss_file_options o = options();
    o.append = true;
    o.may_append = [](std::string_view key, byte_view payload) -> std::string {
        return key == "cdcscope.capture" && as_text(payload) == "layout raw" ? "written otherwise"
                                                                             : "";
    };
    ss_file_sink second;
    EXPECT_THAT(second.open(o).error, HasSubstr("cannot append: written otherwise; use the same"));
}

TEST_F(SsFile, LeavesAFileToTheOneWhoWritesIt) {
    ss_file_sink first;
    must(first.open(options()));
    ss_file_sink second;
    EXPECT_THAT(second.open(options()).error, HasSubstr("another process is writing it"));
    must(first.write(record_of("a", 1, "x")));
    must(first.finish(true));

    ss_file_options o = options();
    o.append = true;
    ss_file_sink third;
    must(third.open(o));
    ss_file_sink fourth;
    EXPECT_THAT(fourth.open(o).error, HasSubstr("another process is writing it"));
    o.append = false;
    o.force = true;
    ss_file_sink fifth;
    EXPECT_THAT(fifth.open(o).error, HasSubstr("another process is writing it"))
        << "replacing it would take it from under the one who appends";
    must(third.write(record_of("a", 2, "y")));
    must(third.finish(true));
    EXPECT_EQ(read(path()).messages.size(), 2U);
}

// ---- --limit, --roll

TEST_F(SsFile, FillsTheFileToTheLimitAndNotAByteBeyond) {
    for (const std::uint32_t interval : {128U, 600U, 1U << 20}) {
        for (std::uint64_t limit = 128; limit < 1500; limit += 37) {
            ss_file_options o = options(interval);
            o.limit = limit;
            o.force = true;
            ss_file_sink sink;
            must(sink.open(o));
            int written = 0;
            while (sink.write(record_of("key", 1, "some payload")).ok()) ++written;
            EXPECT_THAT(sink.write(record_of("k", 1, "x")).error, HasSubstr("(--limit)"))
                << "a smaller one later is refused, too";
            EXPECT_EQ(sink.figures().refused, 2U);
            must(sink.finish(true));
            const contents c = read(path());
            EXPECT_THAT(c.problems, IsEmpty());
            EXPECT_FALSE(c.sum.eos) << "it lacks messages";
            EXPECT_EQ(c.messages.size(), static_cast<std::size_t>(written));
            EXPECT_LE(c.sum.size, std::max<std::uint64_t>(limit, interval == 128 ? 135 : 128));
            // One more message and the EOS would not have fitted: 47 and 56 bytes, and beacons.
            EXPECT_GT(c.sum.size + 47 + 56 + 3 * 350, limit);
        }
    }
}

TEST_F(SsFile, RollsOnIntoFilesThatAreWholeEach) {
    ss_file_options o = options(600);
    o.limit = 1000;
    o.roll = true;
    ss_file_sink sink;
    must(sink.open(o));
    for (int n = 0; n < 50; ++n)
        must(sink.write(record_of("key", n, "number " + std::to_string(n))));
    must(sink.finish(true));
    EXPECT_EQ(sink.paths().at(1), path("out.2.ss"));
    EXPECT_EQ(sink.figures().files, sink.paths().size());
    int n = 0;
    for (const std::string& file : sink.paths()) {
        const contents c = read(file);
        EXPECT_THAT(c.problems, IsEmpty());
        EXPECT_TRUE(c.sum.eos);
        EXPECT_LE(c.sum.size, 1000U);
        std::uint64_t number = 0;
        for (const message& m : c.messages) {
            EXPECT_EQ(m.sequence, ++number);
            EXPECT_EQ(m.payload, "number " + std::to_string(n++));
        }
    }
    EXPECT_EQ(n, 50);
}

TEST_F(SsFile, DoesNotRollForAMessageThatFitsNoFile) {
    ss_file_options o = options();
    o.limit = 1000;
    o.roll = true;
    ss_file_sink sink;
    must(sink.open(o));
    EXPECT_THAT(sink.write(record_of("key", 1, std::string(2000, 'x'))).error,
                HasSubstr("--limit"));
    must(sink.finish(true));
    EXPECT_EQ(sink.paths().size(), 1U);
}

// The real limit, on a file whose middle is a hole.
TEST_F(SsFile, StopsAtTheRealLimitOf16GiB) {
    EXPECT_EQ(ss::default_file_limit, 17179869184U);
    class counting final : public ss::output {
      public:
        bool put(byte_view) override { return true; }
    } nowhere;
    ss::writer_state state;
    state.offset = ss::default_file_limit - 4096;
    ss::writer w(ss::default_interval, state);
    ASSERT_TRUE(w.write({"a", 0, 1, 1}, as_bytes("beyond 32 bits"), nowhere));
    EXPECT_EQ(w.offset(), ss::default_file_limit - 4096 + 47);
    ASSERT_TRUE(w.write({"a", 0, 2, 1}, std::vector<std::uint8_t>(4096), nowhere));
    // The message crosses 16 GiB, a multiple of the interval: a beacon with one marker of 28 bytes
    // stands there.
    EXPECT_EQ(w.offset(), ss::default_file_limit - 4096 + 47 + 4096 + 33 + 35);
}

// ---- devices

TEST_F(SsFile, WritesDevicesAndPipesInPlace) {
    ss_file_options o = options();
    o.path = "/dev/null";
    ss_file_sink null;
    must(null.open(o));
    must(null.write(record_of("a", 1, "x")));
    must(null.finish(true));

    o.path = "/dev/full";
    ss_file_sink full;
    must(full.open(o));
    must(full.write(record_of("a", 1, "x")));
    EXPECT_THAT(full.finish(true).error,
                HasSubstr("/dev/full: cannot write: no space left on device"));

    o.path = path("fifo");
    ASSERT_EQ(::mkfifo(o.path.c_str(), 0600), 0);
    std::vector<std::uint8_t> got;
    std::thread reader([&] { got = bytes_of(o.path); });
    ss_file_sink fifo;
    must(fifo.open(o));
    must(fifo.write(record_of("a", 1, "x")));
    must(fifo.finish(true));
    reader.join();
    EXPECT_EQ(got.size(), 128U + 34 + 56);
}

TEST_F(SsFile, SaysWhyAFileCanNotBeOpened) {
    ss_file_options o = options();
    o.path = path("no/such/folder/out.ss");
    ss_file_sink sink;
    EXPECT_THAT(sink.open(o).error, HasSubstr("no such file or directory"));
    o.path = folder_.string();
    EXPECT_THAT(ss_file_sink().open(o).error, HasSubstr("is a directory"));
}

}  // namespace
}  // namespace cdcscope::sink
