#include "proto/wire/printable.h"

#include <algorithm>
#include <limits>

#include "proto/wire/utf8.h"

namespace cdcscope {
namespace {

struct code_points {
    std::uint32_t first, last;
};

constexpr code_points not_shown[] = {
    {0x00, 0x1f},        // C0 controls
    {0x7f, 0x9f},        // delete and the C1 controls
    {0xad, 0xad},        // soft hyphen
    {0x61c, 0x61c},      // Arabic letter mark
    {0x180e, 0x180e},    // Mongolian vowel separator
    {0x200b, 0x200b},    // zero width space
    {0x200e, 0x200f},    // left-to-right and right-to-left mark
    {0x2028, 0x202e},    // line and paragraph separator, embeddings, overrides
    {0x2060, 0x206f},    // word joiner, invisible operators, isolates, deprecated formats
    {0xfeff, 0xfeff},    // byte order mark
    {0xfff9, 0xfffb},    // interlinear annotation
    {0xe0000, 0xe007f},  // tags
};

constexpr std::size_t no_end = std::numeric_limits<std::size_t>::max();

// Code points for which `shown` is false are escaped.
template <typename Shown>
std::string escaped(std::string_view text, std::size_t most, Shown shown) {
    std::string out;
    out.reserve(std::min(text.size(), most));
    for (byte_view rest = as_bytes(text); !rest.empty();) {
        const code_point c = decode_utf8(rest);
        const std::size_t size = c.size == 0 ? 1 : c.size;
        const bool as_it_is = c.size != 0 && shown(c.value);
        if ((as_it_is ? size : 4 * size) > most - out.size()) return out + "...";
        if (as_it_is) {
            out += as_text(rest.first(size));
        } else {
            append_escaped(out, rest.first(size));
        }
        rest = rest.subspan(size);
    }
    return out;
}

}  // namespace

bool is_shown(std::uint32_t code_point) noexcept {
    if (code_point >= 0x20 && code_point < 0x7f) return true;
    return std::ranges::none_of(not_shown, [&](const code_points& range) {
        return code_point >= range.first && code_point <= range.last;
    });
}

void append_escaped(std::string& out, byte_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    for (const std::uint8_t b : bytes) {
        out += "\\x";
        out += digits[b >> 4];
        out += digits[b & 0xfU];
    }
}

std::string printable(std::string_view text) {
    return escaped(text, no_end, is_shown);
}

std::string printable(std::string_view text, std::size_t most) {
    return escaped(text, most, is_shown);
}

std::string as_utf8(std::string_view text) {
    return escaped(text, no_end, [](std::uint32_t) { return true; });
}

}  // namespace cdcscope
