// Pairing of requests and responses.
#include "proto/dcp/track_requests.h"

#include <algorithm>

namespace cdcscope::dcp {
namespace {

constexpr std::size_t most_open = 1U << 16;

std::uint64_t key_of(direction from, magic kind, std::uint8_t opcode,
                     std::uint32_t opaque) noexcept {
    const std::uint64_t space = (index(from) << 1) | (is_push(kind) ? 1U : 0U);
    return space << 40 | std::uint64_t{opcode} << 32 | opaque;
}

// More answers to the same request follow.
bool goes_on(const message_view& m) noexcept {
    if (is_client(m, op::stat)) {
        const bool last = m.head.key_length == 0 && m.head.value_length() == 0;
        return m.head.status() == status::success && !last;
    }
    return is_client(m, op::range_scan_continue) && m.head.status() == status::success;
}

// Answered on error only, or never; or it is a noop, which has a rule of its own; or a quiet
// command.
bool may_come_unasked(const message_view& m) noexcept {
    return is_client(m, op::noop) ||
           (m.row != nullptr && !m.head.is_push() && m.row->answered != answer::always);
}

std::string title_of(magic kind, std::uint8_t opcode) {
    const opcode_row* row = find_opcode(kind, opcode);
    return row != nullptr ? std::string(row->name) : "opcode " + findings::hex_text(opcode, 2);
}

}  // namespace

void request_table::add(reporter& report, bool uncertain, open_request request) {
    const std::uint64_t key = key_of(request.from, request.kind, request.opcode, request.opaque);
    chain& of_key = chains_[key];
    if (of_key.first != none && request.owed) {
        tell_unanswered(report, uncertain, slots_[of_key.first].request, true);
    }
    if (free_ == none && slots_.size() == most_open) {
        resting_ = true;
        if (of_key.first == none) chains_.erase(key);
        return;
    }
    std::uint32_t at = free_;
    if (at == none) {
        at = static_cast<std::uint32_t>(slots_.size());
        slots_.emplace_back();
    } else {
        free_ = slots_[at].next;
    }
    slots_[at] = {std::move(request), none, true};
    if (of_key.first == none) {
        of_key.first = at;
    } else {
        slots_[of_key.last].next = at;
    }
    of_key.last = at;
}

std::optional<open_request> request_table::take(reporter& report, bool uncertain, direction from,
                                                const message_view& response) {
    const std::uint64_t key =
        key_of(opposite(from), response.head.kind, response.head.opcode, response.head.opaque);
    const auto found = chains_.find(key);
    if (found == chains_.end()) {
        if (may_come_unasked(response) || resting_ || out_of_sight_[index(opposite(from))])
            return std::nullopt;
        (void)report.tell(
            code::dcp_response_unexpected, severity::warning, uncertain, {},
            {sentence("answer to ", title_of(response.head.kind, response.head.opcode),
                      " with opaque ", findings::hex_text(response.head.opaque, 8),
                      " has no open request"),
             {{"opaque", findings::hex_text(response.head.opaque, 8)},
              {"opcode", title_of(response.head.kind, response.head.opcode)}}});
        return std::nullopt;
    }
    const std::uint32_t at = found->second.first;
    if (goes_on(response)) return slots_[at].request;
    open_request request = std::move(slots_[at].request);
    found->second.first = slots_[at].next;
    if (found->second.first == none) chains_.erase(found);
    slots_[at] = {{}, free_, false};
    free_ = at;
    return request;
}

void request_table::begins_late(direction by) noexcept {
    for (slot& each : slots_) {
        if (each.used && each.request.from != by) each.request.owed = false;
    }
}

void request_table::close(reporter& report, bool uncertain, direction by, bool reset) {
    std::vector<open_request*> owed;
    for (slot& each : slots_) {
        if (each.used && each.request.owed && (reset || each.request.from != by))
            owed.push_back(&each.request);
    }
    std::sort(owed.begin(), owed.end(),
              [](const open_request* a, const open_request* b) { return a->id < b->id; });
    for (open_request* each : owed) tell_unanswered(report, uncertain, *each, false);
}

void request_table::tell_unanswered(reporter& report, bool uncertain, open_request& request,
                                    bool reused) const {
    if (!request.owed || resting_) return;
    request.owed = false;
    const std::int64_t waited = report.now().time - request.asked.time;
    (void)report.tell(
        code::dcp_request_unanswered, severity::warning, uncertain, request.asked.at,
        {sentence(title_of(request.kind, request.opcode), " of ",
                  findings::clock_text(request.asked.at.time_ns), " had no answer ",
                  reused ? "when its opaque was used again" : "when the connection closed"),
         {{"opcode", title_of(request.kind, request.opcode)},
          {"opaque", findings::hex_text(request.opaque, 8)},
          {"partition", std::uint64_t{request.vbucket}},
          {"waitedMs", as_ms(waited)}}});
}

}  // namespace cdcscope::dcp
