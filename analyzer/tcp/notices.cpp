#include "analyzer/tcp/notices.h"

namespace cdcscope::tcp {

void notices::final_hole(std::uint32_t connection, const hole& h, position origin,
                         bool acknowledged) {
    const auto bytes = static_cast<std::uint64_t>(h.end - h.begin);
    say(findings::code::tcp_gap, connection, h.behind.at, bytes,
        "{} bytes of {} are missing at offset {}", bytes, name(h.dir), h.begin - origin);
    if (h.reason == gap_reason::snaplen) return;
    if (acknowledged) {
        say(findings::code::tcp_acked_unseen, connection, h.behind.at, bytes,
            "{} bytes of {} at offset {} were acknowledged but not captured: the capture lost them",
            bytes, name(h.dir), h.begin - origin);
    }
    if (h.reason == gap_reason::memory_cap) {
        say(findings::code::cap_memory, connection, h.behind.at, bytes,
            "{} bytes of {} at offset {} of connection {} given up as a gap before it was certain "
            "that "
            "they are lost",
            bytes, name(h.dir), h.begin - origin, connection);
    }
}

void notices::overlap_conflict(std::uint32_t connection, direction dir, const conflict& c,
                               position origin, const frame_ref& at) {
    say(findings::code::tcp_overlap_conflict, connection, at, c.bytes,
        "{} bytes of {} were captured twice with different values, the first at offset {}: "
        "0x{:02x}, then 0x{:02x}; the first "
        "copy is used",
        c.bytes, name(dir), c.at - origin, c.kept, c.other);
}

}  // namespace cdcscope::tcp
