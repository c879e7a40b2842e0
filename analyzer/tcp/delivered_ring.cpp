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
        entries_.emplace_back();
        to.entry_ = std::prev(entries_.end());
    } else {
        to.entry_ = entries_.begin();
        if (to.entry_->holder != nullptr) to.entry_->holder->pool_ = nullptr;
        to.entry_->ring.clear();
    }
    to.entry_->holder = &to;
    to.pool_ = this;
}

void ring_lease::append(ring_pool& pool, position begin, byte_view bytes) {
    if (pool_ == nullptr) pool.assign(*this);
    pool.entries_.splice(pool.entries_.end(), pool.entries_, entry_);
    entry_->ring.append(begin, bytes);
}

void ring_lease::give_back() noexcept {
    if (pool_ == nullptr) return;
    entry_->holder = nullptr;
    pool_->entries_.splice(pool_->entries_.begin(), pool_->entries_, entry_);
    pool_ = nullptr;
}

}  // namespace cdcscope::tcp
