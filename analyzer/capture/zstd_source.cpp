// Zstandard by libzstd, which goes from frame to frame by itself.
#include <zstd.h>
#include <zstd_errors.h>

#include "analyzer/capture/decompressor.h"

namespace cdcscope::capture {
namespace {

struct context_closer {
    void operator()(ZSTD_DStream* d) const noexcept { ::ZSTD_freeDStream(d); }
};

class zstd_source final : public decompressor {
  public:
    explicit zstd_source(std::unique_ptr<byte_source> packed)
        : decompressor(std::move(packed)), context_(::ZSTD_createDStream()) {}

  protected:
    unpacked unpack(byte_view in, std::span<std::uint8_t> out) override;

  private:
    std::unique_ptr<ZSTD_DStream, context_closer> context_;
};

std::string describe(std::size_t status) {
    if (::ZSTD_getErrorCode(status) == ZSTD_error_frameParameter_windowTooLarge) {
        return "compressed with a window of more than 128 MiB; unpack it: zstd -dc --long=31 FILE "
               "| cdcscope ... -";
    }
    return std::string("broken zstd data: ") + ::ZSTD_getErrorName(status);
}

decompressor::unpacked zstd_source::unpack(byte_view in, std::span<std::uint8_t> out) {
    if (!context_) return {0, 0, false, "out of memory"};
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t status = ::ZSTD_decompressStream(context_.get(), &to, &from);
    if (::ZSTD_isError(status) != 0) return {from.pos, to.pos, false, describe(status)};
    return {from.pos, to.pos, status == 0, {}};
}

}  // namespace

bool is_zstd(byte_view start) noexcept {
    if (start.size() < 4) return false;
    const std::uint32_t magic = load_le32(start.data());
    return magic == ZSTD_MAGICNUMBER ||
           (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

std::unique_ptr<byte_source> make_zstd_source(std::unique_ptr<byte_source> packed) {
    return std::make_unique<zstd_source>(std::move(packed));
}

}  // namespace cdcscope::capture
