// From the name of a capture to its packets: plain or compressed, pcap or pcapng, told by content.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "analyzer/capture/file_source.h"
#include "analyzer/capture/packet_reader.h"

namespace cdcscope::capture {

struct open_options {
    bool follow = false;              // the end of a regular file is "nothing more yet"
    std::string command = "extract";  // for texts that show what to type
};

// One open capture. error() begins with the file's name, the text of problem() does not.
class capture_file {
  public:
    // "-" is standard input. On failure error() is set and there is nothing to read.
    capture_file(std::string name, const open_options& options);

    [[nodiscard]] const std::string& error() const noexcept { return error_; }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] std::string_view format() const noexcept { return format_; }  // "pcap", "pcapng"
    [[nodiscard]] file_progress progress() const noexcept;
    // Closed and opened again it gives the same: a regular file, but not as standard input, which
    // goes on where it was.
    [[nodiscard]] bool can_reopen() const noexcept { return file_->is_regular() && name_ != "-"; }

    next_state next(packet& out) { return reader_->next(out); }
    [[nodiscard]] const read_problem& problem() const noexcept { return reader_->problem(); }
    [[nodiscard]] std::optional<std::uint32_t> only_link_type() const noexcept {
        return reader_->only_link_type();
    }
    [[nodiscard]] std::size_t interfaces() const noexcept { return reader_->interfaces(); }

  private:
    std::string open(const open_options& options);

    std::string name_;
    std::string error_;
    std::string_view format_;
    std::unique_ptr<packet_reader> reader_;
    const file_source* file_ = nullptr;  // lives in reader_
};

}  // namespace cdcscope::capture
