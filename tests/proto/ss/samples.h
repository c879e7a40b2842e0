// The .ss files and listings under tests/data/ss.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "proto/json/base64.h"
#include "proto/ss/writer.h"

namespace cdcscope::ss::samples {

using nlohmann::json;
using bytes = std::vector<std::uint8_t>;
namespace fs = std::filesystem;

inline fs::path folder() {
    return fs::path(CDCSCOPE_SOURCE_DIR) / "tests" / "data" / "ss";
}

inline bytes read_file(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    EXPECT_TRUE(in) << path;
    return {std::istreambuf_iterator<char>(in), {}};
}

inline std::vector<json> read_lines(const fs::path& path) {
    std::ifstream in(path);
    EXPECT_TRUE(in) << path;
    std::vector<json> lines;
    for (std::string line; std::getline(in, line);) {
        if (!line.empty()) lines.push_back(json::parse(line));
    }
    return lines;
}

struct sample {
    std::string name;  // "valid/orders-eos"
    fs::path file;
    bool reopened = false;  // its beacons are those of a writer that forgot

    [[nodiscard]] fs::path beside(const char* suffix) const {
        return fs::path(file).replace_extension(suffix);
    }
    [[nodiscard]] std::vector<json> expected() const {
        return read_lines(beside(".expected.jsonl"));
    }
    // What is wrong with the file, not what the reference reader makes of it.
    [[nodiscard]] std::vector<json> problems() const {
        std::vector<json> found;
        for (const json& line : expected()) {
            if (line["type"] != "summary") continue;
            for (const json& p : line["problems"]) {
                if (!p["what"].get<std::string>().starts_with("the reference reader")) {
                    found.push_back(p);
                }
            }
        }
        return found;
    }
};

inline std::vector<sample> all(std::vector<std::string> folders = {"valid", "producer", "reference",
                                                                   "interop", "damaged"}) {
    std::vector<sample> found;
    for (const std::string& f : folders) {
        for (const auto& entry : fs::directory_iterator(folder() / f)) {
            if (entry.path().extension() != ".ss") continue;
            const std::string stem = entry.path().stem().string();
            found.push_back({f + "/" + stem, entry.path(),
                             stem.starts_with("reopen-") || stem.ends_with("-appended")});
        }
    }
    std::ranges::sort(found, {}, &sample::name);
    EXPECT_GT(found.size(), 0U);
    return found;
}

// Input vectors that were written in one go, also those whose file is left out.
inline std::vector<fs::path> vectors() {
    std::vector<fs::path> found;
    for (const char* f : {"valid", "producer"}) {
        for (const auto& entry : fs::directory_iterator(folder() / f)) {
            if (!entry.path().string().ends_with(".input.jsonl")) continue;
            const auto lines = read_lines(entry.path());
            if (std::ranges::none_of(lines, [](const json& l) { return l["type"] == "reopen"; })) {
                found.push_back(entry.path());
            }
        }
    }
    std::ranges::sort(found);
    return found;
}

inline bytes payload_of(const json& line) {
    if (line.contains("payload_utf8")) {
        const auto text = line["payload_utf8"].get<std::string>();
        return {text.begin(), text.end()};
    }
    if (line.contains("payload_b64")) {
        return decode_base64(line["payload_b64"].get<std::string>()).value();
    }
    bytes counted(line.at("payload_count")["size"].get<std::size_t>());
    auto next = static_cast<std::uint8_t>(line["payload_count"]["start"].get<unsigned>());
    for (std::uint8_t& b : counted) b = next++;
    return counted;
}

// Collects what is put; can be told to take no more than so many bytes.
class memory_output final : public output {
  public:
    explicit memory_output(std::size_t room = static_cast<std::size_t>(-1)) : room_(room) {}
    [[nodiscard]] bool put(byte_view piece) override {
        const std::size_t n = std::min(piece.size(), room_ - written.size());
        written.insert(written.end(), piece.begin(),
                       piece.begin() + static_cast<std::ptrdiff_t>(n));
        return n == piece.size();
    }
    bytes written;

  private:
    std::size_t room_;
};

struct frame {
    label at;
    bytes payload;
    std::string key;
};

// Writes an input vector with the writer.
inline bytes write_vector(const std::vector<json>& lines) {
    const json& h = lines.at(0);
    const auto name = h.at("file_name").get<std::string>();
    const auto interval = h.at("beacon_interval").get<std::uint32_t>();
    memory_output out;
    writer w(interval);
    EXPECT_TRUE(w.open({name, h.at("created_at_ms").get<std::uint64_t>(), interval}, out));
    for (const json& line : lines) {
        if (line["type"] == "eos") {
            EXPECT_TRUE(w.write_eos(line["ts_ms"].get<std::uint64_t>(), out));
        } else if (line["type"] == "message") {
            const auto key = line["key"].get<std::string>();
            EXPECT_TRUE(
                w.write({key, line["shard"].get<std::uint64_t>(), line["seq"].get<std::uint64_t>(),
                         line["ts_ms"].get<std::uint64_t>()},
                        payload_of(line), out));
        }
    }
    EXPECT_EQ(w.offset(), out.written.size());
    return std::move(out.written);
}

}  // namespace cdcscope::ss::samples
