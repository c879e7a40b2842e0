// What a command reads, held against what it writes.
#pragma once

#include <span>
#include <string>

namespace cdcscope::cli {

// Why `output` must not be written: it is one of the files that are read, by whatever name. Empty
// if it is not; standard input and output, devices and what does not exist are nobody's.
[[nodiscard]] std::string is_read(const std::string& output, std::span<const std::string> inputs);

// The second name of a file that is named twice; empty if none is.
[[nodiscard]] std::string named_twice(std::span<const std::string> inputs);

}  // namespace cdcscope::cli
