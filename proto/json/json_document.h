// JSON that comes from the capture: is it valid, and the same without white space.
#pragma once

#include <string>

#include "proto/wire/bytes.h"

namespace cdcscope {

// Appends `document` without the white space outside strings, digits and escapes as they are.
// Returns false and leaves `out` as it was if the bytes are not one valid JSON value (RFC 8259) in
// UTF-8 or nest deeper than `max_depth`. Iterative: depth costs a bit.
[[nodiscard]] bool append_compact_json(std::string& out, byte_view document,
                                       std::size_t max_depth = 1024);

}  // namespace cdcscope
