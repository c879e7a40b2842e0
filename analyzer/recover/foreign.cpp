#include "analyzer/recover/foreign.h"

namespace cdcscope::recover {

namespace {

struct signature {
    std::string_view name;
    std::string_view begins;
};
constexpr signature signatures[] = {
    {"HTTP", "GET "},
    {"HTTP", "POST "},
    {"HTTP", "PUT "},
    {"HTTP", "HEAD "},
    {"HTTP", "DELETE "},
    {"HTTP", "OPTIONS "},
    {"HTTP", "PATCH "},
    {"HTTP", "CONNECT "},
    {"HTTP", "PRI * "},
    {"HTTP", "HTTP/"},
    {"SSH", "SSH-"},
    {"memcached text", "get "},
    {"memcached text", "set "},
    {"memcached text", "stats"},
    {"memcached text", "version\r\n"},
    {"Redis", "*1\r\n$"},
    {"Redis", "*2\r\n$"},
    {"Redis", "*3\r\n$"},
};

// Length, number 0, protocol 10, then a version like "5.7.42" or "11.4.2-MariaDB".
bool is_mysql_greeting(byte_view b) noexcept {
    return b.size() >= 6 && b[1] == 0 && b[2] == 0 && b[3] == 0 && b[4] == 0x0a && b[5] >= '0' &&
           b[5] <= '9';
}

}  // namespace

// Handshake, alert or data of SSL 3 to TLS 1.3, with a length that a record can have.
bool is_tls_record(byte_view b) noexcept {
    if (b.size() < 5 || b[0] < 0x14 || b[0] > 0x17 || b[1] != 3 || b[2] > 4) return false;
    const std::uint16_t length = load_be16(b.data() + 3);
    return length > 0 && length <= (1U << 14) + 2048;
}

std::string_view name_foreign(byte_view first) noexcept {
    if (is_tls_record(first)) return "TLS";
    if (is_mysql_greeting(first)) return "MySQL";
    const std::string_view text = as_text(first);
    for (const signature& s : signatures) {
        if (text.starts_with(s.begins)) return s.name;
    }
    return {};
}

}  // namespace cdcscope::recover
