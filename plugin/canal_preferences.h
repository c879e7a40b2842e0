// What users may set for `canal`.
#pragma once

#include <cstdint>

#include "plugin/ws_compat.h"

namespace cdcscope {

struct canal_preference_values {
    ws::boolean desegment = true;
    ws::boolean show_defaults = true;
    unsigned max_frame_mib = 128;
    std::uint32_t max_frame = 128U << 20;  // derived
};

[[nodiscard]] const canal_preference_values& canal_preferences();
void register_canal_preferences(int proto);

}  // namespace cdcscope
