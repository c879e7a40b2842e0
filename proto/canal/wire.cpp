#include "proto/canal/wire.h"

#include <algorithm>
#include <array>

namespace cdcscope::canal {

namespace {

// libprotobuf reads lengths into an int and keeps 16 bytes of slack.
constexpr std::uint64_t longest_length = 0x7fffffffU - 16;

}  // namespace

std::string_view text(fault f) noexcept {
    switch (f) {
        case fault::none:
            return "nothing is wrong";
        case fault::bad_tag:
            return "a field's tag is not valid";
        case fault::bad_varint:
            return "a varint is longer than 10 bytes";
        case fault::truncated:
            return "the message ends inside a field";
        case fault::beyond_parent:
            return "a length reaches beyond the message";
        case fault::bad_wire_type:
            return "a wire type does not exist";
        case fault::bad_group:
            return "a group's start and end do not match";
        case fault::too_deep:
            return "it is nested more than 16 deep";
    }
    return {};
}

// A tag is a varint of at most 5 bytes; bits beyond 32 are dropped.
fault wire_reader::read_tag(std::size_t& at, std::uint32_t& tag) const noexcept {
    if (bytes_[at] < 0x80) {
        tag = bytes_[at++];
        return tag >> 3 == 0 ? fault::bad_tag : fault::none;
    }
    const varint v = read_varint(bytes_.subspan(at, std::min<std::size_t>(5, bytes_.size() - at)));
    if (v.state != varint_state::complete) {
        return bytes_.size() - at < 5 ? fault::truncated : fault::bad_tag;
    }
    at += v.size;
    tag = static_cast<std::uint32_t>(v.value);
    return tag >> 3 == 0 ? fault::bad_tag : fault::none;
}

fault wire_reader::read_length(std::size_t& at, wire_field& field) const noexcept {
    if (at == bytes_.size()) return fault::truncated;
    std::uint64_t length = bytes_[at];
    std::size_t size = 1;
    if (length >= 0x80) {
        const varint v =
            read_varint(bytes_.subspan(at, std::min<std::size_t>(5, bytes_.size() - at)));
        if (v.state != varint_state::complete) {
            return bytes_.size() - at < 5 ? fault::truncated : fault::beyond_parent;
        }
        length = v.value;
        size = v.size;
    }
    at += size;
    if (length > longest_length || length > bytes_.size() - at) return fault::beyond_parent;
    field.value = base_ + at;
    field.bytes = bytes_.subspan(at, length);
    at += length;
    return fault::none;
}

fault wire_reader::read_fixed(std::size_t& at, std::size_t size, wire_field& field) const noexcept {
    if (bytes_.size() - at < size) return fault::truncated;
    field.bits = size == 8 ? load_le64(&bytes_[at]) : load_le32(&bytes_[at]);
    at += size;
    return fault::none;
}

// Behind a group's start: everything up to the end tag of the same number.
fault wire_reader::skip_group(std::size_t& at, wire_field& field) const noexcept {
    std::array<std::uint32_t, max_depth> open{};
    std::size_t depth = 0;
    open[depth++] = field.number;
    const std::size_t begin = at;
    while (depth > 0) {
        if (at == bytes_.size()) return fault::truncated;
        std::uint32_t tag = 0;
        if (const fault f = read_tag(at, tag); f != fault::none) return f;
        const auto wire = static_cast<wire_type>(tag & 7);
        if (wire == wire_type::group) {
            if (depth == open.size()) return fault::too_deep;
            open[depth++] = tag >> 3;
        } else if (wire == wire_type::group_end) {
            if (open[--depth] != tag >> 3) return fault::bad_group;
        } else {
            wire_field inner;
            inner.wire = wire;
            if (const fault f = read_value(at, inner); f != fault::none) return f;
        }
    }
    field.bytes = bytes_.subspan(begin, at - begin);
    return fault::none;
}

// The value of a field whose number and wire type are known.
fault wire_reader::read_value(std::size_t& at, wire_field& field) const noexcept {
    field.value = base_ + at;
    switch (field.wire) {
        case wire_type::varint: {
            const varint v = read_varint(bytes_.subspan(at));
            if (v.state == varint_state::truncated) return fault::truncated;
            if (v.state == varint_state::malformed) return fault::bad_varint;
            at += v.size;
            field.bits = v.value;
            return fault::none;
        }
        case wire_type::fixed64:
            return read_fixed(at, 8, field);
        case wire_type::length:
            return read_length(at, field);
        case wire_type::group:
            return skip_group(at, field);
        case wire_type::group_end:
            return fault::bad_group;
        case wire_type::fixed32:
            return read_fixed(at, 4, field);
    }
    return fault::bad_wire_type;
}

bool wire_reader::next_any(wire_field& field) noexcept {
    if (offset_ == bytes_.size() || fault_ != fault::none) return false;
    field = {};
    field.tag = base_ + offset_;
    std::size_t at = offset_;
    std::uint32_t tag = 0;
    fault_ = read_tag(at, tag);
    if (fault_ != fault::none) return false;
    field.number = tag >> 3;
    field.wire = static_cast<wire_type>(tag & 7);
    fault_ = read_value(at, field);
    if (fault_ != fault::none) return false;
    field.end = base_ + at;
    offset_ = at;
    return true;
}

}  // namespace cdcscope::canal
