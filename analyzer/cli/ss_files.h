// What the `ss` subcommands share: files opened with our words when that fails, lines for standard
// output, texts of damage.
#pragma once

#include <memory>
#include <string>

#include "analyzer/sink/output_file.h"
#include "analyzer/sink/ss_source.h"
#include "proto/ss/header.h"
#include "proto/ss/problem.h"

namespace cdcscope::cli {

// The command can not be done: status 1, one line.
struct ss_failure {
    std::string text;
};

// An .ss file to read. Throws ss_failure if it can not be opened, or is another kind of file that
// we know.
[[nodiscard]] std::unique_ptr<sink::ss_file_source> open_ss(const std::string& path);

// Its header. Throws ss_failure if it can not be used.
struct ss_header {
    std::string file_name;
    std::uint64_t created_ms = 0;
    std::uint32_t interval = 0;
};
[[nodiscard]] ss_header read_ss_header(sink::ss_file_source& source);

// Lines on standard output, in large pieces. Throws ss_failure if they can not be written; a reader
// that went away is none: then gone() is true and there is nothing more to do.
class ss_lines {
  public:
    ss_lines();
    void put(std::string_view text);
    void put(byte_view bytes);
    void flush();
    [[nodiscard]] bool gone() const noexcept { return out_.reader_gone(); }

  private:
    sink::output_file out_;
};

// "2023-11-14T22:13:20.001Z"
[[nodiscard]] std::string ss_time(std::uint64_t timestamp_ms);

// Throws ss_failure unless it went well.
void must(const sink::status& outcome);

}  // namespace cdcscope::cli
