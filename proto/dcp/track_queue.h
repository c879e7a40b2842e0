// First in, first out, without memory while empty: std::deque takes half a KiB even then, and a
// connection has several.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace cdcscope::dcp {

template <typename T>
class fifo {
  public:
    [[nodiscard]] bool empty() const noexcept { return head_ == items_.size(); }
    [[nodiscard]] std::size_t size() const noexcept { return items_.size() - head_; }
    [[nodiscard]] T& front() noexcept { return items_[head_]; }
    [[nodiscard]] T& operator[](std::size_t n) noexcept { return items_[head_ + n]; }
    [[nodiscard]] const T& operator[](std::size_t n) const noexcept { return items_[head_ + n]; }
    void push_back(T item) { items_.push_back(std::move(item)); }
    void pop_front() {
        items_[head_++] = T{};
        if (empty()) return clear();
        // Moving what is left costs no more than what was taken.
        if (head_ < items_.size() / 2 || head_ < 64) return;
        items_.erase(items_.begin(), begin());
        head_ = 0;
    }
    void erase(std::size_t n) {
        items_.erase(begin() + static_cast<std::ptrdiff_t>(n));
        if (empty()) clear();
    }
    // Small memory is kept for the next items.
    void clear() {
        constexpr std::size_t kept = 256;
        if (items_.capacity() > kept) {
            items_ = {};
        } else {
            items_.clear();
        }
        head_ = 0;
    }
    [[nodiscard]] auto begin() noexcept {
        return items_.begin() + static_cast<std::ptrdiff_t>(head_);
    }
    [[nodiscard]] auto end() noexcept { return items_.end(); }

  private:
    std::vector<T> items_;
    std::size_t head_ = 0;
};

}  // namespace cdcscope::dcp
