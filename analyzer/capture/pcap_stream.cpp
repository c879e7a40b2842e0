#include "analyzer/capture/pcap_stream.h"

#include <algorithm>

namespace cdcscope::capture {
namespace {

constexpr std::size_t poll_size = std::size_t{64} * 1024;

}  // namespace

pcap_stream::pcap_stream(std::unique_ptr<byte_source> source, byte_view header)
    : source_(std::move(source)),
      header_(header.begin(), header.end()),
      file_buffer_(std::make_unique_for_overwrite<file_buffer>()),
      boundary_(header.size()),
      delivered_(header.size()) {}

std::FILE* pcap_stream::open() {
    replay_ = header_;
    const std::size_t pending =
        static_cast<std::size_t>(std::min<std::uint64_t>(delivered_ - boundary_, recent_.size()));
    recent_.erase(recent_.begin(), recent_.end() - static_cast<std::ptrdiff_t>(pending));
    replay_.insert(replay_.end(), recent_.begin(), recent_.end());
    replayed_ = 0;
    cookie_io_functions_t calls{};
    calls.read = [](void* stream, char* into, std::size_t n) {
        auto* bytes = reinterpret_cast<std::uint8_t*>(into);
        return static_cast<ssize_t>(static_cast<pcap_stream*>(stream)->give({bytes, n}));
    };
    std::FILE* file = ::fopencookie(this, "r", calls);
    if (file != nullptr) std::setvbuf(file, file_buffer_->data(), _IOFBF, file_buffer_->size());
    return file;
}

read_state pcap_stream::poll() {
    std::vector<std::uint8_t> fresh(poll_size);
    const read_result r = source_->read(fresh);
    state_ = r.state;
    if (r.state != read_state::data) return r.state;
    remember(byte_view(fresh).first(r.size));
    return r.state;
}

std::size_t pcap_stream::give(std::span<std::uint8_t> into) {
    if (replayed_ < replay_.size()) {
        const std::size_t n = std::min(into.size(), replay_.size() - replayed_);
        std::copy_n(replay_.begin() + static_cast<std::ptrdiff_t>(replayed_), n, into.begin());
        replayed_ += n;
        return n;
    }
    const read_result r = source_->read(into);
    state_ = r.state;
    if (r.state != read_state::data) return 0;
    remember(into.first(r.size));
    return r.size;
}

void pcap_stream::remember(byte_view bytes) {
    delivered_ += bytes.size();
    if (!source_->can_pause()) return;
    recent_.insert(recent_.end(), bytes.begin(), bytes.end());
    const std::uint64_t wanted = delivered_ - boundary_;
    if (recent_.size() > wanted)
        recent_.erase(recent_.begin(), recent_.end() - static_cast<std::ptrdiff_t>(wanted));
}

}  // namespace cdcscope::capture
