// A packet while its layers are taken off, one after the other, from the outside in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "proto/wire/bytes.h"

namespace cdcscope::capture {

// What is left of a packet: the bytes that were captured, and how many there were on the wire
// (never fewer).
struct layer_view {
    const std::uint8_t* data = nullptr;
    std::size_t captured = 0;
    std::size_t wire = 0;

    [[nodiscard]] bool has(std::size_t n) const noexcept { return n <= captured; }
    [[nodiscard]] byte_view bytes() const noexcept { return {data, captured}; }

    // Takes n bytes off the front; the caller has asked has(n).
    void skip(std::size_t n) noexcept {
        data += n;
        captured -= n;
        wire -= n;
    }
    // A length field of the layer says where it ends:
    // what lies behind is padding or a trailer.
    void end_at(std::size_t n) noexcept {
        wire = n;
        captured = std::min(captured, n);
    }
};

// What the next layer is.
enum class carries : std::uint8_t {
    nothing,  // nothing that can lead to TCP
    ethernet,
    ip,  // version 4 or 6, told by the first four bits
    exported_pdu,
    unknown_link,  // a link type without a row
};

struct carried {
    carries what = carries::nothing;
    layer_view rest;
};

}  // namespace cdcscope::capture
