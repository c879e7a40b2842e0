// Text of `cdcscope explain`: what a finding means and what to do about it.
#pragma once

#include <string>

#include "proto/findings/table.h"

namespace cdcscope::cli {

// All findings, one a line, by protocol, and the limits of their rules; no line is longer than
// `width` unless a word is.
[[nodiscard]] std::string list_of_findings(int width);
// One finding in full.
[[nodiscard]] std::string explanation(const findings::entry& row, int width);

}  // namespace cdcscope::cli
