#include "proto/json/json_writer.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>

#include "proto/json/base64.h"
#include "proto/json/plain_run.h"
#include "proto/wire/utf8.h"

namespace cdcscope {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

// The letter behind the backslash; 0: written as \u00XX.
constexpr char short_escape(char c) {
    switch (c) {
        case '"':
            return '"';
        case '\\':
            return '\\';
        case '\b':
            return 'b';
        case '\f':
            return 'f';
        case '\n':
            return 'n';
        case '\r':
            return 'r';
        case '\t':
            return 't';
        default:
            return 0;
    }
}

void append_hex(std::string& out, std::uint8_t byte) {
    out.push_back(hex_digits[byte >> 4]);
    out.push_back(hex_digits[byte & 0xfU]);
}

void append_escaped(std::string& out, std::string_view text) {
    while (!text.empty()) {
        const std::size_t plain = plain_run(as_bytes(text));
        out.append(text.substr(0, plain));
        if (plain == text.size()) return;
        const char c = text[plain];
        out.push_back('\\');
        if (const char letter = short_escape(c); letter != 0) {
            out.push_back(letter);
        } else {
            out.append("u00");
            append_hex(out, static_cast<std::uint8_t>(c));
        }
        text.remove_prefix(plain + 1);
    }
}

// before, the text in quotes, after: in one step if nothing has to be escaped.
void append_quoted(std::string& out, std::string_view before, std::string_view text,
                   std::string_view after) {
    if (plain_run(as_bytes(text)) != text.size()) {
        out.append(before).push_back('"');
        append_escaped(out, text);
        out.append("\"").append(after);
        return;
    }
    const std::size_t at = out.size();
    out.resize(at + before.size() + text.size() + after.size() + 2);
    char* to = std::copy(before.begin(), before.end(), out.data() + at);
    *to++ = '"';
    to = std::copy(text.begin(), text.end(), to);
    *to++ = '"';
    std::copy(after.begin(), after.end(), to);
}

std::string_view separator(bool needed) {
    return std::string_view(",").substr(needed ? 0 : 1);
}

template <typename Number>
std::string_view digits(std::array<char, 32>& room, Number value) {
    const auto [end, error] = std::to_chars(room.data(), room.data() + room.size(), value);
    return {room.data(), static_cast<std::size_t>(end - room.data())};
}

}  // namespace

json_writer::json_writer() = default;
json_writer::~json_writer() = default;
json_writer::json_writer(json_writer&&) noexcept = default;
json_writer& json_writer::operator=(json_writer&&) noexcept = default;

void json_writer::clear() {
    out_.clear();
    depth_ = 0;
    comma_ = false;
}

std::string_view json_writer::text() const {
    return out_;
}

void json_writer::separate() {
    if (comma_) out_.push_back(',');
    comma_ = true;
}

json_writer& json_writer::open(char bracket) {
    separate();
    out_.push_back(bracket);
    ++depth_;
    comma_ = false;
    return *this;
}

json_writer& json_writer::close(char bracket) {
    assert(depth_ > 0);
    out_.push_back(bracket);
    --depth_;
    comma_ = true;
    return *this;
}

json_writer& json_writer::begin_object() {
    return open('{');
}
json_writer& json_writer::end_object() {
    return close('}');
}
json_writer& json_writer::begin_array() {
    return open('[');
}
json_writer& json_writer::end_array() {
    return close(']');
}

json_writer& json_writer::name(std::string_view name) {
    assert(depth_ > 0);
    append_quoted(out_, separator(comma_), name, ":");
    comma_ = false;
    return *this;
}

json_writer& json_writer::raw(std::string_view json) {
    separate();
    out_.append(json);
    return *this;
}

json_writer& json_writer::string(std::string_view text) {
    append_quoted(out_, separator(comma_), text, {});
    comma_ = true;
    return *this;
}

json_writer& json_writer::number(std::uint64_t value) {
    std::array<char, 32> room;
    return raw(digits(room, value));
}

json_writer& json_writer::number(std::int64_t value) {
    std::array<char, 32> room;
    return raw(digits(room, value));
}

json_writer& json_writer::number(double value) {
    if (!std::isfinite(value)) return null();
    std::array<char, 32> room;
    const std::string_view text = digits(room, value);
    raw(text);
    if (text.find_first_of(".e") == std::string_view::npos) out_.append(".0");  // still a double
    return *this;
}

json_writer& json_writer::int64(std::uint64_t value) {
    std::array<char, 32> room;
    return int64_strings_ ? string(digits(room, value)) : number(value);
}

json_writer& json_writer::int64(std::int64_t value) {
    std::array<char, 32> room;
    return int64_strings_ ? string(digits(room, value)) : number(value);
}

json_writer& json_writer::boolean(bool value) {
    return raw(value ? "true" : "false");
}

json_writer& json_writer::null() {
    return raw("null");
}

json_writer& json_writer::base64(byte_view bytes) {
    separate();
    out_.push_back('"');
    append_base64(out_, bytes);
    out_.push_back('"');
    return *this;
}

json_writer& json_writer::hex(byte_view bytes, std::string_view prefix) {
    separate();
    out_.push_back('"');
    out_.append(prefix);
    const std::size_t at = out_.size();
    out_.resize(at + 2 * bytes.size() + 1);
    char* to = out_.data() + at;
    for (const std::uint8_t b : bytes) {
        *to++ = hex_digits[b >> 4];
        *to++ = hex_digits[b & 0xfU];
    }
    *to = '"';
    return *this;
}

json_writer& json_writer::hex64(std::uint64_t value) {
    std::array<std::uint8_t, 8> bytes{};
    store_be64(bytes.data(), value);
    return hex(bytes);
}

json_writer& json_writer::text_or_base64(std::string_view key, byte_view bytes) {
    if (is_utf8(bytes)) return name(key).string(as_text(bytes));
    return name(std::string(key) + "Base64").base64(bytes);
}

}  // namespace cdcscope
