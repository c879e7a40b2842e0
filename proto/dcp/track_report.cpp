// Telling findings.
#include "proto/dcp/track_report.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "proto/dcp/names.h"

namespace cdcscope::dcp {
namespace {

// Enough for any report; beyond it a connection that repeats one fault would only fill memory.
constexpr std::uint32_t most_of_a_code = 1U << 14;

// D04, D12 to D19, D29, D35, D36, D40, D41: what they say depends on the order of the two sides.
constexpr code needs_order[] = {
    code::dcp_stream_unknown,     code::dcp_flow_overrun,        code::dcp_flow_stalled,
    code::dcp_flow_ack_too_large, code::dcp_flow_ack_missing,    code::dcp_flow_ack_unexpected,
    code::dcp_noop_unanswered,    code::dcp_noop_unknown,        code::dcp_producer_silent,
    code::dcp_data_refused,       code::dcp_seqno_ack_invalid,   code::dcp_prepare_unacknowledged,
    code::dcp_request_unanswered, code::dcp_response_unexpected,
};

}  // namespace

std::uint32_t reporter::tell(code what, severity level, bool uncertain, const frame_ref& first,
                             account said) noexcept {
    uncertain |= unordered_ && std::ranges::find(needs_order, what) != std::end(needs_order);
    if (told_.empty()) told_.resize(findings::table().size());
    std::uint32_t& count = told_[static_cast<std::size_t>(what)];
    if (count > most_of_a_code) return 0;
    ++count;
    findings::finding found;
    found.connection = connection_;
    found.first = first.frame != 0 ? first : now_.at;
    found.at = now_.at;
    found.event = now_.event;
    if (count > most_of_a_code) {
        found.what = code::cap_rules;
        found.level = severity::note;
        found.figures.push_back({"of", std::string(findings::entry_of(what).text)});
        found.text = sentence(findings::entry_of(what).text, " fired ", most_of_a_code,
                              " times on this connection and is not counted any further");
        sink_->on_finding(std::move(found));
        return 0;
    }
    found.what = what;
    found.level = uncertain && level > severity::note ? severity::note : level;
    found.uncertain = uncertain;
    found.figures = std::move(said.figures);
    found.text = std::move(said.text);
    found.id = ++*last_id_;
    sink_->on_finding(std::move(found));
    return *last_id_;
}

std::string vb_text(std::uint16_t vbucket) {
    return "vb " + std::to_string(vbucket);
}

std::string status_text(std::uint16_t status) {
    const named_value* known = find_value(status_names, status);
    return known != nullptr ? sentence(known->title, " (", findings::hex_text(status, 2), ")")
                            : "status " + findings::hex_text(status, 2);
}

std::vector<findings::figure> with_status(std::uint16_t status,
                                          std::vector<findings::figure> figures) {
    const named_value* known = find_value(status_names, status);
    figures.push_back({"status", std::string(known != nullptr ? known->name : "")});
    figures.push_back({"statusCode", std::uint64_t{status}});
    return figures;
}

void reporter::settle(std::uint32_t id, bool over, account said) noexcept {
    if (id == 0) return;
    sink_->on_settled(id, over, now_.at, std::move(said.figures), std::move(said.text));
}

}  // namespace cdcscope::dcp
