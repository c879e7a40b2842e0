// How far the other side had acknowledged W bytes or T packet time ago: below that, what is missing
// will not come any more. Fed only while something is missing, so it costs nothing otherwise.

#pragma once

#include <vector>

#include "analyzer/tcp/limits.h"
#include "analyzer/tcp/stream_consumer.h"

namespace cdcscope::tcp {

class settle_clock {
  public:
    // `seen` counts payload of the connection, `now` is packet time; neither goes back.
    void note(position acknowledged, std::uint64_t seen, std::int64_t now, const limits& limit) {
        if (!marks_.empty()) {
            mark& last = marks_.back();
            if (acknowledged <= last.acknowledged) return;
            // Marks close to each other become one, so that there are never more than a few dozen.
            if (now - last.made_at < limit.settle_ns / 16 &&
                seen - last.made_seen < limit.settle_bytes / 16) {
                last.acknowledged = acknowledged;
                last.seen = seen;
                last.time = now;
                return;
            }
        }
        marks_.push_back({acknowledged, seen, now, seen, now});
    }

    // The highest acknowledgement that is old enough, or no_position.
    [[nodiscard]] position settled(std::uint64_t seen, std::int64_t now, const limits& limit) {
        std::size_t old = 0;
        while (old < marks_.size() && (seen - marks_[old].seen >= limit.settle_bytes ||
                                       now - marks_[old].time >= limit.settle_ns)) {
            ++old;
        }
        if (old == 0) return no_position;
        const position upto = marks_[old - 1].acknowledged;
        marks_.erase(marks_.begin(), marks_.begin() + static_cast<std::ptrdiff_t>(old));
        return upto;
    }

    [[nodiscard]] bool idle() const noexcept { return marks_.empty(); }
    void reset() noexcept { marks_.clear(); }

  private:
    struct mark {
        position acknowledged;
        std::uint64_t seen;
        std::int64_t time;
        std::uint64_t made_seen;
        std::int64_t made_at;
    };
    std::vector<mark> marks_;
};

}  // namespace cdcscope::tcp
