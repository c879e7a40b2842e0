// What `extract` takes besides the common options.
#pragma once

#include <optional>
#include <string>

#include "analyzer/cli/common_options.h"
#include "analyzer/record/options.h"
#include "analyzer/sink/ss_file.h"

namespace cdcscope::cli {

enum class output_format { ss, jsonl };

struct extract_options {
    common_options common;
    record::options records;
    std::string output;                   // as given; see output_name()
    std::optional<output_format> format;  // --format, else by the name
    bool force = false;
    bool append = false;
    bool split_connections = false;  // --split connection
    std::uint32_t beacon_interval = ss::default_interval;
    std::uint64_t limit = ss::default_file_limit;
    bool roll = false;
    bool no_eos = false;
    std::optional<std::int64_t> created_ns;
    std::string summary;
    bool strict = false;
};

void add_extract_options(CLI::App& command, extract_options& o);

// "-o", or the first capture's name without folder, compression and capture ending, with ".ss":
// a.pcap.gz gives a.ss, "-" gives "-".
[[nodiscard]] std::string output_name(const extract_options& o);
[[nodiscard]] output_format format_of(const extract_options& o, const std::string& output);

// "x.c0001.ss" of "x.ss".
[[nodiscard]] std::string split_name(const std::string& output, std::uint32_t connection);

}  // namespace cdcscope::cli
