#include "analyzer/capture/decompressor.h"

namespace cdcscope::capture {
decompressor::decompressor(std::unique_ptr<byte_source> packed)
    : packed_(std::move(packed)), buffer_(std::make_unique_for_overwrite<packed_bytes>()) {}

read_result decompressor::end(read_state how, std::string problem) {
    ended_ = how;
    problem_ = std::move(problem);
    return {how, 0};
}

read_state decompressor::refill() {
    const read_result r = packed_->read(*buffer_);
    in_ = byte_view(*buffer_).first(r.size);
    return r.state;
}

read_result decompressor::read(std::span<std::uint8_t> into) {
    if (ended_ != read_state::data) return {ended_, 0};
    while (true) {
        read_state packed = read_state::data;
        if (in_.empty() && !output_waits_) packed = refill();
        if (packed == read_state::more) return {packed, 0};
        if (packed == read_state::error) return end(packed, packed_->problem());
        // Also without input: a decoder may see the end of its frame one call after the frame's
        // last byte.
        if (packed != read_state::data && between_) return end(packed, packed_->problem());
        unpacked u = unpack(in_, into);
        in_ = in_.subspan(u.used);
        between_ = u.between;
        // A full output may have left more inside; between two members nothing is left.
        output_waits_ = u.produced == into.size() && !u.between;
        if (u.produced != 0) return {read_state::data, u.produced};
        if (!u.problem.empty()) return end(read_state::error, std::move(u.problem));
        if (packed != read_state::data && !between_) {
            return end(read_state::cut, "compressed data without its end");
        }
    }
}

}  // namespace cdcscope::capture
