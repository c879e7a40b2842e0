// The report as one JSON document, for scripts: docs/schema/report.json says what is in it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "analyzer/report/model.h"

namespace cdcscope::report {

// One line without a line feed at its end. Times are RFC 3339 with nine digits, durations
// milliseconds (`...Ms`), amounts bytes, 64-bit numbers plain.
[[nodiscard]] std::string render_json(const model& m);
// The same, a piece at a time: connections may be very many.
void write_json(const model& m, const std::function<void(std::string_view)>& take);

}  // namespace cdcscope::report
