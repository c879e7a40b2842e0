// From bytes to packets: what the bytes are is told by their content, packed or not.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "analyzer/capture/byte_source.h"
#include "analyzer/capture/packet_reader.h"

namespace cdcscope::capture {

struct opened_reader {
    std::unique_ptr<packet_reader> reader;
    std::string error;        // empty if there is a reader
    std::string_view format;  // "pcap", "pcapng"
};

// The source paused before its first record: a signal came, or a growing file has only begun.
inline constexpr std::string_view not_yet = "stopped before the capture began";

// `name` begins the error's text, `command` is for texts that show what to type.
[[nodiscard]] opened_reader open_capture(std::unique_ptr<byte_source> bytes,
                                         const std::string& name, const std::string& command);

}  // namespace cdcscope::capture
