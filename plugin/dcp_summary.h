// One line that says what a message is: for the Info column and for the top item of the tree.

#pragma once

#include "plugin/dcp_dissector.h"
#include "proto/dcp/decode.h"

namespace cdcscope {

enum class summary_style : std::uint8_t {
    column,  // Mutation vb:512 seq:1042 key:"user::7"
    item,    // Mutation, vb 512, seq 1042, key "user::7"
};

[[nodiscard]] const char* summarise_dcp(packet_info* pinfo, const dcp_message& message,
                                        summary_style style);

// "JSON, Snappy": titles of the bits of `value` that are set; what has no name in hex. Empty text
// for 0.
[[nodiscard]] const char* bit_titles(packet_info* pinfo, dcp::field_id id, std::uint64_t value);

}  // namespace cdcscope
