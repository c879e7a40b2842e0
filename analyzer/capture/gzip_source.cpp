// gzip by zlib.
#include <zlib.h>

#include <algorithm>

#include "analyzer/capture/decompressor.h"

namespace cdcscope::capture {
namespace {

constexpr int gzip_only = 15 + 16;  // largest window; gzip header wanted

class gzip_source final : public decompressor {
  public:
    explicit gzip_source(std::unique_ptr<byte_source> packed) : decompressor(std::move(packed)) {
        ready_ = ::inflateInit2(&stream_, gzip_only) == Z_OK;
    }
    ~gzip_source() override { ::inflateEnd(&stream_); }

  protected:
    unpacked unpack(byte_view in, std::span<std::uint8_t> out) override;

  private:
    z_stream stream_{};
    bool ready_ = false;
    bool member_begun_ = true;
};

decompressor::unpacked gzip_source::unpack(byte_view in, std::span<std::uint8_t> out) {
    if (!ready_) return {0, 0, false, "out of memory"};
    if (!member_begun_) {
        // Tapes and some writers pad with zeros behind the last member.
        if (std::ranges::all_of(in, [](std::uint8_t b) { return b == 0; }))
            return {in.size(), 0, true, {}};
        if (in[0] != 0x1f)
            return {in.size(), 0, false, "bytes behind the gzip data that are no gzip data"};
        ::inflateReset(&stream_);
        member_begun_ = true;
    }
    stream_.next_in = const_cast<Bytef*>(in.data());  // zlib's interface; it only reads
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = out.data();
    stream_.avail_out = static_cast<uInt>(out.size());
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    unpacked u{in.size() - stream_.avail_in, out.size() - stream_.avail_out, false, {}};
    if (status == Z_STREAM_END) {
        member_begun_ = false;
        u.between = true;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
        u.problem =
            std::string("broken gzip data: ") + (stream_.msg == nullptr ? "unknown" : stream_.msg);
    }
    return u;
}

}  // namespace

bool is_gzip(byte_view start) noexcept {
    return start.size() >= 3 && start[0] == 0x1f && start[1] == 0x8b && start[2] == 8;
}

std::unique_ptr<byte_source> make_gzip_source(std::unique_ptr<byte_source> packed) {
    return std::make_unique<gzip_source>(std::move(packed));
}

}  // namespace cdcscope::capture
