// JSON lines: the payload with `stream`, `sequence` and `timestamp` in front.

#pragma once

#include <map>
#include <string>

#include "analyzer/sink/output_file.h"
#include "analyzer/sink/record_sink.h"
#include "proto/json/json_writer.h"

namespace cdcscope::sink {

class json_lines_sink final : public record_sink {
  public:
    explicit json_lines_sink(output_file out) : out_(std::move(out)) {}
    status write(const record& r) override;
    status finish(bool whole) override;
    status end(bool whole) override;
    status publish() override;
    [[nodiscard]] bool reader_gone() const noexcept { return out_.reader_gone(); }

  private:
    output_file out_;
    std::map<std::string, std::uint64_t, std::less<>> sequences_;
    std::string line_;
    json_writer raw_;
    std::int64_t last_ms_ = 0;
};

}  // namespace cdcscope::sink
