// Time stamps of pcapng interfaces: any power of ten or two, and an offset (if_tsresol,
// if_tsoffset).
#pragma once

#include <cstdint>

namespace cdcscope::capture {

class pcapng_time {
  public:
    // `resolution` as in if_tsresol: highest bit set: 2^-n s, else 10^-n s. `offset` in seconds.
    void set_resolution(std::uint8_t resolution) noexcept { resolution_ = resolution; }
    void set_offset(std::int64_t seconds) noexcept { offset_ = seconds; }

    // Nanoseconds since 1970, rounded down; what does not fit in 64 bits ends at the limit.
    [[nodiscard]] std::int64_t nanoseconds(std::uint64_t units) const noexcept;

  private:
    std::uint8_t resolution_ = 6;
    std::int64_t offset_ = 0;
};

}  // namespace cdcscope::capture
