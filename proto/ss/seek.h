// Finds the first message of a stream from a number or a time on, by way of the beacons (docs/ss.md
// section 11, R24).
#pragma once

#include <optional>

#include "proto/ss/byte_source.h"
#include "proto/ss/format.h"

namespace cdcscope::ss {

struct seek_target {
    std::string_view key;
    std::optional<std::uint64_t> shard;  // none: all shards of the key
    enum class by : std::uint8_t {
        sequence,  // the first message with a number of at least `value`
        time,      // the first one later than `value` (milliseconds)
    } what = by::sequence;
    std::uint64_t value = 0;

    [[nodiscard]] bool is_stream_of(const label& l) const noexcept {
        return l.key == key && (!shard || *shard == l.shard);
    }
    [[nodiscard]] bool is_reached_by(const label& l) const noexcept {
        return what == by::sequence ? l.sequence >= value : l.timestamp_ms > value;
    }
};

// Offset of the first message in the order of the file that is of the stream and reaches the value.
// Without beacons the file is read from the start: the answer is the same in every file whose
// markers are true, only slower.
[[nodiscard]] std::optional<std::uint64_t> seek(byte_source& source, std::uint32_t interval,
                                                const seek_target& target, bool use_beacons = true);

// Where the first frame starts that begins behind the beacon at `index` times the interval; index 0
// is the start of the file. Nothing: there is no such beacon, or it can not be read.
[[nodiscard]] std::optional<std::uint64_t> behind_beacon(byte_source& source,
                                                         std::uint32_t interval,
                                                         std::uint64_t index);

}  // namespace cdcscope::ss
