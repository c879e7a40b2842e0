// A command as one would type it again, to read the same part of the same captures.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/cli/common_options.h"

namespace cdcscope::cli {

// "cdcscope report 'a b.pcap' --since +10s --port dcp=12000": the captures, and every shared option
// that was given and changes what is read or judged.
[[nodiscard]] std::string typed_again(std::string_view command, const common_options& o);

}  // namespace cdcscope::cli
