// "Did you mean": the candidate that a word was probably meant to be.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cdcscope::cli {

// The candidate with the fewest edits (insert, delete, replace, swap of neighbours), if that is at
// most a third of the word.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 const std::vector<std::string>& candidates);

}  // namespace cdcscope::cli
