// Reads one FlatBuffers table, as system events of version 2 carry it. Every offset is checked.

#pragma once

#include <optional>

#include "proto/wire/bytes.h"

namespace cdcscope::dcp {

class flat_table {
  public:
    // The root table of a buffer; nothing if its offsets lead outside.
    [[nodiscard]] static std::optional<flat_table> open(byte_view buffer) noexcept;

    // Offset of a slot's bytes in the buffer; nothing if the slot is absent (its value then is the
    // default) or does not fit.
    [[nodiscard]] std::optional<std::size_t> find(std::uint8_t slot,
                                                  std::size_t size) const noexcept;
    // Little-endian number of 1, 2, 4 or 8 bytes.
    [[nodiscard]] std::optional<std::uint64_t> number(std::uint8_t slot,
                                                      std::size_t size) const noexcept;
    // The bytes of a string, a view into the buffer.
    [[nodiscard]] std::optional<byte_view> string(std::uint8_t slot) const noexcept;
    // A slot that is there but leads outside of the buffer makes it false.
    [[nodiscard]] bool fits(std::uint8_t slot, std::size_t size, bool is_string) const noexcept;

  private:
    flat_table(byte_view buffer, std::size_t table, std::size_t vtable, std::size_t slots) noexcept
        : buffer_(buffer), table_(table), vtable_(vtable), slots_(slots) {}
    [[nodiscard]] std::size_t offset_of(std::uint8_t slot) const noexcept;

    byte_view buffer_;
    std::size_t table_;
    std::size_t vtable_;
    std::size_t slots_;
};

}  // namespace cdcscope::dcp
