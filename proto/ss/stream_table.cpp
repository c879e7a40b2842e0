#include "proto/ss/stream_table.h"

#include <algorithm>

#include "proto/wire/crc16.h"

namespace cdcscope::ss {
namespace {

constexpr std::size_t max_chunk = 512;

bool before(const stream_state& s, std::string_view key, std::uint64_t shard) noexcept {
    const int order = std::string_view(s.key).compare(key);
    return order != 0 ? order < 0 : s.shard < shard;
}

}  // namespace

stream_state& stream_table::count(const label& message, std::uint16_t checksum) {
    const stream_state* known = find(message.key, message.shard);
    stream_state& s = known != nullptr ? states_[last_]
                                       : insert(lower_bound(message.key, message.shard), message);
    s.sequence = std::max(s.sequence, message.sequence);
    s.timestamp_ms = std::max(s.timestamp_ms, message.timestamp_ms);
    const std::uint8_t stored[2] = {static_cast<std::uint8_t>(checksum >> 8),
                                    static_cast<std::uint8_t>(checksum)};
    s.running = crc16(stored, s.running);
    return s;
}

const stream_state* stream_table::find(std::string_view key, std::uint64_t shard) const noexcept {
    if (const stream_state* s = last_if(key, shard)) return s;
    const place p = lower_bound(key, shard);
    if (!is_at(p, key, shard)) return nullptr;
    last_ = chunks_[p.chunk][p.index];
    return &states_[last_];
}

const stream_state& stream_table::at(std::size_t rank) const noexcept {
    const place p = locate(rank);
    return states_[chunks_[p.chunk][p.index]];
}

const stream_state* stream_table::last_if(std::string_view key,
                                          std::uint64_t shard) const noexcept {
    if (last_ >= states_.size()) return nullptr;
    const stream_state& s = states_[last_];
    return s.shard == shard && s.key == key ? &s : nullptr;
}

stream_table::place stream_table::locate(std::size_t rank) const noexcept {
    place p{0, rank};
    while (p.chunk < chunks_.size() && p.index >= chunks_[p.chunk].size()) {
        p.index -= chunks_[p.chunk].size();
        ++p.chunk;
    }
    return p;
}

stream_table::place stream_table::next(place p) const noexcept {
    if (++p.index < chunks_[p.chunk].size()) return p;
    return {(p.chunk + 1) % chunks_.size(), 0};
}

bool stream_table::is_at(place p, std::string_view key, std::uint64_t shard) const noexcept {
    if (p.chunk >= chunks_.size() || p.index >= chunks_[p.chunk].size()) return false;
    const stream_state& s = states_[chunks_[p.chunk][p.index]];
    return s.shard == shard && s.key == key;
}

stream_table::place stream_table::lower_bound(std::string_view key,
                                              std::uint64_t shard) const noexcept {
    // The last chunk that starts with a stream not behind the one wanted holds it, if any does.
    const auto starts_behind = std::ranges::partition_point(chunks_, [&](const auto& chunk) {
        const stream_state& s = states_[chunk.front()];
        return before(s, key, shard) || (s.shard == shard && s.key == key);
    });
    if (starts_behind == chunks_.begin()) return {};
    const auto chunk = starts_behind - 1;
    const auto found = std::ranges::partition_point(
        *chunk, [&](std::uint32_t i) { return before(states_[i], key, shard); });
    return {static_cast<std::size_t>(chunk - chunks_.begin()),
            static_cast<std::size_t>(found - chunk->begin())};
}

stream_state& stream_table::insert(place p, const label& message) {
    last_ = static_cast<std::uint32_t>(states_.size());
    states_.push_back({std::string(message.key), message.shard, message.sequence,
                       message.timestamp_ms, crc16_initial});
    if (chunks_.empty()) chunks_.emplace_back();
    std::vector<std::uint32_t>& chunk = chunks_[p.chunk];
    chunk.insert(chunk.begin() + static_cast<std::ptrdiff_t>(p.index), last_);
    if (chunk.size() > max_chunk) {
        std::vector<std::uint32_t> upper(chunk.begin() + max_chunk / 2, chunk.end());
        chunk.resize(max_chunk / 2);
        chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(p.chunk) + 1,
                       std::move(upper));
    }
    return states_.back();
}

}  // namespace cdcscope::ss
