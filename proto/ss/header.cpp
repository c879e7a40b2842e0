#include "proto/ss/header.h"

#include <algorithm>

#include "proto/wire/utf8.h"

namespace cdcscope::ss {
namespace {

constexpr std::size_t name_at = 4;

problem at(fault what, std::size_t offset, std::uint64_t stored = 0) noexcept {
    problem p;
    p.what = what;
    p.offset = offset;
    p.stored = stored;
    return p;
}

}  // namespace

std::optional<header_bytes> encode(const header& h) noexcept {
    const std::size_t n = h.file_name.size();
    if (n > max_file_name || h.interval < min_interval || h.created_ms > max_timestamp_ms) {
        return std::nullopt;
    }
    header_bytes bytes{};
    bytes[0] = 'S';
    bytes[1] = 's';
    bytes[2] = version;
    bytes[3] = static_cast<std::uint8_t>(n);
    std::ranges::copy(as_bytes(h.file_name), bytes.begin() + name_at);
    store_be64(bytes.data() + name_at + n, h.created_ms);
    store_be32(bytes.data() + name_at + n + 8, h.interval);
    bytes[header_size - 1] = mark;
    return bytes;
}

decoded_header decode_header(byte_view bytes) noexcept {
    decoded_header d;
    if (bytes.size() < header_size) {
        d.broken = at(fault::header_short, 0, bytes.size());
        return d;
    }
    const std::size_t n = bytes[3];
    if (bytes[0] != 'S' || bytes[1] != 's') {
        d.broken = at(fault::header_mark, 0);
    } else if (bytes[2] != version) {
        d.broken = at(fault::header_version, 2, bytes[2]);
    } else if (n > max_file_name) {
        d.broken = at(fault::header_name_long, 3, n);
    } else if (!is_utf8(bytes.subspan(name_at, n))) {
        d.broken = at(fault::header_name_not_utf8, name_at);
    }
    if (n > max_file_name) return d;

    const std::size_t created_at = name_at + n;
    d.value.file_name = as_text(bytes.subspan(name_at, n));
    d.value.created_ms = load_be64(bytes.data() + created_at);
    d.value.interval = load_be32(bytes.data() + created_at + 8);
    if (d.broken) return d;
    if (d.value.created_ms > max_timestamp_ms) {
        d.broken = at(fault::header_created, created_at, d.value.created_ms);
    } else if (d.value.interval < min_interval) {
        d.broken = at(fault::header_interval, created_at + 8, d.value.interval);
    }
    const byte_view padding = bytes.subspan(created_at + 12, header_size - 1 - created_at - 12);
    if (std::ranges::any_of(padding, [](std::uint8_t b) { return b != 0; })) {
        d.padding = at(fault::header_padding, created_at + 12);
    }
    if (bytes[header_size - 1] != mark) d.end_mark = at(fault::header_end_mark, header_size - 1);
    return d;
}

std::string_view cut_file_name(std::string_view name) noexcept {
    if (name.size() <= max_file_name) return name;
    return name.substr(0, valid_utf8_prefix(as_bytes(name.substr(0, max_file_name))));
}

}  // namespace cdcscope::ss
