// The object `wire` of a record: where the message was in the capture.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "analyzer/recover/message.h"
#include "proto/json/json_writer.h"

namespace cdcscope::record {

// RFC 3339, UTC, nine digits: always 30 characters. The text of the last second is kept.
class time_text {
  public:
    [[nodiscard]] std::string_view of(std::int64_t time_ns) noexcept;

  private:
    std::int64_t second_ = -1;
    char text_[30] = {};
};

class wire_json {
  public:
    // `files`: the captures' names, by frame_ref::file, written as `file`; empty with a single
    // capture. They must live as long.
    explicit wire_json(std::span<const std::string> files = {}) noexcept : files_(files) {}

    // Appends the member "wire" to the object that is open in `out`. `opaque`: the four bytes read
    // as big-endian (DCP, KV).
    void write(json_writer& out, const recover::message& m,
               std::optional<std::uint32_t> opaque = std::nullopt);

  private:
    std::span<const std::string> files_;
    time_text time_;
};

}  // namespace cdcscope::record
