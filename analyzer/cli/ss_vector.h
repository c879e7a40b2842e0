// Lines that describe the messages of a .ss file: what `ss pack` reads and `ss dump --payload`
// prints.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cdcscope::cli {

enum class vector_type { header, message, eos, reopen, beacon, summary };

struct vector_line {
    vector_type type = vector_type::message;
    std::string file_name;
    std::uint64_t created_ms = 0;
    std::uint64_t interval = 0;
    std::string key;
    std::uint64_t shard = 0;
    std::uint64_t sequence = 0;
    std::uint64_t timestamp_ms = 0;
    std::vector<std::uint8_t> payload;
};

// Reads one line into `to`, whose buffers are used again. Returns what is wrong with it, or
// nothing.
[[nodiscard]] std::string read_vector_line(std::string_view line, vector_line& to);

}  // namespace cdcscope::cli
