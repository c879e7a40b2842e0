#include "plugin/tcp_watch.h"

#include <algorithm>

#include "plugin/boundary.h"
#include "proto/wire/bytes.h"

namespace cdcscope::ws {
namespace {

constexpr std::size_t flags_offset = 13;  // in the TCP header
constexpr std::size_t header_size = 20;
constexpr std::size_t smallest_ip_header = 20;
constexpr int longest_search = 512;  // link layer, tunnels, IP and its extensions

constexpr std::size_t most_watchers = 4;
tcp_watcher watchers[most_watchers];
std::size_t watcher_count = 0;

frame_ref newest;

// TCP's flags of this frame. Nobody hands them to others: the header is found by its ports, behind
// at least an IP header.
unsigned tcp_flags_of(tvbuff_t* frame, const packet_info* pinfo) {
    const int size = std::min(static_cast<int>(tvb_captured_length(frame)), longest_search);
    const std::uint8_t* bytes = tvb_get_ptr(frame, 0, size);
    const byte_view all{bytes, static_cast<std::size_t>(size)};
    for (std::size_t at = smallest_ip_header; at + header_size <= all.size(); ++at) {
        const std::uint8_t* h = bytes + at;
        if (load_be16(h) != pinfo->srcport || load_be16(h + 2) != pinfo->destport) continue;
        const unsigned words = h[flags_offset - 1] >> 4U;
        if (words * 4 >= header_size) return h[flags_offset];
    }
    return 0;
}

void tell_ends(const tcp_watcher& w, connection& c, unsigned flags, packet_info* pinfo,
               const frame_ref& at) {
    const direction dir = direction_of(c, pinfo);
    bool& fin_seen = c.fin_seen[index(dir)];
    if ((flags & TH_FIN) != 0 && !fin_seen) {
        fin_seen = true;
        w.on_end(c, dir, tcp_end::fin, at);
    }
    if ((flags & TH_RST) != 0 && !c.rst_seen) {
        c.rst_seen = true;
        w.on_end(c, dir, tcp_end::rst, at);
    }
}

void learn(const tcp_watcher& w, connection& c, tvbuff_t* frame, packet_info* pinfo,
           const frame_ref& at) {
    tcp_verdict verdict = tcp_verdict_of(pinfo);
    verdict.cut = tvb_captured_length(frame) < tvb_reported_length(frame) && tcp_waits_for_holes();
    if (verdict.disturbed()) {
        if (c.disturbed == 0) c.disturbed = pinfo->num;
        w.on_disturbed(c, direction_of(c, pinfo), verdict, at);
    }
    tell_ends(w, c, tcp_flags_of(frame, pinfo), pinfo, at);
}

void look_at(tvbuff_t* frame, packet_info* pinfo, proto_tree* tree) {
    const bool first_pass = !PINFO_FD_VISITED(pinfo);
    const frame_ref at = frame_of(pinfo);
    if (first_pass) newest = at;
    if (pinfo->ptype != PT_TCP) return;
    conversation_t* conversation = find_conversation_pinfo(pinfo, 0);
    if (conversation == nullptr) return;
    for (std::size_t i = 0; i < watcher_count; ++i) {
        const tcp_watcher& w = watchers[i];
        auto* c = static_cast<connection*>(conversation_get_proto_data(conversation, w.proto));
        if (c == nullptr) continue;
        if (first_pass) learn(w, *c, frame, pinfo, at);
        if (w.show != nullptr) w.show(frame, pinfo, tree, *c);
    }
}

int postdissect(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void*) {
    dissector_boundary([&] { look_at(tvb, pinfo, tree); });
    return 0;
}

}  // namespace

frame_ref frame_of(const packet_info* pinfo) {
    constexpr std::int64_t nanoseconds = 1'000'000'000;
    return {.time_ns = std::int64_t{pinfo->abs_ts.secs} * nanoseconds + pinfo->abs_ts.nsecs,
            .frame = pinfo->num,
            .file = 0};
}

frame_ref last_frame() {
    return newest;
}

void watch_tcp(const tcp_watcher& watcher) {
    if (watcher_count < most_watchers) watchers[watcher_count++] = watcher;
}

void register_tcp_watch(int proto) {
    register_postdissector(create_dissector_handle(postdissect, proto));
}

}  // namespace cdcscope::ws
