// JSON with a member a line, short values on one.
#pragma once

#include <string>
#include <string_view>

namespace cdcscope::docs {

// `json` is valid and has no white space that matters outside strings. Ends with a line feed.
[[nodiscard]] std::string pretty_json(std::string_view json, std::size_t width = 110);

}  // namespace cdcscope::docs
