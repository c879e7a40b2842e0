#include "analyzer/capture/packet_reader.h"

#include <fmt/format.h>

namespace cdcscope::capture {

std::string grouped(std::uint64_t number) {
    std::string digits = std::to_string(number);
    for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
    return digits;
}

read_problem cut_off(std::uint64_t packet, std::uint64_t at_byte, std::uint64_t missing) {
    const std::string how_much =
        missing == 0 ? "" : fmt::format(" ({} bytes missing)", grouped(missing));
    return {truncated_file,
            fmt::format("cut off inside packet {} at byte {} of {}{}; everything before it was "
                        "read. Compare the size with the original",
                        grouped(packet), grouped(at_byte), grouped(at_byte), how_much)};
}

read_problem damaged(std::uint64_t packet, std::uint64_t at_byte, std::string_view why) {
    return {truncated_file,
            fmt::format("damaged at packet {}, byte {}: {}; everything before it was read",
                        grouped(packet), grouped(at_byte), why)};
}

}  // namespace cdcscope::capture
