#include "plugin/dcp_preferences.h"

#include <algorithm>

#include "plugin/boundary.h"
#include "plugin/dcp_state.h"
#include "plugin/limit_preferences.h"

namespace cdcscope {
namespace {

dcp_preference_values values;

const enum_val_t non_dcp_names[] = {
    {"built-in", "Built-in dissector", static_cast<int>(non_dcp_choice::built_in)},
    {"summary", "Short summary by this plugin", static_cast<int>(non_dcp_choice::short_summary)},
    {nullptr, nullptr, 0},
};
const enum_val_t collections_names[] = {
    {"auto", "Auto", static_cast<int>(collections_choice::automatic)},
    {"on", "On", static_cast<int>(collections_choice::on)},
    {"off", "Off", static_cast<int>(collections_choice::off)},
    {nullptr, nullptr, 0},
};

void apply() {
    constexpr unsigned largest_mib = 1024;
    values.max_body_mib = std::clamp(values.max_body_mib, 1U, largest_mib);
    values.max_body = values.max_body_mib << 20;
    values.non_dcp = static_cast<non_dcp_choice>(values.non_dcp_value);
    values.collections = static_cast<collections_choice>(values.collections_value);
    (void)ws::quiet_boundary([] { apply_limits(findings::protocol::dcp, dcp_limits()); });
}

}  // namespace

const dcp_preference_values& dcp_preferences() {
    return values;
}

void register_dcp_preferences(int proto) {
    module_t* module = prefs_register_protocol(proto, apply);
    prefs_register_bool_preference(
        module, "desegment", "Reassemble messages that span several TCP segments",
        "Needs \"Allow subdissectors to reassemble TCP streams\" of TCP as well. For captures "
        "with reordered segments turn on \"Reassemble out-of-order segments\" there, too.",
        &values.desegment);
    prefs_register_bool_preference(
        module, "take_ports", "Take over the ports from the couchbase dissector",
        "Off: it keeps them; Decode As and the heuristic on other ports work all the same.",
        &values.take_ports);
    prefs_register_enum_preference(module, "non_dcp", "Messages that are no part of DCP",
                                   "Who shows GET, SET and other commands of document clients.",
                                   &values.non_dcp_value, non_dcp_names, false);
    prefs_register_enum_preference(
        module, "collections", "Keys with a collection id in front",
        "Auto: as negotiated by HELLO; where the capture starts later, as the keys look.",
        &values.collections_value, collections_names, false);
    prefs_register_bool_preference(module, "decode_json", "Dissect JSON values",
                                   "Gives values that are JSON to the JSON dissector.",
                                   &values.decode_json);
    prefs_register_uint_preference(
        module, "max_body_mib", "Largest message (MiB)",
        "A header that claims more is not believed: the stream is out of step there.", 10,
        &values.max_body_mib);
    register_limits(module, findings::protocol::dcp);
}

}  // namespace cdcscope
