// What happens to a connection in frames that carry no data for its dissector: FIN and RST, and
// what TCP's analysis says of the order of segments. Watches every frame as a postdissector.
#pragma once

#include "plugin/connection.h"
#include "proto/wire/frame_ref.h"

namespace cdcscope::ws {

enum class tcp_end : std::uint8_t { fin, rst };

struct tcp_watcher {
    using shower = void (*)(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree,
                            const connection& c);

    int proto = -1;  // whose connections: connection_of(..., proto, ...)
    void (*on_disturbed)(connection& c, direction dir, const tcp_verdict& verdict,
                         const frame_ref& at) = nullptr;
    void (*on_end)(connection& c, direction dir, tcp_end how, const frame_ref& at) = nullptr;
    // Every pass, behind all of a frame; may be null.
    shower show = nullptr;
};

// At registration, at most four.
void watch_tcp(const tcp_watcher& watcher);
void register_tcp_watch(int proto);

[[nodiscard]] frame_ref frame_of(const packet_info* pinfo);
// The last frame of the first pass so far.
[[nodiscard]] frame_ref last_frame();

}  // namespace cdcscope::ws
