// A finding as JSON: the object of the report's findings[] and of the cdcscope.findings stream.

#pragma once

#include "proto/findings/finding.h"
#include "proto/json/json_writer.h"

namespace cdcscope::findings {

// Writes the members of `f` into the object that is open: code, rule, severity, uncertain (only if
// true), connection (not for the capture as a whole), frames [first, last], time (of `at`), figures
// by their names, text. A figure with a text that is not UTF-8 is written as NAMEBase64.
void write_members(json_writer& json, const finding& f);

// The whole object. `count`: how often the rule fired, folded; 0 leaves it out.
void write_json(json_writer& json, const finding& f, std::uint64_t count = 0);

// RFC 3339, UTC, nine digits of fraction: "2023-11-14T22:13:20.001000000Z".
[[nodiscard]] std::string rfc3339(std::int64_t time_ns);

}  // namespace cdcscope::findings
