#include "plugin/filetype/ss_file.h"

#include <algorithm>

#include "proto/ss/problem.h"

namespace cdcscope::wiretap {
namespace {

// Larger payloads are shown cut.
constexpr std::uint32_t most_payload = 128U << 20;

// The newest time that a beacon knows of: the same whether it is read in its turn or alone.
std::uint64_t time_of(const ss::beacon_view& beacon, std::uint64_t none) {
    std::uint64_t newest = none;
    beacon.each_marker([&](const ss::marker& m) {
        newest = std::max(newest, m.highest.timestamp_ms);
        return true;
    });
    return newest;
}

void append(std::vector<std::uint8_t>& to, std::uint64_t value, std::size_t size) {
    for (std::size_t i = size; i-- > 0;) to.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

}  // namespace

std::size_t handle_source::read(std::uint64_t offset, std::span<std::uint8_t> to) {
    int err = 0;
    if (file_seek(handle_, static_cast<std::int64_t>(offset), SEEK_SET, &err) == -1) return failed;
    const int got = file_read(to.data(), static_cast<unsigned>(to.size()), handle_);
    return got < 0 ? failed : static_cast<std::size_t>(got);
}

record_reader::record_reader(FILE_T handle, const ss::header& head)
    : source_(handle), created_ms_(head.created_ms), reader_(source_, head.interval) {
    (void)source_.read(0, header_);
}

void record_reader::take_header(record& to) const {
    to = {.what = ss_record::kind::header,
          .offset = 0,
          .time_ms = created_ms_,
          .flags = 0,
          .beacons = 0,
          .bytes = {},
          .whole = 0};
    to.bytes.assign(header_.begin(), header_.end());
    to.whole = to.bytes.size();
}

void record_reader::take_beacon(const ss::beacon_view& beacon, std::uint64_t offset, record& to) {
    to = {.what = ss_record::kind::beacon,
          .offset = offset,
          .time_ms = time_of(beacon, created_ms_),
          .flags = 0,
          .beacons = 0,
          .bytes = {},
          .whole = 0};
    to.bytes.resize(beacon.size());
    if (source_.read(offset, to.bytes) != to.bytes.size()) to.bytes.clear();
    to.whole = beacon.size();
}

void record_reader::take_message(record& to) {
    const ss::message& m = reader_.current();
    to = {.what = ss_record::kind::message,
          .offset = m.offset,
          .time_ms = m.at.timestamp_ms,
          .flags = 0,
          .beacons = 0,
          .bytes = {},
          .whole = 0};
    if (m.checksum_ok()) to.flags |= ss_record::checksum_ok;
    if (m.eos) to.flags |= ss_record::end_of_stream;
    to.whole = ss::frame_size(m.at.key.size(), m.size);
    to.bytes.reserve(std::min<std::uint64_t>(to.whole, most_payload));
    append(to.bytes, m.at.key.size(), 1);
    to.bytes.insert(to.bytes.end(), m.at.key.begin(), m.at.key.end());
    append(to.bytes, m.at.shard, 8);
    append(to.bytes, m.at.sequence, 8);
    append(to.bytes, m.at.timestamp_ms, 8);
    append(to.bytes, m.size, 4);
    ss::reader::payload_cursor pieces = reader_.payload();
    std::uint64_t left = m.size;
    for (byte_view piece = reader_.next_piece(pieces); !piece.empty();
         piece = reader_.next_piece(pieces)) {
        if (to.bytes.size() + piece.size() > most_payload) return;
        to.bytes.insert(to.bytes.end(), piece.begin(), piece.end());
        left -= piece.size();
    }
    if (left > 0) return;  // the file changed under the reader
    append(to.bytes, m.stored, 2);
    append(to.bytes, m.end_mark_ok ? ss::mark : 0, 1);
}

next_state record_reader::read_one(record& to) {
    switch (reader_.next()) {
        case ss::item::end:
            return next_state::end;
        case ss::item::broken:
            return next_state::broken;
        case ss::item::beacon:
            take_beacon(reader_.beacon(), reader_.beacon_offset(), to);
            return next_state::record;
        case ss::item::message:
            break;
    }
    std::vector<record> inner;
    reader_.each_inner_beacon(
        [&](std::uint64_t offset, const ss::beacon_view& beacon, std::uint64_t) {
            take_beacon(beacon, offset, inner.emplace_back());
        });
    take_message(to);
    to.beacons = static_cast<std::uint16_t>(std::min<std::size_t>(inner.size(), 0xffff));
    if (inner.empty()) return next_state::record;
    waiting_.push_back(std::move(to));
    std::reverse(inner.begin(), inner.end());
    std::move(inner.begin(), inner.end() - 1, std::back_inserter(waiting_));
    to = std::move(inner.back());
    return next_state::record;
}

next_state record_reader::next(record& to) {
    if (!header_given_) {
        header_given_ = true;
        take_header(to);
        return next_state::record;
    }
    if (!waiting_.empty()) {
        to = std::move(waiting_.back());
        waiting_.pop_back();
        return next_state::record;
    }
    return read_one(to);
}

next_state record_reader::at(std::uint64_t offset, record& to) {
    waiting_.clear();
    if (offset == 0) {
        take_header(to);
        return next_state::record;
    }
    if (offset % reader_.interval() == 0) {  // only a beacon stands there
        std::vector<std::uint8_t> bytes(ss::max_beacon_size);
        const std::size_t got = source_.read(offset, bytes);
        if (got == ss::byte_source::failed) return next_state::broken;
        const ss::read_beacon_result r =
            ss::read_beacon({bytes.data(), got}, offset, reader_.interval());
        if (r.broken) return next_state::broken;
        take_beacon(r.beacon, offset, to);
        return next_state::record;
    }
    reader_.go_to(offset);
    const next_state state = read_one(to);
    if (state != next_state::record || waiting_.empty()) return state;
    to = std::move(waiting_.front());  // the message behind the beacons inside it
    waiting_.clear();
    return state;
}

std::string record_reader::trouble() const {
    return ss::describe(reader_.broken());
}

}  // namespace cdcscope::wiretap
