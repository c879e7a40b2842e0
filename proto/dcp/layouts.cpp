// Layouts that a number in the message chooses, and what lengths tell.

#include "proto/dcp/layouts.h"

#include <algorithm>
#include <array>

namespace cdcscope::dcp {
namespace {

using f = field_id;
using enum presence;

constexpr flat_field collection_table[] = {{0, f::manifest_uid},  {1, f::scope_id},
                                           {2, f::collection_id}, {3, f::ttl_valid},
                                           {4, f::max_ttl},       {5, f::collection_name},
                                           {6, f::history},       {7, f::default_collection_mvs},
                                           {8, f::metered},       {9, f::flush_uid}};
constexpr flat_field dropped_collection_table[] = {
    {0, f::manifest_uid}, {1, f::scope_id}, {2, f::collection_id}, {3, f::system_collection}};
constexpr flat_field scope_table[] = {{0, f::manifest_uid}, {1, f::scope_id}, {2, f::scope_name}};
constexpr flat_field dropped_scope_table[] = {
    {0, f::manifest_uid}, {1, f::scope_id}, {2, f::system_scope}};

constexpr event_rule events[] = {
    {0, 0, mandatory, f::collection_name, &layouts::event_collection, {}},
    {0, 1, mandatory, f::collection_name, &layouts::event_collection_ttl, {}},
    {0, 2, optional, f::collection_name, nullptr, collection_table},
    {1, 0, optional, f::collection_name, &layouts::event_collection, {}},
    {1, 2, optional, f::collection_name, nullptr, dropped_collection_table},
    {3, 0, mandatory, f::scope_name, &layouts::event_scope, {}},
    {3, 2, optional, f::scope_name, nullptr, scope_table},
    {4, 0, optional, f::scope_name, &layouts::event_scope, {}},
    {4, 2, optional, f::scope_name, nullptr, dropped_scope_table},
    {5, 2, optional, f::collection_name, nullptr, collection_table},
};

constexpr frame_rule request_frames[] = {
    {frame_info::barrier, f::frame_data, f::count, {0, 0}},
    {frame_info::durability, f::durability, f::durability_timeout, {1, 3}},
    {frame_info::stream_id, f::stream_id, f::count, {2, 2}},
    {frame_info::impersonate_user, f::impersonated_user, f::count, {0, 0}},
    {frame_info::preserve_ttl, f::frame_data, f::count, {0, 0}},
    {frame_info::extra_privilege, f::privilege, f::count, {0, 0}},
    {frame_info::auth_token, f::auth_token_id, f::count, {2, 2}},
};
constexpr frame_rule response_frames[] = {
    {0, f::server_duration, f::count, {2, 2}},
    {1, f::read_units, f::count, {2, 2}},
    {2, f::write_units, f::count, {2, 2}},
    {3, f::throttle_duration, f::count, {2, 2}},
};

constexpr std::array fault_texts = {
    std::string_view{},
    std::string_view{"framing extras, extras and key are longer than the body"},
    std::string_view{"extras of a length that this opcode does not have"},
    std::string_view{"key is missing"},
    std::string_view{"key where there is none"},
    std::string_view{"value is missing"},
    std::string_view{"value where there is none"},
    std::string_view{"value of a length that this message does not have"},
    std::string_view{"framing extras do not fill their length"},
    std::string_view{"no collection id in front of the key"},
    std::string_view{"value does not fit the system event"},
    std::string_view{"record of the cache transfer exceeds the value"},
    std::string_view{"value is no Snappy block"},
    std::string_view{"extended attributes contradict their lengths"},
    std::string_view{"extended metadata contradict their lengths"},
    std::string_view{"value is not JSON although its datatype says so"},
    std::string_view{"stream filter is not JSON"},
};
static_assert(fault_texts.size() == static_cast<std::size_t>(fault::last) + 1);

fault check_extras(const header& h, const opcode_row& row, const message_rule& rule) noexcept {
    if (!row.known_extras && rule.extras.empty()) return fault::none;
    if (h.is_response() && !carries_result(h.status()) && h.extras_length == 0) return fault::none;
    if (rule.extras.empty()) return h.extras_length == 0 ? fault::none : fault::extras_length;
    return find_layout(rule.extras, h.extras_length) != nullptr ? fault::none
                                                                : fault::extras_length;
}

fault check_key(const header& h, const key_rule& rule) noexcept {
    if (rule.is == mandatory && h.key_length == 0) return fault::key_missing;
    if (rule.is == never && h.key_length != 0) return fault::key_unexpected;
    return fault::none;
}

fault check_value(const header& h, const value_rule& rule) noexcept {
    const std::size_t length = h.value_length();
    if (length == 0) return rule.is == mandatory ? fault::value_missing : fault::none;
    if (rule.is == never) return fault::value_unexpected;
    if ((h.datatype & datatype_bit::snappy) != 0) return fault::none;  // its length says nothing
    if (rule.kind == value_kind::fixed && find_layout(rule.layouts, length) == nullptr)
        return fault::value_length;
    if (rule.kind == value_kind::list && length % rule.layouts.front().size != 0)
        return fault::value_length;
    return fault::none;
}

// A marker of version 2.x has a value, one of version 1 has none: the two parts go together.
fault check_marker(const header& h, const opcode_row& row) noexcept {
    if (h.is_response() || row.request.value.kind != value_kind::fixed ||
        row.request.extras.size() < 2)
        return fault::none;
    const bool in_extras = h.extras_length == row.request.extras.front().size;
    if (in_extras) return h.value_length() == 0 ? fault::none : fault::value_unexpected;
    return h.value_length() == 0 ? fault::value_missing : fault::none;
}

}  // namespace

const layout* find_layout(std::span<const layout> variants, std::size_t size) noexcept {
    for (const layout& l : variants) {
        if (l.size == size) return &l;
    }
    return nullptr;
}

std::string_view describe(fault f) noexcept {
    return fault_texts[static_cast<std::size_t>(f)];
}

fault check_lengths(const header& h, const opcode_row& row) noexcept {
    if (!h.parts_fit()) return fault::parts_exceed_body;
    const message_rule& rule = rule_of(row, h);
    if (const fault found = check_extras(h, row, rule); found != fault::none) return found;
    const bool is_error = h.is_response() && !carries_result(h.status());
    if (!is_error) {
        if (const fault found = check_key(h, rule.key); found != fault::none) return found;
    }
    if (const fault found = check_value(h, value_rule_of(row, h)); found != fault::none)
        return found;
    return check_marker(h, row);
}

std::uint64_t flow_bytes(const header& h, const opcode_row& row) noexcept {
    if (!row.flow_controlled || h.is_response()) return 0;
    const std::uint64_t uncounted = row.frame_counts ? 0U : h.framing_length;
    return h.total_length() + row.flow_extra - uncounted;
}

const event_rule* find_event(std::uint32_t event, std::uint8_t version) noexcept {
    for (const event_rule& rule : events) {
        if (rule.event == event && rule.version == version) return &rule;
    }
    return nullptr;
}

std::span<const event_rule> event_rules() noexcept {
    return events;
}

const layout& cache_record_layout() noexcept {
    return layouts::cache_record;
}

const frame_rule* find_frame(bool response, std::uint16_t id) noexcept {
    const std::span<const frame_rule> rules =
        response ? std::span<const frame_rule>(response_frames) : request_frames;
    for (const frame_rule& rule : rules) {
        if (rule.id == id) return &rule;
    }
    return nullptr;
}

}  // namespace cdcscope::dcp
