#include "analyzer/record/stream_key.h"

#include <zlib.h>

#include <algorithm>
#include <vector>

namespace cdcscope::record {

namespace {

constexpr std::size_t crc_size = 9;  // '-' and 8 digits

constexpr bool stays(char c) noexcept {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

void append_crc(std::string& part, std::string_view name) {
    constexpr std::string_view digits = "0123456789abcdef";
    const std::uint32_t crc = crc32(as_bytes(name));
    part += '-';
    for (int shift = 28; shift >= 0; shift -= 4) part += digits[crc >> shift & 15];
}

std::string mapped(std::string_view name) {
    std::string part(name);
    std::replace_if(
        part.begin(), part.end(), [](char c) { return !stays(c); }, '_');
    return part;
}

}  // namespace

std::uint32_t crc32(byte_view bytes) noexcept {
    uLong crc = ::crc32(0, nullptr, 0);
    while (!bytes.empty()) {
        const std::size_t n = std::min<std::size_t>(bytes.size(), 1U << 30);
        crc = ::crc32(crc, bytes.data(), static_cast<uInt>(n));
        bytes = bytes.subspan(n);
    }
    return static_cast<std::uint32_t>(crc);
}

std::string key_part(std::string_view name) {
    std::string part = mapped(name);
    if (part != name) append_crc(part, name);
    return part;
}

std::string stream_key(std::string_view prefix, std::span<const std::string_view> parts,
                       std::string_view suffix) {
    std::size_t size = prefix.size() + suffix.size();
    for (const std::string_view name : parts) size += 1 + key_part(name).size();
    const std::size_t fixed = prefix.size() + suffix.size() + parts.size();
    const std::size_t share =
        parts.empty() || fixed >= longest_key ? 0 : (longest_key - fixed) / parts.size();

    std::string key(prefix);
    for (const std::string_view name : parts) {
        std::string part = key_part(name);
        if (size > longest_key && part.size() > share) {
            part = mapped(name.substr(0, share > crc_size ? share - crc_size : 0));
            append_crc(part, name);
        }
        key += '.';
        key += part;
    }
    return key += suffix;
}

std::string connection_part(std::uint32_t connection) {
    const std::string digits = std::to_string(connection);
    return "c" + std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits;
}

std::string with_crc(std::string_view part, std::string_view server) {
    std::string out(part);
    append_crc(out, server);
    return out;
}

}  // namespace cdcscope::record
