// Base64 (RFC 4648 section 4, with padding).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proto/wire/bytes.h"

namespace cdcscope {

void append_base64(std::string& out, byte_view bytes);

// Nothing if the text is no Base64: a character outside the alphabet, a length that is no multiple
// of 4, misplaced padding.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> decode_base64(std::string_view text);

}  // namespace cdcscope
