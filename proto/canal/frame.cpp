#include "proto/canal/frame.h"

#include <algorithm>

#include "proto/canal/wire.h"
#include "proto/wire/varint.h"

namespace cdcscope::canal {

namespace {

// The longest HANDSHAKE that tells a port by itself: seeds and an encoding take a few dozen bytes.
constexpr std::uint32_t longest_handshake = 1024;

constexpr bool is_first_byte(std::uint8_t b) noexcept {
    return b == 0x08 || b == 0x10 || b == 0x18;
}

// A varint that starts inside the captured bytes of something `size` long.
struct piece {
    match verdict = match::no;  // partial: the capture ends inside
    std::uint64_t value = 0;
    std::size_t next = 0;
};

piece varint_at(byte_view captured, std::uint64_t size, std::size_t at) noexcept {
    const varint v = read_varint(captured.subspan(std::min(at, captured.size())));
    if (v.state == varint_state::malformed) return {};
    if (v.state == varint_state::complete) return {match::whole, v.value, at + v.size};
    return {captured.size() < size ? match::partial : match::no};
}

// Behind the batch id come entries only, and an Entry begins with its header.
match check_messages(byte_view captured, std::uint64_t size) noexcept {
    if (size == 0) return match::no;
    if (captured.empty()) return match::partial;
    if (captured[0] != 0x08) return match::no;
    const piece batch = varint_at(captured, size, 1);
    if (batch.verdict != match::whole) return batch.verdict;
    if (batch.next == size) return match::whole;
    if (batch.next == captured.size()) return match::partial;
    if (captured[batch.next] != 0x12) return match::no;
    const piece entry = varint_at(captured, size, batch.next + 1);
    if (entry.verdict != match::whole) return entry.verdict;
    if (entry.value > size - entry.next) return match::no;
    if (entry.next == captured.size()) return captured.size() < size ? match::partial : match::no;
    return captured[entry.next] == 0x0a ? match::whole : match::no;
}

match check_body(byte_view captured, std::uint64_t size, port_kind port,
                 std::int64_t type) noexcept {
    const bool messages =
        port == port_kind::data && type == static_cast<int>(packet_type::messages);
    const match content = messages ? check_messages(captured, size) : match::whole;
    if (content != match::whole) return content;
    return captured.size() < size ? match::partial : match::whole;
}

constexpr bool is_named_type(port_kind port, std::uint64_t type) noexcept {
    return type >= 1 && type <= (port == port_kind::data ? std::size(packet_rows)
                                                         : std::size(admin_packet_rows)) -
                                    1;
}

}  // namespace

match check_packet(byte_view captured, std::uint64_t size, port_kind port) noexcept {
    const message_row& packet = row_of(packet_message(port));
    if (captured.empty()) return size == 0 ? match::no : match::partial;
    if (!is_first_byte(captured[0])) return match::no;
    std::uint64_t type = 0;
    std::uint32_t last = 0;
    std::size_t at = 0;
    while (at < size) {
        if (at == captured.size()) return match::partial;
        const std::uint8_t tag = captured[at++];
        const std::uint32_t number = tag >> 3;
        const field_row* field = tag < 0x80 ? packet.find(number) : nullptr;
        if (field == nullptr || number <= last) return match::no;
        last = number;
        const bool body = field->kind == field_kind::bytes;
        if ((tag & 7) != static_cast<int>(body ? wire_type::length : wire_type::varint))
            return match::no;
        const piece value = varint_at(captured, size, at);
        if (value.verdict != match::whole) return value.verdict;
        at = value.next;
        if (body) {
            if (!is_named_type(port, type) || value.value != size - at) return match::no;
            return check_body(captured.subspan(at), value.value, port,
                              static_cast<std::int64_t>(type));
        }
        if (field->number == fields::packet::type) type = value.value;
    }
    return is_named_type(port, type) ? match::whole : match::no;
}

match check_frame(byte_view bytes, port_kind port, std::uint32_t max_frame) noexcept {
    if (bytes.size() < length_size) {
        // The first byte of a length up to max_frame is small: that is all a piece of a length can
        // tell.
        return bytes.empty() || bytes[0] <= max_frame >> 24 ? match::partial : match::no;
    }
    const frame_length length = read_length(bytes, max_frame);
    if (length.state != length_state::good || length.payload < 2) return match::no;
    const byte_view rest = bytes.subspan(length_size);
    return check_packet(rest.first(std::min<std::size_t>(rest.size(), length.payload)),
                        length.payload, port);
}

server_start recognise_server(byte_view bytes) noexcept {
    if (bytes.empty()) return server_start::undecided;
    bool undecided = false;
    for (const port_kind port : {port_kind::data, port_kind::admin}) {
        const match found = check_frame(bytes, port, longest_handshake);
        if (found == match::no) continue;
        if (found == match::partial) {
            undecided = true;
            continue;
        }
        wire_reader packet(bytes.subspan(length_size, load_be32(bytes.data())));
        wire_field field;
        std::uint64_t type = 0;
        while (packet.next(field)) {
            if (field.number == fields::packet::type) type = field.bits;
        }
        if (type != static_cast<int>(packet_type::handshake)) return server_start::neither;
        return port == port_kind::data ? server_start::data : server_start::admin;
    }
    return undecided ? server_start::undecided : server_start::neither;
}

}  // namespace cdcscope::canal
