// The capture as a whole: one or more files in, segments and observations out.
#pragma once

#include <string>
#include <vector>

#include "analyzer/capture/capture_set.h"
#include "analyzer/capture/decoder.h"
#include "analyzer/capture/packet_filter.h"

namespace cdcscope::capture {

struct reader_options {
    std::string filter;               // BPF, on packets as captured; empty: all
    bool follow = false;              // next() gives `idle` at the end of a growing file
    std::string command = "extract";  // for texts that show what to type
};

// Packets of the summary. read = tcp + other.
struct packet_totals {
    std::uint64_t read = 0;      // whole records
    std::uint64_t tcp = 0;       // TCP, fragments of it, and exported messages
    std::uint64_t other = 0;     // everything else, what the filter left out included
    std::uint64_t cut = 0;       // of those read: shorter in the file than on the wire
    std::uint64_t left_out = 0;  // of those read: by the filter
    std::uint64_t cut_to = 0;    // captured bytes of the longest TCP packet that was cut
};

// Where the capture begins; known once a packet was read.
struct first_packet {
    bool seen = false;
    bool has_time = false;
    std::int64_t time_ns = 0;
    std::uint32_t link_type = 0;
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
    // Ends the reading before its time (a signal): fragments that wait are reported. next() does it
    // at the end by itself.
    void finish();

    // Names of the files in the order in which frame_ref::file counts them.
    [[nodiscard]] const std::vector<std::string>& names() const noexcept { return files_.names(); }
    [[nodiscard]] std::string_view format() const noexcept { return files_.format(); }
    [[nodiscard]] const first_packet& first() const noexcept { return first_; }
    [[nodiscard]] const packet_totals& packets() const noexcept { return totals_; }
    [[nodiscard]] reading_progress progress() const noexcept { return files_.progress(); }
    [[nodiscard]] std::vector<file_facts> files() const { return files_.facts(); }
    [[nodiscard]] const std::string& error() const noexcept { return error_; }

  private:
    step take(const packet& p);
    step fail(std::string error);

    decoder decoder_;
    capture_set files_;
    packet_filter filter_;
    std::string filter_text_;
    bool filters_ = false;
    packet_totals totals_;
    first_packet first_;
    bool finished_ = false;
    std::string error_;
};

}  // namespace cdcscope::capture
