#include "proto/json/json_document.h"

#include <rapidjson/memorystream.h>

#include <charconv>

#include "proto/json/rapid_memory.h"
#include "proto/wire/utf8.h"

namespace cdcscope {
namespace {

// Accepts every event until the nesting is too deep.
class depth_guard : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, depth_guard> {
  public:
    explicit depth_guard(std::size_t max_depth) : left_(max_depth) {}
    static bool Default() { return true; }
    bool StartObject() { return open(); }
    bool StartArray() { return open(); }
    bool EndObject(rapidjson::SizeType) { return close(); }
    bool EndArray(rapidjson::SizeType) { return close(); }

  private:
    bool open() {
        if (left_ == 0) return false;
        --left_;
        return true;
    }
    bool close() {
        ++left_;
        return true;
    }
    std::size_t left_;
};

bool is_json(byte_view document, std::size_t max_depth) {
    // Numbers stay text: a document may hold more digits than a double.
    constexpr unsigned flags =
        rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag;
    rapidjson::MemoryStream in(reinterpret_cast<const char*>(document.data()), document.size());
    depth_guard guard(max_depth);
    // The reader takes a zero byte for the end.
    return !rapid_reader().Parse<flags>(in, guard).IsError() && in.Tell() == document.size();
}

// The reader takes the second half of a surrogate pair alone for a character; most others refuse
// such a document, and with it the record that it would stand in. Backslashes of valid JSON begin
// escapes.
bool has_lone_surrogate(std::string_view json) {
    constexpr std::size_t escape = 6;  // \uXXXX
    for (std::size_t at = json.find('\\'); at != std::string_view::npos; at = json.find('\\', at)) {
        if (json[at + 1] != 'u') {
            at += 2;
            continue;
        }
        unsigned unit = 0;
        std::from_chars(json.data() + at + 2, json.data() + at + escape, unit, 16);
        if (unit >= 0xdc00 && unit <= 0xdfff) return true;
        at += unit >= 0xd800 && unit <= 0xdbff ? 2 * escape
                                               : escape;  // the reader has seen the other half
    }
    return false;
}

constexpr bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

}  // namespace

bool append_compact_json(std::string& out, byte_view document, std::size_t max_depth) {
    if (!is_utf8(document) || !is_json(document, max_depth) ||
        has_lone_surrogate(as_text(document)))
        return false;
    bool in_string = false;
    bool escaped = false;
    for (const char c : as_text(document)) {
        if (!in_string && is_space(c)) continue;
        out.push_back(c);
        if (escaped) {
            escaped = false;
        } else if (c == '\\') {
            escaped = in_string;
        } else if (c == '"') {
            in_string = !in_string;
        }
    }
    return true;
}

}  // namespace cdcscope
