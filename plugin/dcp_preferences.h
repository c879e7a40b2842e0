// What users may set for `cbdcp` (and the demultiplexer in front of it).
#pragma once

#include <cstdint>

#include "plugin/ws_compat.h"

namespace cdcscope {

enum class non_dcp_choice : int { built_in, short_summary };
enum class collections_choice : int { automatic, on, off };

// Types as the preferences interface wants them.
struct dcp_preference_values {
    ws::boolean desegment = true;
    ws::boolean take_ports = true;
    ws::boolean decode_json = true;
    unsigned max_body_mib = 32;
    int non_dcp_value = 0;
    int collections_value = 0;

    std::uint32_t max_body = 32U << 20;  // derived from the above
    non_dcp_choice non_dcp = non_dcp_choice::built_in;
    collections_choice collections = collections_choice::automatic;
};

[[nodiscard]] const dcp_preference_values& dcp_preferences();
void register_dcp_preferences(int proto);

}  // namespace cdcscope
