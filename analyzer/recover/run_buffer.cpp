#include "analyzer/recover/run_buffer.h"

namespace cdcscope::recover {

void run_buffer::append(tcp::position at, byte_view bytes, const stamp& s) {
    if (empty()) begin_ = at;
    marks_.push_back({at, s});
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

void run_buffer::drop_front(std::size_t count) {
    head_ += count;
    begin_ += static_cast<tcp::position>(count);
    if (head_ == bytes_.size()) {
        clear();
        return;
    }
    while (first_mark_ + 1 < marks_.size() && marks_[first_mark_ + 1].begin <= begin_) {
        ++first_mark_;
    }
    // Moving the rest down pays when it is the smaller part.
    if (head_ > bytes_.size() / 2) {
        bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(head_));
        head_ = 0;
        marks_.erase(marks_.begin(), marks_.begin() + static_cast<std::ptrdiff_t>(first_mark_));
        first_mark_ = 0;
    }
}

void run_buffer::clear() {
    bytes_.clear();
    marks_.clear();
    head_ = first_mark_ = 0;
    if (bytes_.capacity() > kept_capacity) {
        bytes_ = {};
        marks_ = {};
    }
}

frame_trail run_buffer::trail(std::size_t from, std::size_t count) const {
    frame_trail t;
    const tcp::position low = begin_ + static_cast<tcp::position>(from);
    const tcp::position high = low + static_cast<tcp::position>(count);
    auto at =
        std::upper_bound(marks_.begin() + static_cast<std::ptrdiff_t>(first_mark_), marks_.end(),
                         low, [](tcp::position p, const mark& m) { return p < m.begin; });
    if (at != marks_.begin()) --at;
    for (; at != marks_.end() && at->begin < high; ++at) t.add(at->of);
    return t;
}

}  // namespace cdcscope::recover
