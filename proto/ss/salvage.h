// Finds everything in a damaged file that is still a message (R22).
#pragma once

#include <optional>
#include <string_view>

#include "proto/ss/reader.h"

namespace cdcscope::ss {

// A stretch of the file that is no message, no beacon and no header.
struct lost_range {
    std::uint64_t offset = 0;
    std::uint64_t end = 0;
    fault why = fault::none;
    label at;  // of the message, if one can be told; the key lasts for the call
};

class salvage_visitor {
  public:
    salvage_visitor() = default;
    salvage_visitor(const salvage_visitor&) = delete;
    salvage_visitor& operator=(const salvage_visitor&) = delete;
    virtual ~salvage_visitor() = default;

    // A whole message with the right checksum and a key; `at` stands on it. False ends the work.
    [[nodiscard]] virtual bool on_message(reader& at) = 0;
    virtual void on_lost(const lost_range& /*lost*/) {}
};

struct salvage_summary {
    std::uint64_t messages = 0;  // without EOS
    std::uint64_t lost_ranges = 0;
    std::uint64_t lost_bytes = 0;
    std::uint32_t interval = 0;           // of the header, or found out
    std::optional<std::uint64_t> eos_ms;  // time of the last EOS, wherever it stands
    fault header = fault::none;
};

// Goes through the whole file, behind an EOS, too. A file without a whole header holds nothing. EOS
// messages are not handed on.
salvage_summary salvage(byte_source& source, salvage_visitor& v);

// Whether anything behind that offset, where no message can be read, is a whole message.
[[nodiscard]] bool holds_message(byte_source& source, std::uint32_t interval, std::uint64_t offset);

}  // namespace cdcscope::ss
