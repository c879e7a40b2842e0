// RapidJSON's event reader as this protocol needs it: iterative, so depth costs no stack; numbers
// stay text where digits matter.
#pragma once

#include <rapidjson/memorystream.h>

#include <charconv>
#include <optional>
#include <string_view>

#include "proto/json/rapid_memory.h"
#include "proto/wire/bytes.h"

namespace cdcscope::dcp {

// Base 16 or 10; nothing unless all of the text is a number that fits.
template <typename Number>
std::optional<Number> number_of(std::string_view text, int base) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

// Whether `in` is one valid JSON object and nothing behind it; the handler's is_object() tells the
// kind of the value.
template <typename Handler>
bool read_object(rapidjson::MemoryStream& in, std::size_t size, Handler& handler) {
    constexpr unsigned flags =
        rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag;
    const bool valid = !rapid_reader().Parse<flags>(in, handler).IsError();
    return valid && in.Tell() == size && handler.is_object();  // a zero byte is no end
}

[[nodiscard]] inline rapidjson::MemoryStream stream_over(byte_view json) {
    return {reinterpret_cast<const char*>(json.data()), json.size()};
}

}  // namespace cdcscope::dcp
