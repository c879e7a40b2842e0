#include "analyzer/track/losses.h"

#include <algorithm>
#include <tuple>

namespace cdcscope::track {
namespace {

using recover::gap_reason;
using recover::unparsed_kind;

bool is_ours(recover::protocol p) {
    return p == recover::protocol::dcp || p == recover::protocol::canal ||
           p == recover::protocol::canal_admin;
}

bool earlier(const frame_ref& a, const frame_ref& b) {
    return std::tie(a.time_ns, a.file, a.frame) < std::tie(b.time_ns, b.file, b.frame);
}

// Bytes that are named elsewhere (snap length), or never were in the capture.
bool never_captured(gap_reason why) {
    return why == gap_reason::acked_unseen || why == gap_reason::not_acked;
}

}  // namespace

void loss::add(std::uint32_t where, const frame_ref& when, std::uint64_t how_much) {
    if (count == 0 || earlier(when, at)) at = when, connection = where;
    ++count;
    bytes += how_much;
    connections = 1;
}

void loss::add(const loss& other) {
    if (other.count == 0) return;
    if (count == 0 || earlier(other.at, at)) at = other.at, connection = other.connection;
    count += other.count;
    bytes += other.bytes;
    connections += other.connections;
}

void losses::add(const connection_losses& c) {
    given_up.add(c.given_up);
    if (!c.ours) return;
    holes.add(c.holes);
    unreadable += c.unreadable;
    snaplen_messages += c.snaplen_messages;
    ends_in_hole = ends_in_hole || c.ends_in_hole;
    loss late;
    if (c.late_start) late.add(c.id, c.first, 0);
    late_starts.add(late);
    ++ours;
    if (c.seen[0] == c.seen[1]) return;
    if (one_sided == 0 || earlier(c.first, one_sided_at)) one_sided_at = c.first;
    ++one_sided;
    from_server += c.seen[1] ? 1 : 0;
}

void loss_watch::on_connection(const recover::connection_info& c) {
    open_connection& o = open_[c.id];
    o.so_far.id = c.id;
    o.so_far.first = c.first;
    o.so_far.ours = is_ours(c.carries);
    std::copy_n(c.from_start, 2, o.from_start);
}

void loss_watch::on_gap(const recover::gap& g) {
    const auto found = open_.find(g.connection);
    if (found == open_.end()) return;
    open_connection& o = found->second;
    const std::size_t i = index(g.dir);
    if (never_captured(g.reason)) {
        o.so_far.holes.add(g.connection, g.at, g.length);
        o.so_far.unreadable += o.before_hole[i];
    } else if (g.reason == gap_reason::memory_cap) {
        o.so_far.given_up.add(g.connection, g.at, g.length);
    }
    o.before_hole[i] = 0;
    o.hole_end[i] = o.beside_end[i] = g.offset + g.length;
    o.why[i] = g.reason;
}

void loss_watch::on_unparsed(const recover::unparsed_run& u) {
    if (u.kind != unparsed_kind::piece && u.kind != unparsed_kind::skipped) return;
    const auto found = open_.find(u.connection);
    if (found == open_.end()) return;
    open_connection& o = found->second;
    const std::size_t i = index(u.dir);
    if (o.hole_end[i] > 0 && u.offset == o.beside_end[i]) {
        if (never_captured(o.why[i])) o.so_far.unreadable += u.length;
        o.beside_end[i] += u.length;
    } else if (u.kind == unparsed_kind::piece) {
        o.before_hole[i] += u.length;
    }
}

void loss_watch::on_totals(std::uint32_t connection, const recover::direction_totals& c2s,
                           const recover::direction_totals& s2c) {
    const auto found = open_.find(connection);
    if (found == open_.end()) return;
    open_connection& o = found->second;
    const recover::direction_totals* const ways[2] = {&c2s, &s2c};
    for (std::size_t i = 0; i < 2; ++i) {
        const std::uint64_t bytes = ways[i]->stream_bytes;
        o.so_far.seen[i] = ways[i]->segments > 0;
        o.so_far.snaplen_messages += ways[i]->snaplen_messages;
        if (bytes == 0) continue;
        o.so_far.late_start = o.so_far.late_start || !o.from_start[i];
        o.so_far.ends_in_hole = o.so_far.ends_in_hole || o.hole_end[i] == bytes;
    }
    all_.add(o.so_far);
    open_.erase(found);
}

}  // namespace cdcscope::track
