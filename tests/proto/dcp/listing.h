// Lines of captures/dcp/NAME.expected.jsonl, written by an independent decoder, and the messages
// rebuilt from them.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "proto/wire/bytes.h"
#include "tests/proto/dcp/bytes_of.h"

namespace cdcscope::test {

inline std::vector<nlohmann::json> lines_of(const std::string& name) {
    std::ifstream in(std::filesystem::path(CDCSCOPE_SOURCE_DIR) / "captures/dcp" /
                     (name + ".expected.jsonl"));
    std::vector<nlohmann::json> lines;
    for (std::string line; std::getline(in, line);) {
        if (!line.empty()) lines.push_back(nlohmann::json::parse(line));
    }
    return lines;
}

inline std::vector<std::string> listings() {
    return {"seed0_prepare",
            "basic_ipv4",
            "collections_oso_ipv6",
            "stream_id_ipv4",
            "durability_replication_ipv4",
            "v8_features_ipv6",
            "java_client_ipv4",
            "messy_tcp_ipv4",
            "tiny_segments_ipv6",
            "doc_examples",
            "doc_examples_broken",
            "faults"};
}

inline std::uint64_t number_of(const nlohmann::json& line, const char* name) {
    return std::stoull(line.at(name).get<std::string>(), nullptr, 16);
}

// The exact bytes of the message. Values above 64 bytes are not in the listing: `whole` is false
// then, and zeros stand for them.
struct rebuilt {
    std::vector<std::uint8_t> bytes;
    bool whole = true;
};

inline rebuilt rebuild(const nlohmann::json& line) {
    rebuilt out;
    const auto framing = bytes_of(line.value("framing", ""));
    const auto extras = bytes_of(line.at("extras").get<std::string>());
    const auto key = bytes_of(line.at("key").get<std::string>());
    const std::size_t value_length = line.at("vlen");
    std::vector<std::uint8_t> value = bytes_of(line.value("value", ""));
    out.whole = value.size() == value_length;
    value.resize(value_length);
    const bool framed = line.at("magic") == "0x08" || line.at("magic") == "0x18";
    auto& b = out.bytes;
    b.resize(24);
    b[0] = static_cast<std::uint8_t>(number_of(line, "magic"));
    b[1] = static_cast<std::uint8_t>(number_of(line, "opcode"));
    if (framed) {
        b[2] = static_cast<std::uint8_t>(framing.size());
        b[3] = static_cast<std::uint8_t>(key.size());
    } else {
        store_be16(&b[2], static_cast<std::uint16_t>(key.size()));
    }
    b[4] = static_cast<std::uint8_t>(extras.size());
    b[5] = static_cast<std::uint8_t>(number_of(line, "datatype"));
    const bool has_status = line.contains("status");
    store_be16(&b[6],
               static_cast<std::uint16_t>(has_status ? number_of(line, "status")
                                                     : line.at("vbucket").get<std::uint64_t>()));
    store_be32(&b[8], static_cast<std::uint32_t>(framing.size() + extras.size() + key.size() +
                                                 value_length));
    store_be32(&b[12], static_cast<std::uint32_t>(number_of(line, "opaque")));
    store_be64(&b[16], number_of(line, "cas"));
    const std::vector<std::uint8_t>* const parts[] = {&framing, &extras, &key, &value};
    for (const auto* part : parts) b.insert(b.end(), part->begin(), part->end());
    return out;
}

}  // namespace cdcscope::test
