// The keys of one snapshot, as hashes: has this key been there (D10).
#pragma once

#include <cstdint>
#include <vector>

namespace cdcscope::dcp {

// Open addressing, linear probing, grown at half full. Two different keys of one hash count as one.
class key_set {
  public:
    // False: it was there.
    bool insert(std::uint64_t hash) {
        const std::uint64_t marked = hash | 1;  // 0 is an empty place
        if (2 * (size_ + 1) > places_.size()) grow();
        if (!put(marked)) return false;
        ++size_;
        return true;
    }
    void clear() noexcept {
        constexpr std::size_t kept = 64;  // a large table is given back, clearing it for each small
                                          // snapshot would be quadratic
        if (places_.size() > kept) {
            places_ = {};
        } else {
            for (std::uint64_t& place : places_) place = 0;
        }
        size_ = 0;
    }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

  private:
    bool put(std::uint64_t marked) noexcept {
        const std::size_t mask = places_.size() - 1;
        std::size_t at = static_cast<std::size_t>(marked >> 1) & mask;
        while (places_[at] != 0) {
            if (places_[at] == marked) return false;
            at = (at + 1) & mask;
        }
        places_[at] = marked;
        return true;
    }
    void grow() {
        std::vector<std::uint64_t> old(places_.empty() ? 16 : 2 * places_.size());
        old.swap(places_);
        for (const std::uint64_t each : old) {
            if (each != 0) put(each);
        }
    }

    std::vector<std::uint64_t> places_;
    std::size_t size_ = 0;
};

}  // namespace cdcscope::dcp
