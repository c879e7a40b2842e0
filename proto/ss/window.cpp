#include "proto/ss/window.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace cdcscope::ss {

std::size_t memory_source::read(std::uint64_t offset, std::span<std::uint8_t> to) {
    if (offset >= bytes_.size()) return 0;
    const byte_view from = bytes_.subspan(static_cast<std::size_t>(offset));
    const std::size_t n = std::min(from.size(), to.size());
    std::copy_n(from.begin(), n, to.begin());
    return n;
}

window::window(byte_source& source, std::size_t capacity)
    : source_(source), buffer_(capacity), stride_(capacity) {}

byte_view window::some(std::uint64_t offset, std::uint64_t most) {
    byte_view bytes = held(offset);
    if (bytes.empty() && most > 0) {
        (void)fetch(offset, 1);
        bytes = held(offset);
    }
    return bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(most, bytes.size())));
}

byte_view window::fetch(std::uint64_t offset, std::size_t size) {
    assert(size <= buffer_.size() / 2);
    const byte_view kept = held(offset);
    if (!kept.empty()) std::memmove(buffer_.data(), kept.data(), kept.size());
    const std::size_t target = std::min(buffer_.size(), std::max(size, kept.size() + stride_));
    filled_ = kept.size();
    base_ = offset;
    const std::size_t n =
        source_.read(offset + filled_, std::span(buffer_).subspan(filled_, target - filled_));
    if (n == byte_source::failed) {
        failed_ = true;
    } else {
        filled_ += n;
    }
    return {buffer_.data(), std::min(size, filled_)};
}

}  // namespace cdcscope::ss
