#include "analyzer/tcp/late_bytes.h"

#include <algorithm>
#include <cstring>

namespace cdcscope::tcp {

namespace {

void compare_bytes(position at, byte_view kept, byte_view other, conflict& found) {
    if (std::memcmp(kept.data(), other.data(), other.size()) == 0) return;
    for (std::size_t i = 0; i < other.size(); ++i) {
        if (kept[i] != other[i]) found.add(at + static_cast<position>(i), kept[i], other[i]);
    }
}

}  // namespace

void late_bytes::add(map::iterator before, position begin, byte_view bytes, const arrival& brought,
                     position acknowledges, bool keep_content) {
    piece p;
    p.size = static_cast<std::uint32_t>(bytes.size());
    p.brought = brought;
    p.acknowledges = acknowledges;
    if (keep_content) {
        p.bytes = std::make_unique_for_overwrite<std::uint8_t[]>(bytes.size());
        std::memcpy(p.bytes.get(), bytes.data(), bytes.size());
        bytes_ += bytes.size();
    }
    pieces_.emplace_hint(before, begin, std::move(p));
}

late_bytes::outcome late_bytes::insert(position begin, byte_view bytes, const arrival& brought,
                                       position acknowledges, bool keep_content, bool compare) {
    outcome done;
    const auto size = [](byte_view b) { return static_cast<position>(b.size()); };
    auto at = pieces_.end();
    if (!pieces_.empty() && begin < last_end()) {
        at = begin < pieces_.begin()->first ? pieces_.begin()
                                            : std::prev(pieces_.upper_bound(begin));
    }
    while (!bytes.empty()) {
        if (at == pieces_.end() || begin + size(bytes) <= at->first) {
            add(at, begin, bytes, brought, acknowledges, keep_content);
            done.added += bytes.size();
            break;
        }
        if (begin < at->first) {
            const auto free = static_cast<std::size_t>(at->first - begin);
            add(at, begin, bytes.first(free), brought, acknowledges, keep_content);
            done.added += free;
            begin += static_cast<position>(free);
            bytes = bytes.subspan(free);
        }
        const position end = at->first + at->second.size;
        if (begin < end) {
            const auto same = static_cast<std::size_t>(std::min(end - begin, size(bytes)));
            const byte_view kept = at->second.view();
            if (compare && !kept.empty()) {
                compare_bytes(begin,
                              kept.subspan(static_cast<std::size_t>(begin - at->first), same),
                              bytes.first(same), done.differing);
            }
            done.repeated += same;
            begin += static_cast<position>(same);
            bytes = bytes.subspan(same);
        }
        ++at;
    }
    return done;
}

bool late_bytes::covers(position begin, position end) const noexcept {
    auto at = pieces_.upper_bound(begin);
    if (at == pieces_.begin()) return false;
    for (--at; at != pieces_.end() && at->first <= begin; ++at) {
        begin = std::max(begin, at->first + static_cast<position>(at->second.size));
        if (begin >= end) return true;
    }
    return false;
}

late_bytes::piece late_bytes::take_first() {
    auto node = pieces_.extract(pieces_.begin());
    if (node.mapped().bytes) bytes_ -= node.mapped().size;
    return std::move(node.mapped());
}

}  // namespace cdcscope::tcp
