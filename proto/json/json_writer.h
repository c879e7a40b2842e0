// The one JSON writer: no tree, one buffer that is used again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "proto/wire/bytes.h"

namespace cdcscope {

// Writes one JSON document into a buffer that it owns. Commas and colons come by themselves; the
// caller keeps the nesting right (asserted). No line feed is ever written, so a document is a line.
class json_writer {
  public:
    json_writer();
    // A document of any length in little memory: what was written goes to `take` whenever an object
    // or array ends and it is more than some 64 KiB; the rest by flush().
    explicit json_writer(std::function<void(std::string_view)> take);
    ~json_writer();
    json_writer(json_writer&&) noexcept;
    json_writer& operator=(json_writer&&) noexcept;

    // Empty again, ready for the next document; the buffer is kept.
    void clear();
    // What was written so far and not taken; valid until the next call.
    [[nodiscard]] std::string_view text() const;
    // Gives the rest to `take`; does nothing without one.
    void flush();

    // 64-bit numbers as strings (`--int64 string`): what int64() writes from now on.
    void int64_as_strings(bool on) noexcept { int64_strings_ = on; }

    json_writer& begin_object();
    json_writer& end_object();
    json_writer& begin_array();
    json_writer& end_array();

    // Bytes that are no UTF-8 come out as \xNN, so that the document is valid whatever comes; where
    // such bytes matter, see text_or_base64.
    json_writer& name(std::string_view name);
    json_writer& string(std::string_view text);
    json_writer& number(std::uint64_t value);
    json_writer& number(std::int64_t value);
    json_writer& number(std::uint32_t value) { return number(std::uint64_t{value}); }
    json_writer& number(int value) { return number(static_cast<std::int64_t>(value)); }
    json_writer& number(double value);        // shortest form that reads back the same
    json_writer& int64(std::uint64_t value);  // a 64-bit field of the protocols
    json_writer& int64(std::int64_t value);
    json_writer& boolean(bool value);
    json_writer& null();
    json_writer& base64(byte_view bytes);
    json_writer& hex(byte_view bytes, std::string_view prefix = "0x");
    json_writer& hex64(std::uint64_t value);  // "0x" and 16 digits

    // A value that already is valid JSON without line feeds.
    json_writer& raw(std::string_view json);

    // Shorthand for the common pairs.
    json_writer& field(std::string_view key, std::string_view value) {
        return name(key).string(value);
    }
    json_writer& field(std::string_view key, const char* value) { return name(key).string(value); }
    json_writer& field(std::string_view key, std::uint64_t value) {
        return name(key).number(value);
    }
    json_writer& field(std::string_view key, std::int64_t value) { return name(key).number(value); }
    json_writer& field(std::string_view key, std::uint32_t value) {
        return name(key).number(value);
    }
    json_writer& field(std::string_view key, int value) { return name(key).number(value); }
    json_writer& field(std::string_view key, double value) { return name(key).number(value); }
    json_writer& field(std::string_view key, bool value) { return name(key).boolean(value); }

    // `key`: text if the bytes are UTF-8, else `keyBase64`: the bytes.
    json_writer& text_or_base64(std::string_view key, byte_view bytes);

  private:
    struct state;
    std::unique_ptr<state> state_;
    bool int64_strings_ = false;
};

}  // namespace cdcscope
