// Tells a frame that was captured twice (mirror port, `any`, both sides of a router) from a
// retransmission: the same IP identification and TCP time stamp within a few milliseconds.

#pragma once

#include <array>

#include "analyzer/capture/segment.h"

namespace cdcscope::tcp {

class recent_segments {
  public:
    static constexpr std::int64_t longest_ns = 5'000'000;

    // True if it is a copy of one of the last few. Remembers it otherwise.
    bool is_copy(const capture::segment& s) noexcept {
        // Without either number nothing tells two equal acknowledgements apart.
        if (s.ip_id == 0 && !s.has_timestamp) return false;
        const std::uint32_t print = fingerprint(s);
        for (const entry& e : entries_) {
            if (e.print == print && near(s.at.time_ns, e.time_ns)) return true;
        }
        entries_[next_] = {print, s.at.time_ns};
        next_ = (next_ + 1) % entries_.size();
        return false;
    }

  private:
    struct entry {
        std::uint32_t print = 0;
        std::int64_t time_ns = std::int64_t{-1} << 62;
    };

    [[nodiscard]] static bool near(std::int64_t a, std::int64_t b) noexcept {
        constexpr auto longest = static_cast<std::uint64_t>(longest_ns);
        return static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b) + longest <=
               2 * longest;
    }
    [[nodiscard]] static std::uint32_t fingerprint(const capture::segment& s) noexcept {
        std::uint64_t h = std::uint64_t{s.sequence} << 32 | s.acknowledgement;
        h = (h ^ (std::uint64_t{s.timestamp} << 32 | s.ip_id)) * 0x9e3779b97f4a7c15ULL;
        h = (h ^ (h >> 29) ^
             (std::uint64_t{s.wire_payload} << 32 | std::uint32_t{s.window} << 8 | s.flags)) *
            0xbf58476d1ce4e5b9ULL;
        return static_cast<std::uint32_t>(h >> 32);
    }

    std::array<entry, 8> entries_{};
    std::size_t next_ = 0;
};

}  // namespace cdcscope::tcp
