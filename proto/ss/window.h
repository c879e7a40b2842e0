// A stretch of a byte source held in memory: reads go through it, in order or by leaps.
#pragma once

#include <vector>

#include "proto/ss/byte_source.h"

namespace cdcscope::ss {

class window {
  public:
    // Holds `capacity` bytes. A read takes as many as `stride` says, all that fits by default:
    // small strides suit leaps, large ones reading in order.
    window(byte_source& source, std::size_t capacity);

    [[nodiscard]] std::size_t capacity() const noexcept { return buffer_.size(); }
    void stride(std::size_t bytes) noexcept { stride_ = bytes; }

    // `size` bytes from `offset`, fewer only if the source ends before them or can not be read.
    // `size` is at most half the capacity. Valid until the next call.
    [[nodiscard]] byte_view get(std::uint64_t offset, std::size_t size) {
        if (offset >= base_ && offset - base_ <= filled_ && filled_ - (offset - base_) >= size) {
            return {buffer_.data() + (offset - base_), size};
        }
        return fetch(offset, size);
    }

    // At least one byte from `offset` and at most `most`, what happens to be held; nothing at the
    // end of the source.
    [[nodiscard]] byte_view some(std::uint64_t offset, std::uint64_t most);

    // Everything held from `offset` on, without reading.
    [[nodiscard]] byte_view held(std::uint64_t offset) const noexcept {
        if (offset < base_ || offset - base_ >= filled_) return {};
        return {buffer_.data() + (offset - base_),
                filled_ - static_cast<std::size_t>(offset - base_)};
    }

    [[nodiscard]] byte_source& source() noexcept { return source_; }
    // A read failed, now or before.
    [[nodiscard]] bool failed() const noexcept { return failed_; }

  private:
    byte_view fetch(std::uint64_t offset, std::size_t size);

    byte_source& source_;
    std::vector<std::uint8_t> buffer_;
    std::uint64_t base_ = 0;  // offset of the first byte held
    std::size_t filled_ = 0;  // bytes held
    std::size_t stride_;
    bool failed_ = false;
};

}  // namespace cdcscope::ss
