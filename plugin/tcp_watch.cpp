#include "plugin/tcp_watch.h"

#include "plugin/boundary.h"

namespace cdcscope::ws {
namespace {

// Bits of tcp_analysis::conversation_completeness.
constexpr unsigned completeness_rst = 0x20;

constexpr std::size_t most_watchers = 4;
tcp_watcher watchers[most_watchers];
std::size_t watcher_count = 0;

frame_ref newest;

void tell_ends(const tcp_watcher& w, connection& c, const tcp_analysis& tcp, packet_info* pinfo,
               const frame_ref& at) {
    const direction dir = direction_of(c, pinfo);
    if (tcp.fwd != nullptr && tcp.fwd->fin == pinfo->num && !c.fin_seen[index(dir)]) {
        c.fin_seen[index(dir)] = true;
        w.on_end(c, dir, tcp_end::fin, at);
    }
    if ((tcp.conversation_completeness & completeness_rst) != 0 && !c.rst_seen) {
        c.rst_seen = true;
        w.on_end(c, dir, tcp_end::rst, at);
    }
}

void look_at(packet_info* pinfo) {
    const frame_ref at = frame_of(pinfo);
    newest = at;
    if (pinfo->ptype != PT_TCP) return;
    conversation_t* conversation = find_conversation_pinfo(pinfo, 0);
    if (conversation == nullptr) return;
    for (std::size_t i = 0; i < watcher_count; ++i) {
        const tcp_watcher& w = watchers[i];
        auto* c = static_cast<connection*>(conversation_get_proto_data(conversation, w.proto));
        if (c == nullptr) continue;
        const tcp_analysis* tcp = get_tcp_conversation_data(conversation, pinfo);
        if (tcp == nullptr) continue;
        const tcp_verdict verdict = tcp_verdict_of(pinfo);
        if (verdict.disturbed()) {
            if (c->disturbed == 0) c->disturbed = pinfo->num;
            w.on_disturbed(*c, direction_of(*c, pinfo), verdict, at);
        }
        tell_ends(w, *c, *tcp, pinfo, at);
    }
}

int postdissect(tvbuff_t*, packet_info* pinfo, proto_tree*, void*) {
    if (PINFO_FD_VISITED(pinfo)) return 0;
    dissector_boundary([&] { look_at(pinfo); });
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
