// A file, FIFO or standard input, read in order without seeking.
#pragma once

#include <string>

#include "analyzer/capture/byte_source.h"

namespace cdcscope::capture {

// How far the reading of one file has come, in bytes as stored (compressed ones, too).
struct file_progress {
    std::uint64_t done = 0;
    std::uint64_t total = 0;  // 0: not known (pipe)
};

class file_source final : public byte_source {
  public:
    // Takes the descriptor over. `follow`: the end of a regular file is `more`, since its writer
    // may go on.
    file_source(int descriptor, bool follow);
    ~file_source() override;

    read_result read(std::span<std::uint8_t> into) override;
    [[nodiscard]] bool can_pause() const noexcept override { return follow_ || !regular_; }
    [[nodiscard]] std::string problem() const override;
    [[nodiscard]] bool is_regular() const noexcept { return regular_; }
    [[nodiscard]] const file_progress& progress() const noexcept { return progress_; }

  private:
    [[nodiscard]] bool wait_for_data() const;

    int descriptor_;
    bool follow_;
    bool regular_ = false;
    int failed_with_ = 0;  // errno
    file_progress progress_;
};

}  // namespace cdcscope::capture
