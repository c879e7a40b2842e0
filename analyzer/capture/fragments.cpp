#include "analyzer/capture/fragments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace cdcscope::capture {
namespace {

constexpr std::uint32_t largest_datagram = 65535;
constexpr auto incomplete = findings::code::ip_fragment_incomplete;
constexpr auto overlap = findings::code::ip_fragment_overlap;
constexpr auto cap = findings::code::cap_memory;

}  // namespace

bool fragment_table::add(ip_packet& packet, const frame_ref& at) {
    now_ = std::max(now_, at.time_ns);
    expire(now_);
    datagram& d = find(packet, at);
    if (d.dropped) return false;
    const std::size_t held_before = d.bytes.capacity();
    const placed result = place(d, packet);
    held_ += d.bytes.capacity() - held_before;
    switch (result) {
        case placed::complete:
            hand_over(d, packet);
            return true;
        case placed::overlaps:
            drop_overlapping(d, at);
            return false;
        default:
            make_room(d);
            return false;
    }
}

fragment_table::datagram& fragment_table::find(const ip_packet& packet, const frame_ref& at) {
    const key wanted{packet.source, packet.destination, packet.id,
                     packet.v6 ? std::uint8_t{0} : packet.protocol, packet.v6};
    const auto found = datagrams_.find(wanted);
    if (found != datagrams_.end()) return *found->second;
    datagram& fresh = waiting_.emplace_back();
    fresh.id = wanted;
    fresh.first = at;
    fresh.since_ns = now_;
    datagrams_.emplace(wanted, std::prev(waiting_.end()));
    return fresh;
}

fragment_table::placed fragment_table::place(datagram& to, const ip_packet& packet) {
    const std::size_t size = packet.payload.wire;
    const std::uint32_t begin = packet.fragment_offset;
    if (size == 0 || size > largest_datagram - std::min(begin, largest_datagram))
        return placed::nonsense;
    const auto end = static_cast<std::uint32_t>(begin + size);
    const std::uint32_t highest = to.pieces.empty() ? 0 : to.pieces.back().end;
    // A last fragment that ends before others, or one behind the last: no honest sender does that.
    if (!packet.more_fragments && (end < highest || (to.total != 0 && end != to.total)))
        return placed::nonsense;
    if (to.total != 0 && end > to.total) return placed::nonsense;

    auto next = std::ranges::lower_bound(to.pieces, begin, {}, &piece::end);
    if (next != to.pieces.end() && next->end == begin) ++next;  // it ends where this one begins
    if (packet.v6 && next != to.pieces.end() && next->begin < end) {
        const bool equal =
            next->begin == begin && next->end == end &&
            std::equal(packet.payload.data, packet.payload.data + packet.payload.captured,
                       &to.bytes[begin]);
        return equal ? placed::partly : placed::overlaps;
    }
    if (begin == 0) to.protocol = packet.protocol;
    if (!packet.more_fragments) to.total = end;
    if (to.bytes.size() < end) to.bytes.resize(end);
    for (std::uint32_t at = begin; at < end;) {
        next = std::ranges::find_if(next, to.pieces.end(),
                                    [at](const piece& p) { return p.end > at; });
        if (next != to.pieces.end() && next->begin <= at) {
            at = next->end;
            continue;
        }
        const std::uint32_t hole_end = next == to.pieces.end() ? end : std::min(end, next->begin);
        copy(to, packet, at, hole_end);
        next = to.pieces.insert(next, {at, hole_end});
        at = hole_end;
    }
    return to.total != 0 && to.received == to.total ? placed::complete : placed::partly;
}

void fragment_table::copy(datagram& to, const ip_packet& packet, std::uint32_t begin,
                          std::uint32_t end) {
    const std::uint32_t captured_end =
        packet.fragment_offset +
        static_cast<std::uint32_t>(std::min(packet.payload.captured, packet.payload.wire));
    const std::uint32_t copied_end = std::min(end, std::max(begin, captured_end));
    if (copied_end > begin) {
        std::memcpy(&to.bytes[begin], packet.payload.data + (begin - packet.fragment_offset),
                    copied_end - begin);
    }
    if (copied_end < end) to.captured = std::min(to.captured, copied_end);
    to.received += end - begin;
}

void fragment_table::hand_over(datagram& d, ip_packet& packet) {
    packet.is_fragment = packet.more_fragments = false;
    packet.fragment_offset = 0;
    packet.protocol = d.protocol;
    whole_.swap(d.bytes);
    held_ -= whole_.capacity();
    held_ += d.bytes.capacity();
    packet.payload = {whole_.data(), std::min<std::size_t>(d.captured, d.total), d.total};
    erase(datagrams_.find(d.id)->second);
}

void fragment_table::drop_overlapping(datagram& d, const frame_ref& at) {
    observations_.on_observation(
        {overlap, 0, at, d.received,
         fmt::format("fragments of IPv6 datagram {} > {}, id 0x{:08x}, overlap; it is dropped as "
                     "RFC 5722 demands",
                     to_string(d.id.source), to_string(d.id.destination), d.id.id)});
    d.dropped = true;
    held_ -= d.bytes.capacity();
    d.bytes = {};
    d.pieces = {};
}

void fragment_table::erase(waiting_list::iterator d) {
    held_ -= d->bytes.capacity();
    datagrams_.erase(d->id);
    waiting_.erase(d);
}

void fragment_table::report_incomplete(const datagram& d) {
    if (d.dropped || d.pieces.empty()) return;
    const std::string of = d.total == 0
                               ? "its last fragment is missing"
                               : fmt::format("{} of {} bytes are there", d.received, d.total);
    observations_.on_observation(
        {incomplete, 0, d.first, d.received,
         fmt::format("IPv{} datagram {} > {}, id 0x{:04x}, lacks fragments ({})", d.id.v6 ? 6 : 4,
                     to_string(d.id.source), to_string(d.id.destination), d.id.id, of)});
}

void fragment_table::expire(std::int64_t now) {
    while (!waiting_.empty() && waiting_.front().since_ns < now - limits_.timeout_ns) {
        report_incomplete(waiting_.front());
        erase(waiting_.begin());
    }
}

void fragment_table::make_room(const datagram& keep) {
    while (datagrams_.size() > limits_.datagrams || held_ > limits_.bytes) {
        const auto oldest = waiting_.begin();
        if (&*oldest == &keep) return;
        observations_.on_observation({cap, 0, oldest->first, oldest->received,
                                      fmt::format("more than {} incomplete IP datagrams or {} MiB "
                                                  "of fragments: the oldest are given up",
                                                  limits_.datagrams, limits_.bytes >> 20U)});
        report_incomplete(*oldest);
        erase(oldest);
    }
}

void fragment_table::finish() {
    for (const datagram& d : waiting_) report_incomplete(d);
    waiting_.clear();
    datagrams_.clear();
    held_ = 0;
}

}  // namespace cdcscope::capture
