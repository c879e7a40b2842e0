// The report for a terminal: width-aware, coloured on request.
#pragma once

#include <string>

#include "analyzer/report/model.h"

namespace cdcscope::report {

struct text_options {
    std::size_t width = 100;  // columns; less than 40 is taken as 40
    bool colour = false;      // ANSI escapes
    bool all = false;         // every finding in full, not the first three only
};

[[nodiscard]] std::string render_text(const model& m, const text_options& options);

}  // namespace cdcscope::report
