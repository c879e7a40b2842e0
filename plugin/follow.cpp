#include "plugin/follow.h"

namespace cdcscope::ws {
namespace {

#if CDC_WIRESHARK_API >= 402
using number = unsigned;
#else
using number = guint;
#endif

char* by_packet(epan_dissect_t*, packet_info* pinfo, number* stream, number*) {
    conversation_t* conversation = find_conversation_pinfo(pinfo, 0);
    if (conversation == nullptr) return nullptr;
    const tcp_analysis* tcp = get_tcp_conversation_data(conversation, pinfo);
    if (tcp == nullptr) return nullptr;
    *stream = tcp->stream;
    return g_strdup_printf("tcp.stream eq %u", tcp->stream);
}

char* by_index(number stream, number) {
    return g_strdup_printf("tcp.stream eq %u", stream);
}

char* by_address(address* source, address* destination, int source_port, int destination_port) {
    const char* ip = source->type == AT_IPv6 ? "ipv6" : "ip";
    char* from = address_to_str(nullptr, source);
    char* to = address_to_str(nullptr, destination);
    char* filter = g_strdup_printf(
        "((%s.src eq %s and tcp.srcport eq %d) and (%s.dst eq %s and tcp.dstport eq %d)) or "
        "((%s.src eq %s and tcp.srcport eq %d) and (%s.dst eq %s and tcp.dstport eq %d))",
        ip, from, source_port, ip, to, destination_port, ip, to, destination_port, ip, from,
        source_port);
    wmem_free(nullptr, from);
    wmem_free(nullptr, to);
    return filter;
}

}  // namespace

int register_follow(int proto, const char* tap_name) {
    register_follow(proto, tap_name, by_packet, by_index, by_address);
    return register_tap(tap_name);
}

}  // namespace cdcscope::ws
