// Text from captures, files and command lines as it may stand in a line for people, and bytes that
// should be text as text: what may not stand is written byte for byte as \xNN.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "proto/wire/bytes.h"

namespace cdcscope {

// Whether this code point is written as it is. Controls are not, nor what turns the direction of a
// line, breaks it, or is not seen: a name with them could look like another. The joiners U+200C and
// U+200D stay, since words of several languages need them.
[[nodiscard]] bool is_shown(std::uint32_t code_point) noexcept;

// "\xNN" for each byte.
void append_escaped(std::string& out, byte_view bytes);

// Bytes that are no UTF-8 and code points that are not shown as \xNN.
[[nodiscard]] std::string printable(std::string_view text);
// As printable(), at most `most` bytes, with "..." behind if there were more.
[[nodiscard]] std::string printable(std::string_view text, std::size_t most);

// Only the bytes that are no UTF-8 as \xNN.
[[nodiscard]] std::string as_utf8(std::string_view text);

}  // namespace cdcscope
