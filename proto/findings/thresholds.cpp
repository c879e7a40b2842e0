// The table of limits, and the text form of an assignment.
#include "proto/findings/thresholds.h"

#include <algorithm>
#include <charconv>

#include "proto/findings/table.h"

namespace cdcscope::findings {
namespace {

constexpr threshold all[] = {
    {limit::stalled_note, code::dcp_flow_stalled, "dcp.flow.stalled.note", 1, "s",
     "a window full for longer is a note"},
    {limit::stalled_warning, code::dcp_flow_stalled, "dcp.flow.stalled.warning", 10, "s",
     "a window full for longer is a warning"},
    {limit::ack_missing_share, code::dcp_flow_ack_missing, "dcp.flow.ack_missing.share", 80, "%",
     "of the window unacknowledged, from which an acknowledgement is due"},
    {limit::ack_missing_time, code::dcp_flow_ack_missing, "dcp.flow.ack_missing.time", 6, "s",
     "without an acknowledgement"},
    {limit::noop_default_interval, code::dcp_noop_unanswered, "dcp.noop.unanswered.interval", 20,
     "s", "noop interval where none was set"},
    {limit::noop_unanswered, code::dcp_noop_unanswered, "dcp.noop.unanswered.warning", 360, "s",
     "the server's dcp_idle_timeout"},
    {limit::silence_intervals, code::dcp_producer_silent, "dcp.producer.silent.intervals", 2, "",
     "noop intervals without a message of the producer"},
    {limit::rollback_count, code::dcp_rollback_loop, "dcp.rollback.loop.count", 3, "",
     "rollbacks without a stream that opens"},
    {limit::prepare_time, code::dcp_prepare_unresolved, "dcp.prepare.unresolved.time", 30, "s",
     "from prepare to commit or abort"},
    {limit::prepare_slow, code::dcp_prepare_slow, "dcp.prepare.slow.time", 1, "s",
     "from prepare to commit"},
    {limit::prepare_ack_time, code::dcp_prepare_unacknowledged, "dcp.prepare.unacknowledged.time",
     1, "s", "from the end of the snapshot to its acknowledgement"},
    {limit::stream_end_time, code::dcp_stream_end_missing, "dcp.stream.end_missing.time", 10, "s",
     "from the requested end to STREAM_END"},
    {limit::abandoned_time, code::dcp_stream_abandoned, "dcp.stream.abandoned.time", 30, "s",
     "from the end of a stream to the next request"},
    {limit::idle_time, code::dcp_connection_silent, "dcp.connection.silent.time", 60, "s",
     "without a message, noops off"},
    {limit::late_time, code::dcp_item_late, "dcp.item.late.time", 1, "s",
     "from the answer to a write to its item"},
    {limit::ack_short_share, code::dcp_flow_ack_short, "dcp.flow.ack_short.share", 50, "%",
     "of the window lost: a warning"},
    {limit::request_time, code::canal_request_unanswered, "canal.request.unanswered.time", 5, "s",
     "beyond what the request asks to wait"},
    {limit::batch_time, code::canal_batch_unacknowledged, "canal.batch.unacknowledged.time", 60,
     "s", "from delivery to acknowledgement or rollback"},
    {limit::batch_count, code::canal_batch_unacknowledged, "canal.batch.unacknowledged.batches", 10,
     "", "batches outstanding"},
    {limit::batch_bytes, code::canal_batch_unacknowledged, "canal.batch.unacknowledged.bytes",
     16777216, "B", "bytes outstanding"},
    {limit::lag_time, code::canal_lag, "canal.lag.time", 10, "s", "from execution to delivery"},
    {limit::lag_skew, code::canal_lag, "canal.lag.skew", 2, "s",
     "executed this far in the future: the clocks differ"},
    {limit::packet_bytes, code::canal_packet_large, "canal.packet.large.bytes", 8388608, "B",
     "size of a packet"},
    {limit::packet_factor, code::canal_packet_large, "canal.packet.large.factor", 2, "",
     "times the fetch size"},
    {limit::row_count, code::canal_packet_large, "canal.packet.large.rows", 10000, "",
     "rows of one row change"},
    {limit::competing_time, code::canal_consumer_competing, "canal.consumer.competing.time", 60,
     "s", "between the GETs of two connections"},
    {limit::poll_rate, code::canal_connection_idle, "canal.connection.idle.polls", 100, "",
     "empty GETs a second"},
    {limit::write_time, code::canal_write_delayed, "canal.write.delayed.time", 30, "ms",
     "between first and last byte of a packet"},
};

struct unit {
    std::string_view name;
    std::string_view base;  // the unit of the limits it fits
    double times;
};
constexpr unit units[] = {
    {"ns", "s", 1e-9},     {"us", "s", 1e-6},        {"ms", "s", 1e-3}, {"s", "s", 1},
    {"min", "s", 60},      {"h", "s", 3600},         {"B", "B", 1},     {"KiB", "B", 1024},
    {"MiB", "B", 1048576}, {"GiB", "B", 1073741824}, {"%", "%", 1},
};

// A number with an optional unit, in the unit of the limit.
std::optional<double> parse_value(std::string_view text, std::string_view base) {
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    constexpr double most =
        1e12;  // seconds stay within 64-bit nanoseconds with room to spare below
    if (problem != std::errc{} || !(value >= 0) || value > most) return std::nullopt;
    const std::string_view given = text.substr(static_cast<std::size_t>(end - text.data()));
    if (given.empty()) return value;
    const bool in_ms = base == "ms";
    for (const unit& u : units) {
        if (u.name != given || u.base != (in_ms ? "s" : base)) continue;
        return value * u.times * (in_ms ? 1e3 : 1);
    }
    return std::nullopt;
}

// "dcp.noop.unanswered.interval, dcp.noop.unanswered.warning" for the finding's name, or for one of
// these with another last word.
std::string of_the_same_finding(std::string_view name) {
    const entry* finding = find_code(name);
    if (finding == nullptr) finding = find_code(name.substr(0, name.rfind('.')));
    std::string names;
    if (finding == nullptr) return names;
    for (const threshold& t : limits_of(finding->what)) {
        if (!names.empty()) names += ", ";
        names += t.name;
    }
    return names;
}

}  // namespace

std::span<const threshold> limit_table() noexcept {
    return all;
}

std::span<const threshold> limits_of(code what) noexcept {
    const auto of = [&](const threshold& t) { return t.of == what; };
    const auto* begin = std::find_if(std::begin(all), std::end(all), of);
    return {begin, std::find_if_not(begin, std::end(all), of)};
}

const threshold* find_limit(std::string_view name) noexcept {
    const auto* found = std::find_if(std::begin(all), std::end(all),
                                     [&](const threshold& t) { return t.name == name; });
    return found == std::end(all) ? nullptr : found;
}

thresholds::thresholds() noexcept {
    for (const threshold& t : all) set(t.which, t.value);
}

std::int64_t thresholds::ns(limit which) const noexcept {
    constexpr double longest = 9e18;
    const bool in_ms = all[static_cast<std::size_t>(which)].unit == "ms";
    const double value = get(which) * (in_ms ? 1e6 : 1e9);
    return static_cast<std::int64_t>(std::min(value, longest));
}

std::optional<std::string> thresholds::set(std::string_view assignment) {
    const std::size_t equals = assignment.find('=');
    const std::string_view given = assignment.substr(0, equals);
    const threshold* row = find_limit(given);
    if (row == nullptr) {
        const std::string near = of_the_same_finding(given);
        return std::string(given) + ": no such threshold; " +
               (near.empty() ? "cdcscope explain FINDING lists those of a finding"
                             : "there is " + near);
    }
    const std::string_view text =
        equals == std::string_view::npos ? "" : assignment.substr(equals + 1);
    const std::optional<double> value = parse_value(text, row->unit);
    if (!value) {
        const std::string_view what = row->unit == "s"    ? "seconds"
                                      : row->unit == "ms" ? "milliseconds"
                                                          : row->unit;
        return std::string(given) + ": \"" + std::string(text) + "\" is no value; write a number" +
               (row->unit.empty() ? "" : " of " + std::string(what));
    }
    set(row->which, *value);
    return std::nullopt;
}

}  // namespace cdcscope::findings
