// Whatever ends a writer, what it leaves is never a file that looks whole but is not, and can be
// read to its last whole message (R19).
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include <map>
#include <random>

#include "tests/analyzer/sink/ss_fixture.h"

namespace cdcscope::sink {
namespace {

namespace fs = std::filesystem;

class SsCrash : public ss_fixture {
  protected:
    static constexpr std::uint64_t all = 3'000;

    // Record n of every run.
    static record nth(std::uint64_t n, std::string& key, std::string& payload) {
        key = "key-" + std::to_string(n % 11);
        payload.assign(20 + n * 37 % 2000, static_cast<char>('a' + n % 26));
        return record_of(key, static_cast<std::int64_t>(1000 + n), payload);
    }

    static status write_all(ss_file_sink& sink, std::uint64_t from = 0) {
        std::string key, payload;
        for (std::uint64_t n = from; n < all; ++n) {
            if (status s = sink.write(nth(n, key, payload)); !s.ok()) return s;
        }
        return sink.finish(true);
    }

    // The file may be torn, but all in front of that is what was written, and a whole one has
    // everything.
    static void expect_honest(const std::string& file) {
        if (!fs::exists(file)) return;
        const contents c = read(file);
        std::string key, payload;
        for (std::uint64_t n = 0; n < c.messages.size(); ++n) {
            (void)nth(n, key, payload);
            ASSERT_EQ(c.messages[n].key, key);
            ASSERT_EQ(c.messages[n].payload, payload);
        }
        ASSERT_LE(c.problems.size(), 1U) << c.problems[0] << "; " << c.problems[1];
        if (c.sum.eos) {
            EXPECT_EQ(c.messages.size(), all);
            EXPECT_TRUE(c.problems.empty());
        }
    }

    ss_file_options options() {
        ss_file_options o;
        o.path = path();
        o.interval = 4096;
        return o;
    }
};

TEST_F(SsCrash, AKilledWriterLeavesNoFileThatLooksWhole) {
    std::mt19937 random(1);
    std::uint64_t killed = 0;
    for (int round = 0; round < 200; ++round) {
        fs::remove(path());
        fs::remove(path() + ".part");
        const pid_t child = ::fork();
        if (child == 0) {
            ss_file_sink sink;
            const bool well = sink.open(options()).ok() && write_all(sink).ok();
            ::_exit(well ? 0 : 1);
        }
        const timespec pause{0, static_cast<long>(random() % 6'000'000)};
        ::nanosleep(&pause, nullptr);
        ::kill(child, SIGKILL);
        int how = 0;
        ASSERT_EQ(::waitpid(child, &how, 0), child);
        killed += WIFSIGNALED(how);
        expect_honest(path());
        expect_honest(path() + ".part");
        if (fs::exists(path())) {
            EXPECT_TRUE(read(path()).sum.eos) << "only a whole file gets the name";
        }
    }
    EXPECT_GT(killed, 20U);
}

TEST_F(SsCrash, AKilledAppendLeavesWhatWasThereAndNoEos) {
    {
        ss_file_sink sink;
        ASSERT_TRUE(sink.open(options()).ok());
        std::string key, payload;
        for (std::uint64_t n = 0; n < all / 2; ++n)
            ASSERT_TRUE(sink.write(nth(n, key, payload)).ok());
        ASSERT_TRUE(sink.finish(true).ok());
    }
    const std::string first_half = path("half.ss");
    fs::copy_file(path(), first_half);
    std::mt19937 random(2);
    std::uint64_t killed = 0;
    for (int round = 0; round < 100; ++round) {
        fs::copy_file(first_half, path(), fs::copy_options::overwrite_existing);
        const pid_t child = ::fork();
        if (child == 0) {
            ss_file_options o = options();
            o.append = true;
            ss_file_sink sink;
            const bool well = sink.open(o).ok() && write_all(sink, all / 2).ok();
            ::_exit(well ? 0 : 1);
        }
        const timespec pause{0, static_cast<long>(random() % 12'000'000)};
        ::nanosleep(&pause, nullptr);
        ::kill(child, SIGKILL);
        int how = 0;
        ASSERT_EQ(::waitpid(child, &how, 0), child);
        killed += WIFSIGNALED(how);
        const contents c = read(path());
        EXPECT_GE(c.messages.size(), all / 2);
        if (c.sum.eos) {
            EXPECT_TRUE(c.messages.size() == all / 2 || c.messages.size() == all);
        }
        // And it can be continued.
        ss_file_options o = options();
        o.append = true;
        ss_file_sink sink;
        ASSERT_TRUE(sink.open(o).ok());
        ASSERT_TRUE(write_all(sink, c.messages.size()).ok());
        expect_honest(path());
        EXPECT_EQ(read(path()).messages.size(), all);
    }
    EXPECT_GT(killed, 10U);
}

// A file that may not grow beyond a size: every write that would fails with "file too large".
TEST_F(SsCrash, AWriteThatFailsAnywhereSaysSoAndLeavesNoFileThatLooksWhole) {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    {
        ss_file_sink whole;
        ASSERT_TRUE(whole.open(options()).ok() && write_all(whole).ok());
    }
    const std::uint64_t size = fs::file_size(path());
    fs::remove(path());
    for (std::uint64_t point = 0; point < 100; ++point) {
        const rlimit small{size * point / 100, before.rlim_max};
        ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
        std::string error;
        {
            ss_file_sink sink;
            ASSERT_TRUE(sink.open(options()).ok());
            error = write_all(sink).error;
            EXPECT_EQ(sink.finish(true).error, error) << "it does not get better";
        }
        ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
        EXPECT_NE(error.find("out.ss: cannot write: "), std::string::npos) << error;
        EXPECT_FALSE(fs::exists(path()));
        if (fs::exists(path() + ".part")) {
            EXPECT_FALSE(read(path() + ".part").sum.eos);
            expect_honest(path() + ".part");
        }
    }
}

}  // namespace
}  // namespace cdcscope::sink
