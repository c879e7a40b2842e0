// What a writer remembers of each stream, and which streams the next beacon names (docs/ss.md
// section 5).
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "proto/ss/format.h"

namespace cdcscope::ss {

struct stream_state {
    std::string key;
    std::uint64_t shard = 0;
    std::uint64_t sequence = 0;      // highest so far
    std::uint64_t timestamp_ms = 0;  // highest so far
    std::uint16_t running = 0;       // checksum over the checksums of its messages

    [[nodiscard]] marker as_marker() const noexcept {
        return {{key, shard, sequence, timestamp_ms}, running};
    }
};

// Streams ordered by key bytes, then shard. A look-up of the stream that was looked up last costs
// one comparison. Finding the n-th stream costs n / 512 steps, so that beacons over a hostile
// number of streams stay cheap.
class stream_table {
  public:
    // Counts a message whose payload has this checksum. The reference stays valid as long as the
    // table.
    stream_state& count(const label& message, std::uint16_t checksum);

    // Nothing if no message of the stream was counted.
    [[nodiscard]] const stream_state* find(std::string_view key,
                                           std::uint64_t shard) const noexcept;

    [[nodiscard]] std::size_t size() const noexcept { return states_.size(); }
    [[nodiscard]] const stream_state& at(std::size_t rank) const noexcept;

    // How many markers a beacon gets now; they are the streams from rank first_marker() on,
    // cyclically.
    [[nodiscard]] std::size_t markers(std::size_t capacity) const noexcept {
        return std::min(capacity, size());
    }
    [[nodiscard]] std::size_t first_marker() const noexcept {
        return size() == 0 ? 0 : given_ % size();
    }
    // Calls visit(marker) for each of them, without counting them as given.
    template <typename Visit>
    void each_marker(std::size_t capacity, Visit visit) const {
        place p = locate(first_marker());
        for (std::size_t left = markers(capacity); left > 0; --left) {
            visit(states_[chunks_[p.chunk][p.index]].as_marker());
            p = next(p);
        }
    }
    // A beacon with so many markers was written.
    void give(std::size_t markers) noexcept { given_ += static_cast<std::uint32_t>(markers); }

  private:
    struct place {
        std::size_t chunk = 0;
        std::size_t index = 0;
    };
    [[nodiscard]] place locate(std::size_t rank) const noexcept;
    [[nodiscard]] place next(place p) const noexcept;
    // Where the stream is or belongs.
    [[nodiscard]] place lower_bound(std::string_view key, std::uint64_t shard) const noexcept;
    [[nodiscard]] bool is_at(place p, std::string_view key, std::uint64_t shard) const noexcept;
    [[nodiscard]] const stream_state* last_if(std::string_view key,
                                              std::uint64_t shard) const noexcept;
    stream_state& insert(place p, const label& message);

    std::deque<stream_state> states_;                 // in order of appearance
    std::vector<std::vector<std::uint32_t>> chunks_;  // numbers of states, in order of the streams
    std::uint32_t given_ = 0;                         // markers written so far; wraps
    mutable std::uint32_t last_ = 0;                  // looked up last
};

}  // namespace cdcscope::ss
