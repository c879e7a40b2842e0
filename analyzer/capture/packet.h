// A packet as the capture file gives it.
#pragma once

#include <cstdint>

#include "proto/wire/bytes.h"
#include "proto/wire/frame_ref.h"

namespace cdcscope::capture {

struct packet {
    frame_ref at;                   // frame number in its file, file index, time in ns
    bool has_time = true;           // false: pcapng simple packet block
    std::uint32_t link_type = 0;    // LINKTYPE_ value as on tcpdump.org
    std::uint32_t wire_length = 0;  // length on the wire; bytes.size() is what was captured
    byte_view bytes;                // valid until the next packet is read
};

}  // namespace cdcscope::capture
