#include "analyzer/report/html_writer.h"

#include "analyzer/report/format.h"

namespace cdcscope::report {

std::string escape_html(std::string_view text) {
    const auto shown = printable(text);
    std::string out;
    out.reserve(shown.size());
    for (const char c : shown) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

std::string escape_html_lines(std::string_view text) {
    std::string out;
    for (;;) {
        const auto end = text.find('\n');
        out += escape_html(text.substr(0, end));
        if (end == std::string_view::npos) return out;
        out += '\n';
        text.remove_prefix(end + 1);
    }
}

}  // namespace cdcscope::report
