// Link types that are not read, as errors name them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cdcscope::capture {

// "link type 127 (IEEE 802.11 radiotap)", or "link types 105 (IEEE 802.11) and 127 (...)".
// As tcpdump and tshark name it: "EN10MB"; the number if it has no name.
[[nodiscard]] std::string link_type_code(std::uint32_t type);

[[nodiscard]] std::string link_type_names(const std::vector<std::uint32_t>& types);

// The error for a file in which nothing can be read. interfaces: how many a pcapng describes, 0 for
// a pcap.
[[nodiscard]] std::string unread_link_type(const std::string& file,
                                           const std::vector<std::uint32_t>& types,
                                           std::size_t interfaces);

}  // namespace cdcscope::capture
