#include "analyzer/capture/decompressor.h"

namespace cdcscope::capture {
namespace {

constexpr std::size_t packed_buffer = 256 * 1024;

}  // namespace

decompressor::decompressor(std::unique_ptr<byte_source> packed)
    : packed_(std::move(packed)), buffer_(packed_buffer) {}

read_result decompressor::end(read_state how, std::string problem) {
    ended_ = how;
    problem_ = std::move(problem);
    return {how, 0};
}

read_state decompressor::refill() {
    const read_result r = packed_->read(buffer_);
    in_ = byte_view(buffer_).first(r.size);
    return r.state;
}

read_result decompressor::read(std::span<std::uint8_t> into) {
    if (ended_ != read_state::data) return {ended_, 0};
    while (true) {
        if (in_.empty() && !output_waits_) {
            switch (refill()) {
                case read_state::data:
                    break;
                case read_state::more:
                    return {read_state::more, 0};
                case read_state::end:
                    return end(between_ ? read_state::end : read_state::cut,
                               "compressed data without its end");
                case read_state::cut:
                    return end(read_state::cut, packed_->problem());
                case read_state::error:
                    return end(read_state::error, packed_->problem());
            }
        }
        unpacked u = unpack(in_, into);
        in_ = in_.subspan(u.used);
        between_ = u.between;
        // A full output may have left more inside; between two members nothing is left.
        output_waits_ = u.produced == into.size() && !u.between;
        if (u.produced != 0) return {read_state::data, u.produced};
        if (!u.problem.empty()) return end(read_state::error, std::move(u.problem));
    }
}

}  // namespace cdcscope::capture
