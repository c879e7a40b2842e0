// From file names to segments: containers, pipes, filters, growing files.
#include "analyzer/capture/reader.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "tests/analyzer/capture/build.h"
#include "tests/analyzer/capture/collect.h"

namespace cdcscope::capture::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string content_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// Standard input becomes a pipe that gives `bytes` in pieces of the given size.
class piped_input {
  public:
    piped_input(const std::string& bytes, std::size_t piece) : saved_(::dup(STDIN_FILENO)) {
        std::array<int, 2> ends{};
        EXPECT_EQ(::pipe(ends.data()), 0);
        ::dup2(ends[0], STDIN_FILENO);
        ::close(ends[0]);
        writer_ = std::thread([bytes, piece, to = ends[1]] {
            for (std::size_t at = 0; at < bytes.size(); at += piece) {
                const std::size_t n = std::min(piece, bytes.size() - at);
                if (::write(to, bytes.data() + at, n) != static_cast<ssize_t>(n)) break;
            }
            ::close(to);
        });
    }
    piped_input(const piped_input&) = delete;
    piped_input& operator=(const piped_input&) = delete;
    ~piped_input() {
        writer_.join();
        ::dup2(saved_, STDIN_FILENO);
        ::close(saved_);
    }

  private:
    int saved_;
    std::thread writer_;
};

TEST(Reader, GivesTheSameFromAPipeByteByByte) {
    for (const std::string name :
         {"reassembly/r01-dcp-clean.pcap", "reassembly/r58-gzip.pcap.gz",
          "reassembly/r59-zstd.pcap.zst", "reassembly/r61-pcapng-sections.pcapng"}) {
        run_result from_file;
        run(from_file, {data(name)});
        ASSERT_EQ(from_file.error, "");
        for (const std::size_t piece : {std::size_t{1}, std::size_t{700}}) {
            const piped_input input(content_of(data(name)), piece);
            run_result from_pipe;
            run(from_pipe, {"-"});
            EXPECT_EQ(from_pipe.error, "");
            EXPECT_EQ(from_pipe.packets.read, from_file.packets.read) << name;
            EXPECT_EQ(from_pipe.found.payload_bytes(), from_file.found.payload_bytes()) << name;
            EXPECT_THAT(from_pipe.found.codes(), IsEmpty());
        }
    }
}

TEST(Reader, MergesStandardInputWithFiles) {
    run_result r;
    const piped_input input(content_of(data("reassembly/r01-dcp-clean.pcap")), 4096);
    run(r, {data("reassembly/r02-canal-clean.pcap"), "-"});
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.packets.read, 26U + 34U);
}

TEST(Reader, MergesAFileThatStandardInputIsRedirectedFrom) {
    const int saved = ::dup(STDIN_FILENO);
    const int file = ::open(data("reassembly/r01-dcp-clean.pcap").c_str(), O_RDONLY);
    ::dup2(file, STDIN_FILENO);
    ::close(file);
    run_result r;
    run(r, {data("reassembly/r02-canal-clean.pcap"), "-"});
    ::dup2(saved, STDIN_FILENO);
    ::close(saved);
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.packets.read, 26U + 34U);
}

TEST(Reader, WaitsForAPipeThatSomebodyMadeNonBlocking) {
    const piped_input input(content_of(data("reassembly/r01-dcp-clean.pcap")), 100);
    ::fcntl(STDIN_FILENO, F_SETFL, ::fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK);
    run_result r;
    run(r, {"-"});
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.packets.read, 26U);
}

TEST(Reader, FollowsAGrowingFile) {
    const std::string whole = content_of(data("reassembly/r01-dcp-clean.pcap"));
    const temporary_file growing("growing.pcap", whole.substr(0, 100));
    collector found;
    reader_options options;
    options.follow = true;
    reader r(found.all(), options);
    ASSERT_EQ(r.open({growing.path()}), "");
    std::uint64_t idle = 0;
    for (std::size_t at = 100; at < whole.size();) {
        const step s = r.next();
        ASSERT_TRUE(s == step::packet || s == step::idle);
        if (s != step::idle) continue;
        ++idle;
        growing.append(whole.substr(at, 333));
        at += 333;
    }
    while (r.next() == step::packet) continue;
    EXPECT_EQ(r.packets().read, 26U);
    EXPECT_GT(idle, 10U);
    EXPECT_EQ(r.next(), step::idle) << "it may still grow";
}

