// Where a .ss file is read from: anything that gives bytes at an offset. Implemented over files by
// the analyzer, over wiretap's handles by the plugin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "proto/wire/bytes.h"

namespace cdcscope::ss {

class byte_source {
  public:
    byte_source() = default;
    byte_source(const byte_source&) = delete;
    byte_source& operator=(const byte_source&) = delete;
    virtual ~byte_source() = default;

    static constexpr std::size_t failed = std::numeric_limits<std::size_t>::max();

    // Fills `to` from that offset. Fewer bytes than asked for: the source ends there, for now.
    // `failed`: it can not be read.
    [[nodiscard]] virtual std::size_t read(std::uint64_t offset, std::span<std::uint8_t> to) = 0;

    // Bytes there are now; the greatest number if that is not known.
    [[nodiscard]] virtual std::uint64_t size() = 0;
};

// Bytes in memory, borrowed.
class memory_source final : public byte_source {
  public:
    explicit memory_source(byte_view bytes) noexcept : bytes_(bytes) {}
    [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::uint8_t> to) override;
    [[nodiscard]] std::uint64_t size() override { return bytes_.size(); }

  private:
    byte_view bytes_;
};

}  // namespace cdcscope::ss
