// The 128 bytes a .ss file starts with (docs/ss.md section 2).
#pragma once

#include <array>
#include <optional>

#include "proto/ss/format.h"
#include "proto/ss/problem.h"

namespace cdcscope::ss {

struct header {
    std::string_view file_name;    // UTF-8, borrowed; what the file was called when created
    std::uint64_t created_ms = 0;  // since 1970, UTC
    std::uint32_t interval = default_interval;
};

using header_bytes = std::array<std::uint8_t, header_size>;

// Nothing if a field is out of its range: a name of more than 111 bytes, an interval below 128, a
// time after the year 9999.
[[nodiscard]] std::optional<header_bytes> encode(const header& h) noexcept;

struct decoded_header {
    header value;     // the name lies in the bytes given; meaningful unless `broken`
    problem broken;   // why it can not be used
    problem padding;  // flaws that harm nothing
    problem end_mark;
};

// `bytes`: the start of the file; fewer than 128 are a fault, more are not looked at.
[[nodiscard]] decoded_header decode_header(byte_view bytes) noexcept;

// The longest start of `name` that fits the header and ends with a whole character.
[[nodiscard]] std::string_view cut_file_name(std::string_view name) noexcept;

}  // namespace cdcscope::ss
