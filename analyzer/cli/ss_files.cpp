#include "analyzer/cli/ss_files.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <optional>
#include <vector>

#include "analyzer/cli/nearest.h"
#include "analyzer/cli/ss_damage.h"

namespace cdcscope::cli {
namespace {

namespace fs = std::filesystem;

std::string no_such_file(const std::string& path) {
    std::vector<std::string> names;
    std::error_code error;
    const fs::path folder = fs::path(path).parent_path();
    for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, error)) {
        names.push_back(entry.path().filename().string());
    }
    const auto near = nearest(fs::path(path).filename().string(), names);
    if (!near) return path + ": no such file";
    return fmt::format("{}: no such file; did you mean {}?", path, (folder / *near).string());
}

struct known_format {
    std::string_view magic;
    std::string_view name;
    bool capture;
};

using namespace std::string_view_literals;
constexpr std::array known_formats{
    known_format{"\xd4\xc3\xb2\xa1"sv, "a pcap", true},
    known_format{"\xa1\xb2\xc3\xd4"sv, "a pcap", true},
    known_format{"\x4d\x3c\xb2\xa1"sv, "a pcap", true},
    known_format{"\xa1\xb2\x3c\x4d"sv, "a pcap", true},
    known_format{"\x0a\x0d\x0d\x0a"sv, "a pcapng", true},
    known_format{"\x1f\x8b"sv, "gzip", false},
    known_format{"\x28\xb5\x2f\xfd"sv, "zstd", false},
    known_format{"{\""sv, "JSON", false},
};

std::optional<std::string> other_kind(const std::string& path, byte_view start) {
    for (const known_format& f : known_formats) {
        if (as_text(start).substr(0, f.magic.size()) != f.magic) continue;
        const std::string what_to_do = f.capture
                                           ? fmt::format("did you mean cdcscope extract {}?", path)
                                           : std::string("give a file that starts with \"Ss\"");
        return fmt::format("{}: not a .ss file: it is {}; {}", path, f.name, what_to_do);
    }
    return std::nullopt;
}

}  // namespace

void must(const sink::status& outcome) {
    if (!outcome.ok()) throw ss_failure{outcome.error};
}

std::unique_ptr<sink::ss_file_source> open_ss(const std::string& path) {
    auto source = std::make_unique<sink::ss_file_source>();
    if (const sink::status opened = source->open(path); !opened.ok()) {
        std::error_code error;
        if (!fs::exists(path, error) && !error) throw ss_failure{no_such_file(path)};
        throw ss_failure{opened.error};
    }
    std::array<std::uint8_t, 4> start{};
    const std::size_t n = source->read(0, start);
    if (n == ss::byte_source::failed) throw ss_failure{source->failure()};
    if (const auto text = other_kind(path, {start.data(), n})) throw ss_failure{*text};
    return source;
}

ss_header read_ss_header(sink::ss_file_source& source) {
    std::array<std::uint8_t, ss::header_size> bytes{};
    const std::size_t n = source.read(0, bytes);
    if (n == ss::byte_source::failed) throw ss_failure{source.failure()};
    const ss::decoded_header h = ss::decode_header({bytes.data(), n});
    if (h.broken) throw ss_failure{damage_text(source, h.broken, 0)};
    return {std::string(h.value.file_name), h.value.created_ms, h.value.interval};
}

ss_lines::ss_lines() {
    must(out_.open("-", sink::output_file::existing::refuse));
}

void ss_lines::put(std::string_view text) {
    put(as_bytes(text));
}

void ss_lines::put(byte_view bytes) {
    must(out_.write(bytes));
}

void ss_lines::flush() {
    must(out_.flush());
}

std::string ss_time(std::uint64_t timestamp_ms) {
    const auto seconds = static_cast<std::time_t>(timestamp_ms / 1000);
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(seconds), timestamp_ms % 1000);
}

}  // namespace cdcscope::cli
