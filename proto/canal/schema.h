// The shape of the tables that the generator makes of the .proto files (tables.h): one row a
// message, a field, an enum.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace cdcscope::canal {

enum class message_id : std::uint8_t;  // tables.h; message_id::none: no message
enum class enum_id : std::uint8_t;     // tables.h; enum_id::none: no enum

enum class field_kind : std::uint8_t { int32, int64, boolean, enumeration, text, bytes, message };

// What is inside a field of kind `bytes` (packet_types.h resolves the two that depend on another
// field).
enum class content : std::uint8_t { plain, one_message, by_packet_type, by_entry_type };

struct enum_value {
    std::int32_t number = 0;
    std::string_view name;  // as in the .proto
};

struct enum_row {
    std::string_view name;
    bool admin = false;
    std::span<const enum_value> values;  // ascending

    // The name of a number, or nothing: enums are open.
    [[nodiscard]] constexpr std::string_view find(std::int64_t number) const noexcept {
        for (const enum_value& v : values) {
            if (v.number == number) return v.name;
        }
        return {};
    }
};

struct field_row {
    std::uint32_t number = 0;
    std::string_view name;       // as in the .proto
    std::string_view json_name;  // lower camel case, protobuf's own rule
    field_kind kind = field_kind::int32;
    bool repeated = false;
    bool presence = false;     // a oneof of its own: whether it was sent is visible, zero or not
    bool secret = false;       // never written out unless asked for
    bool has_default = false;  // documented default of an absent field, in force for
                               // peers up to 1.1.3
    content holds = content::plain;
    message_id message{};   // kind message, or bytes that hold one_message
    enum_id enumeration{};  // kind enumeration
    std::int64_t default_number = 0;
    std::string_view default_text;  // kind text
};

struct message_row {
    std::string_view name;  // as in the .proto
    bool admin = false;     // of AdminProtocol.proto
    std::uint16_t first_field =
        0;  // index of fields[0] in field_rows: an index for parallel arrays
    std::span<const field_row> fields;  // ascending by number

    [[nodiscard]] constexpr const field_row* find(std::uint32_t number) const noexcept {
        for (const field_row& f : fields) {
            if (f.number == number) return &f;
        }
        return nullptr;
    }
};

}  // namespace cdcscope::canal
