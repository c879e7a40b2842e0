#include "analyzer/recover/framing.h"

#include <algorithm>

#include "proto/canal/frame.h"
#include "proto/dcp/frame.h"

namespace cdcscope::recover {

namespace {

canal::port_kind port_of(protocol what) noexcept {
    return what == protocol::canal_admin ? canal::port_kind::admin : canal::port_kind::data;
}

framing::step read_dcp(byte_view bytes, const message_limits& limit) noexcept {
    const dcp::header_outcome h = dcp::parse_header(bytes, limit.dcp_body);
    switch (h.state) {
        case dcp::parse_state::complete:
            return {framing::outcome::message, h.value.total_length(), {}, false};
        case dcp::parse_state::need_more:
            return {framing::outcome::need_more, dcp::header_size, {}, false};
        case dcp::parse_state::broken:
            break;
    }
    const bool too_long =
        bytes.size() >= dcp::header_size && dcp::is_candidate(bytes, {.max_body = 0xffffffff});
    return {framing::outcome::broken, too_long ? load_be32(bytes.data() + 8) : 0, h.why, too_long};
}

framing::step read_canal(byte_view bytes, protocol what, const message_limits& limit) noexcept {
    const canal::frame_length length = canal::read_length(bytes, limit.canal_packet);
    switch (length.state) {
        case canal::length_state::good:
            return {framing::outcome::message, length.whole(), {}, false};
        case canal::length_state::incomplete:
            return {framing::outcome::need_more, canal::length_size, {}, false};
        case canal::length_state::negative:
            return {framing::outcome::broken, 0, "negative length", false};
        case canal::length_state::over_limit:
            break;
    }
    const bool too_long = canal::check_frame(bytes, port_of(what), 0x7fffffff) != canal::match::no;
    return {framing::outcome::broken, load_be32(bytes.data()), "length over the limit", too_long};
}

framing::guess check_dcp(byte_view bytes, const message_limits& limit) noexcept {
    if (bytes.empty()) return {framing::match::partial, 0};
    if (!dcp::is_magic(bytes[0])) return {};
    if (bytes.size() < dcp::header_size) return {framing::match::partial, 0};
    if (!dcp::is_candidate(bytes, {.max_body = limit.dcp_body})) return {};
    const std::uint64_t length = dcp::header_size + std::uint64_t{load_be32(bytes.data() + 8)};
    return {length <= bytes.size() ? framing::match::whole : framing::match::partial, length};
}

framing::guess check_canal(byte_view bytes, protocol what, const message_limits& limit) noexcept {
    framing::guess g;
    switch (canal::check_frame(bytes, port_of(what), limit.canal_packet)) {
        case canal::match::no:
            return {};
        case canal::match::partial:
            g.verdict = framing::match::partial;
            break;
        case canal::match::whole:
            g.verdict = framing::match::whole;
            break;
    }
    if (bytes.size() >= canal::length_size) {
        g.length = canal::length_size + std::uint64_t{load_be32(bytes.data())};
    }
    return g;
}

constexpr bool begins_packet(std::uint8_t tag) noexcept {
    return tag == 0x08 || tag == 0x10 || tag == 0x18;
}

}  // namespace

framing::step framing::read(byte_view bytes) const noexcept {
    return what_ == protocol::dcp ? read_dcp(bytes, limit_) : read_canal(bytes, what_, limit_);
}

framing::guess framing::check(byte_view bytes) const noexcept {
    return what_ == protocol::dcp ? check_dcp(bytes, limit_) : check_canal(bytes, what_, limit_);
}

std::size_t framing::next_possible(byte_view bytes, std::size_t from) const noexcept {
    if (what_ == protocol::dcp) {
        while (from < bytes.size() && !dcp::is_magic(bytes[from])) ++from;
        return from;
    }
    const auto highest = static_cast<std::uint8_t>(limit_.canal_packet >> 24);
    for (; from < bytes.size(); ++from) {
        if (bytes[from] > highest) continue;
        if (from + canal::length_size >= bytes.size() ||
            begins_packet(bytes[from + canal::length_size])) {
            break;
        }
    }
    return from;
}

bool framing::cut_is_message(byte_view captured) const noexcept {
    if (what_ != protocol::dcp || captured.size() < dcp::header_size) return false;
    const dcp::header_outcome h = dcp::parse_header(captured, limit_.dcp_body);
    return h.state == dcp::parse_state::complete && h.value.parts_fit() &&
           captured.size() >= dcp::header_size + h.value.parts_length();
}

}  // namespace cdcscope::recover
