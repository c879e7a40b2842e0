#include "proto/ss/beacon.h"

#include "proto/wire/utf8.h"

namespace cdcscope::ss {
namespace {

problem broken_at(fault what, std::uint64_t offset) noexcept {
    problem p;
    p.what = what;
    p.offset = offset;
    return p;
}

fault of_marker(fault what) noexcept {
    switch (what) {
        case fault::key_not_utf8:
            return fault::marker_key_not_utf8;
        case fault::key_invalid:
            return fault::marker_key_invalid;
        default:
            return fault::marker_timestamp_range;
    }
}

}  // namespace

fault check_label(const label& l) noexcept {
    if (!is_valid_key(l.key)) {
        return is_utf8(as_bytes(l.key)) ? fault::key_invalid : fault::key_not_utf8;
    }
    return l.timestamp_ms > max_timestamp_ms ? fault::timestamp_range : fault::none;
}

read_beacon_result read_beacon(byte_view bytes, std::uint64_t offset,
                               std::uint32_t interval) noexcept {
    const problem cut = broken_at(fault::beacon_cut, offset);
    if (bytes.size() < 6) return {{}, cut};
    std::size_t at = 6;
    for (std::size_t left = bytes[5]; left > 0; --left) {
        if (at >= bytes.size()) return {{}, cut};
        const std::size_t size = bytes[at] + marker_overhead;
        if (bytes.size() - at < size) return {{}, cut};
        const label l = read_label(bytes.data() + at);
        if (const fault bad = check_label(l); bad != fault::none) {
            problem p = broken_at(of_marker(bad), offset + at);
            p.stored = l.key.size();
            return {{}, p};
        }
        at += size;
    }
    if (at >= bytes.size()) return {{}, cut};
    ++at;
    if (at > interval) return {{}, broken_at(fault::beacon_too_long, offset)};
    return {beacon_view(bytes.first(at)), {}};
}

}  // namespace cdcscope::ss
