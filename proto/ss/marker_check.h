// Whether the markers of a file's beacons are what they should be.
#pragma once

#include <unordered_map>
#include <vector>

#include "proto/ss/beacon.h"
#include "proto/ss/reader.h"
#include "proto/ss/stream_table.h"

namespace cdcscope::ss {

enum class marker_rule : std::uint8_t {
    exact,  // each beacon is what one writer that was never interrupted puts there
    known,  // a marker names a message that was there: files that a SeaStreamer producer opened
            // again
};

class marker_check {
  public:
    // Streams above this number end the comparison: what a hostile file can make us remember has to
    // end somewhere.
    static constexpr std::size_t max_streams = std::size_t{1} << 20;

    marker_check(marker_rule rule, std::uint32_t interval)
        : rule_(rule), capacity_(marker_capacity(interval)) {}

    // Every message, in order. A problem the first time there are too many streams.
    [[nodiscard]] problem count(const message& m);

    // A beacon and the first problem of its markers. Messages that it cuts are counted before.
    [[nodiscard]] problem check(std::uint64_t offset, const beacon_view& beacon);

    [[nodiscard]] const stream_table& streams() const noexcept { return streams_; }
    // The streams, for a writer that goes on.
    [[nodiscard]] stream_table take_streams() noexcept { return std::move(streams_); }

  private:
    // Numbers seen of one stream, as ranges that do not touch: one or few for streams that count.
    struct range {
        std::uint64_t first;
        std::uint64_t last;
    };
    static constexpr std::size_t max_ranges = std::size_t{1} << 20;
    void remember(std::vector<range>& ranges, std::uint64_t sequence);
    [[nodiscard]] bool seen(const label& l) const;
    [[nodiscard]] problem check_exact(std::uint64_t offset, const beacon_view& beacon);
    [[nodiscard]] problem check_known(std::uint64_t offset, const beacon_view& beacon) const;

    marker_rule rule_;
    std::size_t capacity_;
    stream_table streams_;
    std::unordered_map<const stream_state*, std::vector<range>> ranges_;
    std::size_t range_count_ = 0;
    bool resting_ = false;
};

}  // namespace cdcscope::ss
