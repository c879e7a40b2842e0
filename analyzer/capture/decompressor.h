// Compressed captures: gzip with any number of members, Zstandard with any number of frames.

#pragma once

#include <array>
#include <memory>

#include "analyzer/capture/byte_source.h"
#include "proto/wire/bytes.h"

namespace cdcscope::capture {

[[nodiscard]] bool is_gzip(byte_view start) noexcept;
[[nodiscard]] bool is_zstd(byte_view start) noexcept;

[[nodiscard]] std::unique_ptr<byte_source> make_gzip_source(std::unique_ptr<byte_source> packed);
[[nodiscard]] std::unique_ptr<byte_source> make_zstd_source(std::unique_ptr<byte_source> packed);

// What both have in common: a buffer of packed bytes, and what to say when they end.
class decompressor : public byte_source {
  public:
    explicit decompressor(std::unique_ptr<byte_source> packed);

    read_result read(std::span<std::uint8_t> into) final;
    [[nodiscard]] bool can_pause() const noexcept final { return packed_->can_pause(); }
    [[nodiscard]] std::string problem() const final { return problem_; }

  protected:
    struct unpacked {
        std::size_t used = 0;      // of the packed bytes
        std::size_t produced = 0;  // of the plain ones
        bool between = false;      // a member or frame is whole, and none has begun behind it
        std::string problem;       // empty: none
    };
    // Unpacks what it can; `in` may be empty when more output may wait inside.
    virtual unpacked unpack(byte_view in, std::span<std::uint8_t> out) = 0;

  private:
    using packed_bytes = std::array<std::uint8_t, std::size_t{256} * 1024>;

    // Reads packed bytes; anything but data means that they are over, or not there yet.
    read_state refill();
    read_result end(read_state how, std::string problem = {});

    std::unique_ptr<byte_source> packed_;
    std::unique_ptr<packed_bytes> buffer_;
    byte_view in_;
    bool between_ = false;
    bool output_waits_ = false;
    read_state ended_ = read_state::data;
    std::string problem_;
};

}  // namespace cdcscope::capture
