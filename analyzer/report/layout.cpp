#include "analyzer/report/layout.h"

#include <algorithm>

#include "analyzer/report/format.h"
#include "proto/wire/bytes.h"
#include "proto/wire/utf8.h"

namespace cdcscope::report {
namespace {

std::size_t width_of(std::uint32_t c) {
    const auto in = [c](std::uint32_t from, std::uint32_t to) { return c >= from && c <= to; };
    if (in(0x300, 0x36f) || in(0x200b, 0x200f) || in(0x20d0, 0x20ff) || in(0xfe00, 0xfe0f))
        return 0;
    if (in(0x1100, 0x115f) || in(0x2e80, 0xa4cf) || in(0xac00, 0xd7a3) || in(0xf900, 0xfaff) ||
        in(0xfe30, 0xfe6f) || in(0xff00, 0xff60) || in(0xffe0, 0xffe6) || in(0x1f300, 0x1faff) ||
        in(0x20000, 0x3fffd)) {
        return 2;
    }
    return 1;
}

// Bytes from the start of `text` that take at most `width` columns.
std::size_t prefix_of(std::string_view text, std::size_t width) {
    auto rest = as_bytes(text);
    std::size_t taken = 0, columns = 0;
    while (!rest.empty()) {
        const auto c = decode_utf8(rest);
        const auto size = std::max<std::size_t>(c.size, 1);
        const auto w = c.size == 0 ? 1 : width_of(c.value);
        if (columns + w > width) break;
        columns += w;
        taken += size;
        rest = rest.subspan(size);
    }
    return taken;
}

}  // namespace

std::size_t display_width(std::string_view text) {
    auto rest = as_bytes(text);
    std::size_t columns = 0;
    while (!rest.empty()) {
        const auto c = decode_utf8(rest);
        columns += c.size == 0 ? 1 : width_of(c.value);
        rest = rest.subspan(std::max<std::size_t>(c.size, 1));
    }
    return columns;
}

std::string pad_right(std::string_view text, std::size_t width) {
    const auto w = display_width(text);
    return std::string(text) + std::string(w < width ? width - w : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t width) {
    const auto w = display_width(text);
    return std::string(w < width ? width - w : 0, ' ') + std::string(text);
}

std::string elide(std::string_view text, std::size_t width) {
    if (display_width(text) <= width) return std::string(text);
    if (width <= 2) return std::string(width, '.');
    const auto head = prefix_of(text, (width - 2 + 1) / 2);
    const auto room = width - 2 - display_width(text.substr(0, head));
    // The longest tail that fits, looked for from the nearest place it can begin.
    auto tail = text.size() > room * 4 ? text.size() - room * 4 : head;
    while (tail < text.size() && ((static_cast<unsigned char>(text[tail]) & 0xc0) == 0x80 ||
                                  display_width(text.substr(tail)) > room)) {
        ++tail;
    }
    return std::string(text.substr(0, head)) + ".." + std::string(text.substr(tail));
}

void wrap(std::string& out, std::string_view first, std::string_view words, std::size_t indent,
          std::size_t width) {
    const auto shown = printable(words);
    std::string_view text = shown;
    auto line = std::string(first);
    auto used = display_width(line);
    bool empty = true;  // no word on this line yet
    const auto finish = [&] {
        while (!line.empty() && line.back() == ' ') line.pop_back();
        out += line;
        out += '\n';
        line.assign(indent, ' ');
        used = indent;
        empty = true;
    };
    while (!text.empty()) {
        const auto end = std::min(text.find(' '), text.size());
        auto word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (word.empty()) continue;
        if (!empty && used + 1 + display_width(word) > width) finish();
        if (!empty) line += ' ', ++used;
        while (used + display_width(word) > width && width > indent + 8) {
            const auto part = prefix_of(word, width > used ? width - used : 0);
            if (part == 0) {
                finish();
                continue;
            }
            line += plain_spaces(word.substr(0, part));
            word.remove_prefix(part);
            finish();
        }
        line += plain_spaces(word);
        used += display_width(word);
        empty = false;
    }
    if (!empty || out.empty() || !first.empty()) finish();
}

}  // namespace cdcscope::report
