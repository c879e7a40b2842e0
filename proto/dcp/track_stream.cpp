// Look-up of streams: by opaque first, then by vbucket and stream id.

#include "proto/dcp/track_stream.h"

#include <algorithm>

namespace cdcscope::dcp {
namespace {

// A connection has at most 1,024 vbuckets open, some more with stream ids; what is older than this
// has ended long ago.
constexpr std::size_t most_streams = 1U << 16;
constexpr std::size_t dropped_at_once = most_streams / 4;

std::uint64_t keyed(std::uint32_t opaque, std::uint64_t place) noexcept {
    return std::uint64_t{opaque} << 32 | place;
}

dcp_stream* found_in(const std::unordered_map<std::uint64_t, dcp_stream*>& index,
                     std::uint64_t key) noexcept {
    const auto found = index.find(key);
    return found == index.end() ? nullptr : found->second;
}

}  // namespace

dcp_stream& stream_table::add(std::uint16_t vbucket, std::uint16_t stream_id,
                              std::uint32_t opaque) {
    if (streams_.size() >= most_streams) drop_oldest();
    auto stream = std::make_unique<dcp_stream>();
    stream->story.index = ++count_;
    stream->story.vbucket = vbucket;
    stream->story.opaque = opaque;
    stream->story.has_stream_id = stream_id != 0;
    stream->story.stream_id = stream_id;
    const std::uint64_t place = place_key(vbucket, stream_id);
    by_place_[place] = stream.get();
    by_all_[keyed(opaque, place)] = stream.get();
    by_opaque_vbucket_[keyed(opaque, vbucket)] = stream.get();
    by_opaque_[opaque] = stream.get();
    streams_.push_back(std::move(stream));
    return *streams_.back();
}

place_found stream_table::find(std::uint16_t vbucket, std::uint16_t stream_id,
                               std::uint32_t opaque) noexcept {
    dcp_stream* meant = found_in(by_all_, keyed(opaque, place_key(vbucket, stream_id)));
    if (meant == nullptr) meant = by_opaque(opaque, vbucket);
    if (meant != nullptr) return {meant->ended() ? belongs::after_end : belongs::to_stream, meant};
    if (dcp_stream* other = with_opaque(opaque)) return {belongs::opaque_of_other_vbucket, other};
    dcp_stream* of_place = newest(vbucket, stream_id);
    if (of_place == nullptr) return {belongs::nowhere, nullptr};
    return {of_place->open() ? belongs::other_opaque : belongs::ended_before, of_place};
}

dcp_stream* stream_table::newest(std::uint16_t vbucket, std::uint16_t stream_id) noexcept {
    return found_in(by_place_, place_key(vbucket, stream_id));
}

dcp_stream* stream_table::by_opaque(std::uint32_t opaque, std::uint16_t vbucket) noexcept {
    return found_in(by_opaque_vbucket_, keyed(opaque, vbucket));
}

dcp_stream* stream_table::with_opaque(std::uint32_t opaque) noexcept {
    return found_in(by_opaque_, opaque);
}

dcp_stream* stream_table::at(std::uint32_t number) noexcept {
    const auto found =
        std::lower_bound(streams_.begin(), streams_.end(), number,
                         [](const auto& s, std::uint32_t i) { return s->story.index < i; });
    return found != streams_.end() && (*found)->story.index == number ? found->get() : nullptr;
}

void stream_table::drop_oldest() {
    const bool any_over =
        std::any_of(streams_.begin(), streams_.end(), [](const auto& s) { return !s->open(); });
    std::size_t left = dropped_at_once;
    const auto kept = std::stable_partition(streams_.begin(), streams_.end(), [&](const auto& s) {
        if (left == 0 || (any_over && s->open())) return true;
        --left;
        return false;
    });
    std::for_each(kept, streams_.end(), [&](const auto& s) { forget(*s); });
    streams_.erase(kept, streams_.end());
}

void stream_table::forget(const dcp_stream& gone) {
    const auto erase = [&](index& from, std::uint64_t key) {
        if (found_in(from, key) == &gone) from.erase(key);
    };
    const std::uint64_t place = place_key(gone.story.vbucket, gone.story.stream_id);
    erase(by_place_, place);
    erase(by_all_, keyed(gone.story.opaque, place));
    erase(by_opaque_vbucket_, keyed(gone.story.opaque, gone.story.vbucket));
    erase(by_opaque_, gone.story.opaque);
}

}  // namespace cdcscope::dcp
