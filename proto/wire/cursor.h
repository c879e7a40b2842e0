// The one reader of hostile bytes: every read is checked, the first one that does not fit makes all
// later ones fail.
#pragma once

#include "proto/wire/bytes.h"
#include "proto/wire/varint.h"

namespace cdcscope {

class cursor {
  public:
    constexpr explicit cursor(byte_view bytes) noexcept : bytes_(bytes) {}

    // False once a read did not fit; that read and all later ones gave 0 or nothing.
    [[nodiscard]] constexpr bool ok() const noexcept { return ok_; }
    [[nodiscard]] constexpr std::size_t offset() const noexcept { return offset_; }
    [[nodiscard]] constexpr std::size_t remaining() const noexcept {
        return bytes_.size() - offset_;
    }
    [[nodiscard]] constexpr bool at_end() const noexcept { return remaining() == 0; }
    [[nodiscard]] constexpr byte_view rest() const noexcept { return bytes_.subspan(offset_); }

    constexpr std::uint8_t u8() noexcept {
        const byte_view b = take(1);
        return b.empty() ? std::uint8_t{0} : b[0];
    }
    constexpr std::uint16_t be16() noexcept { return number<std::uint16_t, 2>(load_be16); }
    constexpr std::uint32_t be32() noexcept { return number<std::uint32_t, 4>(load_be32); }
    constexpr std::uint64_t be64() noexcept { return number<std::uint64_t, 8>(load_be64); }
    constexpr std::uint16_t le16() noexcept { return number<std::uint16_t, 2>(load_le16); }
    constexpr std::uint32_t le32() noexcept { return number<std::uint32_t, 4>(load_le32); }
    constexpr std::uint64_t le64() noexcept { return number<std::uint64_t, 8>(load_le64); }

    // The next n bytes, or nothing (and not ok) if fewer are left.
    constexpr byte_view take(std::size_t n) noexcept {
        if (!ok_ || n > remaining()) {
            ok_ = false;
            return {};
        }
        const byte_view taken = bytes_.subspan(offset_, n);
        offset_ += n;
        return taken;
    }
    constexpr void skip(std::size_t n) noexcept { (void)take(n); }

    constexpr std::uint64_t varint64() noexcept { return accept(read_varint(rest())); }
    constexpr std::uint32_t leb128_u32() noexcept {
        return static_cast<std::uint32_t>(accept(read_leb128_u32(rest())));
    }

  private:
    template <typename Number, std::size_t Size>
    constexpr Number number(Number (*load)(const std::uint8_t*)) noexcept {
        const byte_view b = take(Size);
        return b.empty() ? Number{0} : load(b.data());
    }
    constexpr std::uint64_t accept(varint v) noexcept {
        if (!ok_ || v.state != varint_state::complete) {
            ok_ = false;
            return 0;
        }
        offset_ += v.size;
        return v.value;
    }

    byte_view bytes_;
    std::size_t offset_ = 0;
    bool ok_ = true;
};

}  // namespace cdcscope
