// Protobuf messages for tests, written field by field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "proto/wire/bytes.h"

namespace cdcscope::canal {

class wire_writer {
  public:
    wire_writer& number(std::uint32_t field, std::int64_t value) {
        varint(std::uint64_t{field} << 3);
        varint(static_cast<std::uint64_t>(value));
        return *this;
    }
    wire_writer& text(std::uint32_t field, std::string_view value) {
        varint(std::uint64_t{field} << 3 | 2);
        varint(value.size());
        bytes_ += value;
        return *this;
    }
    wire_writer& message(std::uint32_t field, const wire_writer& inner) {
        return text(field, inner.bytes_);
    }

    [[nodiscard]] const std::string& bytes() const { return bytes_; }

  private:
    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
        bytes_ += static_cast<char>(value);
    }
    std::string bytes_;
};

// A whole Packet behind its length.
inline std::vector<std::uint8_t> framed(const wire_writer& packet) {
    std::vector<std::uint8_t> out(4);
    store_be32(out.data(), static_cast<std::uint32_t>(packet.bytes().size()));
    out.insert(out.end(), packet.bytes().begin(), packet.bytes().end());
    return out;
}
// A Packet of that type with that body.
inline std::vector<std::uint8_t> framed(std::int32_t type, const wire_writer& body,
                                        std::uint32_t body_field = 5) {
    return framed(wire_writer().number(3, type).message(body_field, body));
}

}  // namespace cdcscope::canal