TEST(Reader, FiltersPacketsAsCaptured) {
    reader_options options;
    options.filter = "src port 11210";
    run_result r;
    run(r, {data("reassembly/r01-dcp-clean.pcap")}, options);
    EXPECT_EQ(r.packets.read, 26U);
    EXPECT_EQ(r.packets.tcp + r.packets.other, 26U);
    EXPECT_GT(r.packets.other, 0U);
    for (const kept_segment& s : r.found.segments) EXPECT_EQ(s.head.source.port, 11210);
    EXPECT_EQ(r.found.segments.size(), r.packets.tcp);
}

TEST(Reader, CompilesTheFilterForEachLinkType) {
    reader_options options;
    options.filter = "tcp port 11210 or tcp port 11111";
    for (const auto& [file, read] :
         std::vector<std::pair<std::string, std::uint64_t>>{{"r60-pcapng-interfaces.pcapng", 18},
                                                            {"r49-null-big-endian.pcap", 32},
                                                            {"r48-sll2.pcap", 20},
                                                            {"r39-any-duplicates.pcap", 36},
                                                            {"r50-raw-ip-mix.pcap", 64}}) {
        run_result r;
        run(r, {data("reassembly/" + file)}, options);
        EXPECT_EQ(r.error, "");
        EXPECT_EQ(r.packets.tcp, read) << file;
    }
    options.filter = "ip6";
    run_result six;
    run(six, {data("reassembly/r49-null-big-endian.pcap")}, options);
    EXPECT_EQ(six.packets.tcp, 16U);
}

TEST(Reader, SaysWhereAFilterIsWrong) {
    const auto error = [](const std::string& filter) {
        reader_options options;
        options.filter = filter;
        run_result r;
        run(r, {data("reassembly/r01-dcp-clean.pcap")}, options);
        return r.error;
    };
    EXPECT_EQ(error("tcp prot 11210"),
              "--filter 'tcp prot 11210': syntax error at \"prot\" (column 5); the syntax is that "
              "of tcpdump: 'tcp port 11210'");
    EXPECT_THAT(error("tcp port 1 and (host 10.0.0.1 or tcp prot 3)"),
                HasSubstr("at \"prot\" (column 38)"));
    EXPECT_THAT(error("tcp port 1 or"), HasSubstr("ends too early"));
    EXPECT_THAT(error("port 99999999"), HasSubstr("illegal port number"));
    EXPECT_EQ(error("tcp port 11210"), "");
}

TEST(Reader, StopsWhenTheFilterDoesNotFitTheLinkType) {
    reader_options options;
    options.filter = "ether host 02:00:00:00:00:01";
    run_result r;
    run(r, {data("reassembly/r50-raw-ip-mix.pcap")}, options);
    EXPECT_THAT(r.error, HasSubstr("not for packets of link type 101"));
}

TEST(Reader, CountsCutPackets) {
    run_result r;
    run(r, {data("reassembly/r36-snaplen.pcap")});
    EXPECT_GT(r.packets.cut, 0U);
    EXPECT_EQ(r.packets.read, 18U);
    bool missing = false;
    for (const kept_segment& s : r.found.segments)
        missing = missing || s.head.wire_payload > s.payload.size();
    EXPECT_TRUE(missing);
}

TEST(Reader, ReportsWhatWaitsWhenItIsEndedEarly) {
    collector found;
    reader r(found.all(), {});
    ASSERT_EQ(r.open({data("reassembly/r52-ip-fragment-missing.pcap")}), "");
    for (int n = 0; n < 17; ++n) ASSERT_EQ(r.next(), step::packet);
    r.finish();
    r.finish();
    EXPECT_THAT(found.codes(), ElementsAre("ip.fragment_incomplete"));
    EXPECT_EQ(r.next(), step::done);
}

TEST(Reader, KnowsHowFarItIs) {
    const std::string name = data("reassembly/r58-gzip.pcap.gz");
    collector found;
    reader r(found.all(), {});
    ASSERT_EQ(r.open({name}), "");
    EXPECT_EQ(r.progress().total, content_of(name).size());
    while (r.next() == step::packet) continue;
    EXPECT_EQ(r.progress().done, r.progress().total);
}

}  // namespace
}  // namespace cdcscope::capture::testing
