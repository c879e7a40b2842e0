#include "analyzer/capture/byte_window.h"

#include <algorithm>
#include <cstring>

namespace cdcscope::capture {
namespace {

constexpr std::size_t window_size = std::size_t{512} * 1024;

}  // namespace

byte_window::byte_window(std::unique_ptr<byte_source> source)
    : source_(std::move(source)), buffer_(window_size) {}

read_state byte_window::fill_slowly(std::size_t n) {
    // What is left is a piece of a record: moving it to the front keeps the reads large.
    std::memmove(buffer_.data(), buffer_.data() + begin_, ready());
    if (n > buffer_.size()) buffer_.resize(std::max(n, buffer_.size() * 2));
    end_ -= begin_;
    begin_ = 0;
    while (ready() < n) {
        const read_result r = source_->read(std::span(buffer_).subspan(end_));
        if (r.state != read_state::data) return r.state;
        end_ += r.size;
    }
    return read_state::data;
}

read_state byte_window::skip(std::uint64_t n, std::uint64_t& passed) {
    while (passed < n) {
        if (ready() == 0) {
            if (const read_state state = fill(1); state != read_state::data) return state;
        }
        const std::size_t step =
            static_cast<std::size_t>(std::min<std::uint64_t>(n - passed, ready()));
        consume(step);
        passed += step;
    }
    return read_state::data;
}

}  // namespace cdcscope::capture
