// Wireshark's interface, and all that differs between 4.0, 4.4 and 4.6. Nothing else asks for the
// version.
#pragma once

#include <ws_version.h>

// The border between old and new interface is taken to be 4.2.
#define CDC_WIRESHARK_API (WIRESHARK_VERSION_MAJOR * 100 + WIRESHARK_VERSION_MINOR)

#include <wireshark.h>

#include <epan/packet.h>

#include <epan/addr_resolv.h>
#include <epan/conversation.h>
#include <epan/conversation_filter.h>
#include <epan/dissectors/packet-tcp.h>
#include <epan/exceptions.h>
#include <epan/expert.h>
#include <epan/export_object.h>
#include <epan/follow.h>
#include <epan/prefs.h>
#include <epan/proto_data.h>
#include <epan/srt_table.h>
#include <epan/stats_tree.h>
#include <epan/strutil.h>
#include <epan/tap.h>
#include <epan/to_str.h>
#if CDC_WIRESHARK_API >= 406
#include <wsutil/value_string.h>
#else
#include <epan/value_string.h>
#endif
#if CDC_WIRESHARK_API >= 402
#include <wsutil/plugins.h>
#include <wsutil/str_util.h>
#endif
extern "C" {
#include <epan/dissectors/packet-tls.h>
#include <epan/show_exception.h>
}

#include <cstdint>

namespace cdcscope::ws {

// What the interface calls a boolean; preferences need a variable of exactly this type.
#if CDC_WIRESHARK_API >= 402
using boolean = bool;
#else
using boolean = gboolean;
#endif

// Of a dissector table with text for keys.
inline constexpr int case_sensitive = 0;

// Integers of a buffer, big-endian.
inline std::uint8_t u8(tvbuff_t* tvb, int offset) {
#if CDC_WIRESHARK_API >= 402
    return tvb_get_uint8(tvb, offset);
#else
    return tvb_get_guint8(tvb, offset);
#endif
}

// Separates the levels of a statistics menu.
#if CDC_WIRESHARK_API >= 402
#define CDC_MENU_SEPARATOR STATS_TREE_MENU_SEPARATOR
#else
#define CDC_MENU_SEPARATOR "/"
#endif

// "Right-click, Conversation Filter, <name>" for packets with protocol `proto`; `build` gives a
// filter or null, to be g_free()d.
template <char* (*Build)(packet_info*)>
void register_conversation_filter(const char* proto, const char* name) {
#if CDC_WIRESHARK_API >= 402
    ::register_conversation_filter(
        proto, name,
        [](packet_info* pinfo, void*) {
            char* filter = Build(pinfo);
            g_free(filter);
            return filter != nullptr;
        },
        [](packet_info* pinfo, void*) { return Build(pinfo); }, nullptr);
#else
    ::register_conversation_filter(
        proto, name,
        [](packet_info* pinfo) -> gboolean {
            char* filter = Build(pinfo);
            g_free(filter);
            return filter != nullptr;
        },
        [](packet_info* pinfo) -> gchar* { return Build(pinfo); });
#endif
}

// "Follow stream" by TCP connection; what is shown is the tvbs queued to the tap `tap`.
inline void register_follow(int proto, const char* tap, follow_conv_filter_func by_packet,
                            follow_index_filter_func by_index,
                            follow_address_filter_func by_address) {
#if CDC_WIRESHARK_API >= 402
    register_follow_stream(proto, tap, by_packet, by_index, by_address, tcp_port_to_display,
                           follow_tvb_tap_listener, get_tcp_stream_count, nullptr);
#else
    register_follow_stream(proto, tap, by_packet, by_index, by_address, tcp_port_to_display,
                           follow_tvb_tap_listener);
#endif
}

inline bool dissector_try(dissector_table_t table, std::uint32_t value, tvbuff_t* tvb,
                          packet_info* pinfo, proto_tree* tree, void* data) {
#if CDC_WIRESHARK_API >= 406
    return dissector_try_uint_with_data(table, value, tvb, pinfo, tree, true, data) != 0;
#else
    return dissector_try_uint_new(table, value, tvb, pinfo, tree, true, data) != 0;
#endif
}

inline bool dissector_try(dissector_table_t table, const char* key, tvbuff_t* tvb,
                          packet_info* pinfo, proto_tree* tree, void* data) {
#if CDC_WIRESHARK_API >= 406
    return dissector_try_string_with_data(table, key, tvb, pinfo, tree, true, data) != 0;
#else
    return dissector_try_string(table, key, tvb, pinfo, tree, data) != 0;
#endif
}

}  // namespace cdcscope::ws
