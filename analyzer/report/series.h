// Series that never grow past a bound and never lose a peak.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace cdcscope::report {

struct point {
    std::int64_t at = 0;  // ns since 1970
    std::uint64_t value = 0;
    bool operator==(const point&) const = default;
};

// A step line. All points up to `bound`; beyond that, by column of time: first, least, largest and
// last. Columns double in width as the line grows, so at most 4 x `columns` points are kept and
// each add is amortised constant. Times must not go back (earlier ones are taken as the last one).
class step_series {
  public:
    explicit step_series(std::size_t bound = 4000, std::size_t columns = 1000)
        : bound_(bound), columns_(columns) {}

    void add(std::int64_t at, std::uint64_t value);

    // In order of time.
    [[nodiscard]] std::vector<point> points() const;
    [[nodiscard]] bool empty() const noexcept { return raw_.empty() && buckets_.empty(); }
    [[nodiscard]] bool thinned() const noexcept { return !buckets_.empty(); }
    [[nodiscard]] std::uint64_t largest() const noexcept { return largest_; }

  private:
    struct bucket {
        std::int64_t index = 0;
        point first, least, largest, last;
    };
    void put(const point& p);
    void widen();

    std::size_t bound_, columns_;
    std::vector<point> raw_;
    std::vector<bucket> buckets_;
    std::int64_t origin_ = 0, width_ = 0, last_at_ = INT64_MIN;
    std::uint64_t largest_ = 0;
};

// Amounts summed by slot of time. Slots are 1, 10, 100 ... of a microsecond wide and start at round
// times; only those with something in them are kept, and when they are more than `most` they grow
// until half of it is enough. bars() gives them in the finest of 1, 2, 5 times a power of ten that
// needs no more than its bars.
class time_sums {
  public:
    struct bars_view {
        std::int64_t from = 0;   // ns, start of the first bar
        std::int64_t width = 0;  // ns
        std::vector<std::uint64_t> sums;
    };

    explicit time_sums(std::size_t most = 1200) : most_(most) {}

    void add(std::int64_t at, std::uint64_t amount);
    [[nodiscard]] bars_view bars(std::size_t most = 240) const;
    [[nodiscard]] bool empty() const noexcept { return slots_.empty(); }
    [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
    // When something was added first and last; of nothing: 0.
    [[nodiscard]] std::int64_t first() const noexcept { return earliest_; }
    [[nodiscard]] std::int64_t last() const noexcept { return latest_; }

  private:
    struct slot {
        std::int64_t number = 0;  // since 1970
        std::uint64_t sum = 0;
    };
    void widen();

    std::vector<slot> slots_;  // in order of time
    std::size_t most_;
    std::int64_t width_ = 1000;  // ns
    std::int64_t earliest_ = 0, latest_ = 0;
    std::uint64_t total_ = 0;
};

enum class tick_kind : std::uint8_t {
    data,
    acknowledged,
    noop,
    empty_poll,
    rollback,
    refused,
    takeover,
    snapshot
};

// How often what happened when, by kind; most connections have few kinds.
class tick_courses {
  public:
    explicit tick_courses(std::size_t most_slots = 1200) : most_slots_(most_slots) {}

    void add(tick_kind kind, std::int64_t at, std::uint64_t times = 1);
    [[nodiscard]] const time_sums& operator[](tick_kind kind) const noexcept;
    [[nodiscard]] bool empty() const noexcept { return kinds_.empty(); }
    // Those that happened, in no order.
    [[nodiscard]] const std::vector<std::pair<tick_kind, time_sums>>& all() const noexcept {
        return kinds_;
    }

  private:
    std::size_t most_slots_;
    std::vector<std::pair<tick_kind, time_sums>> kinds_;
};

// Counts by class of duration: 1-2-5 steps from 1 µs to 10,000 s; below and above go to the first
// and last class.
class duration_histogram {
  public:
    static constexpr std::size_t classes = 31;
    struct counts {
        std::uint64_t committed = 0, aborted = 0;
        [[nodiscard]] std::uint64_t all() const noexcept { return committed + aborted; }
    };

    void add(std::int64_t ns, bool aborted);
    // Lower edge of class `i` in ns; i == classes gives the upper edge of the last.
    [[nodiscard]] static std::int64_t edge(std::size_t i) noexcept;
    [[nodiscard]] const std::array<counts, classes>& all() const noexcept { return counts_; }
    // First and one past the last class in use; equal if there is none.
    [[nodiscard]] std::pair<std::size_t, std::size_t> used() const noexcept;

  private:
    std::array<counts, classes> counts_{};
};

}  // namespace cdcscope::report
