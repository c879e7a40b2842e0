// The name of a message as records and the summary use it: `event` of DCP and key-value messages,
// `packet` of canal's.
#pragma once

#include <array>
#include <string_view>

#include "analyzer/recover/message.h"

namespace cdcscope::record {

struct message_type {
    std::string_view name;   // "mutation", "opcode_0xf1", "MESSAGES", "TYPE_99"; lives as long as
                             // the object that gave it
    bool response = false;   // DCP and key-value answers
    bool tells_dcp = false;  // not key-value traffic of the same port
};

class message_types {
  public:
    [[nodiscard]] message_type of(const recover::message& m) noexcept;

  private:
    std::string_view numbered(std::string_view prefix, std::uint32_t value, int base) noexcept;
    std::array<char, 32> text_{};
};

}  // namespace cdcscope::record
