// The rows of a table whose length does not depend on that of the capture.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace cdcscope::report {

// Keeps the first half and the last half of what is added: how it began and how it ended. A row has
// a number that stays valid; find() of one that made room gives nothing.
template <class T>
class first_and_last {
  public:
    explicit first_and_last(std::size_t most) : half_(most / 2) {}

    std::uint64_t add(T row) {
        const auto number = added_++;
        if (number < half_) {
            first_.push_back(std::move(row));
        } else if (last_.size() < half_) {
            last_.push_back(std::move(row));
        } else {
            last_[(number - half_) % half_] = std::move(row);
        }
        return number;
    }

    [[nodiscard]] T* find(std::uint64_t number) noexcept {
        if (number >= added_) return nullptr;
        if (number < half_) return &first_[number];
        return added_ - number > half_ ? nullptr : &last_[(number - half_) % half_];
    }

    [[nodiscard]] std::uint64_t left_out() const noexcept {
        return added_ - std::min<std::uint64_t>(added_, 2 * half_);
    }

    // All that were kept, in the order of adding; nothing is left.
    [[nodiscard]] std::vector<T> take() {
        if (added_ > 2 * half_)
            std::rotate(last_.begin(), last_.begin() + static_cast<std::ptrdiff_t>(added_ % half_),
                        last_.end());
        auto all = std::move(first_);
        all.insert(all.end(), std::make_move_iterator(last_.begin()),
                   std::make_move_iterator(last_.end()));
        last_.clear();
        return all;
    }

  private:
    std::size_t half_;
    std::uint64_t added_ = 0;
    std::vector<T> first_, last_;
};

}  // namespace cdcscope::report
