// Frame by frame, TCP payload lengths equal tshark's: for every capture of the project and for each
// link layer and tunnel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "tests/analyzer/capture/build.h"
#include "tests/analyzer/capture/collect.h"
#include "tests/analyzer/capture/layer_cases.h"

namespace cdcscope::capture::testing {
namespace {

namespace fs = std::filesystem;

struct frames {
    std::map<std::uint32_t, std::uint64_t> payload;  // by frame number, those with TCP
    std::uint32_t last = 0;
};

// In a tunnel tshark lists each header's value; the innermost comes last.
frames by_tshark(const std::string& file) {
    const std::string command =
        std::string(CDCSCOPE_TSHARK) + " -r '" + file +
        "' -T fields -e frame.number -e tcp.len -e icmp.type -e icmpv6.type 2>/dev/null";
    frames found;
    std::FILE* out = ::popen(command.c_str(), "r");
    if (out == nullptr) return found;
    char line[256];
    while (std::fgets(line, sizeof line, out) != nullptr) {
        std::istringstream fields(line);
        std::string number, lengths, icmp;
        std::getline(fields, number, '\t');
        std::getline(fields, lengths, '\t');
        std::getline(fields, icmp);
        found.last = static_cast<std::uint32_t>(std::stoul(number));
        if (lengths.empty() || icmp.find_first_of("0123456789") != std::string::npos) continue;
        const std::size_t comma = lengths.rfind(',');
        found.payload[found.last] =
            std::stoul(comma == std::string::npos ? lengths : lengths.substr(comma + 1));
    }
    ::pclose(out);
    return found;
}

frames by_us(const std::string& file) {
    run_result r;
    run(r, {file});
    EXPECT_EQ(r.error, "");
    frames found;
    for (const kept_segment& s : r.found.segments)
        found.payload[s.head.at.frame] = s.head.wire_payload;
    found.last = static_cast<std::uint32_t>(r.packets.read);
    return found;
}

std::vector<std::string> captures() {
    std::vector<std::string> files;
    for (const std::string folder : {"/captures", "/tests/data/reassembly"}) {
        for (const auto& entry : fs::recursive_directory_iterator(CDCSCOPE_SOURCE_DIR + folder)) {
            if (entry.path().filename().string().find(".pcap") != std::string::npos)
                files.push_back(entry.path().string());
        }
    }
    return files;
}

// tshark takes a second to start, so most files are read by it as one. Not those whose fragments
// would meet those of another file, nor the cut one.
bool stands_alone(const std::string& file) {
    const std::string name = fs::path(file).filename().string().substr(0, 3);
    return name == "r51" || name == "r52" || name == "r53" || name == "r57";
}

TEST(TsharkFrames, AgreeOnEveryCaptureOfTheProject) {
    const std::vector<std::string> files = captures();
    ASSERT_GE(files.size(), 65U);
    const temporary_file merged("merged.pcapng");
    std::string merge = std::string(CDCSCOPE_MERGECAP) + " -a -w '" + merged.path() + "'";
    frames together;
    for (const std::string& file : files) {
        const frames ours = by_us(file);
        if (stands_alone(file)) {
            const frames theirs = by_tshark(file);
            EXPECT_EQ(ours.last, theirs.last) << file;
            EXPECT_EQ(ours.payload, theirs.payload) << file;
            continue;
        }
        merge += " '" + file + "'";
        for (const auto& [number, payload] : ours.payload)
            together.payload[together.last + number] = payload;
        together.last += ours.last;
    }
    ASSERT_EQ(std::system(merge.c_str()), 0) << merge;
    const frames theirs = by_tshark(merged.path());
    EXPECT_EQ(together.last, theirs.last);
    EXPECT_EQ(together.payload, theirs.payload);
    const frames ours = by_us(merged.path());
    EXPECT_EQ(ours.last, theirs.last);
    EXPECT_EQ(ours.payload, theirs.payload);
}

TEST(TsharkFrames, AgreeOnEachLinkLayerAndTunnel) {
    // What tshark reads only when told by a preference, or not at all.
    const std::set<std::string> not_by_tshark{"FiveTags", "MplsLink", "MplsPseudowire",
                                              "MplsPseudowireWithControlWord", "VxlanOldPort"};
    const std::vector<layer_case> cases = layer_cases();
    const pcapng_form f;
    std::string interfaces;
    std::string packets;
    for (std::uint32_t n = 0; n < cases.size(); ++n) {
        interfaces += f.interface(static_cast<std::uint16_t>(cases[n].link_type));
        packets += f.enhanced(cases[n].bytes, 1'700'000'000'000'000 + n, n);
    }
    const temporary_file file("layers.pcapng", f.section() + interfaces + packets);
    const frames theirs = by_tshark(file.path());
    const frames ours = by_us(file.path());
    EXPECT_EQ(theirs.last, cases.size());
    for (std::uint32_t n = 0; n < cases.size(); ++n) {
        EXPECT_EQ(ours.payload.count(n + 1), 1U) << cases[n].name;
        const auto found = theirs.payload.find(n + 1);
        EXPECT_EQ(found == theirs.payload.end(), not_by_tshark.contains(cases[n].name))
            << cases[n].name;
        if (found != theirs.payload.end()) {
            EXPECT_EQ(found->second, 4U) << cases[n].name;
        }
    }
}

}  // namespace
}  // namespace cdcscope::capture::testing
