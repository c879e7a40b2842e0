// What the plugin knows of one TCP connection apart from its protocol: its number, which side is
// the server, and whether a direction is in step. Lives in file scope and changes on the first pass
// only.
#pragma once

#include <type_traits>

#include "plugin/ws_compat.h"
#include "proto/wire/direction.h"
#include "proto/wire/frame_ref.h"

namespace cdcscope::ws {

struct connection {
    std::uint32_t number = 0;  // tcp.stream + 1
    std::uint16_t server_port = 0;
    bool both_ports_equal = false;  // then the address decides
    std::uint16_t client_port = 0;
    address server, client;
    bool from_start = false;  // a SYN was captured
    // First frame that TCP's analysis calls out of order, lost or ACKed unseen, or that the capture
    // cut so that TCP waits; 0: none.
    std::uint32_t disturbed = 0;
    wmem_tree_t* in_step[2] = {};  // by direction: frame -> in step from that frame on
    bool fin_seen[2] = {};         // by direction
    bool rst_seen = false;
    std::uint32_t ended_inside[2] = {};  // by direction: frame of its FIN, inside a message
    std::uint32_t hinted = 0;            // id of the first message behind `disturbed`
    std::uint32_t last_message = 0;      // id of the newest message given to the state machine
    frame_ref
        begun[2];  // by direction: frame with the first byte of a message that is not whole yet
    void* state = nullptr;  // the protocol's state machine, owned by its registry
    void* extra = nullptr;  // the protocol's own, in file scope
};
static_assert(std::is_trivially_destructible_v<connection>);  // wmem frees it, nobody destroys it

// The connection of this packet, made on first sight. `well_known` tells the server where no SYN
// does: which ports a server of the protocol listens on. Two protocols on one connection have one
// each (`proto`).
[[nodiscard]] connection& connection_of(packet_info* pinfo, int proto,
                                        bool (*well_known)(std::uint32_t port));
// The same, or nothing if the packet is not one of a known connection.
[[nodiscard]] connection* find_connection(packet_info* pinfo, int proto);

[[nodiscard]] direction direction_of(const connection& c, const packet_info* pinfo);

// Whether message borders are known at the start of this frame's data.
[[nodiscard]] bool is_in_step(const connection& c, direction dir, const packet_info* pinfo);
// The same, and it is a message that told: what stands there should begin another.
[[nodiscard]] bool is_framed(const connection& c, direction dir, const packet_info* pinfo);
// First pass only: from the next frame on.
void set_in_step(connection& c, direction dir, const packet_info* pinfo, bool in_step);

// Preference tcp.reassemble_out_of_order: TCP holds back what is behind a hole.
[[nodiscard]] bool tcp_waits_for_holes();

// What TCP's sequence analysis says of this frame (tcp.analysis.*; needs
// tcp.analyze_sequence_numbers).
struct tcp_verdict {
    bool out_of_order = false, lost_segment = false, acked_unseen = false;
    // The capture cut the segment, and TCP holds back what is behind it.
    bool cut = false;
    [[nodiscard]] bool disturbed() const {
        return out_of_order || lost_segment || acked_unseen || cut;
    }
    // What was sent before this frame, or comes behind it, is not shown.
    [[nodiscard]] bool hides_messages() const {
        return cut || (lost_segment && !tcp_waits_for_holes());
    }
};
[[nodiscard]] tcp_verdict tcp_verdict_of(packet_info* pinfo);
// A segment is missing in front of this frame's data, and TCP does not wait for it.
[[nodiscard]] bool leaves_step(packet_info* pinfo);

// Counts messages within one dissection of a frame:
// 0, 1, 2 ... in every pass alike.
[[nodiscard]] unsigned next_ordinal(packet_info* pinfo, int proto);

}  // namespace cdcscope::ws
