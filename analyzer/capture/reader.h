// The capture as a whole: one or more files in, segments and observations out.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analyzer/capture/capture_file.h"
#include "analyzer/capture/decoder.h"

namespace cdcscope::capture {

struct reader_options {
    std::string filter;               // BPF, on packets as captured; empty: all
    bool follow = false;              // step() gives `idle` at the end of a growing file
    std::string command = "extract";  // for texts that show what to type
};

// Packets of the summary. read = tcp + other.
struct packet_totals {
    std::uint64_t read = 0;   // whole records
    std::uint64_t tcp = 0;    // TCP, fragments of it, and exported messages
    std::uint64_t other = 0;  // everything else, what the filter left out included
    std::uint64_t cut = 0;    // of those read: shorter in the file than on the wire
};

struct reading_progress {
    std::uint64_t done = 0;   // bytes of the files as stored
    std::uint64_t total = 0;  // 0: not known
    std::uint32_t file = 0;   // being read; names() has its name
};

enum class step : std::uint8_t {
    packet,  // one packet was taken apart
    idle,    // nothing now, perhaps later: a growing file or a pipe, or a signal came
    done,    // all files are read; finish() has run
    failed,  // error() says why
};

class reader {
  public:
    reader(const sinks& out, reader_options options);

    // Opens the captures. The text of what went wrong, "WHERE: WHAT: ...", or an empty one.
    [[nodiscard]] std::string open(const std::vector<std::string>& names);

    // Reads the next packet; calls the sinks before it returns.
    step next();

    // Names of the files in the order in which frame_ref::file counts them.
    [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
    [[nodiscard]] const packet_totals& packets() const noexcept { return totals_; }
    [[nodiscard]] reading_progress progress() const noexcept;
    [[nodiscard]] const std::string& error() const noexcept { return error_; }

  private:
    void take(packet& p);

    sinks out_;
    reader_options options_;
    decoder decoder_;
    std::vector<std::string> names_;
    std::vector<std::unique_ptr<capture_file>> files_;
    std::size_t current_ = 0;
    packet_totals totals_;
    std::string error_;
};

}  // namespace cdcscope::capture
