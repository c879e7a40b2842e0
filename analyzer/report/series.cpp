#include "analyzer/report/series.h"

#include <algorithm>
#include <iterator>

namespace cdcscope::report {
namespace {

constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
    const auto q = a / b;
    return a % b < 0 ? q - 1 : q;
}

}  // namespace

void step_series::add(std::int64_t at, std::uint64_t value) {
    at = std::max(at, last_at_);
    last_at_ = at;
    largest_ = std::max(largest_, value);
    if (!thinned()) {
        if (raw_.size() < bound_) {
            raw_.push_back({at, value});
            return;
        }
        origin_ = raw_.front().at;
        width_ =
            std::max<std::int64_t>(1, (at - origin_) / static_cast<std::int64_t>(columns_) + 1);
        for (const auto& p : raw_) put(p);
        raw_.clear();
        raw_.shrink_to_fit();
    }
    put({at, value});
}

void step_series::put(const point& p) {
    while (static_cast<std::size_t>((p.at - origin_) / width_) >= columns_) widen();
    const auto index = (p.at - origin_) / width_;
    if (buckets_.empty() || buckets_.back().index != index) {
        buckets_.push_back({index, p, p, p, p});
        return;
    }
    auto& b = buckets_.back();
    if (p.value < b.least.value) b.least = p;
    if (p.value > b.largest.value) b.largest = p;
    b.last = p;
}

void step_series::widen() {
    width_ = width_ > INT64_MAX / 2 ? INT64_MAX : width_ * 2;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
        auto b = buckets_[i];
        b.index /= 2;
        if (kept == 0 || buckets_[kept - 1].index != b.index) {
            buckets_[kept++] = b;
            continue;
        }
        auto& into = buckets_[kept - 1];
        if (b.least.value < into.least.value) into.least = b.least;
        if (b.largest.value > into.largest.value) into.largest = b.largest;
        into.last = b.last;
    }
    buckets_.resize(kept);
}

std::vector<point> step_series::points() const {
    if (!thinned()) return raw_;
    std::vector<point> out;
    out.reserve(buckets_.size() * 4);
    for (const auto& b : buckets_) {
        std::array<point, 4> four{b.first, b.least, b.largest, b.last};
        // The last one stays last: it is where the line goes on from.
        std::stable_sort(four.begin(), four.end() - 1,
                         [](const auto& x, const auto& y) { return x.at < y.at; });
        for (const auto& p : four) {
            if (out.empty() || !(out.back() == p)) out.push_back(p);
        }
    }
    return out;
}

void time_sums::add(std::int64_t at, std::uint64_t amount) {
    earliest_ = empty() ? at : std::min(earliest_, at);
    latest_ = empty() ? at : std::max(latest_, at);
    total_ += amount;
    const auto number = floor_div(at, width_);
    // Time goes back by little if at all: the place is near the end.
    auto place = slots_.end();
    while (place != slots_.begin() && std::prev(place)->number > number) --place;
    if (place != slots_.begin() && std::prev(place)->number == number) {
        std::prev(place)->sum += amount;
        return;
    }
    slots_.insert(place, {number, amount});
    if (slots_.size() > most_) widen();
}

void time_sums::widen() {
    while (slots_.size() > most_ / 2) {
        width_ *= 10;
        std::size_t kept = 0;
        for (const auto& one : slots_) {
            const auto number = floor_div(one.number, 10);
            if (kept > 0 && slots_[kept - 1].number == number) {
                slots_[kept - 1].sum += one.sum;
            } else {
                slots_[kept++] = {number, one.sum};
            }
        }
        slots_.resize(kept);
    }
}

time_sums::bars_view time_sums::bars(std::size_t most) const {
    bars_view view;
    if (empty() || most == 0) return view;
    const auto first = slots_.front().number, last = slots_.back().number;
    std::int64_t step = 1;
    for (std::int64_t power = 1;; power *= 10) {
        const auto fits = [&](std::int64_t times) {
            step = power * times;
            return floor_div(last, step) - floor_div(first, step) < static_cast<std::int64_t>(most);
        };
        if (fits(1) || fits(2) || fits(5)) break;
    }
    const auto begin = floor_div(first, step);
    view.from = begin * step * width_;
    view.width = step * width_;
    view.sums.resize(static_cast<std::size_t>(floor_div(last, step) - begin + 1));
    for (const auto& one : slots_)
        view.sums[static_cast<std::size_t>(floor_div(one.number, step) - begin)] += one.sum;
    return view;
}

void tick_courses::add(tick_kind kind, std::int64_t at, std::uint64_t times) {
    auto known = std::find_if(kinds_.begin(), kinds_.end(),
                              [&](const auto& one) { return one.first == kind; });
    if (known == kinds_.end())
        known = kinds_.insert(known, std::pair{kind, time_sums(most_slots_)});
    known->second.add(at, times);
}

const time_sums& tick_courses::operator[](tick_kind kind) const noexcept {
    static const time_sums nothing;
    for (const auto& [of, sums] : kinds_) {
        if (of == kind) return sums;
    }
    return nothing;
}

std::int64_t duration_histogram::edge(std::size_t i) noexcept {
    constexpr std::array<std::int64_t, 3> steps{1, 2, 5};
    std::int64_t power = 1000;
    for (std::size_t n = i / 3; n > 0; --n) power *= 10;
    return power * steps[i % 3];
}

void duration_histogram::add(std::int64_t ns, bool aborted) {
    std::size_t i = 0;
    while (i + 1 < classes && ns >= edge(i + 1)) ++i;
    ++(aborted ? counts_[i].aborted : counts_[i].committed);
}

std::pair<std::size_t, std::size_t> duration_histogram::used() const noexcept {
    std::size_t first = 0, end = classes;
    while (first < classes && counts_[first].all() == 0) ++first;
    while (end > first && counts_[end - 1].all() == 0) --end;
    return first == classes ? std::pair<std::size_t, std::size_t>{0, 0} : std::pair{first, end};
}

}  // namespace cdcscope::report
