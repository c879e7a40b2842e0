// The sentence on top, and what stands under it.
#pragma once

#include "analyzer/report/model.h"

namespace cdcscope::report {

// Fills result, headline, second_line, strip and guess; everything else of the model is there
// already.
void judge(model& m);

}  // namespace cdcscope::report
