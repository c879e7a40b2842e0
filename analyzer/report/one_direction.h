// What a report can say of connections of which only one direction was captured.
#pragma once

#include <optional>

#include "analyzer/report/model.h"
#include "proto/wire/direction.h"

namespace cdcscope::report {

// The direction of which nothing was captured.
[[nodiscard]] std::optional<direction> missing_side(const connection& c) noexcept;

// Marks rows whose answer or acknowledgement was on that side.
void mark_unseen(model& m);

// Above the verdict: how many connections, and which rules are off there.
void say_one_direction(model& m);

}  // namespace cdcscope::report
