// A file that a generator writes, or holds what is there against.
#pragma once

#include <filesystem>
#include <string>

namespace cdcscope::docs {

// Writes `text`; with `check` compares instead. False, and a line on standard error, if it differs
// or cannot be written.
[[nodiscard]] bool put(const std::filesystem::path& file, const std::string& text, bool check);

}  // namespace cdcscope::docs
