#include "plugin/canal_preferences.h"

#include <algorithm>

#include "plugin/boundary.h"
#include "plugin/canal_state.h"
#include "plugin/limit_preferences.h"

namespace cdcscope {
namespace {

canal_preference_values values;

void apply() {
    constexpr unsigned largest_mib = 1024;
    values.max_frame_mib = std::clamp(values.max_frame_mib, 1U, largest_mib);
    values.max_frame = values.max_frame_mib << 20;
    (void)ws::quiet_boundary([] { apply_limits(findings::protocol::canal, canal_limits()); });
}

}  // namespace

const canal_preference_values& canal_preferences() {
    return values;
}

void register_canal_preferences(int proto) {
    module_t* module = prefs_register_protocol(proto, apply);
    prefs_register_bool_preference(
        module, "desegment", "Reassemble packets that span several TCP segments",
        "Needs \"Allow subdissectors to reassemble TCP streams\" of TCP as well.",
        &values.desegment);
    prefs_register_bool_preference(
        module, "show_defaults", "Show the defaults of absent fields",
        "As generated items: the value that the receiver takes for a field that was not sent.",
        &values.show_defaults);
    prefs_register_uint_preference(
        module, "max_frame_mib", "Largest packet (MiB)",
        "A length above this is not believed: the stream is out of step there.", 10,
        &values.max_frame_mib);
    register_limits(module, findings::protocol::canal);
}

}  // namespace cdcscope
