#include "analyzer/tcp/delivered_ring.h"

#include <algorithm>
#include <cstring>

namespace cdcscope::tcp {

void delivered_ring::append(position begin, byte_view bytes) {
    if (begin != end_) begin_ = end_ = begin;
    end_ += static_cast<position>(bytes.size());
    if (bytes.size() > capacity) bytes = bytes.last(capacity);
    const std::size_t at = slot(end_ - static_cast<position>(bytes.size()));
    const std::size_t head = std::min(bytes.size(), capacity - at);
    std::memcpy(bytes_.get() + at, bytes.data(), head);
    std::memcpy(bytes_.get(), bytes.data() + head, bytes.size() - head);
    begin_ = std::max(begin_, end_ - static_cast<position>(capacity));
}

void delivered_ring::compare(position begin, byte_view bytes, conflict& found) const {
    const position from = std::max(begin, begin_);
    const position to = std::min(begin + static_cast<position>(bytes.size()), end_);
    for (position p = from; p < to;) {
        const std::size_t at = slot(p);
        const std::size_t run = std::min(static_cast<std::size_t>(to - p), capacity - at);
        const byte_view other = bytes.subspan(static_cast<std::size_t>(p - begin), run);
        if (std::memcmp(bytes_.get() + at, other.data(), run) != 0) {
            for (std::size_t i = 0; i < run; ++i) {
                if (bytes_[at + i] != other[i])
                    found.add(p + static_cast<position>(i), bytes_[at + i], other[i]);
            }
        }
        p += static_cast<position>(run);
    }
}

void ring_pool::assign(ring_lease& to) {
    if (entries_.size() < most_) {
        entries_.push_back(std::make_unique<entry>());
        to.entry_ = entries_.back().get();
    } else {
        const auto oldest =
            std::min_element(entries_.begin(), entries_.end(),
                             [](const auto& a, const auto& b) { return a->used < b->used; });
        to.entry_ = oldest->get();
        if (to.entry_->holder != nullptr) to.entry_->holder->entry_ = nullptr;
        to.entry_->ring.clear();
    }
    to.entry_->holder = &to;
}

void ring_lease::append(ring_pool& pool, position begin, byte_view bytes) {
    if (entry_ == nullptr) pool.assign(*this);
    entry_->used = ++pool.clock_;
    entry_->ring.append(begin, bytes);
}

void ring_lease::give_back() noexcept {
    if (entry_ == nullptr) return;
    entry_->holder = nullptr;
    entry_->used = 0;
    entry_ = nullptr;
}

}  // namespace cdcscope::tcp
