// Which part of a connection's life the chart of its receive window shows.
#pragma once

#include <span>

#include "analyzer/report/model.h"

namespace cdcscope::report {

// The shortest part of [first, last] of `values` in which `share` (0 to 1) of all movement of the
// line lies, up and down together. Of no movement: the whole.
[[nodiscard]] time_span busiest(std::span<const point> values, double share);

// The whole life, or the time with nearly all changes and all waiting, widened to round times: if
// that is less than two fifths of it.
[[nodiscard]] time_span window_span(const connection& c);

// The same of its timeline: the time in which streams are asked for, end, bring data, are
// acknowledged, wait or are kept alive.
[[nodiscard]] time_span timeline_span(const connection& c,
                                      const std::vector<const stream_row*>& streams);

// The same of its batch ledger: the time with batches.
[[nodiscard]] time_span ledger_span(const connection& c,
                                    const std::vector<const batch_row*>& batches);

}  // namespace cdcscope::report
