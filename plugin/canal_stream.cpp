// Framing of canal: which connections carry it, which of its two protocols, and where packets
// begin.
#include "plugin/boundary.h"
#include "plugin/canal_dissector.h"
#include "plugin/canal_preferences.h"
#include "plugin/experts.h"
#include "plugin/protocols.h"
#include "plugin/tcp_watch.h"
#include "proto/canal/frame.h"
#include "proto/canal/view.h"

namespace cdcscope {
namespace {

constexpr unsigned admin_port = 11110;

int proto_canal = -1;
dissector_handle_t canal_handle;

enum class stream_kind : std::uint8_t { undecided, data, admin, neither };

// Found out on the first pass, kept in connection::extra.
struct canal_stream {
    ws::connection* c = nullptr;
    stream_kind kind = stream_kind::undecided;
    std::uint32_t since = 0;       // frame that decided
    std::uint32_t zero_since = 0;  // frame of a HANDSHAKE of a server from 1.1.4 on; 0: none
};

bool is_canal_port(std::uint32_t port) {
    return value_is_in_range(prefs_get_range_value("canal", "tcp.port"), port);
}

byte_view captured(tvbuff_t* tvb, int offset = 0) {
    const int size = tvb_captured_length_remaining(tvb, offset);
    return size <= 0 ? byte_view{}
                     : byte_view{tvb_get_ptr(tvb, offset, size), static_cast<std::size_t>(size)};
}

// Which protocol is meant before anything of the connection told.
canal::port_kind port_kind_of(const ws::connection& c) {
    return c.server_port == admin_port ? canal::port_kind::admin : canal::port_kind::data;
}

canal_stream& stream_of(ws::connection& c) {
    if (c.extra == nullptr) {
        auto* made = new (wmem_alloc0(wmem_file_scope(), sizeof(canal_stream))) canal_stream;
        made->c = &c;
        c.extra = made;
    }
    return *static_cast<canal_stream*>(c.extra);
}

stream_kind kind_of(canal::server_start start) {
    switch (start) {
        case canal::server_start::data:
            return stream_kind::data;
        case canal::server_start::admin:
            return stream_kind::admin;
        case canal::server_start::neither:
            return stream_kind::neither;
        case canal::server_start::undecided:
            return stream_kind::undecided;
    }
    return stream_kind::undecided;
}

// What this buffer says of the stream, where nothing did before.
stream_kind judge(const ws::connection& c, direction dir, byte_view bytes) {
    if (c.from_start && dir == direction::s2c) return kind_of(canal::recognise_server(bytes));
    if (c.from_start) return stream_kind::undecided;  // the server speaks first
    const canal::port_kind port = port_kind_of(c);
    if (canal::check_frame(bytes, port, canal_preferences().max_frame) == canal::match::no) {
        return stream_kind::undecided;
    }
    return port == canal::port_kind::admin ? stream_kind::admin : stream_kind::data;
}

stream_kind decide(canal_stream& s, direction dir, packet_info* pinfo, byte_view bytes) {
    if (s.kind != stream_kind::undecided && pinfo->num >= s.since) return s.kind;
    const stream_kind found = judge(*s.c, dir, bytes);
    if (!PINFO_FD_VISITED(pinfo) && found != stream_kind::undecided) {
        s.kind = found;
        s.since = pinfo->num;
    }
    return found;
}

bool begins_packet(ws::connection& c, direction dir, packet_info* pinfo, canal::port_kind port,
                   byte_view bytes) {
    const std::uint32_t most = canal_preferences().max_frame;
    if (ws::is_in_step(c, dir, pinfo) && !ws::leaves_step(pinfo)) return true;
    const bool accepted = bytes.size() > canal::length_size &&
                          canal::check_frame(bytes, port, most) != canal::match::no;
    ws::set_in_step(c, dir, pinfo, accepted);
    return accepted;
}

// Length of the frame at `offset`; all the rest if there is none.
unsigned frame_length(packet_info*, tvbuff_t* tvb, int offset, void*) {
    const canal::frame_length length =
        canal::read_length(captured(tvb, offset), canal_preferences().max_frame);
    if (length.state == canal::length_state::good) return static_cast<unsigned>(length.whole());
    return static_cast<unsigned>(
        std::max(tvb_reported_length_remaining(tvb, offset), int{canal::length_size}));
}

// One call of the dissector.
struct buffer_context {
    ws::connection* c = nullptr;
    direction dir = direction::c2s;
    canal::port_kind port = canal::port_kind::data;
    bool any = false;  // a message of this buffer was dissected
};

bool has_zero_defaults(const canal_stream& s, const packet_info* pinfo) {
    return s.zero_since != 0 && pinfo->num >= s.zero_since;
}

// Servers from 1.1.4 on set the version in their HANDSHAKE and send seeds.
void note_handshake(canal_stream& s, packet_info* pinfo, canal::port_kind port, byte_view frame) {
    if (PINFO_FD_VISITED(pinfo) || s.zero_since != 0 || frame.size() < canal::length_size) return;
    constexpr std::int32_t handshake = 1;  // on both ports
    const canal::packet_view packet = canal::parse_packet(frame.subspan(canal::length_size), port);
    if (packet.type == handshake && packet.version) s.zero_since = pinfo->num;
}

void show_frame(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, buffer_context& b) {
    ws::connection& c = *b.c;
    const byte_view bytes = captured(tvb);
    note_handshake(stream_of(c), pinfo, b.port, bytes);
    canal_packet packet{.c = &c,
                        .dir = b.dir,
                        .ordinal = ws::next_ordinal(pinfo, proto_canal),
                        .port = b.port,
                        .zero_defaults = has_zero_defaults(stream_of(c), pinfo),
                        .memory = {}};
    const bool first = !b.any;
    b.any = true;
    const canal::frame_length length = canal::read_length(bytes, canal_preferences().max_frame);
    if (length.state == canal::length_state::good) {
        packet.memory =
            observe_canal(pinfo, c, b.dir, b.port, packet.ordinal,
                          bytes.subspan(canal::length_size), bytes.size() < length.whole(), first);
        dissect_canal(tvb, pinfo, tree, packet);
    } else {
        tvb_ensure_bytes_exist(tvb, 0, canal::length_size);  // less only where the capture cut it
        ws::set_in_step(c, b.dir, pinfo, false);
        packet.memory = observe_bad_length(pinfo, c, b.dir, b.port, packet.ordinal, length.payload,
                                           bytes.subspan(canal::length_size));
        dissect_canal_bad_length(tvb, pinfo, tree, packet);
    }
}

// Below epan's own C frames, so with a boundary of its own.
int dissect_frame(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void* data) {
    ws::dissector_boundary(
        [&] { show_frame(tvb, pinfo, tree, *static_cast<buffer_context*>(data)); });
    return static_cast<int>(tvb_captured_length(tvb));
}

// Where a message begins that this buffer does not finish.
void note_begun(ws::connection& c, direction dir, packet_info* pinfo) {
    if (PINFO_FD_VISITED(pinfo)) return;
    frame_ref& begun = c.begun[index(dir)];
    if (pinfo->desegment_len == 0) {
        begun = {};
    } else if (pinfo->desegment_offset > 0 || begun.frame == 0) {
        begun = ws::frame_of(pinfo);
    }
}

int dissect_stream(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree) {
    ws::connection& c = ws::connection_of(pinfo, proto_canal, is_canal_port);
    const direction dir = ws::direction_of(c, pinfo);
    const byte_view bytes = captured(tvb);
    const stream_kind kind = decide(stream_of(c), dir, pinfo, bytes);
    if (kind == stream_kind::undecided || kind == stream_kind::neither) return 0;
    const canal::port_kind port =
        kind == stream_kind::admin ? canal::port_kind::admin : canal::port_kind::data;
    if (!begins_packet(c, dir, pinfo, port, bytes)) return 0;
    buffer_context b{.c = &c, .dir = dir, .port = port, .any = false};
    tcp_dissect_pdus(tvb, pinfo, tree, canal_preferences().desegment, canal::length_size,
                     frame_length, dissect_frame, &b);
    note_begun(c, dir, pinfo);
    return static_cast<int>(tvb_captured_length(tvb));
}

int dissect(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void*) {
    return ws::dissector_boundary([&] { return dissect_stream(tvb, pinfo, tree); });
}

// The HANDSHAKE that a server begins with, on any port.
ws::boolean heuristic_handshake(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void*) {
    return ws::dissector_boundary([&]() -> ws::boolean {
        const byte_view bytes = captured(tvb);
        const canal::server_start start = canal::recognise_server(bytes);
        if (start != canal::server_start::data && start != canal::server_start::admin) return false;
        const canal::port_kind port =
            start == canal::server_start::admin ? canal::port_kind::admin : canal::port_kind::data;
        if (canal::check_frame(bytes, port) != canal::match::whole) return false;
        conversation_set_dissector(find_or_create_conversation(pinfo), canal_handle);
        return dissect_stream(tvb, pinfo, tree) > 0;
    });
}

}  // namespace

int canal_protocol() {
    return proto_canal;
}

void register_canal() {
    proto_canal = proto_register_protocol("Alibaba Canal Protocol", "Canal", "canal");
    canal_handle = register_dissector("canal", dissect, proto_canal);
    register_canal_preferences(proto_canal);
    register_canal_dissector(proto_canal);
    register_canal_state(proto_canal);
}

void handoff_canal() {
    dissector_add_uint_range_with_preference("tcp.port", "11110-11111", canal_handle);
    heur_dissector_add("tcp", heuristic_handshake, "Canal handshake over TCP", "canal_tcp",
                       proto_canal, HEURISTIC_ENABLE);
}

}  // namespace cdcscope
