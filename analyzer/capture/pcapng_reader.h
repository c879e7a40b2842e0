// pcapng by our own block reader: sections of either byte order, interfaces of different link types
// and time units, which libpcap refuses.
#pragma once

#include <memory>
#include <vector>

#include "analyzer/capture/byte_window.h"
#include "analyzer/capture/packet_reader.h"
#include "analyzer/capture/pcapng_time.h"

namespace cdcscope::capture {

[[nodiscard]] bool is_pcapng(byte_view start) noexcept;

class pcapng_reader final : public packet_reader {
  public:
    explicit pcapng_reader(std::unique_ptr<byte_source> source) : window_(std::move(source)) {}

    next_state next(packet& out) override;
    [[nodiscard]] const read_problem& problem() const noexcept override { return problem_; }
    [[nodiscard]] std::size_t interfaces() const noexcept override { return interfaces_seen_; }

  private:
    struct interface {
        std::uint32_t link_type = 0;
        std::uint32_t snap_length = 0;  // 0: none
        pcapng_time clock;
    };
    // A whole block in the window, without its lengths.
    struct block {
        std::uint32_t type = 0;
        std::uint32_t length = 0;
        byte_view body;
    };
    enum class taken : std::uint8_t { packet, no_packet, broken };

    // Brings the next block into the window, or passes over one that holds nothing for us.
    next_state next_block(block& out);
    next_state pass_over(std::uint32_t length);
    next_state stop(read_state why, std::uint64_t needed);
    next_state broken(std::string_view why);

    taken take(const block& b, packet& out);
    taken take_section(byte_view body);
    taken take_interface(byte_view body);
    void take_option(interface& to, std::uint16_t code, byte_view value) const;
    taken take_enhanced(byte_view body, packet& out);
    taken take_simple(byte_view body, packet& out);
    taken take_obsolete(byte_view body, packet& out);
    taken fill(packet& out, std::uint32_t interface_id, std::uint64_t units, std::uint32_t captured,
               std::uint32_t wire, byte_view rest);

    [[nodiscard]] std::uint16_t u16(byte_view at, std::size_t offset) const noexcept;
    [[nodiscard]] std::uint32_t u32(byte_view at, std::size_t offset) const noexcept;

    byte_window window_;
    bool big_endian_ = false;
    bool in_section_ = false;
    std::vector<interface> interfaces_;  // of the current section
    std::size_t interfaces_seen_ = 0;
    std::uint64_t passing_ = 0;  // bytes of a block being passed over; with passed_ of them done
    std::uint64_t passed_ = 0;
    std::uint32_t passing_length_ = 0;
    std::uint32_t passing_frames_ = 0;
    std::uint32_t frame_ = 0;
    std::int64_t last_time_ = 0;
    std::string_view why_;  // set by a take_... that gives taken::broken
    bool finished_ = false;
    read_problem problem_;
};

}  // namespace cdcscope::capture
