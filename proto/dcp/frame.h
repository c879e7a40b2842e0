// The framing of the memcached binary protocol that DCP rides on: header, parts of the body, and
// how likely a run of bytes is a header at all.
#pragma once

#include <string_view>

#include "proto/dcp/context.h"
#include "proto/wire/bytes.h"

namespace cdcscope::dcp {

enum class magic : std::uint8_t {
    alt_request = 0x08,   // with framing extras
    alt_response = 0x18,  // with framing extras
    request = 0x80,
    response = 0x81,
    push = 0x82,  // the server asks; opcodes of their own
    push_response = 0x83,
};

[[nodiscard]] constexpr bool is_magic(std::uint8_t byte) noexcept {
    return (byte >= 0x80 && byte <= 0x83) || byte == 0x08 || byte == 0x18;
}
[[nodiscard]] constexpr bool is_response(magic m) noexcept {
    return m == magic::response || m == magic::alt_response || m == magic::push_response;
}
[[nodiscard]] constexpr bool is_push(magic m) noexcept {
    return m == magic::push || m == magic::push_response;
}
[[nodiscard]] constexpr bool has_framing(magic m) noexcept {
    return m == magic::alt_request || m == magic::alt_response;
}

namespace datatype_bit {
inline constexpr std::uint8_t json = 0x01, snappy = 0x02, xattr = 0x04, all = 0x07;
}

inline constexpr std::size_t header_size = 24;

// Values reach 20 MiB, extended attributes come on top; what claims more is taken for no header.
inline constexpr std::uint32_t default_max_body = 32U << 20;

struct header {
    magic kind{};
    std::uint8_t opcode = 0;
    std::uint8_t framing_length = 0;
    std::uint8_t extras_length = 0;
    std::uint8_t datatype = 0;
    std::uint16_t key_length = 0;
    std::uint16_t vbucket_or_status = 0;  // bytes 6 and 7
    std::uint32_t body_length = 0;
    std::uint32_t opaque =
        0;  // the four bytes read as big-endian; they have no byte order of their own
    std::uint64_t cas = 0;

    [[nodiscard]] constexpr bool is_response() const noexcept { return dcp::is_response(kind); }
    [[nodiscard]] constexpr bool is_push() const noexcept { return dcp::is_push(kind); }
    [[nodiscard]] constexpr std::uint16_t vbucket() const noexcept {
        return is_response() ? std::uint16_t{0} : vbucket_or_status;
    }
    [[nodiscard]] constexpr std::uint16_t status() const noexcept {
        return is_response() ? vbucket_or_status : std::uint16_t{0};
    }
    // Header and body.
    [[nodiscard]] constexpr std::uint64_t total_length() const noexcept {
        return std::uint64_t{header_size} + body_length;
    }
    [[nodiscard]] constexpr std::uint32_t parts_length() const noexcept {
        return std::uint32_t{framing_length} + extras_length + key_length;
    }
    // False: malformed, the parts do not fit into the body.
    [[nodiscard]] constexpr bool parts_fit() const noexcept {
        return parts_length() <= body_length;
    }
    // What the lengths leave for the value; 0 if they do not fit.
    [[nodiscard]] constexpr std::uint32_t value_length() const noexcept {
        return parts_fit() ? body_length - parts_length() : 0;
    }
};

enum class parse_state : std::uint8_t { complete, need_more, broken };

struct header_outcome {
    parse_state state = parse_state::need_more;
    header value;           // complete only
    std::size_t need = 0;   // need_more: bytes missing, at least 1
    std::size_t where = 0;  // broken: offset of the byte that cannot be
    std::string_view why;   // broken: static text
};

// The header at the start of `bytes`. Broken: no magic, or a body above `max_body` (a stream that
// is out of step). Lengths that contradict each other are no reason: such a message is malformed,
// but its end is known.
[[nodiscard]] header_outcome parse_header(byte_view bytes,
                                          std::uint32_t max_body = default_max_body) noexcept;

// The parts of one message, views into it. Where lengths do not fit they are cut off at the body's
// end, in wire order.
struct body_parts {
    byte_view framing, extras, key, value;
    std::uint32_t framing_at = 0, extras_at = 0, key_at = 0,
                  value_at = 0;        // offsets in the message
    std::uint32_t value_length = 0;    // as declared; value.size() is what the capture holds of it
    bool malformed = false;            // lengths exceed the body
    bool cut = false;                  // bytes end before the body does
    bool framing_length_zero = false;  // stream id in front of the extras, but a framing length of
                                       // 0 (D49)
};

// `message` starts with the header `h` was read from; it may be shorter than h.total_length()
// (cut), never longer parts than that are looked at. The context decides whether a
// stream id without its framing length is looked for.
[[nodiscard]] body_parts split(const header& h, byte_view message,
                               const decode_context& context) noexcept;

// What a search for headers may take for granted on this direction.
struct candidate_hints {
    std::uint32_t max_body = default_max_body;
    bool framing = true;  // magics 0x08 and 0x18 negotiated or seen
    bool push = true;     // magics 0x82 and 0x83 negotiated or seen
};

// Whether the 24 bytes (at least; more are ignored) may be a header, by all that one header alone
// can tell: opcode known for its magic, lengths as the opcode fixes them, datatype, status known.
// Fewer than 24 bytes: never.
[[nodiscard]] bool is_candidate(byte_view bytes, const candidate_hints& hints = {}) noexcept;

}  // namespace cdcscope::dcp
