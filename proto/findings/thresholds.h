// The limits of the rules: names and defaults for `--threshold NAME=VALUE` and the plugin's
// preferences, and the values in force.
#pragma once

#include <array>
#include <string>

#include "proto/findings/table.h"

namespace cdcscope::findings {

// One enumerator a row of limit_table(), in its order.
enum class limit : std::uint8_t {
    stalled_note,
    stalled_warning,
    ack_missing_share,
    ack_missing_time,
    noop_default_interval,
    noop_unanswered,
    silence_intervals,
    rollback_count,
    prepare_time,
    prepare_slow,
    prepare_ack_time,
    stream_end_time,
    abandoned_time,
    idle_time,
    late_time,
    ack_short_share,
    request_time,
    batch_time,
    batch_count,
    batch_bytes,
    lag_time,
    lag_skew,
    packet_bytes,
    packet_factor,
    row_count,
    competing_time,
    poll_rate,
    write_time,
};
inline constexpr std::size_t limit_count = static_cast<std::size_t>(limit::write_time) + 1;

struct threshold {
    limit which{};
    code of{};              // the finding whose rule it limits
    std::string_view name;  // the finding's code and a word: "dcp.flow.stalled.warning"
    double value = 0;       // default
    std::string_view unit;  // "s", "ms", "B", "%", or empty for a plain number
    std::string_view help;
};

[[nodiscard]] std::span<const threshold> limit_table() noexcept;
[[nodiscard]] std::span<const threshold> limits_of(code what) noexcept;
[[nodiscard]] const threshold* find_limit(std::string_view name) noexcept;

// The values in force: the defaults until told otherwise.
class thresholds {
  public:
    thresholds() noexcept;

    [[nodiscard]] double get(limit which) const noexcept {
        return values_[static_cast<std::size_t>(which)];
    }
    void set(limit which, double value) noexcept {
        values_[static_cast<std::size_t>(which)] = value;
    }
    // A limit of unit "s" or "ms" in nanoseconds.
    [[nodiscard]] std::int64_t ns(limit which) const noexcept;

    // `NAME=VALUE` as given on the command line; VALUE is a number, with or without its unit (also
    // ms, s, min, KiB, MiB, GiB where they fit). Returns what is wrong and what to do, or nothing.
    [[nodiscard]] std::optional<std::string> set(std::string_view assignment);

  private:
    std::array<double, limit_count> values_;
};

}  // namespace cdcscope::findings
