// A .ss file as the reader of proto/ss wants it, and a file being written as its writer wants it.
#pragma once

#include <string>

#include "analyzer/sink/output_file.h"
#include "proto/ss/byte_source.h"
#include "proto/ss/writer.h"

namespace cdcscope::sink {

// A regular file read by offset; it may grow meanwhile.
class ss_file_source final : public ss::byte_source {
  public:
    ss_file_source() = default;
    ~ss_file_source() override;

    // Error texts as the command line prints them: "WHERE: WHAT; WHAT TO DO".
    [[nodiscard]] status open(const std::string& path);
    // Reads through a descriptor that somebody else closes.
    void borrow(int descriptor, const std::string& path);

    [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::uint8_t> to) override;
    [[nodiscard]] std::uint64_t size() override;

    // Why the last read failed: "PATH: cannot read: REASON".
    [[nodiscard]] std::string failure() const;
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    // Bytes read so far, all reads together.
    [[nodiscard]] std::uint64_t bytes_read() const noexcept { return bytes_read_; }

  private:
    std::string path_;
    int fd_ = -1;
    bool owned_ = false;
    int error_ = 0;
    std::uint64_t bytes_read_ = 0;
};

// Hands frames to an output file and keeps its first failure.
class ss_file_output final : public ss::output {
  public:
    explicit ss_file_output(output_file& to) : to_(to) {}
    [[nodiscard]] bool put(byte_view bytes) override {
        outcome_ = to_.write(bytes);
        return outcome_.ok();
    }
    [[nodiscard]] const status& outcome() const noexcept { return outcome_; }

  private:
    output_file& to_;
    status outcome_;
};

}  // namespace cdcscope::sink
