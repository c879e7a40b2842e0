// What the layers below the protocols noticed, as lines for people: directions in words, the place,
// what to do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cdcscope::cli {

// A line of warning for an observation that came `count` times; `text` is that of the first.
[[nodiscard]] std::string notice_line(std::string_view code, std::string_view text,
                                      std::uint64_t count);

}  // namespace cdcscope::cli
