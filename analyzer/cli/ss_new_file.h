// A .ss file that a subcommand makes out of messages of others: fields as given, nothing left
// behind when it fails.
#pragma once

#include <optional>
#include <string>

#include "analyzer/sink/output_file.h"
#include "analyzer/sink/ss_source.h"
#include "proto/ss/reader.h"
#include "proto/ss/writer.h"

namespace cdcscope::cli {

class ss_new_file {
  public:
    // Opens and writes the header; the file name in it is that of `path`, cut where needed. Throws
    // ss_failure.
    ss_new_file(const std::string& path, bool force, std::uint64_t created_ms,
                std::uint32_t interval);
    ss_new_file(const ss_new_file&) = delete;
    ss_new_file& operator=(const ss_new_file&) = delete;

    // The message on which `from` stands, under this label.
    void copy(ss::reader& from, const ss::label& as);
    // The end of the file, with an EOS of that time if there is one; gives the file its name.
    void finish(std::optional<std::uint64_t> eos_ms);

    [[nodiscard]] const ss::writer& writer() const noexcept { return writer_; }

  private:
    void done(bool well) const;

    std::string path_;
    sink::output_file file_;
    sink::ss_file_output to_;
    ss::writer writer_;
};

}  // namespace cdcscope::cli
