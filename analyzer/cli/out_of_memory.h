// What happens when there is no memory left: one line and status 1. Much of the program may not
// throw, and would end in an abort.
#pragma once

#include <string_view>

namespace cdcscope::cli {

inline constexpr std::string_view out_of_memory =
    "not enough memory: an output that is still named NAME.part is not whole; --max-memory SIZE "
    "holds less back, --filter reads less";

// From now on. Nothing is thrown, and no destructor runs: outputs keep the names that they have
// while they are not whole.
void end_without_memory() noexcept;

}  // namespace cdcscope::cli
