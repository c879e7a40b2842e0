// What the terminal can do, and lines for people on it.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "analyzer/cli/common_options.h"
#include "proto/wire/printable.h"

namespace cdcscope::cli {

// Columns of the terminal behind `stream`; 100 if it is none or does not tell.
[[nodiscard]] int columns(std::FILE* stream);
[[nodiscard]] bool is_terminal(std::FILE* stream);
[[nodiscard]] bool use_color(color_choice choice, std::FILE* stream);

using cdcscope::printable;  // for text from the command line or the capture

// "cdcscope: TEXT" and "cdcscope: warning: TEXT" on standard error.
void print_error(std::string_view text);
void print_warning(std::string_view text);

// Whole text to standard output. False if it could not be written, which is said then; a reader
// that closed the pipe is no failure.
[[nodiscard]] bool print(std::string_view text);

}  // namespace cdcscope::cli
