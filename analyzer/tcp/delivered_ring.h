// The last 64 KiB handed over of a direction, to tell a repeat that differs. A small number of
// rings goes to the directions that moved last; whoever lost its ring claims no conflict.

#pragma once

#include <list>
#include <memory>

#include "analyzer/tcp/late_bytes.h"

namespace cdcscope::tcp {

class delivered_ring {
  public:
    static constexpr std::size_t capacity = std::size_t{64} << 10;

    // Bytes at `begin`; what does not follow the last ones starts the ring afresh.
    void append(position begin, byte_view bytes);
    // Compares what the ring still has of these bytes.
    void compare(position begin, byte_view bytes, conflict& found) const;
    void clear() noexcept { begin_ = end_ = 0; }

  private:
    [[nodiscard]] static std::size_t slot(position p) noexcept {
        return static_cast<std::size_t>(p) & (capacity - 1);
    }
    // Not touched before it is written, so a short stream costs a page.
    std::unique_ptr<std::uint8_t[]> bytes_ =
        std::make_unique_for_overwrite<std::uint8_t[]>(capacity);
    position begin_ = 0, end_ = 0;
};

class ring_lease;

class ring_pool {
  public:
    static constexpr std::size_t default_rings = 128;
    explicit ring_pool(std::size_t rings = default_rings) : most_(rings) {}

  private:
    friend class ring_lease;
    struct entry {
        delivered_ring ring;
        ring_lease* holder = nullptr;
    };
    using list = std::list<entry>;
    void assign(ring_lease& to);

    std::size_t most_;
    list entries_;  // the one that was used longest ago first
};

// Who holds a ring; the pool takes it away when another needs it more.
class ring_lease {
  public:
    ring_lease() = default;
    ring_lease(const ring_lease&) = delete;
    ring_lease& operator=(const ring_lease&) = delete;
    ~ring_lease() { give_back(); }

    // Nothing if another took it.
    [[nodiscard]] const delivered_ring* ring() const noexcept {
        return pool_ != nullptr ? &entry_->ring : nullptr;
    }
    void append(ring_pool& pool, position begin, byte_view bytes);
    void give_back() noexcept;

  private:
    friend class ring_pool;
    ring_pool* pool_ = nullptr;  // null: no ring
    ring_pool::list::iterator entry_;
};

}  // namespace cdcscope::tcp
