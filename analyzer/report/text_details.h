// Details by connection of the text report (--all): facts, streams, durable writes, requests,
// batches, first items and rows, in the words of the page.
#pragma once

#include <string>

#include "analyzer/report/model.h"

namespace cdcscope::report {

// Lines of at most `width` columns; empty if no connection carries messages.
[[nodiscard]] std::string details_text(const model& m, std::size_t width);

}  // namespace cdcscope::report
