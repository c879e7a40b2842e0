#include "analyzer/capture/pcapng_reader.h"

#include <algorithm>
#include <array>

namespace cdcscope::capture {
namespace {

namespace block_type {
constexpr std::uint32_t section = 0x0a0d0d0a, interface = 1, obsolete_packet = 2, simple_packet = 3,
                        enhanced_packet = 6;
}
constexpr std::uint32_t byte_order_magic = 0x1a2b3c4d;
constexpr std::size_t around_body = 12;  // type and two lengths
constexpr std::size_t before_body = 8;
constexpr std::uint32_t block_limit =
    16U << 20;  // a block that has to be in memory; Wireshark's limit, too
constexpr std::size_t interface_limit = 1U << 16;  // in a section; no system has as many
constexpr std::uint16_t option_resolution = 9, option_offset = 14;

// Blocks without a packet that Wireshark gives a frame number all the same (measured with 4.0):
// journal entries, system calls, custom blocks. Ours stay equal to its.
bool has_frame_number(std::uint32_t type) noexcept {
    constexpr std::array<std::uint32_t, 6> types{0x9, 0x204, 0x216, 0x221, 0xbad, 0x40000bad};
    return std::ranges::find(types, type) != types.end();
}

bool is_read(std::uint32_t type) noexcept {
    return type == block_type::section || type == block_type::interface ||
           type == block_type::obsolete_packet || type == block_type::simple_packet ||
           type == block_type::enhanced_packet;
}

}  // namespace

bool is_pcapng(byte_view start) noexcept {
    return start.size() >= 4 && load_be32(start.data()) == block_type::section;
}

std::uint16_t pcapng_reader::u16(byte_view at, std::size_t offset) const noexcept {
    return big_endian_ ? load_be16(&at[offset]) : load_le16(&at[offset]);
}

std::uint32_t pcapng_reader::u32(byte_view at, std::size_t offset) const noexcept {
    return big_endian_ ? load_be32(&at[offset]) : load_le32(&at[offset]);
}

next_state pcapng_reader::next(packet& out) {
    if (finished_) return problem_.code.empty() ? next_state::end : next_state::error;
    while (true) {
        block b;
        const next_state state = next_block(b);
        if (state != next_state::packet) return state;
        const taken what = take(b, out);
        if (what == taken::broken) return broken(why_);
        window_.consume(b.length);
        if (what == taken::no_packet) continue;
        if (out.has_time) last_time_ = out.at.time_ns;
        return next_state::packet;
    }
}

next_state pcapng_reader::stop(read_state why, std::uint64_t needed) {
    if (why == read_state::more) return next_state::more;
    finished_ = true;
    const std::uint64_t have = window_.ready();
    const std::uint64_t at = window_.offset() + have;
    if (why == read_state::end && have == 0 && passing_ == 0) return next_state::end;
    if (why == read_state::error) {
        problem_ = damaged(frame_ + 1, at, window_.problem());
    } else {
        problem_ = cut_off(frame_ + 1, at, why == read_state::cut ? 0 : needed - have);
    }
    return next_state::error;
}

next_state pcapng_reader::broken(std::string_view why) {
    finished_ = true;
    problem_ = damaged(frame_ + 1, window_.offset(), why);
    return next_state::error;
}

next_state pcapng_reader::next_block(block& out) {
    while (true) {
        if (passing_ != 0) {
            if (const next_state state = pass_over(passing_length_); state != next_state::packet)
                return state;
        }
        if (const read_state state = window_.fill(around_body); state != read_state::data)
            return stop(state, around_body);
        const byte_view head = window_.bytes();
        if (is_pcapng(head)) {
            big_endian_ = load_be32(&head[before_body]) == byte_order_magic;
            if (!big_endian_ && load_le32(&head[before_body]) != byte_order_magic)
                return broken("a section of unknown byte order");
        } else if (!in_section_) {
            return broken("no section header");
        }
        out.type = u32(head, 0);
        out.length = u32(head, 4);
        if (out.length < around_body || out.length % 4 != 0)
            return broken("a block of impossible length");
        if (is_read(out.type)) break;
        passing_length_ = out.length;
        passing_frames_ = has_frame_number(out.type) ? 1 : 0;
        passing_ = out.length - 4;
        passed_ = 0;
    }
    if (out.length > block_limit) return broken("a packet block of more than 16 MiB");
    if (const read_state state = window_.fill(out.length); state != read_state::data)
        return stop(state, out.length);
    const byte_view whole = window_.bytes().first(out.length);
    if (u32(whole, out.length - 4) != out.length)
        return broken("the two lengths of a block differ");
    out.body = whole.subspan(before_body, out.length - around_body);
    return next_state::packet;
}

next_state pcapng_reader::pass_over(std::uint32_t length) {
    if (const read_state state = window_.skip(passing_, passed_); state != read_state::data) {
        return stop(state, passing_ - passed_ + 4);
    }
    if (const read_state state = window_.fill(4); state != read_state::data) return stop(state, 4);
    if (u32(window_.bytes(), 0) != length) return broken("the two lengths of a block differ");
    window_.consume(4);
    passing_ = 0;
    frame_ += passing_frames_;
    return next_state::packet;
}

pcapng_reader::taken pcapng_reader::take(const block& b, packet& out) {
    switch (b.type) {
        case block_type::section:
            return take_section(b.body);
        case block_type::interface:
            return take_interface(b.body);
        case block_type::enhanced_packet:
            return take_enhanced(b.body, out);
        case block_type::simple_packet:
            return take_simple(b.body, out);
        default:
            return take_obsolete(b.body, out);
    }
}

pcapng_reader::taken pcapng_reader::take_section(byte_view body) {
    why_ = "a section header that is too short, or of a version other than 1";
    if (body.size() < 16 || u16(body, 4) != 1) return taken::broken;
    in_section_ = true;
    interfaces_.clear();
    return taken::no_packet;
}

pcapng_reader::taken pcapng_reader::take_interface(byte_view body) {
    why_ = "an interface block that is too short, or more than 65,536 interfaces";
    if (body.size() < 8 || interfaces_.size() == interface_limit) return taken::broken;
    interface found;
    found.link_type = u16(body, 0);
    found.snap_length = u32(body, 4);
    byte_view options = body.subspan(8);
    while (options.size() >= 4) {
        const std::size_t size = u16(options, 2);
        const std::size_t padded = 4 + (size + 3) / 4 * 4;
        if (u16(options, 0) == 0 || padded > options.size()) break;
        take_option(found, u16(options, 0), options.subspan(4, size));
        options = options.subspan(padded);
    }
    interfaces_.push_back(found);
    ++interfaces_seen_;
    return taken::no_packet;
}

void pcapng_reader::take_option(interface& to, std::uint16_t code, byte_view value) const {
    if (code == option_resolution && value.size() == 1) to.clock.set_resolution(value[0]);
    if (code == option_offset && value.size() == 8) {
        to.clock.set_offset(static_cast<std::int64_t>(big_endian_ ? load_be64(value.data())
                                                                  : load_le64(value.data())));
    }
}

pcapng_reader::taken pcapng_reader::take_enhanced(byte_view body, packet& out) {
    why_ = "a packet block that is too short";
    if (body.size() < 20) return taken::broken;
    const std::uint64_t units = std::uint64_t{u32(body, 4)} << 32U | u32(body, 8);
    return fill(out, u32(body, 0), units, u32(body, 12), u32(body, 16), body.subspan(20));
}

pcapng_reader::taken pcapng_reader::take_obsolete(byte_view body, packet& out) {
    why_ = "a packet block that is too short";
    if (body.size() < 20) return taken::broken;
    const std::uint64_t units = std::uint64_t{u32(body, 4)} << 32U | u32(body, 8);
    return fill(out, u16(body, 0), units, u32(body, 12), u32(body, 16), body.subspan(20));
}

pcapng_reader::taken pcapng_reader::take_simple(byte_view body, packet& out) {
    why_ = "a packet block that is too short";
    if (body.size() < 4) return taken::broken;
    const std::uint32_t wire = u32(body, 0);
    const std::uint32_t limit = interfaces_.empty() ? 0 : interfaces_[0].snap_length;
    const std::uint32_t captured = limit == 0 ? wire : std::min(wire, limit);
    const taken result = fill(out, 0, 0, captured, wire, body.subspan(4));
    out.has_time = false;  // it keeps its place in the file
    out.at.time_ns = last_time_;
    return result;
}

pcapng_reader::taken pcapng_reader::fill(packet& out, std::uint32_t interface_id,
                                         std::uint64_t units, std::uint32_t captured,
                                         std::uint32_t wire, byte_view rest) {
    why_ = "a packet of an interface that the file does not describe";
    if (interface_id >= interfaces_.size()) return taken::broken;
    why_ = "a packet that is longer than its block";
    if (captured > rest.size()) return taken::broken;
    const interface& from = interfaces_[interface_id];
    out.at = {from.clock.nanoseconds(units), ++frame_, 0};
    out.has_time = true;
    out.link_type = from.link_type;
    out.wire_length = std::max(wire, captured);
    out.bytes = rest.first(captured);
    return taken::packet;
}

}  // namespace cdcscope::capture
