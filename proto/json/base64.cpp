#include "proto/json/base64.h"

#include <array>

namespace cdcscope {
namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t no_digit = 0xff;

constexpr std::array<std::uint8_t, 256> make_digits() {
    std::array<std::uint8_t, 256> d{};
    d.fill(no_digit);
    for (std::size_t i = 0; i < alphabet.size(); ++i) {
        d[static_cast<std::uint8_t>(alphabet[i])] = static_cast<std::uint8_t>(i);
    }
    return d;
}
constexpr std::array<std::uint8_t, 256> digits = make_digits();

}  // namespace

void append_base64(std::string& out, byte_view bytes) {
    const std::size_t start = out.size();
    out.resize(start + (bytes.size() + 2) / 3 * 4);
    char* to = out.data() + start;
    std::size_t i = 0;
    for (; i + 3 <= bytes.size(); i += 3) {
        const std::uint32_t three =
            std::uint32_t{bytes[i]} << 16 | std::uint32_t{bytes[i + 1]} << 8 | bytes[i + 2];
        *to++ = alphabet[three >> 18];
        *to++ = alphabet[three >> 12 & 0x3fU];
        *to++ = alphabet[three >> 6 & 0x3fU];
        *to++ = alphabet[three & 0x3fU];
    }
    const std::size_t left = bytes.size() - i;
    if (left == 0) return;
    const std::uint32_t last =
        std::uint32_t{bytes[i]} << 16 | (left == 2 ? std::uint32_t{bytes[i + 1]} << 8 : 0U);
    *to++ = alphabet[last >> 18];
    *to++ = alphabet[last >> 12 & 0x3fU];
    *to++ = left == 2 ? alphabet[last >> 6 & 0x3fU] : '=';
    *to = '=';
}

std::optional<std::vector<std::uint8_t>> decode_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    std::vector<std::uint8_t> out;
    out.reserve(text.size() / 4 * 3);
    for (std::size_t i = 0; i < text.size(); i += 4) {
        const bool final = i + 4 == text.size();
        const std::size_t padding = !final               ? 0
                                    : text[i + 3] != '=' ? 0
                                    : text[i + 2] != '=' ? 1
                                                         : 2;
        std::uint32_t four = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const std::uint8_t digit =
                k >= 4 - padding ? std::uint8_t{0} : digits[static_cast<std::uint8_t>(text[i + k])];
            if (digit == no_digit) return std::nullopt;
            four = four << 6 | digit;
        }
        out.push_back(static_cast<std::uint8_t>(four >> 16));
        if (padding < 2) out.push_back(static_cast<std::uint8_t>(four >> 8));
        if (padding < 1) out.push_back(static_cast<std::uint8_t>(four));
    }
    return out;
}

}  // namespace cdcscope
