// Protobuf's wire format, field by field: no schema, no allocation. Takes and refuses what
// libprotobuf does, but for nested groups, which it follows 16 deep only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "proto/wire/bytes.h"
#include "proto/wire/varint.h"

namespace cdcscope::canal {

enum class wire_type : std::uint8_t {
    varint = 0,
    fixed64 = 1,
    length = 2,
    group = 3,  // start; the reader gives the whole group as one field
    group_end = 4,
    fixed32 = 5,
};

// Why a message stopped.
enum class fault : std::uint8_t {
    none,
    bad_tag,        // field number 0, or a tag of more than 5 bytes
    bad_varint,     // more than 10 bytes
    truncated,      // the message ends inside a field
    beyond_parent,  // a length that reaches beyond the message, or over 2 GiB
    bad_wire_type,  // 6 or 7
    bad_group,      // an end without a start, or with another number
    too_deep,
};

// One short clause: "a varint is longer than 10 bytes".
[[nodiscard]] std::string_view text(fault f) noexcept;

inline constexpr int max_depth = 16;

// One field. Offsets count from the start of the outermost bytes (the reader's `base` added); the
// field is [tag, end), its value [value, end): the content without its length for wire type
// `length`, number for the others.
struct wire_field {
    std::uint32_t number = 0;
    wire_type wire = wire_type::varint;
    std::size_t tag = 0;
    std::size_t value = 0;
    std::size_t end = 0;
    std::uint64_t bits = 0;  // varint, fixed32, fixed64
    byte_view
        bytes;  // length: content; group: what is between its start and the end of its end tag

    [[nodiscard]] std::int64_t as_int64() const noexcept { return static_cast<std::int64_t>(bits); }
    [[nodiscard]] std::int32_t as_int32() const noexcept { return static_cast<std::int32_t>(bits); }
    [[nodiscard]] bool as_bool() const noexcept { return bits != 0; }
};

class wire_reader {
  public:
    explicit wire_reader(byte_view bytes, std::size_t base = 0) noexcept
        : bytes_(bytes), base_(base) {}

    // The next field; false at the end of the message and at the first fault, which ends it.
    [[nodiscard]] bool next(wire_field& field) noexcept {
        return next_short(field) || next_any(field);
    }

    [[nodiscard]] fault why() const noexcept { return fault_; }
    // Where the field begins that could not be read.
    [[nodiscard]] std::size_t fault_offset() const noexcept { return base_ + offset_; }

  private:
    // The common case: tag and number, or tag and length, of one byte each.
    [[nodiscard]] bool next_short(wire_field& field) noexcept {
        const std::size_t left = bytes_.size() - offset_;
        if (left < 2 || fault_ != fault::none) return false;
        const std::uint8_t tag = bytes_[offset_];
        const std::uint8_t second = bytes_[offset_ + 1];
        const auto wire = static_cast<wire_type>(tag & 7U);
        const bool length = wire == wire_type::length;
        if (tag < 8 || ((tag | second) & 0x80U) != 0 || (!length && wire != wire_type::varint))
            return false;
        const std::size_t content = length ? second : 0;
        if (content > left - 2) return false;
        field.number = tag >> 3;
        field.wire = wire;
        field.tag = base_ + offset_;
        field.value = field.tag + (length ? 2 : 1);
        field.bits = length ? 0 : second;
        field.bytes = bytes_.subspan(offset_ + 2, content);
        offset_ += 2 + content;
        field.end = base_ + offset_;
        return true;
    }
    [[nodiscard]] bool next_any(wire_field& field) noexcept;
    [[nodiscard]] fault read_tag(std::size_t& at, std::uint32_t& tag) const noexcept;
    [[nodiscard]] fault read_value(std::size_t& at, wire_field& field) const noexcept;
    [[nodiscard]] fault read_length(std::size_t& at, wire_field& field) const noexcept;
    [[nodiscard]] fault read_fixed(std::size_t& at, std::size_t size,
                                   wire_field& field) const noexcept;
    [[nodiscard]] fault skip_group(std::size_t& at, wire_field& field) const noexcept;

    byte_view bytes_;
    std::size_t base_ = 0;
    std::size_t offset_ = 0;
    fault fault_ = fault::none;
};

}  // namespace cdcscope::canal
