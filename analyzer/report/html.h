// The report as one HTML page that needs nothing else: no network, no script for its drawings,
// nothing from the capture as markup.
#pragma once

#include <string>

#include "analyzer/report/model.h"

namespace cdcscope::report {

[[nodiscard]] std::string render_html(const model& m);

}  // namespace cdcscope::report
