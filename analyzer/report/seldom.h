// A part that few have: nothing but a pointer until it is made.
#pragma once

#include <memory>

namespace cdcscope::report {

// Reads as a T with its defaults until make() was called. Copies are deep.
template <class T>
class seldom {
  public:
    seldom() = default;
    seldom(const seldom& other) : made_(copy_of(other)) {}
    seldom(seldom&&) noexcept = default;
    seldom& operator=(const seldom& other) {
        if (this != &other) made_ = copy_of(other);
        return *this;
    }
    seldom& operator=(seldom&&) noexcept = default;
    ~seldom() = default;

    [[nodiscard]] const T& operator*() const noexcept { return made_ ? *made_ : none(); }
    [[nodiscard]] const T* operator->() const noexcept { return &**this; }
    // To write to; the same one each time.
    [[nodiscard]] T& make() {
        if (!made_) made_ = std::make_unique<T>();
        return *made_;
    }

  private:
    static std::unique_ptr<T> copy_of(const seldom& other) {
        return other.made_ ? std::make_unique<T>(*other.made_) : nullptr;
    }
    static const T& none() noexcept {
        static const T defaults{};
        return defaults;
    }

    std::unique_ptr<T> made_;
};

}  // namespace cdcscope::report
