// One interface for all capture formats: packets, one after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/capture/packet.h"

namespace cdcscope::capture {

enum class next_state : std::uint8_t {
    packet,  // a whole record
    more,    // nothing now, perhaps later
    end,     // whole and done
    error,   // done, but not at a proper end: problem() says what
};

// Why a file was not read to a proper end. What came before is good.
struct read_problem {
    std::string_view code;  // empty, or truncated_file
    std::string text;  // without the file's name: "cut off inside packet 175 at byte 31,790 ..."
};

class packet_reader {
  public:
    packet_reader() = default;
    packet_reader(const packet_reader&) = delete;
    packet_reader& operator=(const packet_reader&) = delete;
    virtual ~packet_reader() = default;

    // Fills `out` (all but at.file) on next_state::packet; its bytes live until the next call.
    virtual next_state next(packet& out) = 0;
    [[nodiscard]] virtual const read_problem& problem() const noexcept = 0;

    // The link type of all packets, where the format has but one.
    [[nodiscard]] virtual std::optional<std::uint32_t> only_link_type() const noexcept {
        return std::nullopt;
    }
    // Interfaces described so far.
    [[nodiscard]] virtual std::size_t interfaces() const noexcept { return 1; }
};

// Reading ended inside a record: the file ends there, or what follows is no record.
inline constexpr std::string_view truncated_file = "capture.truncated_file";

// "cut off inside packet 175 at byte 31,790 of 31,790 (24 bytes missing); everything before it was
// read ...". at_byte: where the (unpacked) file ends; missing 0: not known.
[[nodiscard]] read_problem cut_off(std::uint64_t packet, std::uint64_t at_byte,
                                   std::uint64_t missing);
// "damaged at packet 175, byte 31,790: WHY; everything before it was read".
[[nodiscard]] read_problem damaged(std::uint64_t packet, std::uint64_t at_byte,
                                   std::string_view why);
// 31790 -> "31,790"
[[nodiscard]] std::string grouped(std::uint64_t number);

}  // namespace cdcscope::capture
