// The report as one JSON document, for scripts: docs/schema/report.json says what is in it.
#pragma once

#include <string>

#include "analyzer/report/model.h"

namespace cdcscope::report {

// One line without a line feed at its end. Times are RFC 3339 with nine digits, durations
// milliseconds (`...Ms`), amounts bytes, 64-bit numbers plain.
[[nodiscard]] std::string render_json(const model& m);

}  // namespace cdcscope::report
