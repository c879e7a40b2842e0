// A packet of the capture: what evidence points to.
#pragma once

#include <compare>
#include <cstdint>

namespace cdcscope {

// Frames count from 1 in each file, whole records only, as Wireshark does. Files count from 0 in
// the order in which they were sorted. Time is nanoseconds since 1970, UTC.
struct frame_ref {
    std::int64_t time_ns = 0;
    std::uint32_t frame = 0;
    std::uint32_t file = 0;
};

// Where a message stands in the capture: the frames that first brought bytes of it (lowest and
// highest), and the one that completed it. `first` and `last` count in the file of `done`; a
// beginning in an earlier file counts as frame 1.
struct frame_span {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    frame_ref done;
};

}  // namespace cdcscope
