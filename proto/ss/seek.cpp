#include "proto/ss/seek.h"

#include "proto/ss/reader.h"

namespace cdcscope::ss {
namespace {

// Beacons are leapt to: more than a page at once would be read in vain.
constexpr std::size_t probe_stride = 4096;

enum class says : std::uint8_t { nothing, before, not_yet };

class beacon_probe {
  public:
    beacon_probe(byte_source& source, std::uint32_t interval)
        : window_(source, reader::min_window), interval_(interval) {
        window_.stride(probe_stride);
    }

    read_beacon_result at(std::uint64_t offset) {
        const byte_view start = window_.get(offset, 6);
        if (start.size() < 6) return read_beacon(start, offset, interval_);
        const std::size_t most = beacon_overhead + start[5] * max_marker_size;
        return read_beacon(window_.get(offset, most), offset, interval_);
    }

    // Whether the target lies before this beacon. Messages that a beacon cuts are counted in it and
    // start before it.
    says about(const seek_target& target, std::uint64_t index) {
        const read_beacon_result r = at(index * interval_);
        if (r.broken) return says::nothing;
        bool named = false;
        bool reached = false;
        r.beacon.each_marker([&](const marker& m) {
            if (!target.is_stream_of(m.highest)) return true;
            named = true;
            reached = target.is_reached_by(m.highest);
            return !reached;
        });
        if (reached) return says::before;
        // Shards that a full beacon had no room for are unknown.
        const bool all_named = target.shard || r.beacon.markers() < marker_capacity(interval_);
        return named && all_named ? says::not_yet : says::nothing;
    }

  private:
    window window_;
    std::uint32_t interval_;
};

// The last beacon that is known to stand before the target; 0 is the start of the file.
std::uint64_t last_before(byte_source& source, std::uint32_t interval, const seek_target& target) {
    if (marker_capacity(interval) == 0) return 0;
    beacon_probe probe(source, interval);
    std::uint64_t low = 0;
    std::uint64_t high = (source.size() + interval - 1) / interval;
    while (high - low > 1) {
        const std::uint64_t middle = low + (high - low) / 2;
        std::uint64_t index = middle;
        says answer = says::nothing;
        while (index < high) {
            answer = probe.about(target, index);
            if (answer != says::nothing) break;
            ++index;
        }
        if (answer == says::not_yet) {
            low = index;
        } else {
            high = middle;
        }
    }
    return low;
}

struct scan_result {
    std::optional<std::uint64_t> found;
    bool broken = false;
};

scan_result scan(byte_source& source, std::uint32_t interval, const seek_target& target,
                 std::uint64_t offset) {
    reader from(source, interval, offset, reader::min_window);
    for (;;) {
        switch (from.next()) {
            case item::message: {
                const message& m = from.current();
                if (target.is_stream_of(m.at) && target.is_reached_by(m.at)) {
                    return {m.offset, false};
                }
                break;
            }
            case item::beacon:
                break;
            case item::end:
                return {};
            case item::broken:
                return {std::nullopt, true};
        }
    }
}

}  // namespace

std::optional<std::uint64_t> behind_beacon(byte_source& source, std::uint32_t interval,
                                           std::uint64_t index) {
    if (index == 0) return header_size;
    beacon_probe probe(source, interval);
    std::uint64_t at = index * interval;
    for (;;) {
        const read_beacon_result r = probe.at(at);
        if (r.broken || r.beacon.size() > interval) return std::nullopt;
        const std::uint64_t room = interval - r.beacon.size();
        if (r.beacon.remaining() < room || r.beacon.remaining() == 0) {
            return at + r.beacon.size() + r.beacon.remaining();
        }
        if (r.beacon.remaining() == room) return at + interval;
        at += interval;
    }
}

std::optional<std::uint64_t> seek(byte_source& source, std::uint32_t interval,
                                  const seek_target& target, bool use_beacons) {
    const std::uint64_t index = use_beacons ? last_before(source, interval, target) : 0;
    if (const auto start = behind_beacon(source, interval, index); index > 0 && start) {
        const scan_result r = scan(source, interval, target, *start);
        if (!r.broken) return r.found;
    }
    // From the start: nothing was known, or a beacon lies.
    return scan(source, interval, target, header_size).found;
}

}  // namespace cdcscope::ss
