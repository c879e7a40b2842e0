// Streams asked for, refused, rolled back, opened (D20 to D26, D39).

#include <algorithm>
#include <functional>

#include "proto/dcp/json_values.h"
#include "proto/dcp/track_connection.h"

namespace cdcscope::dcp {
namespace {

using findings::grouped;
using findings::hex_text;

constexpr std::size_t longest_filter = 256;

// Stream id that tells streams of a vbucket apart; 0 where they have none.
std::uint16_t id_in_force(const connection_state& c, const stream_request& asked) noexcept {
    return c.agreed.stream_ids ? asked.stream_id.value_or(0) : std::uint16_t{0};
}

std::uint64_t rollback_key(std::uint16_t vbucket, std::uint16_t stream_id) noexcept {
    return std::uint64_t{vbucket} << 16 | stream_id;
}

std::vector<findings::figure> position(std::uint16_t vbucket, const stream_request& asked) {
    return {{"partition", std::uint64_t{vbucket}},
            {"startSeqno", asked.start},
            {"endSeqno", asked.end},
            {"vBucketUuid", asked.uuid},
            {"snapshotStartSeqno", asked.snapshot_start},
            {"snapshotEndSeqno", asked.snapshot_end}};
}

std::string spelled(const stream_filter& filter) {
    std::vector<std::uint32_t> collections = filter.collections;
    std::sort(collections.begin(), collections.end());
    std::string text = "scope " + filter.scope.substr(0, 16) + " collections";
    for (const std::uint32_t id : collections) text += " " + std::to_string(id);
    constexpr std::size_t longest = 512;  // longer ones are told apart by a hash
    if (text.size() > longest) text = "hash " + std::to_string(std::hash<std::string>{}(text));
    return text;
}

// What is wrong with a request, in words; `sid_only`: nothing but the stream id.
std::string faults_of(const connection_state& c, const stream_request& asked, bool& sid_only) {
    std::string all;
    const auto add = [&](std::string what) { all += (all.empty() ? "" : "; ") + std::move(what); };
    const bool replaced = (asked.flags & stream_flag::from_latest) != 0;
    if (!replaced && (asked.snapshot_start > asked.start || asked.start > asked.snapshot_end)) {
        add(sentence("start ", asked.start, " is outside its snapshot ", asked.snapshot_start, "..",
                     asked.snapshot_end));
    }
    if (!replaced && asked.start > asked.end)
        add(sentence("start ", asked.start, " is above end ", asked.end));
    if ((asked.flags & ~stream_flag::valid) != 0) {
        add("unknown flags " + hex_text(asked.flags & ~stream_flag::valid));
    }
    sid_only = all.empty();
    if (asked.stream_id && !c.agreed.stream_ids)
        add("a stream id although enable_stream_id is off");
    if (!asked.stream_id && c.agreed.stream_ids)
        add("no stream id although enable_stream_id is on");
    return all;
}

void check_request(connection_state& c, std::uint16_t vbucket, const stream_request& asked) {
    bool sid_only = false;
    const std::string faults = faults_of(c, asked, sid_only);
    if (!faults.empty()) {
        (void)c.report.tell(code::dcp_stream_request_invalid, severity::warning,
                            sid_only && c.unsettled(), {},
                            {sentence("stream request for ", vb_text(vbucket), ": ", faults),
                             position(vbucket, asked)});
    }
    const bool needs_noop = c.agreed.collections || c.agreed.opened_with(open_flag::include_xattrs);
    if (needs_noop && !c.agreed.noop && !c.unsettled()) {
        (void)c.report.tell(
            code::dcp_noop_not_enabled, severity::note, false, {},
            {sentence("stream request for ", vb_text(vbucket), " with ",
                      c.agreed.collections ? "collections" : "xattrs", " before noops are enabled"),
             {{"partition", std::uint64_t{vbucket}}}});
    }
}

void check_after_rollback(connection_state& c, std::uint16_t vbucket, const stream_request& asked) {
    const auto found = c.rollbacks.find(rollback_key(vbucket, id_in_force(c, asked)));
    if (found == c.rollbacks.end() || !found->second.fresh) return;
    connection_state::rollback_state& back = found->second;
    back.fresh = false;
    if (asked.start <= back.to || asked.uuid != back.uuid) return;
    std::vector<findings::figure> figures = position(vbucket, asked);
    figures.push_back({"rollbackSeqno", back.to});
    (void)c.report.tell(
        code::dcp_rollback_ignored, severity::warning, c.story.sure.hole, {},
        {sentence(vb_text(vbucket), " was rolled back to ", back.to, " and is asked for from ",
                  asked.start, " again with the same UUID"),
         std::move(figures)});
}

void take_refusal(connection_state& c, const incoming& in, const open_request& request,
                  const stream_request& asked) {
    const std::uint16_t status = in.m.head.status();
    ++c.story.refused;
    if (c.story.refusals.size() < most_refusals) {
        c.story.refusals.push_back({request.vbucket, status, request.opaque, asked.start, asked.end,
                                    asked.uuid, asked.snapshot_start, asked.snapshot_end,
                                    request.asked.at, c.now().at});
    }
    std::vector<findings::figure> figures = with_status(status, position(request.vbucket, asked));
    figures.push_back({"opaque", hex_text(request.opaque, 8)});
    (void)c.report.tell(code::dcp_stream_refused, severity::warning, false, request.asked.at,
                        {sentence("stream request for ", vb_text(request.vbucket),
                                  " was refused: ", status_text(status)),
                         std::move(figures)});
    if (status == status::key_eexists) return;
    const dcp_stream* before = c.streams.newest(request.vbucket, id_in_force(c, asked));
    abandon(c, request.vbucket, before, status == status::not_my_vbucket,
            "was refused: " + status_text(status));
}

// How far back is not in the capture.
void take_cut_rollback(connection_state& c, const open_request& request,
                       const stream_request& asked) {
    c.all.shared.rolled_back(c.name, c.bucket, request.vbucket);
    const auto known = c.rollbacks.find(rollback_key(request.vbucket, id_in_force(c, asked)));
    if (known != c.rollbacks.end()) known->second.fresh = false;
    (void)c.report.tell(code::dcp_stream_rollback, severity::note, true, request.asked.at,
                        {sentence(vb_text(request.vbucket), " was rolled back from ", asked.start,
                                  ", how far was not captured"),
                         position(request.vbucket, asked)});
}

void take_rollback(connection_state& c, const incoming& in, const open_request& request,
                   const stream_request& asked) {
    ++c.story.rolled_back;
    const std::optional<std::uint64_t> told = in.m.number(field_id::rollback_seqno);
    if (!told) return take_cut_rollback(c, request, asked);
    const std::uint64_t to = *told;
    if (c.story.rollbacks.size() < most_refusals) {
        c.story.rollbacks.push_back(
            {request.vbucket, asked.start, asked.uuid, to, request.asked.at, c.now().at});
    }
    c.all.shared.rolled_back(c.name, c.bucket, request.vbucket);
    const std::uint64_t distance = asked.start > to ? asked.start - to : 0;
    std::vector<findings::figure> figures = position(request.vbucket, asked);
    figures.push_back({"rollbackSeqno", to});
    figures.push_back({"distance", distance});
    const bool all_over = to == 0 && asked.start > 0;
    (void)c.report.tell(
        code::dcp_stream_rollback, all_over ? severity::warning : severity::note, false,
        request.asked.at,
        {sentence(vb_text(request.vbucket), " was rolled back from ", asked.start, " to ", to),
         figures});
    const std::uint64_t place = rollback_key(request.vbucket, id_in_force(c, asked));
    constexpr std::size_t most_places = 1U << 17;
    if (c.rollbacks.size() == most_places && !c.rollbacks.contains(place)) return;
    connection_state::rollback_state& back = c.rollbacks[place];
    back.to = to;
    back.uuid = asked.uuid;
    back.fresh = true;
    ++back.in_a_row;
    if (back.in_a_row < c.report.limits().get(limit::rollback_count)) return;
    figures.push_back({"times", std::uint64_t{back.in_a_row}});
    (void)c.report.tell(code::dcp_rollback_loop, severity::warning, c.story.sure.hole, {},
                        {sentence(vb_text(request.vbucket), " was rolled back ", back.in_a_row,
                                  " times and its stream never opened"),
                         std::move(figures)});
}

void check_history(connection_state& c, const incoming& in, const dcp_stream& s) {
    if (s.story.log_uuid == 0) return;
    const text_id bucket =
        c.bucket != 0 ? c.bucket
                      : c.all.shared.intern(std::string(1, '\0') + std::to_string(c.setup.id));
    const shared_knowledge::history before = c.all.shared.newest_history(
        bucket, s.story.vbucket, {s.story.log_uuid, c.now().at, c.setup.id});
    if (before.uuid == 0 || before.uuid == s.story.log_uuid) return;
    bool still_there = false;
    for (std::size_t i = 1; i < list_size(in.m) && !still_there; ++i) {
        still_there = listed(in.m, i, field_id::failover_uuid) == before.uuid;
    }
    (void)c.report.tell(
        code::dcp_history_changed, severity::note, false,
        before.connection == c.setup.id ? before.at : frame_ref{},
        {sentence(place_text(s), " has a new UUID ", hex_text(s.story.log_uuid, 16), " from seqno ",
                  s.story.log_seqno, " on; the one before, ", hex_text(before.uuid, 16), ", is ",
                  still_there ? "still" : "no longer", " in its failover log"),
         of_stream(s, {{"vBucketUuid", s.story.log_uuid},
                       {"previousUuid", before.uuid},
                       {"branchSeqno", s.story.log_seqno},
                       {"previousInLog", still_there}})});
}

}  // namespace

std::string place_text(const dcp_stream& s) {
    std::string text = vb_text(s.story.vbucket);
    if (s.story.has_stream_id) text += " (sid " + std::to_string(s.story.stream_id) + ")";
    return text;
}

std::vector<findings::figure> of_stream(const dcp_stream& s, std::vector<findings::figure> more) {
    std::vector<findings::figure> all{{"partition", std::uint64_t{s.story.vbucket}}};
    if (s.story.has_stream_id) all.push_back({"streamId", std::uint64_t{s.story.stream_id}});
    std::move(more.begin(), more.end(), std::back_inserter(all));
    return all;
}

stream_request read_stream_request(const incoming& in) {
    stream_request asked;
    asked.flags = static_cast<std::uint32_t>(number_or(in.m, field_id::stream_flags, 0));
    asked.start = number_or(in.m, field_id::start_seqno, 0);
    asked.end = number_or(in.m, field_id::end_seqno, 0);
    asked.uuid = number_or(in.m, field_id::vbucket_uuid, 0);
    asked.snapshot_start = number_or(in.m, field_id::snapshot_start_seqno, 0);
    asked.snapshot_end = number_or(in.m, field_id::snapshot_end_seqno, 0);
    asked.world_time = in.order;
    const byte_view value = in.m.parts.value;
    const stream_filter filter = in.m.parts.cut ? stream_filter{} : parse_stream_filter(value);
    asked.stream_id = filter.stream_id;
    asked.filter = std::string(as_text(value.first(std::min(value.size(), longest_filter))));
    asked.scope_and_collections = spelled(filter);
    return asked;
}

void take_stream_request(connection_state& c, const incoming& in, const stream_request& asked) {
    const std::uint16_t vbucket = in.m.head.vbucket();
    ++c.story.stream_requests;
    c.all.shared.asked(c.client_host, c.bucket, vbucket, c.now().time);
    // A late start hides the control that turned stream ids on; who uses them had it.
    if (asked.stream_id && !c.setup.from_start) c.agreed.stream_ids = true;
    const dcp_stream* running = c.streams.newest(vbucket, id_in_force(c, asked));
    if (running != nullptr && running->open()) {
        (void)c.report.tell(
            code::dcp_stream_duplicate, severity::warning, c.story.sure.hole, running->story.asked,
            {sentence(place_text(*running), " is asked for while its stream is open, at seqno ",
                      running->story.last_seqno),
             of_stream(*running, {{"opaque", hex_text(in.m.head.opaque, 8)},
                                  {"openOpaque", hex_text(running->story.opaque, 8)},
                                  {"lastSeqno", running->story.last_seqno}})});
    }
    check_request(c, vbucket, asked);
    check_after_rollback(c, vbucket, asked);
}

void take_stream_answer(connection_state& c, const incoming& in, const open_request& request) {
    const auto* asked = std::get_if<stream_request>(&request.detail);
    if (asked == nullptr) return;
    if (in.m.head.status() == status::rollback) return take_rollback(c, in, request, *asked);
    if (in.m.head.status() != status::success) return take_refusal(c, in, request, *asked);
    dcp_stream& s = open_stream(c, in, request);
    in.record.stream = s.story.index;
    in.record.vbucket_uuid = s.story.log_uuid;
}

void take_lone_refusal(connection_state& c, const incoming& in) {
    const std::uint16_t status = in.m.head.status();
    const std::string opaque = hex_text(in.m.head.opaque, 8);
    if (status != status::rollback) {
        (void)c.report.tell(code::dcp_stream_refused, severity::warning, false, {},
                            {sentence("a stream request that was not captured was refused: ",
                                      status_text(status), ", opaque ", opaque),
                             with_status(status, {{"opaque", opaque}})});
        return;
    }
    std::vector<findings::figure> figures{{"opaque", opaque}};
    const std::optional<std::uint64_t> to = in.m.number(field_id::rollback_seqno);
    if (to) figures.push_back({"rollbackSeqno", *to});
    (void)c.report.tell(code::dcp_stream_rollback, severity::note, true, {},
                        {sentence("a stream request that was not captured was rolled back to ",
                                  to ? std::to_string(*to) : "where the capture does not show",
                                  ", opaque ", opaque),
                         std::move(figures)});
}

dcp_stream& open_stream(connection_state& c, const incoming& in, const open_request& request) {
    const auto& asked = std::get<stream_request>(request.detail);
    const std::uint16_t stream_id = id_in_force(c, asked);
    dcp_stream& s = c.streams.add(request.vbucket, stream_id, request.opaque);
    s.request_id = request.id;
    s.born_in = s.marker_in = c.holes;
    s.asked_order = asked.world_time;
    s.asked_time = request.asked.time;
    s.selection =
        c.all.shared.intern(sentence("sid ", stream_id, " ", asked.scope_and_collections));
    stream_story& story = s.story;
    story.request_seen = true;
    story.flags = asked.flags;
    story.start = story.last_seqno = asked.start;
    story.end = asked.end;
    story.uuid = asked.uuid;
    story.snapshot_start = asked.snapshot_start;
    story.snapshot_end = asked.snapshot_end;
    story.filter = asked.filter;
    story.asked = request.asked.at;
    story.opened = c.now().at;
    if (list_size(in.m) > 0) {
        story.log_uuid = listed(in.m, 0, field_id::failover_uuid);
        story.log_seqno = listed(in.m, 0, field_id::failover_seqno);
    }
    ++c.story.streams_opened;
    c.rollbacks.erase(rollback_key(request.vbucket, stream_id));
    check_history(c, in, s);
    const shared_knowledge::position* before =
        c.all.shared.earlier({c.name, c.bucket, s.selection, story.vbucket, story.log_uuid},
                             s.asked_order, request.asked.at.time_ns);
    if (before != nullptr && c.name != 0 && story.log_uuid != 0) {
        s.earlier_highest = before->highest;
        s.earlier_resumable = story.resumable_from = before->resumable;
        s.earlier_connection = before->connection;
        s.earlier_unsure = before->unsure || c.unsettled();
    }
    c.watch().on_stream_opened(c.setup.id, c.now().at, story.index);
    wait_for_end(c, s);
    return s;
}

dcp_stream& make_known(connection_state& c, const incoming& in, std::uint16_t stream_id) {
    dcp_stream& s = c.streams.add(in.m.head.vbucket(), stream_id, in.m.head.opaque);
    s.known = false;
    s.born_in = c.holes;
    s.asked_order = in.order;
    s.asked_time = c.now().time;
    s.story.opened = c.now().at;
    c.watch().on_stream_opened(c.setup.id, c.now().at, s.story.index);
    return s;
}

void take_close_stream(connection_state& c, const incoming& in) {
    const std::uint16_t stream_id =
        c.agreed.stream_ids ? in.m.stream_id().value_or(0) : std::uint16_t{0};
    check_negotiated(c, in, nullptr);
    dcp_stream* s = c.streams.newest(in.m.head.vbucket(), stream_id);
    if (s == nullptr || !s->open()) return;
    s->story.state = stream_state::closing;
    in.record.stream = s->story.index;
    in.record.opened_by = s->request_id;
    if (s->end_wait_since >= 0) c.end_waits.erase({s->end_wait_since, s->story.index});
    s->end_wait_since = -1;
    if (s->end_running.any())
        s->end_running.settle(c.report, true, {"closed by the consumer", of_stream(*s)});
}

}  // namespace cdcscope::dcp
