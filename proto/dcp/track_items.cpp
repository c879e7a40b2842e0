// Items: seqnos, their snapshot, their collection, the requested end (D01 to D03, D42, D55).

#include <algorithm>

#include "proto/dcp/track_connection.h"

namespace cdcscope::dcp {
namespace {

std::vector<findings::figure> item_figures(const dcp_stream& s, std::uint64_t seqno) {
    return of_stream(s, {{"bySeqno", seqno},
                         {"lastSeqno", s.story.last_seqno},
                         {"snapshotStartSeqno", s.story.marker_start},
                         {"snapshotEndSeqno", s.story.marker_end}});
}

// False: refused, the consumer drops it.
bool accept(connection_state& c, dcp_stream& s, std::uint64_t seqno) {
    if (s.story.in_oso) {
        s.oso_highest = std::max(s.oso_highest, seqno);
        return true;
    }
    const bool unsure = c.marker_unsure(s);
    const auto refuse = [&](code what, bool uncertain, const std::string& why) {
        (void)c.report.tell(
            what, severity::error, uncertain, {},
            {sentence(place_text(s), ": seqno ", seqno, " ", why), item_figures(s, seqno)});
        return false;
    };
    if (!s.has_marker && !unsure) {
        return refuse(code::dcp_snapshot_missing, false,
                      s.after_oso ? "came between the out-of-order snapshot and the next marker"
                                  : "came before the first snapshot marker");
    }
    if (seqno <= s.story.last_seqno) {
        return refuse(code::dcp_seqno_not_increasing, unsure,
                      sentence("came after seqno ", s.story.last_seqno));
    }
    const bool outside =
        s.has_marker && (seqno < s.story.marker_start || seqno > s.story.marker_end);
    if (outside && !unsure) {
        return refuse(
            code::dcp_seqno_outside_snapshot, false,
            sentence("lies outside its snapshot ", s.story.marker_start, "..", s.story.marker_end));
    }
    if (outside)
        s.has_marker = s.story.in_snapshot = false;  // the marker in force was not captured
    s.story.last_seqno = seqno;
    return true;
}

std::uint64_t* counter_of(stream_story& story, std::uint8_t opcode) noexcept {
    switch (opcode) {
        case op::mutation:
            return &story.mutations;
        case op::deletion:
            return &story.deletions;
        case op::expiration:
            return &story.expirations;
        case op::prepare:
            return &story.prepares;
        case op::commit:
            return &story.commits;
        case op::abort:
            return &story.aborts;
        case op::system_event:
            return &story.system_events;
        default:
            return &story.advances;
    }
}

void count(connection_state& c, const incoming& in, dcp_stream& s, std::uint64_t seqno) {
    stream_story& story = s.story;
    ++*counter_of(story, in.m.head.opcode);
    if (!story.has_items) story.first_seqno = seqno;
    story.has_items = true;
    story.last_item = c.now().at;
    s.last_item_order = in.order;
    in.record.marker = s.marker_id;
    in.record.snapshot = static_cast<std::uint32_t>(story.snapshots);
    in.record.snapshot_end = s.has_marker ? story.marker_end : 0;
}

void learn_collection(connection_state& c, const incoming& in, dcp_stream& s) {
    if (in.m.parts.cut) return;
    c.names.learn_event(in.m);
    const std::optional<std::uint64_t> id = in.m.number(field_id::collection_id);
    constexpr std::uint64_t begins = 0;
    constexpr std::size_t most = 1U << 12;  // a bucket has 1,200 at most
    if (!id || in.m.number(field_id::event_id) != begins || s.collections.size() == most) return;
    const auto at = std::lower_bound(s.collections.begin(), s.collections.end(),
                                     static_cast<std::uint32_t>(*id));
    if (at == s.collections.end() || *at != *id)
        s.collections.insert(at, static_cast<std::uint32_t>(*id));
}

void check_collection(connection_state& c, const incoming& in, const dcp_stream& s) {
    if (!c.agreed.collections || !s.known || s.story.start != 0 || !in.m.key.prefixed) return;
    const std::uint32_t id = in.m.key.collection;
    if (id == 0 || std::binary_search(s.collections.begin(), s.collections.end(), id)) return;
    (void)c.report.tell(
        code::dcp_collection_unknown, severity::note, false, {},
        {sentence(place_text(s), ": key ", findings::printable(as_text(in.m.key.bytes)),
                  " of collection ", findings::hex_text(id), ", which no system event announced"),
         of_stream(s, {{"collectionId", std::uint64_t{id}},
                       {"key", std::string(as_text(in.m.key.bytes))}})});
}

account past_account(const dcp_stream& s) {
    return {sentence(place_text(s), ": ", s.past_end, " ",
                     findings::plural(s.past_end, "item", "items"), " above the requested end ",
                     s.story.end, ", up to seqno ", s.story.last_seqno),
            of_stream(s, {{"requestedEnd", s.story.end},
                          {"lastSeqno", s.story.last_seqno},
                          {"items", s.past_end}})};
}

void check_past_end(connection_state& c, dcp_stream& s, std::uint64_t seqno) {
    if (!s.finite() || seqno <= s.story.end) return;
    ++s.past_end;
    const bool later_snapshot = s.has_marker && s.story.marker_start > s.story.end;
    const std::size_t which = later_snapshot ? 1 : 0;
    if (s.past_seen[which]) return;
    s.past_seen[which] = true;
    s.past_told[which].add(c.report.tell(code::dcp_stream_past_end,
                                         later_snapshot ? severity::warning : severity::note,
                                         c.unsure(s), {}, past_account(s)));
}

}  // namespace

void settle_past_end(connection_state& c, dcp_stream& s, bool over) {
    for (running& each : s.past_told) {
        if (each.any()) each.settle(c.report, over, past_account(s));
    }
}

void take_item(connection_state& c, const incoming& in, dcp_stream& s) {
    const std::optional<std::uint64_t> seqno = in.m.own_seqno();
    if (!seqno || !accept(c, s, *seqno)) return;
    count(c, in, s, *seqno);
    check_stateless(c, in);
    check_document(c, in);
    const std::uint8_t opcode = in.m.head.opcode;
    if (opcode == op::system_event) {
        learn_collection(c, in, s);
    } else if (opcode != op::seqno_advanced) {
        check_collection(c, in, s);
        if (opcode != op::abort) see_key(c, in, s, *seqno);
        if (opcode == op::prepare) take_prepare(c, in, s, *seqno);
        if (opcode == op::commit || opcode == op::abort) take_outcome(c, in, s, *seqno);
        if (is_document(opcode)) complete_by_document(c, in, s, *seqno);
    }
    check_repeated(c, s, *seqno);
    check_late(c, in, s, *seqno);
    check_past_end(c, s, *seqno);
    if (s.has_marker && *seqno == s.story.marker_end) complete_snapshot(c, s);
    wait_for_end(c, s);
}

}  // namespace cdcscope::dcp
