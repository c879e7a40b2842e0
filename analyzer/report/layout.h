// Text in columns: widths as a terminal shows them, wrapping, shortening.
#pragma once

#include <string>
#include <string_view>

namespace cdcscope::report {

// Columns that `text` (UTF-8) takes: two for wide characters, none for combining ones.
[[nodiscard]] std::size_t display_width(std::string_view text);

// `text` filled with blanks to `width` columns; longer ones as they are.
[[nodiscard]] std::string pad_right(std::string_view text, std::size_t width);
[[nodiscard]] std::string pad_left(std::string_view text, std::size_t width);

// Shortened in the middle to `width` columns: "replicati..n1:travel".
[[nodiscard]] std::string elide(std::string_view text, std::size_t width);

// Lines of at most `width` columns, each with a line feed: the first after `first` (which is
// written as it is and counts), the others after as many blanks as `indent` says. Breaks at blanks,
// within a word only if it is longer than a line; no-break spaces do not break and come out as
// blanks; control characters come out as printable() writes them.
void wrap(std::string& out, std::string_view first, std::string_view text, std::size_t indent,
          std::size_t width);

}  // namespace cdcscope::report
