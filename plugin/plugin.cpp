// Entry points of the epan plugin.
#include "plugin/protocols.h"
#include "plugin/ws_compat.h"

#include <wsutil/report_message.h>

namespace {

// A second copy under another file name would end Wireshark with "Duplicate protocol name".
bool is_second_copy = false;

void register_protocols() {
    is_second_copy = proto_get_id_by_filter_name("cbdcp") != -1;
    if (is_second_copy) {
        report_warning("The cdcscope plugin is installed twice; one of the copies is not used.");
        return;
    }
    cdcscope::register_kv_demux();
    cdcscope::register_dcp();
    cdcscope::register_canal();
    cdcscope::register_seastreamer();
}

void hand_off_protocols() {
    if (is_second_copy) return;
    cdcscope::handoff_kv_demux();
    cdcscope::handoff_dcp();
    cdcscope::handoff_canal();
    cdcscope::handoff_seastreamer();
}

const proto_plugin protocols = {register_protocols, hand_off_protocols};

}  // namespace

extern "C" {
WS_DLL_PUBLIC_DEF extern const char plugin_version[] = PLUGIN_VERSION;
WS_DLL_PUBLIC_DEF extern const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
WS_DLL_PUBLIC_DEF extern const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

WS_DLL_PUBLIC_DEF void plugin_register(void) {
    proto_register_plugin(&protocols);
}

#if CDC_WIRESHARK_API >= 402
WS_DLL_PUBLIC_DEF std::uint32_t plugin_describe(void) {
    return WS_PLUGIN_DESC_DISSECTOR | WS_PLUGIN_DESC_TAP_LISTENER;
}
#endif
}
