#include "plugin/text.h"

#include <algorithm>
#include <cstring>

#include "proto/wire/utf8.h"

namespace cdcscope::ws {
namespace {

constexpr char null_symbol[] = "\xe2\x90\x80";  // U+2400
constexpr std::size_t null_symbol_size = sizeof null_symbol - 1;

const char* escape(packet_info* pinfo, byte_view bytes) {
#if CDC_WIRESHARK_API >= 402
    return format_text(pinfo->pool, reinterpret_cast<const char*>(bytes.data()), bytes.size());
#else
    return format_text(pinfo->pool, bytes.data(), bytes.size());
#endif
}

const char* copy(packet_info* pinfo, byte_view bytes, std::size_t zeros) {
    const std::size_t size = bytes.size() + zeros * (null_symbol_size - 1);
    char* out = static_cast<char*>(wmem_alloc(pinfo->pool, size + 1));
    char* at = out;
    for (const std::uint8_t b : bytes) {
        if (b != 0) {
            *at++ = static_cast<char>(b);
        } else {
            at = std::copy_n(null_symbol, null_symbol_size, at);
        }
    }
    *at = '\0';
    return out;
}

}  // namespace

const char* printable(packet_info* pinfo, byte_view bytes, std::size_t most) {
    if (bytes.size() <= most) return escape(pinfo, bytes);
    std::size_t end = most;
    while (end > 0 && (bytes[end] & 0xc0U) == 0x80U) --end;  // not within a character
    return wmem_strdup_printf(pinfo->pool, "%s\xe2\x80\xa6", escape(pinfo, bytes.first(end)));
}

const char* field_text(packet_info* pinfo, byte_view bytes) {
    if (!is_utf8(bytes)) return escape(pinfo, bytes);
    return copy(pinfo, bytes, static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), 0)));
}

const char* field_text(packet_info* pinfo, tvbuff_t* tvb, std::size_t offset, std::size_t size) {
    if (size == 0) return "";
    const std::uint8_t* start = tvb_get_ptr(tvb, static_cast<int>(offset), static_cast<int>(size));
    return field_text(pinfo, {start, size});
}

}  // namespace cdcscope::ws
