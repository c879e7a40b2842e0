// What `extract` prints when it is done: the files, a line a connection, what was missing, what to
// do next.
#pragma once

#include <string>

#include "analyzer/cli/extraction.h"
#include "analyzer/track/figures.h"

namespace cdcscope::cli {

struct extract_facts {
    const std::vector<std::string>* captures = nullptr;  // names as given
    const std::vector<std::string>* files = nullptr;     // names by number of a frame's file
    const capture::packet_totals* packets = nullptr;
    const extraction* run = nullptr;
    const track::figures* figures = nullptr;
    const common_options* asked = nullptr;
    int width = 100;
};

[[nodiscard]] std::string extract_table(const extract_facts& facts);

// One line that says what was in the capture instead, and what to try; empty if something was
// recovered.
[[nodiscard]] std::string nothing_there(const extract_facts& facts);

// A line each for connections that are encrypted, or speak something else on a port of ours, as far
// as nothing_there() does not say it.
[[nodiscard]] std::vector<std::string> foreign_beside(const extract_facts& facts);

// "1,460 B in 1 gap and 227 unparsed B (c8)": what --strict fails on; empty if nothing is missing.
[[nodiscard]] std::string what_is_missing(const extract_facts& facts);

}  // namespace cdcscope::cli
