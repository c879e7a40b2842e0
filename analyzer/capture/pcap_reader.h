// Classic pcap by libpcap, which reads it as a stream: every magic and version that libpcap knows.

#pragma once

#include <memory>
#include <string>

#include "analyzer/capture/byte_source.h"
#include "analyzer/capture/open_capture.h"
#include "analyzer/capture/packet_reader.h"

namespace cdcscope::capture {

inline constexpr std::size_t pcap_header_size = 24;

// Whether a file that starts with these four bytes is a classic pcap, in either byte order.
[[nodiscard]] bool is_pcap(byte_view start) noexcept;

// The error has no name in front.
[[nodiscard]] opened_reader open_pcap(std::unique_ptr<byte_source> source);

}  // namespace cdcscope::capture
