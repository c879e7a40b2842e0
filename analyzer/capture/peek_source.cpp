#include "analyzer/capture/peek_source.h"

#include <algorithm>

namespace cdcscope::capture {

byte_view peek_source::peek(std::size_t n) {
    while (front_.size() - given_ < n) {
        const std::size_t have = front_.size();
        front_.resize(given_ + n);
        const read_result r = inner_->read(std::span(front_).subspan(have));
        front_.resize(have + r.size);
        last_ = r.state;
        if (r.state != read_state::data) break;
    }
    return byte_view(front_).subspan(given_, std::min(n, front_.size() - given_));
}

read_result peek_source::read(std::span<std::uint8_t> into) {
    const std::size_t ready = front_.size() - given_;
    if (ready == 0) return inner_->read(into);
    const std::size_t n = std::min(ready, into.size());
    std::copy_n(front_.begin() + static_cast<std::ptrdiff_t>(given_), n, into.begin());
    given_ += n;
    return {read_state::data, n};
}

}  // namespace cdcscope::capture
