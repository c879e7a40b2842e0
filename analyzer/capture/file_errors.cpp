#include "analyzer/capture/file_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <numeric>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "proto/wire/utf8.h"

namespace cdcscope::capture {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

constexpr std::size_t names_looked_at = 10'000;
constexpr std::size_t looked_at = 64;  // bytes of a file that is no capture

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t above = row[j + 1];
            row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0U : 1U)});
            diagonal = above;
        }
    }
    return row.back();
}

// Files that are something else: how they start, what they are, what to do ({0}: the file's name,
// {1}: the command).
struct known_content {
    std::string_view magic;
    std::string_view text;
};
constexpr std::array known_contents{
    known_content{"\xfd"
                  "7zXZ\0"sv,
                  "xz compression is not read; unpack it: xz -dc {0} | cdcscope {1} -"},
    known_content{"BZh"sv,
                  "bzip2 compression is not read; unpack it: bzip2 -dc {0} | cdcscope {1} -"},
    known_content{"\x04\x22\x4d\x18"sv,
                  "lz4 compression is not read; unpack it: lz4 -dc {0} | cdcscope {1} -"},
    known_content{"PK\x03\x04"sv,
                  "a zip archive is not read; unpack it: unzip -p {0} | cdcscope {1} -"},
    known_content{"7z\xbc\xaf\x27\x1c"sv,
                  "a 7-Zip archive is not read; unpack it: 7z x -so {0} | cdcscope {1} -"},
    known_content{"Ss\x01"sv,
                  "not a capture: it is a SeaStreamer file; did you mean cdcscope ss cat {0}?"},
    known_content{"snoop\0\0\0"sv,
                  "a snoop capture is not read; convert it: editcap -F pcapng {0} capture.pcapng"},
    known_content{
        "GMBU"sv,
        "a Network Monitor capture is not read; convert it: editcap -F pcapng {0} capture.pcapng"},
};

bool is_text(byte_view start) {
    const bool printable = std::ranges::all_of(
        start, [](std::uint8_t b) { return b >= 0x20 || (b >= '\t' && b <= '\r'); });
    const std::size_t cut_character = start.size() < looked_at ? 0 : 3;
    return printable && valid_utf8_prefix(start) + cut_character >= start.size();
}

std::string first_words(byte_view start) {
    const std::string_view line = as_text(start.first(std::min<std::size_t>(start.size(), 16)));
    return std::string(line.substr(0, line.find_first_of("\r\n")));
}

}  // namespace

std::string nearest_name(const std::string& name) {
    const fs::path wanted(name);
    const std::string base = wanted.filename().string();
    std::string nearest;
    std::size_t best = std::max<std::size_t>(1, std::min<std::size_t>(3, base.size() / 4)) + 1;
    std::error_code failed;
    fs::directory_iterator entry(wanted.has_parent_path() ? wanted.parent_path() : fs::path("."),
                                 failed);
    for (std::size_t n = 0; !failed && entry != fs::directory_iterator() && n < names_looked_at;
         ++n, entry.increment(failed)) {
        const std::string candidate = entry->path().filename().string();
        const std::size_t distance = edit_distance(base, candidate);
        if (distance > best || (distance == best && (nearest.empty() || candidate > nearest)))
            continue;
        if (distance == best && candidate == nearest) continue;
        best = distance;
        nearest = candidate;
    }
    return nearest.empty() ? nearest : (wanted.parent_path() / nearest).string();
}

std::string system_reason(int error_number) {
    std::string text = std::generic_category().message(error_number);
    if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z')
        text[0] = static_cast<char>(text[0] - 'A' + 'a');
    return text;
}

std::string describe_open_error(const std::string& name, int error_number) {
    switch (error_number) {
        case ENOENT: {
            const std::string nearest = nearest_name(name);
            return nearest.empty()
                       ? fmt::format("{}: no such file", name)
                       : fmt::format("{}: no such file; did you mean {}?", name, nearest);
        }
        case EACCES:
            return fmt::format(
                "{}: permission denied; captures written by tcpdump often belong to root: try "
                "sudo, "
                "or chmod a+r on a copy",
                name);
        case EISDIR:
            return fmt::format("{0}: is a directory; name the files in it: {0}/*.pcap", name);
        default:
            return fmt::format("{}: cannot open: {}", name, system_reason(error_number));
    }
}

std::string describe_content(const std::string& name, const std::string& inside, byte_view start,
                             const std::string& command) {
    constexpr std::string_view wanted = "give a pcap or pcapng file, plain, gzip or zstd";
    if (start.empty()) return fmt::format("{}: {}empty file (0 bytes); {}", name, inside, wanted);
    for (const known_content& known : known_contents) {
        if (as_text(start).starts_with(known.magic)) {
            return fmt::format("{}: {}{}", name, inside,
                               fmt::format(fmt::runtime(known.text), name, command));
        }
    }
    start = start.first(std::min(start.size(), looked_at));
    if (is_text(start)) {
        return fmt::format("{}: {}not a capture: it starts with \"{}\" (text); {}", name, inside,
                           first_words(start), wanted);
    }
    start = start.first(std::min<std::size_t>(start.size(), 8));
    return fmt::format("{}: {}not a capture: it starts with the bytes {:02x}; {}", name, inside,
                       fmt::join(start, " "), wanted);
}

}  // namespace cdcscope::capture
