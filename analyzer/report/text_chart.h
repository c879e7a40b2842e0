// Charts of characters for the terminal.
#pragma once

#include <string>

#include "analyzer/report/model.h"

namespace cdcscope::report {

// Unacknowledged bytes over the life of the connection: at or above the window, or below. Empty if
// there is nothing to draw.
[[nodiscard]] std::string window_chart(const connection& c, std::size_t width);

}  // namespace cdcscope::report
