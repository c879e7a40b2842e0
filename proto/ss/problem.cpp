#include "proto/ss/problem.h"

#include <array>
#include <cassert>

namespace cdcscope::ss {
namespace {

constexpr std::array<fault_row, static_cast<std::size_t>(fault::count_)> rows{{
    {fault::none, reach::nothing, "none", "nothing is wrong"},
    {fault::header_short, reach::file, "header.short", "file of {s} bytes has no whole header"},
    {fault::header_mark, reach::file, "header.mark", "wrong file mark"},
    {fault::header_version, reach::file, "header.version", "unknown version {s}"},
    {fault::header_name_long, reach::file, "header.name_long",
     "file name of {s} bytes does not fit the header"},
    {fault::header_name_not_utf8, reach::file, "header.name_not_utf8", "file name is not UTF-8"},
    {fault::header_created, reach::file, "header.created", "creation time out of range"},
    {fault::header_interval, reach::file, "header.interval", "beacon interval {s} is below 128"},
    {fault::header_padding, reach::nothing, "header.padding", "header padding is not zero"},
    {fault::header_end_mark, reach::nothing, "header.end_mark", "header does not end with 0x0D"},
    {fault::message_cut, reach::rest, "message.cut", "message is cut off"},
    {fault::key_not_utf8, reach::rest, "message.key_not_utf8", "stream key is not UTF-8"},
    {fault::key_invalid, reach::rest, "message.key_invalid", "invalid stream key of {s} bytes"},
    {fault::key_empty, reach::message, "message.key_empty", "empty stream key"},
    {fault::timestamp_range, reach::rest, "message.timestamp", "timestamp out of range"},
    {fault::checksum, reach::message, "message.checksum", "checksum is {x}, payload gives {y}"},
    {fault::message_end_mark, reach::nothing, "message.end_mark", "message does not end with 0x0D"},
    {fault::beacon_cut, reach::rest, "beacon.cut", "beacon is cut off"},
    {fault::beacon_missing, reach::seeking, "beacon.missing", "beacon is missing at the end"},
    {fault::beacon_first_mark, reach::nothing, "beacon.first_mark",
     "beacon does not start with 0x0D"},
    {fault::beacon_last_mark, reach::nothing, "beacon.last_mark", "beacon does not end with 0x0D"},
    {fault::beacon_too_long, reach::rest, "beacon.too_long", "beacon is longer than the interval"},
    {fault::beacon_remaining, reach::seeking, "beacon.remaining",
     "beacon says {s} message bytes remain, but {c} do"},
    {fault::beacon_markers, reach::seeking, "beacon.markers",
     "marker {i} of {s} is not what the writer puts there ({c} expected)"},
    {fault::marker_unknown, reach::seeking, "beacon.marker_unknown",
     "marker {i} ({k}) names sequence {s}, which was not seen"},
    {fault::marker_key_not_utf8, reach::rest, "marker.key_not_utf8",
     "stream key of a marker is not UTF-8"},
    {fault::marker_key_invalid, reach::rest, "marker.key_invalid",
     "invalid stream key of {s} bytes in a marker"},
    {fault::marker_timestamp_range, reach::rest, "marker.timestamp",
     "timestamp of a marker out of range"},
    {fault::data_after_eos, reach::rest, "eos.data_after",
     "data after the end-of-stream message ({s} bytes)"},
    {fault::too_many_streams, reach::nothing, "streams.too_many",
     "more than {s} streams: markers are not compared from here on"},
    {fault::read_failed, reach::rest, "read.failed", "the file cannot be read here"},
}};

std::string hex4(std::uint64_t value) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text(4, '0');
    for (std::size_t i = 0; i < 4; ++i) text[3 - i] = digits[value >> (4 * i) & 0xfU];
    return text;
}

std::string fill_in(char what, const problem& p) {
    switch (what) {
        case 's':
            return std::to_string(p.stored);
        case 'c':
            return std::to_string(p.computed);
        case 'x':
            return hex4(p.stored);
        case 'y':
            return hex4(p.computed);
        case 'i':
            return std::to_string(p.index + 1);
        case 'k':
            return std::string(p.at.key);
        default:
            return {};
    }
}

}  // namespace

const fault_row& row(fault what) noexcept {
    const fault_row& found = rows[static_cast<std::size_t>(what)];
    assert(found.what == what);
    return found;
}

std::string describe(const problem& p) {
    std::string out;
    const std::string_view text = row(p.what).text;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '{') {
            out += fill_in(text[i + 1], p);
            i += 2;
        } else {
            out.push_back(text[i]);
        }
    }
    return out;
}

}  // namespace cdcscope::ss
