#include "plugin/connection.h"

#include <new>

extern "C" {
#include <epan/prefs-int.h>
}

namespace cdcscope::ws {
namespace {

// Flags of tcp_acked::flags; their names are private to Wireshark's TCP dissector, their values the
// same since 2.6.
constexpr unsigned tcp_lost_packet = 0x0002, tcp_ack_lost_packet = 0x0004,
                   tcp_out_of_order = 0x0200;
// Bits of tcp_analysis::conversation_completeness.
constexpr unsigned completeness_syn = 0x01, completeness_syn_ack = 0x02;

// Keys of p_add_proto_data(); other records of the same protocol use their own.
constexpr std::uint32_t ordinal_key = 0x6f726400;

const void* const stepped_out = "";
const void* const stepped_in = "in step";
const void* const not_yet_framed = "first byte of the stream";

// What TCP keeps of a connection; its `ta` is of the frame at hand. get_tcp_conversation_data()
// would reset that.
const tcp_analysis* tcp_of(const conversation_t& conversation) {
    static const int proto_tcp = proto_get_id_by_filter_name("tcp");
    return static_cast<const tcp_analysis*>(conversation_get_proto_data(&conversation, proto_tcp));
}

void find_server(connection& c, const conversation_t& conversation, packet_info* pinfo,
                 const tcp_analysis* tcp, bool (*well_known)(std::uint32_t port)) {
    // A SYN told TCP the server's port. Else the well-known port, else the destination of the first
    // packet seen.
    bool server_is_destination = true;
    if (tcp != nullptr && tcp->server_port != 0 && pinfo->srcport != pinfo->destport) {
        server_is_destination = pinfo->destport == tcp->server_port;
    } else if (well_known(pinfo->destport) != well_known(pinfo->srcport)) {
        server_is_destination = well_known(pinfo->destport);
    } else {
        const address* first = conversation_key_addr1(conversation.key_ptr);
        server_is_destination = conversation_key_port1(conversation.key_ptr) == pinfo->srcport &&
                                addresses_equal(first, &pinfo->src);
    }
    const std::uint32_t ports[] = {pinfo->srcport, pinfo->destport};
    const address* addresses[] = {&pinfo->src, &pinfo->dst};
    const std::size_t server = server_is_destination ? 1 : 0;
    const std::size_t client = 1 - server;
    c.server_port = static_cast<std::uint16_t>(ports[server]);
    c.client_port = static_cast<std::uint16_t>(ports[client]);
    c.both_ports_equal = pinfo->srcport == pinfo->destport;
    copy_address_wmem(wmem_file_scope(), &c.server, addresses[server]);
    copy_address_wmem(wmem_file_scope(), &c.client, addresses[client]);
}

}  // namespace

connection* find_connection(packet_info* pinfo, int proto) {
    const conversation_t* conversation = find_conversation_pinfo(pinfo, 0);
    if (conversation == nullptr) return nullptr;
    return static_cast<connection*>(conversation_get_proto_data(conversation, proto));
}

connection& connection_of(packet_info* pinfo, int proto, bool (*well_known)(std::uint32_t port)) {
    conversation_t* conversation = find_or_create_conversation(pinfo);
    if (void* known = conversation_get_proto_data(conversation, proto)) {
        return *static_cast<connection*>(known);
    }
    auto* c = new (wmem_alloc0(wmem_file_scope(), sizeof(connection))) connection;
    const tcp_analysis* tcp = tcp_of(*conversation);
    if (tcp != nullptr) {
        c->number = tcp->stream + 1;
        c->from_start =
            (tcp->conversation_completeness & (completeness_syn | completeness_syn_ack)) != 0;
    }
    find_server(*c, *conversation, pinfo, tcp, well_known);
    for (wmem_tree_t*& tree : c->in_step) {
        tree = wmem_tree_new(wmem_file_scope());
        if (c->from_start) wmem_tree_insert32(tree, 0, const_cast<void*>(not_yet_framed));
    }
    conversation_add_proto_data(conversation, proto, c);
    return *c;
}

direction direction_of(const connection& c, const packet_info* pinfo) {
    if (c.both_ports_equal) {
        return addresses_equal(&pinfo->dst, &c.server) ? direction::c2s : direction::s2c;
    }
    return pinfo->destport == c.server_port ? direction::c2s : direction::s2c;
}

bool is_in_step(const connection& c, direction dir, const packet_info* pinfo) {
    const void* step = wmem_tree_lookup32_le(c.in_step[index(dir)], pinfo->num);
    return step == stepped_in || step == not_yet_framed;
}

bool is_framed(const connection& c, direction dir, const packet_info* pinfo) {
    return wmem_tree_lookup32_le(c.in_step[index(dir)], pinfo->num) == stepped_in;
}

void set_in_step(connection& c, direction dir, const packet_info* pinfo, bool in_step) {
    if (PINFO_FD_VISITED(pinfo)) return;
    wmem_tree_t* tree = c.in_step[index(dir)];
    const void* wanted = in_step ? stepped_in : stepped_out;
    if (wmem_tree_lookup32_le(tree, pinfo->num + 1) == wanted) return;
    wmem_tree_insert32(tree, pinfo->num + 1, const_cast<void*>(wanted));
}

tcp_verdict tcp_verdict_of(packet_info* pinfo) {
    const conversation_t* conversation = find_conversation_pinfo(pinfo, 0);
    if (conversation == nullptr) return {};
    const tcp_analysis* tcp = tcp_of(*conversation);
    if (tcp == nullptr || tcp->ta == nullptr) return {};
    const unsigned flags = tcp->ta->flags;
    return {.out_of_order = (flags & tcp_out_of_order) != 0,
            .lost_segment = (flags & tcp_lost_packet) != 0,
            .acked_unseen = (flags & tcp_ack_lost_packet) != 0};
}

bool tcp_waits_for_holes() {
    pref_t* waits = prefs_find_preference(prefs_find_module("tcp"), "reassemble_out_of_order");
    return waits != nullptr && prefs_get_bool_value(waits, pref_current) != 0;
}

bool leaves_step(packet_info* pinfo) {
    return tcp_verdict_of(pinfo).lost_segment && !tcp_waits_for_holes();
}

unsigned next_ordinal(packet_info* pinfo, int proto) {
    auto* counter =
        static_cast<unsigned*>(p_get_proto_data(pinfo->pool, pinfo, proto, ordinal_key));
    if (counter == nullptr) {
        counter = wmem_new0(pinfo->pool, unsigned);
        p_add_proto_data(pinfo->pool, pinfo, proto, ordinal_key, counter);
    }
    return (*counter)++;
}

}  // namespace cdcscope::ws
