// Disjoint runs of positions: which bytes are known to exist only by the header of a frame that was
// cut.
#pragma once

#include <iterator>
#include <map>

#include "analyzer/tcp/stream_consumer.h"

namespace cdcscope::tcp {

class interval_set {
  public:
    void add(position begin, position end) {
        if (begin >= end) return;
        auto at = runs_.upper_bound(begin);
        if (at != runs_.begin() && std::prev(at)->second >= begin) {
            --at;
            begin = at->first;
        }
        while (at != runs_.end() && at->first <= end) {
            if (at->second > end) end = at->second;
            at = runs_.erase(at);
        }
        runs_.emplace_hint(at, begin, end);
    }
    [[nodiscard]] bool covers(position begin, position end) const {
        auto at = runs_.upper_bound(begin);
        return at != runs_.begin() && std::prev(at)->second >= end;
    }
    void drop_below(position p) {
        while (!runs_.empty() && runs_.begin()->second <= p) runs_.erase(runs_.begin());
    }
    void clear() noexcept { runs_.clear(); }
    [[nodiscard]] bool empty() const noexcept { return runs_.empty(); }
    [[nodiscard]] std::uint64_t cost() const noexcept { return runs_.size() * 64; }

  private:
    std::map<position, position> runs_;  // begin -> end
};

}  // namespace cdcscope::tcp
