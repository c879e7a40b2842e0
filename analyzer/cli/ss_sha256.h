// SHA-256 (FIPS 180-4), for the listings of `ss dump`.
#pragma once

#include <array>

#include "proto/wire/bytes.h"

namespace cdcscope::cli {

class sha256 {
  public:
    using digest = std::array<std::uint8_t, 32>;

    void update(byte_view bytes) noexcept;
    // Of all bytes given; nothing may be added afterwards.
    [[nodiscard]] digest finish() noexcept;

  private:
    void take_block(const std::uint8_t* block) noexcept;

    std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<std::uint8_t, 64> block_{};
    std::uint64_t size_ = 0;
};

}  // namespace cdcscope::cli
