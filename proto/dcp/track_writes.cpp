// What other connections of the capture tell: items delivered again, writes that come late on the
// stream (D52, D54).
#include <algorithm>

#include "proto/dcp/track_connection.h"

namespace cdcscope::dcp {
namespace {

account repeated_account(const dcp_stream& s) {
    const stream_story& story = s.story;
    return {sentence(place_text(s), ": ", story.repeated, " ",
                     findings::plural(story.repeated, "item", "items"), ", seqno ",
                     story.repeated_first, " to ", story.repeated_last,
                     ", had been delivered on connection ", s.earlier_connection,
                     ", which could be resumed from ", s.earlier_resumable, "; asked from ",
                     story.start),
            of_stream(s, {{"repeated", story.repeated},
                          {"firstSeqno", story.repeated_first},
                          {"lastSeqno", story.repeated_last},
                          {"startSeqno", story.start},
                          {"resumableSeqno", s.earlier_resumable},
                          {"earlierConnection", std::uint64_t{s.earlier_connection}}})};
}

}  // namespace

void check_repeated(connection_state& c, dcp_stream& s, std::uint64_t seqno) {
    if (seqno > s.earlier_highest) return;
    stream_story& story = s.story;
    const bool first = story.repeated == 0;
    ++story.repeated;
    story.repeated_first = first ? seqno : std::min(story.repeated_first, seqno);
    story.repeated_last = std::max(story.repeated_last, seqno);
    if (!first) return;
    const bool avoidable = story.start < s.earlier_resumable;
    s.repeated_told.add(c.report.tell(code::dcp_item_redelivered,
                                      avoidable ? severity::warning : severity::note,
                                      c.unsure(s) || s.earlier_unsure, {}, repeated_account(s)));
}

void settle_repeated(connection_state& c, dcp_stream& s, bool over) {
    if (s.repeated_told.any()) s.repeated_told.settle(c.report, over, repeated_account(s));
}

request_detail read_durable_write(const incoming& in) {
    if (!has_framing(in.m.head.kind) || in.m.row == nullptr ||
        !in.m.row->request.key.collection_prefix || in.m.row->of_stream) {
        return {};
    }
    frame_reader frames(in.m.parts);
    frame_view frame;
    while (frames.next(frame)) {
        if (frame.id != frame_info::durability || frame.data.empty()) continue;
        return durable_request{frame.data[0], std::string(kept_text(in.m.key.bytes))};
    }
    return {};
}

void take_write_answer(connection_state& c, const incoming& in, const open_request& request) {
    if (const auto* durable = std::get_if<durable_request>(&request.detail)) {
        c.watch().on_durable_write({c.setup.id, request.vbucket, durable->level, in.m.head.status(),
                                    c.now().time - request.asked.time, durable->key,
                                    request.asked.at, c.now().at});
    }
    if (!c.agreed.mutation_tokens || in.m.head.status() != status::success) return;
    const auto uuid = in.m.number(field_id::mutation_uuid);
    const auto seqno = in.m.number(field_id::mutation_seqno);
    if (!uuid || !seqno) return;
    c.all.shared.wrote(c.bucket, request.vbucket, *uuid, *seqno,
                       {c.now().time, c.now().at, c.setup.id});
}

void check_late(connection_state& c, const incoming& in, const dcp_stream& s, std::uint64_t seqno) {
    if (!c.all.shared.any_writes() || in.window_full || s.story.log_uuid == 0) return;
    const shared_knowledge::written* write =
        c.all.shared.write_of(c.bucket, s.story.vbucket, s.story.log_uuid, seqno);
    if (write == nullptr || s.asked_time >= write->time) return;
    const std::int64_t late = c.now().time - write->time;
    if (late <= c.report.limits().ns(limit::late_time)) return;
    (void)c.report.tell(
        code::dcp_item_late, severity::note, false, {},
        {sentence(place_text(s), ": seqno ", seqno, " came ", findings::seconds_text(late),
                  " after its write was answered on connection ", write->connection),
         of_stream(s, {{"bySeqno", seqno},
                       {"lateMs", as_ms(late)},
                       {"writer", std::uint64_t{write->connection}}})});
}

}  // namespace cdcscope::dcp
