// A window over a byte source: as many bytes in a row as a reader asks for, lent without copy.
#pragma once

#include <memory>
#include <vector>

#include "analyzer/capture/byte_source.h"
#include "proto/wire/bytes.h"

namespace cdcscope::capture {

class byte_window {
  public:
    explicit byte_window(std::unique_ptr<byte_source> source);

    // read_state::data: at least n bytes are in the window. Else why not; those that are there
    // stay.
    read_state fill(std::size_t n) { return n <= ready() ? read_state::data : fill_slowly(n); }
    // What is in the window. Valid until the next fill() or skip().
    [[nodiscard]] byte_view bytes() const noexcept { return {buffer_.data() + begin_, ready()}; }
    [[nodiscard]] std::size_t ready() const noexcept { return end_ - begin_; }
    // Takes n bytes off the front; they stay readable until the next fill().
    void consume(std::size_t n) noexcept {
        begin_ += n;
        offset_ += n;
    }
    // Passes over up to n bytes, in the window or not; `passed` counts them.
    read_state skip(std::uint64_t n, std::uint64_t& passed);

    // Offset in the source of the window's first byte.
    [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
    [[nodiscard]] std::string problem() const { return source_->problem(); }

  private:
    read_state fill_slowly(std::size_t n);

    std::unique_ptr<byte_source> source_;
    std::vector<std::uint8_t> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::uint64_t offset_ = 0;
};

}  // namespace cdcscope::capture
