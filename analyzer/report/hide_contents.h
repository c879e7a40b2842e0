// --redact, for what the report shows beside findings.
#pragma once

#include "analyzer/report/model.h"
#include "proto/findings/redaction.h"

namespace cdcscope::report {

// Document keys, names of extended attributes, statements, and first bytes of what was not
// understood give way to how many bytes they are.
void hide_contents(model& m, findings::redaction hides);

}  // namespace cdcscope::report
