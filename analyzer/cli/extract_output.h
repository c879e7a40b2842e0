// The file or files of `extract`: one for all, or one a connection, as .ss or JSON lines.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/cli/extract_options.h"
#include "analyzer/sink/json_lines.h"
#include "analyzer/sink/ss_file.h"

namespace cdcscope::cli {

class extract_output {
  public:
    explicit extract_output(const extract_options& o);

    // The one file; with --split they are opened as connections appear.
    [[nodiscard]] sink::status open();
    // Creation time of the connection's file: that of the first packet. Before its first record.
    void created(std::uint32_t connection, std::int64_t first_packet_ns);
    // Whether the connection's file is new, so that its first record must come: call before
    // write().
    [[nodiscard]] bool is_new(std::uint32_t connection);
    [[nodiscard]] sink::status write(std::uint32_t connection, const sink::record& r);
    // Whole; interrupted: what is there gets its name all the same; failed: of several files none
    // gets its name, since none is known to be whole.
    enum class ending { whole, interrupted, failed };
    [[nodiscard]] sink::status finish(ending how);

    [[nodiscard]] bool reader_gone() const noexcept;
    // Files that were written, for people.
    [[nodiscard]] const std::vector<std::string>& paths() const noexcept { return paths_; }
    // In words: "x.ss", "x.ss to x.3.ss", "x.c0001.ss and 3 more files", "the output" (standard
    // output), "nothing".
    [[nodiscard]] std::string written() const;
    [[nodiscard]] std::size_t files() const noexcept;
    [[nodiscard]] std::vector<std::string> notes() const;
    [[nodiscard]] std::uint64_t refused() const noexcept;
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] bool to_standard_output() const noexcept { return name_ == "-"; }
    [[nodiscard]] std::vector<std::uint32_t> open_files() const;

  private:
    struct target {
        std::unique_ptr<sink::record_sink> sink;
        sink::ss_file_sink* ss = nullptr;
        sink::json_lines_sink* lines = nullptr;
        bool begun = false;
    };
    [[nodiscard]] std::string written_twice() const;
    [[nodiscard]] sink::status open_target(const std::string& path, target& t);
    [[nodiscard]] sink::status finish_all(bool whole, bool publish);
    // 0 for the one file of all.
    [[nodiscard]] std::uint32_t file_of(std::uint32_t connection) const noexcept {
        return options_.split_connections ? connection : 0;
    }

    const extract_options& options_;
    std::string name_;
    output_format format_;
    std::int64_t created_ns_ = 0;  // for files that are opened later
    std::map<std::uint32_t, target> targets_;
    std::vector<std::string> paths_;
    // Of files that are continued: where the captures begin that they hold.
    std::set<std::pair<std::string, std::string>> held_;  // time, path
};

}  // namespace cdcscope::cli
