// Addresses as text: dotted for IPv4, RFC 5952 for IPv6 (inet_ntop writes that form).
#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyzer/capture/segment.h"

namespace cdcscope::capture {

bool address::is_v4() const noexcept {
    constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    return std::equal(mapped.begin(), mapped.end(), bytes.begin());
}

std::string to_string(const address& a) {
    if (a.is_v4())
        return fmt::format("{}.{}.{}.{}", a.bytes[12], a.bytes[13], a.bytes[14], a.bytes[15]);
    std::array<char, INET6_ADDRSTRLEN> text{};
    return ::inet_ntop(AF_INET6, a.bytes.data(), text.data(), text.size()) == nullptr ? ""
                                                                                      : text.data();
}

std::string to_string(const endpoint& e) {
    return fmt::format(fmt::runtime(e.ip.is_v4() ? "{}:{}" : "[{}]:{}"), to_string(e.ip), e.port);
}

}  // namespace cdcscope::capture
