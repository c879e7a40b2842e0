#include "proto/json/json_writer.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "proto/json/base64.h"
#include "proto/json/rapid_memory.h"
#include "proto/wire/printable.h"
#include "proto/wire/utf8.h"

namespace cdcscope {
namespace {

constexpr std::size_t piece = 1U << 16;  // then what was written is taken

constexpr std::string_view hex_digits = "0123456789abcdef";

auto size_of(std::string_view text) {
    return static_cast<rapidjson::SizeType>(text.size());
}

}  // namespace

struct json_writer::state {
    using buffer = rapidjson::GenericStringBuffer<rapidjson::UTF8<>, rapid_memory>;
    buffer out;
    rapidjson::Writer<buffer, rapidjson::UTF8<>, rapidjson::UTF8<>, rapid_memory> to{out};
    std::string scratch;  // a value that is made before it is written
    std::function<void(std::string_view)> take;

    void hand_over(std::size_t least) {
        if (!take || out.GetSize() < least) return;
        take({out.GetString(), out.GetSize()});
        out.Clear();  // the nesting stays
    }

    void string(std::string_view utf8) {
        to.String(utf8.empty() ? "" : utf8.data(), size_of(utf8));
    }

    void raw(std::string_view json) {
        to.RawValue(json.data(), json.size(), rapidjson::kStringType);
    }
};

json_writer::json_writer() : state_(std::make_unique<state>()) {}
json_writer::json_writer(std::function<void(std::string_view)> take) : json_writer() {
    state_->take = std::move(take);
}
json_writer::~json_writer() = default;
json_writer::json_writer(json_writer&&) noexcept = default;
json_writer& json_writer::operator=(json_writer&&) noexcept = default;

void json_writer::clear() {
    state_->out.Clear();
    state_->to.Reset(state_->out);
}

std::string_view json_writer::text() const {
    return {state_->out.GetString(), state_->out.GetSize()};
}

void json_writer::flush() {
    state_->hand_over(1);
}

json_writer& json_writer::begin_object() {
    state_->to.StartObject();
    return *this;
}

json_writer& json_writer::end_object() {
    state_->to.EndObject();
    state_->hand_over(piece);
    return *this;
}

json_writer& json_writer::begin_array() {
    state_->to.StartArray();
    return *this;
}

json_writer& json_writer::end_array() {
    state_->to.EndArray();
    state_->hand_over(piece);
    return *this;
}

json_writer& json_writer::name(std::string_view name) {
    if (is_utf8(as_bytes(name))) {
        state_->to.Key(name.data(), size_of(name));
    } else {
        const std::string text = as_utf8(name);
        state_->to.Key(text.data(), size_of(text));
    }
    return *this;
}

json_writer& json_writer::string(std::string_view text) {
    if (is_utf8(as_bytes(text))) {
        state_->string(text);
    } else {
        state_->string(as_utf8(text));
    }
    return *this;
}

json_writer& json_writer::number(std::uint64_t value) {
    state_->to.Uint64(value);
    return *this;
}

json_writer& json_writer::number(std::int64_t value) {
    state_->to.Int64(value);
    return *this;
}

json_writer& json_writer::number(double value) {
    if (!std::isfinite(value)) return null();
    state_->to.Double(value);
    return *this;
}

json_writer& json_writer::int64(std::uint64_t value) {
    return int64_strings_ ? string(std::to_string(value)) : number(value);
}

json_writer& json_writer::int64(std::int64_t value) {
    return int64_strings_ ? string(std::to_string(value)) : number(value);
}

json_writer& json_writer::boolean(bool value) {
    state_->to.Bool(value);
    return *this;
}

json_writer& json_writer::null() {
    state_->to.Null();
    return *this;
}

json_writer& json_writer::base64(byte_view bytes) {
    std::string& text = state_->scratch;
    text.assign(1, '"');
    append_base64(text, bytes);
    text.push_back('"');
    state_->raw(text);
    return *this;
}

json_writer& json_writer::hex(byte_view bytes, std::string_view prefix) {
    std::string& text = state_->scratch;
    text.assign(prefix);
    for (const std::uint8_t b : bytes) {
        text.push_back(hex_digits[b >> 4]);
        text.push_back(hex_digits[b & 0xfU]);
    }
    return string(text);
}

json_writer& json_writer::hex64(std::uint64_t value) {
    std::uint8_t bytes[8];
    store_be64(bytes, value);
    return hex(bytes);
}

json_writer& json_writer::raw(std::string_view json) {
    state_->raw(json);
    return *this;
}

json_writer& json_writer::text_or_base64(std::string_view key, byte_view bytes) {
    if (is_utf8(bytes)) {
        name(key).state_->string(as_text(bytes));
        return *this;
    }
    return name(std::string(key) + "Base64").base64(bytes);
}

}  // namespace cdcscope
