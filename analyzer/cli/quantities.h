// Sizes, times and ports as people write them on the command line. What can't be read throws
// usage_error with the reason.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cdcscope::cli {

// "512MiB", "16GiB", "4096", "1.5 MiB", "64k": bytes; K, M, G are powers of 1,024.
[[nodiscard]] std::uint64_t parse_size(std::string_view option, std::string_view text);

// Digits only, below 2^64.
[[nodiscard]] std::uint64_t parse_number(std::string_view option, std::string_view text);

// A limit in time: absolute, or an offset from the first packet of the capture, or a time of the
// first packet's day.
struct time_bound {
    enum class kind { absolute, from_first_packet, time_of_day } what = kind::absolute;
    std::int64_t ns = 0;
    std::string text = {};  // as given
    // Nanoseconds since 1970, once the first packet is known.
    [[nodiscard]] std::int64_t resolve(std::int64_t first_packet_ns) const noexcept;
};

// "2026-11-30T06:22:00Z", "2026-11-30 06:22:00.5", "06:22:00", "+90", "+90s".
[[nodiscard]] time_bound parse_time(std::string_view option, std::string_view text);

// "dcp=12000,canal=11112": protocol name and port.
[[nodiscard]] std::vector<std::pair<std::string, std::uint16_t>> parse_ports(std::string_view text);

}  // namespace cdcscope::cli
