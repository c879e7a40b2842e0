// Snapshot markers and out-of-order snapshots (D07 to D10, D46).
#include <algorithm>
#include <functional>

#include "proto/dcp/track_connection.h"

namespace cdcscope::dcp {
namespace {

constexpr std::size_t most_keys = 1U << 20;  // of a connection

struct marker {
    std::uint64_t start = 0, end = 0;
    std::uint32_t flags = 0;
};

std::string range_text(std::uint64_t start, std::uint64_t end) {
    return sentence(start, "..", end);
}

std::vector<findings::figure> range_figures(const dcp_stream& s, const marker& m) {
    return of_stream(s, {{"snapshotStartSeqno", m.start},
                         {"snapshotEndSeqno", m.end},
                         {"lastSeqno", s.story.last_seqno}});
}

// The same range again, the second time with history.
bool same_range_with_history(const dcp_stream& s, const marker& m) noexcept {
    return s.has_marker && m.start == s.story.marker_start && m.end == s.story.marker_end &&
           (m.flags & snapshot_flag::history) != 0;
}

bool impossible(connection_state& c, const dcp_stream& s, const marker& m) {
    const bool upside_down = m.start > m.end;
    const bool had = m.start < s.story.last_seqno && m.end <= s.story.last_seqno;
    if (!upside_down && !had) return false;
    (void)c.report.tell(
        code::dcp_snapshot_invalid, severity::error, !upside_down && c.marker_unsure(s), {},
        {sentence(place_text(s), ": marker ", range_text(m.start, m.end),
                  upside_down ? " ends before it starts"
                              : sentence(" lies below last seqno ", s.story.last_seqno)),
         range_figures(s, m)});
    return true;
}

void check_overlap(connection_state& c, const dcp_stream& s, const marker& m) {
    if (!s.any_marker || s.after_oso || m.start > s.story.marker_end ||
        same_range_with_history(s, m))
        return;
    const bool active =
        (s.story.flags & (stream_flag::takeover | stream_flag::active_vb_only)) != 0 ||
        c.agreed.sync_replication();
    (void)c.report.tell(code::dcp_snapshot_overlap, active ? severity::warning : severity::note,
                        c.marker_unsure(s), {},
                        {sentence(place_text(s), ": marker ", range_text(m.start, m.end),
                                  " overlaps the one before, ",
                                  range_text(s.story.marker_start, s.story.marker_end)),
                         range_figures(s, m)});
}

void tell_incomplete(connection_state& c, const dcp_stream& s, std::string_view what) {
    (void)c.report.tell(
        code::dcp_snapshot_incomplete, severity::warning, false, {},
        {sentence(place_text(s), ": snapshot ",
                  range_text(s.story.marker_start, s.story.marker_end), " stopped at seqno ",
                  s.story.last_seqno, " before ", what),
         range_figures(s, {s.story.marker_start, s.story.marker_end, s.story.marker_flags})});
}

void forget_keys(connection_state& c, dcp_stream& s) noexcept {
    c.snapshot_keys -= s.keys.size();
    s.keys.clear();
    s.keys_rest = false;
}

void broken_oso(connection_state& c, const dcp_stream& s, std::string_view what) {
    (void)c.report.tell(
        code::dcp_oso_broken, severity::error, c.unsure(s), {},
        {sentence(place_text(s), ": ", what), of_stream(s, {{"lastSeqno", s.sent()}})});
}

}  // namespace

void take_marker(connection_state& c, const incoming& in, dcp_stream& s) {
    const marker m{number_or(in.m, field_id::snapshot_start, 0),
                   number_or(in.m, field_id::snapshot_end, 0),
                   static_cast<std::uint32_t>(number_or(in.m, field_id::snapshot_flags, 0))};
    if (!in.m.number(field_id::snapshot_end)) {  // cut: as good as missing
        s.marker_in = no_marker;
        return;
    }
    if (s.story.in_oso) return broken_oso(c, s, "snapshot marker inside an out-of-order snapshot");
    if (impossible(c, s, m)) return;
    check_overlap(c, s, m);
    const bool second_of_pair =
        same_range_with_history(s, m) && (s.story.marker_flags & snapshot_flag::history) == 0;
    if (s.has_marker && !s.story.marker_complete && !second_of_pair && !c.marker_unsure(s)) {
        tell_incomplete(c, s, "the next marker");
    }
    forget_keys(c, s);
    s.has_marker = s.any_marker = true;
    s.after_oso = false;
    s.marker_in = c.holes;
    s.marker_id = in.event.id;
    if ((m.flags & snapshot_flag::ack) != 0) {
        s.ack_marker = in.event.id;
        s.ack_asked = c.now().time;
    }
    s.last_sync_prepare = 0;
    s.story.in_snapshot = true;
    s.story.marker_start = m.start;
    s.story.marker_end = m.end;
    s.story.marker_flags = m.flags;
    s.story.marker_complete = false;
    ++s.story.snapshots;
    in.record.snapshot = static_cast<std::uint32_t>(s.story.snapshots);
    in.record.snapshot_end = m.end;
    s.completed = 0;
    if ((m.flags & snapshot_flag::disk) != 0) {
        s.last_disk = in.record.snapshot;
        s.completed = number_or(in.m, field_id::high_completed_seqno, 0);
        complete_by_marker(c, s);
    }
    c.watch().on_snapshot(c.setup.id, c.now().at, s.story.index, m.start, m.end, m.flags);
}

void take_oso(connection_state& c, const incoming& in, dcp_stream& s) {
    const std::uint64_t flags = number_or(in.m, field_id::oso_flags, 0);
    if ((flags & oso_flag::start) != 0) {
        if (s.story.in_oso)
            return broken_oso(c, s, "an out-of-order snapshot starts inside another");
        forget_keys(c, s);
        s.story.in_oso = true;
        s.oso_highest = 0;
        s.has_marker = s.story.in_snapshot = false;
        s.marker_in = c.holes;
        s.marker_id = in.event.id;
        ++s.story.snapshots;
        in.record.snapshot = static_cast<std::uint32_t>(s.story.snapshots);
        return;
    }
    if ((flags & oso_flag::end) == 0) return;
    if (!s.story.in_oso)
        return broken_oso(c, s, "an out-of-order snapshot ends that did not start");
    s.story.last_seqno = s.sent();
    s.story.in_oso = false;
    s.after_oso = true;
    wait_for_end(c, s);
}

void complete_snapshot(connection_state& c, dcp_stream& s) {
    s.story.marker_complete = true;
    if ((s.story.marker_flags & snapshot_flag::disk) == 0) wait_for_ack(c, s);
}

void see_key(connection_state& c, const incoming& in, dcp_stream& s, std::uint64_t seqno) {
    const std::uint8_t opcode = in.m.head.opcode;
    if (!s.has_marker || s.keys_rest ||
        (s.story.marker_flags & snapshot_flag::may_contain_duplicates) != 0)
        return;
    const bool prepared = opcode == op::prepare;
    const std::string_view key = as_text(in.m.parts.key);
    if (prepared && s.prepares != nullptr &&
        s.prepares->by_key.contains(std::string(kept_text(in.m.parts.key))))
        return;  // D33
    if (c.snapshot_keys == most_keys) {
        s.keys_rest = true;
        (void)c.report.tell(
            code::cap_rules, severity::note, false, {},
            {sentence(
                 place_text(s), ": more than ", most_keys,
                 " keys in open snapshots; whether a key comes twice is not checked in this one"),
             of_stream(s, {{"of", std::string("dcp.key.repeated")}})});
        return;
    }
    // The two namespaces, by a bit of the hash.
    const std::uint64_t hash = std::hash<std::string_view>{}(key) << 2 | (prepared ? 2U : 0U);
    if (s.keys.insert(hash)) {
        ++c.snapshot_keys;
        return;
    }
    (void)c.report.tell(
        code::dcp_key_repeated, severity::warning, c.marker_unsure(s), {},
        {sentence(place_text(s), ": key ", findings::printable(as_text(in.m.key.bytes)),
                  " came twice in snapshot ", range_text(s.story.marker_start, s.story.marker_end),
                  ", now with seqno ", seqno),
         of_stream(s, {{"key", std::string(as_text(in.m.key.bytes))}, {"bySeqno", seqno}})});
}

// The end of a stream inside a snapshot; STREAM_END is in track_ends.cpp.
void check_end_in_snapshot(connection_state& c, const dcp_stream& s, bool ok) {
    if (s.story.in_oso) return broken_oso(c, s, "the stream ended inside an out-of-order snapshot");
    if (ok && s.has_marker && !s.story.marker_complete && !c.marker_unsure(s))
        tell_incomplete(c, s, "STREAM_END");
}

}  // namespace cdcscope::dcp
