#include "analyzer/recover/tls_hello.h"

#include <algorithm>

#include "proto/wire/cursor.h"

namespace cdcscope::recover {

namespace {

constexpr std::size_t record_header = 5, message_header = 4, random_size = 32;
constexpr std::uint8_t handshake = 0x16, client_hello = 1, server_hello = 2;
constexpr std::uint16_t supported_versions = 43;

// Placeholders that a client strews in (RFC 8701) and versions to come are no answer.
std::uint16_t highest_known(cursor versions) noexcept {
    std::uint16_t highest = 0;
    while (versions.remaining() >= 2) {
        const std::uint16_t one = versions.be16();
        if (!tls_version_name(one).empty()) highest = std::max(highest, one);
    }
    return highest;
}

// The version that the extensions name; 0: none.
std::uint16_t named_by_extensions(cursor in, bool of_server) noexcept {
    cursor extensions(in.take(std::min<std::size_t>(in.be16(), in.remaining())));
    while (extensions.ok() && extensions.remaining() >= 4) {
        const std::uint16_t kind = extensions.be16();
        cursor content(extensions.take(extensions.be16()));
        if (kind != supported_versions) continue;
        if (!of_server) content.skip(1);  // length of the list
        return highest_known(content);
    }
    return 0;
}

}  // namespace

tls_hello read_tls_hello(byte_view first) noexcept {
    using state = tls_hello::state;
    if (first.empty()) return {state::need_more};
    if (first[0] != handshake) return {};
    if (first.size() < record_header + message_header) return {state::need_more};
    const std::size_t record = record_header + load_be16(first.data() + 3);
    const std::uint8_t type = first[record_header];
    if (type != client_hello && type != server_hello) return {};
    if (record < record_header + message_header) return {};
    if (first.size() < record) return {state::need_more};
    cursor in(
        first.subspan(record_header + message_header, record - record_header - message_header));
    tls_hello hello{state::found, type == server_hello, in.be16()};
    in.skip(random_size);
    in.skip(in.u8());  // session
    if (hello.of_server) {
        in.skip(3);  // cipher suite, compression
    } else {
        in.skip(in.be16());
        in.skip(in.u8());
    }
    if (in.ok()) {
        if (const auto named = named_by_extensions(in, hello.of_server); named != 0)
            hello.version = named;
    }
    return hello;
}

std::string_view tls_version_name(std::uint16_t version) noexcept {
    constexpr std::string_view names[] = {"SSL 3.0", "1.0", "1.1", "1.2", "1.3"};
    return version < 0x0300 || version > 0x0304 ? std::string_view{} : names[version - 0x0300];
}

}  // namespace cdcscope::recover
