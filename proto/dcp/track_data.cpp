// Data messages find their stream (D04 to D06, D28, D29).
#include <utility>

#include "proto/dcp/track_connection.h"

namespace cdcscope::dcp {
namespace {

std::string name_of(const message_view& m) {
    std::string text(m.row != nullptr ? m.row->name : "message");
    text += " on vb " + std::to_string(m.head.vbucket());
    if (const auto seqno = m.own_seqno()) text += " seqno " + findings::grouped(*seqno);
    return text;
}

std::vector<findings::figure> figures_of(const message_view& m) {
    std::vector<findings::figure> all{{"partition", std::uint64_t{m.head.vbucket()}},
                                      {"opaque", findings::hex_text(m.head.opaque, 8)},
                                      {"opcode", std::string(m.row != nullptr ? m.row->name : "")}};
    if (const auto seqno = m.own_seqno()) all.push_back({"bySeqno", *seqno});
    return all;
}

// Refused: the consumer drops it.
dcp_stream* refuse(connection_state& c, const message_view& m, code what, severity level,
                   bool uncertain, std::string_view why) {
    (void)c.report.tell(what, level, uncertain, {}, {sentence(name_of(m), why), figures_of(m)});
    return nullptr;
}

dcp_stream* find_stream(connection_state& c, const incoming& in) {
    const message_view& m = in.m;
    const std::uint16_t stream_id =
        c.agreed.stream_ids ? m.stream_id().value_or(0) : std::uint16_t{0};
    const place_found found = c.streams.find(m.head.vbucket(), stream_id, m.head.opaque);
    const bool unsettled = c.unsettled();
    switch (found.how) {
        case belongs::to_stream:
            return found.stream;
        case belongs::after_end:
            return refuse(c, m, code::dcp_stream_data_after_end, severity::error,
                          c.unsure(*found.stream), " came after its STREAM_END");
        case belongs::opaque_of_other_vbucket:
            return refuse(c, m, code::dcp_vbucket_mismatch, severity::error, unsettled,
                          sentence(" has the opaque of the stream of ",
                                   vb_text(found.stream->story.vbucket)));
        case belongs::other_opaque:
            return refuse(c, m, code::dcp_opaque_mismatch, severity::warning, unsettled,
                          " has opaque " + findings::hex_text(m.head.opaque, 8) +
                              ", its stream has " +
                              findings::hex_text(found.stream->story.opaque, 8));
        case belongs::ended_before:
        case belongs::nowhere:
            break;
    }
    const bool ended = found.how == belongs::ended_before;
    (void)refuse(c, m, code::dcp_stream_unknown, ended ? severity::warning : severity::error,
                 unsettled,
                 unsettled ? " belongs to a stream that was opened out of sight"
                 : ended   ? " came after the stream of its vbucket ended"
                           : " belongs to no stream");
    return unsettled ? &make_known(c, in, stream_id) : nullptr;
}

void fill_record(const dcp_stream& s, track_record& record) noexcept {
    record.stream = s.story.index;
    record.opened_by = s.request_id;
    record.vbucket_uuid = s.story.log_uuid;
}

bool tolerated(const connection_state& c, const message_view& answer) noexcept {
    const std::uint8_t opcode = answer.head.opcode;
    switch (answer.head.status()) {
        case status::not_my_vbucket:
        case status::dcp_stream_not_found:
        case status::opaque_no_match:
            return true;
        case status::key_eexists:
            return !c.agreed.v7_statuses;
        case status::key_enoent:
            return !c.agreed.v7_statuses && opcode != op::commit && opcode != op::abort;
        case status::enomem:
            return opcode == op::cache_transfer;
        default:
            return false;
    }
}

}  // namespace

void take_data(connection_state& c, const incoming& in) {
    in.record.has_partition = true;
    in.record.partition = in.m.head.vbucket();
    const bool stray_id = in.m.stream_id() && !c.agreed.stream_ids;
    if (stray_id) check_negotiated(c, in, nullptr);
    dcp_stream* s = find_stream(c, in);
    if (s == nullptr) return;
    if (!stray_id) check_negotiated(c, in, s);
    fill_record(*s, in.record);
    s->story.last_message = c.now().at;
    s->story.bytes += in.m.head.total_length();
    switch (in.m.head.opcode) {
        case op::stream_end:
            take_stream_end(c, in, *s);
            break;
        case op::snapshot_marker:
            take_marker(c, in, *s);
            break;
        case op::oso_snapshot:
            take_oso(c, in, *s);
            break;
        case op::set_vbucket_state:
            take_vbucket_state(c, in, *s);
            break;
        default:
            if (is_item(in.m.head.opcode)) return take_item(c, in, *s);
            break;
    }
    check_stateless(c, in);
}

// The whole snapshot was received, as its marker asked to be told.
void answer_marker(connection_state& c, const incoming& in, dcp_stream& s) {
    if (s.ack_marker == 0) return;
    in.record.request = std::exchange(s.ack_marker, 0);
    in.record.elapsed_ns = c.now().time - s.ack_asked;
    c.links().on_link(link_kind::request, in.record.request, in.event.id);
}

void take_data_answer(connection_state& c, const incoming& in) {
    const message_view& m = in.m;
    dcp_stream* s = c.streams.with_opaque(m.head.opaque);
    if (s != nullptr) {
        in.record.has_partition = true;
        in.record.partition = s->story.vbucket;
        fill_record(*s, in.record);
        if (m.head.opcode == op::set_vbucket_state) answer_vbucket_state(*s);
        if (m.head.opcode == op::snapshot_marker) answer_marker(c, in, *s);
    }
    if (m.head.status() == status::success) return;
    std::vector<findings::figure> figures =
        with_status(m.head.status(), {{"opcode", std::string(m.row != nullptr ? m.row->name : "")},
                                      {"opaque", findings::hex_text(m.head.opaque, 8)}});
    if (s != nullptr) figures.push_back({"partition", std::uint64_t{s->story.vbucket}});
    (void)c.report.tell(
        code::dcp_data_refused, tolerated(c, m) ? severity::note : severity::error, false, {},
        {sentence("consumer refused a ", m.row != nullptr ? m.row->name : "message",
                  s != nullptr ? " on " + place_text(*s) : "", ": ", status_text(m.head.status())),
         std::move(figures)});
}

}  // namespace cdcscope::dcp
