// Rules of one message: what was not negotiated, values, old and reserved things (D37, D43 to D45,
// D49).
#include <algorithm>

#include "proto/dcp/json_values.h"
#include "proto/dcp/track_connection.h"

namespace cdcscope::dcp {
namespace {

// What a message uses without agreement; nothing if all is in order.
std::string not_agreed(const connection_state& c, const message_view& m, const dcp_stream* stream) {
    const agreement& agreed = c.agreed;
    const bool deletion_v2 = agreed.opened_with(open_flag::include_delete_times);
    if (m.stream_id() && !agreed.stream_ids) return "a stream id without enable_stream_id";
    switch (m.head.opcode) {
        case op::prepare:
        case op::commit:
        case op::abort:
            return agreed.sync_writes ? "" : "durability without enable_sync_writes";
        case op::expiration:
            return agreed.expiry ? "" : "an expiration without enable_expiry_opcode";
        case op::oso_snapshot:
            return agreed.oso ? ""
                              : "an out-of-order snapshot without enable_out_of_order_snapshots";
        case op::deletion:
            if (m.extras_layout == nullptr) return "";
            if (m.number(field_id::delete_time).has_value() == deletion_v2) return "";
            return deletion_v2 ? "a deletion V1 although DCP_OPEN asked for delete times"
                               : "a deletion V2 although DCP_OPEN did not ask for delete times";
        case op::snapshot_marker:
            return m.number(field_id::high_prepared_seqno) && !agreed.marker_22
                       ? "a marker 2.2 without max_marker_version"
                       : "";
        case op::system_event:
            return number_or(m, field_id::event_version, 0) == 2 && !agreed.flat_events
                       ? "an event of version 2 without flatbuffers_system_events"
                       : "";
        case op::cache_transfer:
            return stream != nullptr && stream->known &&
                           (stream->story.flags & stream_flag::cache_transfer) == 0
                       ? "a cache transfer that the stream request did not ask for"
                       : "";
        default:
            return "";
    }
}

std::string obsolete(const message_view& m) {
    if (m.head.opcode == op::flush) return "FLUSH was never implemented";
    if (m.head.opcode >= op::tap_first && m.head.opcode <= op::tap_last)
        return "TAP was removed in 5.0";
    if (m.number(field_id::snapshot_timestamp)) return "marker 2.1 was removed in 8.0";
    if (m.head.opcode == op::expiration && m.parts.extras.size() == 18)
        return "an expiration of 18 bytes is older than 6.5";
    if (number_or(m, field_id::nmeta, 0) != 0) return "extended metadata was removed in 7.0";
    return {};
}

std::string reserved_used(const message_view& m) {
    const auto used = [&](field_id id) { return number_or(m, id, 0) != 0; };
    if (m.head.opcode == op::open && used(field_id::open_seqno))
        return "sequence number of DCP_OPEN";
    if (m.head.opcode == op::stream_req && used(field_id::stream_reserved))
        return "reserved field of the stream request";
    if ((m.head.opcode == op::mutation || m.head.opcode == op::prepare) &&
        used(field_id::lock_time))
        return "lock time";
    const bool no_cas = m.head.opcode == op::stream_end || m.head.opcode == op::snapshot_marker ||
                        m.head.opcode == op::set_vbucket_state ||
                        (m.head.opcode >= op::seqno_ack && m.head.opcode <= op::cache_transfer_end);
    return no_cas && m.head.cas != 0 ? "CAS of a message that has none" : std::string{};
}

std::string title(const message_view& m) {
    return m.row != nullptr ? std::string(m.row->name)
                            : "opcode " + findings::hex_text(m.head.opcode, 2);
}

}  // namespace

void check_negotiated(connection_state& c, const incoming& in, const dcp_stream* stream) {
    const std::string what = not_agreed(c, in.m, stream);
    if (what.empty()) return;
    (void)c.report.tell(
        code::dcp_feature_not_negotiated, severity::warning, c.unsettled(), {},
        {sentence(title(in.m), " on ", vb_text(in.m.head.vbucket()), ": ", what),
         {{"opcode", title(in.m)}, {"partition", std::uint64_t{in.m.head.vbucket()}}}});
}

void check_stateless(connection_state& c, const incoming& in) {
    if (const std::string what = obsolete(in.m); !what.empty()) {
        (void)c.report.tell(code::dcp_opcode_obsolete, severity::note, false, {},
                            {sentence(title(in.m), ": ", what), {{"opcode", title(in.m)}}});
    }
    if (const std::string what = reserved_used(in.m); !what.empty()) {
        (void)c.report.tell(
            code::dcp_field_reserved, severity::note, false, {},
            {sentence(title(in.m), ": ", what, " is not 0"), {{"opcode", title(in.m)}}});
    }
    if (in.m.parts.framing_length_zero) {
        (void)c.report.tell(
            code::dcp_framing_length_missing, severity::note, false, {},
            {sentence(title(in.m), " has a stream id frame but a framing length of 0"),
             {{"opcode", title(in.m)}}});
    }
}

void check_document(connection_state& c, const incoming& in) {
    const message_view& m = in.m;
    if (m.parts.cut || m.head.datatype == 0 ||
        (!is_document(m.head.opcode) && m.head.opcode != op::prepare))
        return;
    if (c.agreed.opened_with(open_flag::no_value_with_underlying_datatype)) return;
    const document_view document =
        open_document(m.parts.value, m.head.datatype,
                      static_cast<std::uint16_t>(number_or(m, field_id::nmeta, 0)), c.all.inflated);
    std::string what;
    if (document.problem != fault::none) {
        what = describe(document.problem);
    } else if ((m.head.datatype & datatype_bit::json) != 0 && !document.too_large) {
        const bool may_be_empty = (m.head.datatype & datatype_bit::xattr) != 0;
        const bool fits = document.body.empty() ? may_be_empty : looks_like_json(document.body);
        if (!fits) what = "the body is marked JSON and does not begin like JSON";
    }
    constexpr std::size_t kept = 1U << 20;
    c.all.inflated.shrink(kept);
    if (what.empty()) return;
    (void)c.report.tell(code::dcp_value_mismatch, severity::warning, false, {},
                        {sentence(title(m), " of key ", findings::printable(as_text(m.key.bytes)),
                                  " on ", vb_text(m.head.vbucket()), ": ", what),
                         {{"partition", std::uint64_t{m.head.vbucket()}},
                          {"key", std::string(as_text(m.key.bytes))},
                          {"bySeqno", m.own_seqno().value_or(0)}}});
}

}  // namespace cdcscope::dcp
