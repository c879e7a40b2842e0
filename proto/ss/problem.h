// What can be wrong with a .ss file: where, what, and what it costs (docs/ss.md section 12, R22 and
// R23).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "proto/ss/format.h"

namespace cdcscope::ss {

enum class fault : std::uint8_t {
    none,
    header_short,
    header_mark,
    header_version,
    header_name_long,
    header_name_not_utf8,
    header_created,
    header_interval,
    header_padding,
    header_end_mark,
    message_cut,
    key_not_utf8,
    key_invalid,
    key_empty,
    timestamp_range,
    checksum,
    message_end_mark,
    beacon_cut,
    beacon_missing,
    beacon_first_mark,
    beacon_last_mark,
    beacon_too_long,
    beacon_remaining,
    beacon_markers,
    marker_unknown,
    marker_key_not_utf8,
    marker_key_invalid,
    marker_timestamp_range,
    data_after_eos,
    too_many_streams,
    read_failed,
    count_,
};

// How far the damage reaches.
enum class reach : std::uint8_t {
    nothing,  // no message is affected
    seeking,  // messages are all there; positioning by beacons may go wrong
    message,  // this message
    rest,     // plain reading ends here
    file,     // nothing of the file can be read
};

struct fault_row {
    fault what;
    reach cost;
    std::string_view name;  // stable, for JSON
    std::string_view text;
};

// One row for each fault, in the order of the enumeration.
[[nodiscard]] const fault_row& row(fault what) noexcept;

// One problem. What the numbers mean depends on the fault; describe() puts them into words.
struct problem {
    fault what = fault::none;
    std::uint64_t offset = 0;    // of the frame, the marker or the header's field
    std::uint64_t stored = 0;    // what the file says
    std::uint64_t computed = 0;  // what it should say
    label at;  // the message or marker, where it is known; the key lives as long as the call
    std::size_t index = 0;  // of the marker that differs

    [[nodiscard]] explicit operator bool() const noexcept { return what != fault::none; }
};

// The problem as a phrase: "checksum is 94cc, payload gives 94cd".
[[nodiscard]] std::string describe(const problem& p);

// Whether reading from the start can go on behind it.
[[nodiscard]] inline bool stops_reading(fault what) noexcept {
    return row(what).cost >= reach::rest;
}

}  // namespace cdcscope::ss
