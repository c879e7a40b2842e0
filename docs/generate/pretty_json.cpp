// A value that fits the line stays on it; otherwise each of its elements begins a line.
#include "docs/generate/pretty_json.h"

#include "proto/json/json_document.h"

namespace cdcscope::docs {
namespace {

// End of the value that begins at `at`: behind its closing bracket, string or word.
std::size_t end_of(std::string_view json, std::size_t at) {
    int depth = 0;
    bool in_string = false;
    for (std::size_t i = at; i < json.size(); ++i) {
        const char c = json[i];
        if (in_string) {
            if (c == '\\') {
                ++i;
            } else if (c == '"') {
                in_string = false;
                if (depth == 0) return i + 1;
            }
            continue;
        }
        if (c == '"') in_string = true;
        if (c == '{' || c == '[') ++depth;
        if (c == '}' || c == ']') {
            if (depth == 0) return i;
            if (--depth == 0) return i + 1;
        }
        if (depth == 0 && (c == ',' || c == ':')) return i;
    }
    return json.size();
}

void write(std::string& out, std::string_view value, std::size_t indent, std::size_t column,
           std::size_t width) {
    const bool nested = value.front() == '{' || value.front() == '[';
    if (!nested || column + value.size() <= width || value.size() == 2) {
        out += value;
        return;
    }
    out += value.front();
    for (std::size_t at = 1; at + 1 < value.size();) {
        out += '\n';
        out.append(indent + 2, ' ');
        std::size_t end = end_of(value, at);
        std::size_t used = indent + 2;
        if (end < value.size() && value[end] == ':') {
            out.append(value.substr(at, end - at)).append(": ");
            used += end - at + 2;
            at = end + 1;
            end = end_of(value, at);
        }
        write(out, value.substr(at, end - at), indent + 2, used, width);
        if (value[end] == ',') out += ',';
        at = end + 1;
    }
    out += '\n';
    out.append(indent, ' ');
    out += value.back();
}

}  // namespace

std::string pretty_json(std::string_view json, std::size_t width) {
    std::string compact;
    if (!append_compact_json(compact, as_bytes(json))) return std::string(json);
    std::string out;
    write(out, compact, 0, 0, width);
    return out + '\n';
}

}  // namespace cdcscope::docs
