// The sentence on top, and what stands under it.
#pragma once

#include "analyzer/report/model.h"

namespace cdcscope::report {

// --since or --until leave no time of the capture.
[[nodiscard]] bool nothing_to_judge(const model& m) noexcept;

// Fills result, headline, second_line, strip and guess; everything else of the model is there
// already.
void judge(model& m);

}  // namespace cdcscope::report
