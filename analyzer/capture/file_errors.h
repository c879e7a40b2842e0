// What to say when a file is not a capture that can be read: what it is instead, and what to do.
#pragma once

#include <string>

#include "proto/wire/bytes.h"

namespace cdcscope::capture {

// An errno in words, as they stand in a sentence: "no space left on device".
[[nodiscard]] std::string system_reason(int error_number);

// Opening failed with this errno: "no such file; did you mean travel-1.pcap?".
[[nodiscard]] std::string describe_open_error(const std::string& name, int error_number);

// The content is no capture; `start` holds its first bytes (up to 64 are used), `inside` says what
// was unpacked ("inside gzip, ").
[[nodiscard]] std::string describe_content(const std::string& name, const std::string& inside,
                                           byte_view start, const std::string& command);

// The name in the folder of `name` that is most like it; empty if none is close.
[[nodiscard]] std::string nearest_name(const std::string& name);

}  // namespace cdcscope::capture
