// Where the grid lines and labels of a chart go, and what they say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/report/model.h"

namespace cdcscope::report {

struct tick {
    double at = 0;  // 0 to 1 along the axis
    std::string label;
    bool wide = false;   // left out on narrow screens
    bool tight = false;  // left out on the narrowest
};

// Times of [from, to]: the first and last written out, round ones between them shortened; of these
// only one in the middle in a compact chart, which has half the width.
[[nodiscard]] std::vector<tick> time_ticks(const time_span& span, bool compact = false);
// `span` widened to round times, so that its ends are short to write; not beyond `limits`.
[[nodiscard]] time_span round_span(const time_span& span, const time_span& limits);
// What the charts of a connection that lives for `life` share: widened so that its ends are short
// to write, where milliseconds would be written. An end just beyond a round time is drawn on it.
[[nodiscard]] time_span axis_span(const time_span& life);

struct value_axis {
    double top = 1;           // value at the upper edge
    std::vector<tick> ticks;  // 0, and one to three round values; the unit on the top one
};
// For amounts of bytes (B, KiB, MiB ...) up to `largest`, with some room above it.
[[nodiscard]] value_axis byte_axis(std::uint64_t largest);
[[nodiscard]] value_axis count_axis(std::uint64_t largest);
[[nodiscard]] value_axis duration_axis(std::int64_t largest_ns);

// Position of `ns` on a logarithmic axis from `least` to `most`, both above 0.
struct log_axis {
    std::int64_t least = 1, most = 1;
    std::vector<tick> ticks;
    [[nodiscard]] double place(std::int64_t ns) const;
};
[[nodiscard]] log_axis duration_log_axis(std::int64_t least_ns, std::int64_t most_ns);

}  // namespace cdcscope::report
