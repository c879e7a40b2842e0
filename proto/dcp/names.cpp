// Looking names up.
#include "proto/dcp/names.h"

#include <algorithm>

namespace cdcscope::dcp {

const named_value* find_value(std::span<const named_value> values, std::uint64_t value) noexcept {
    const auto at = std::lower_bound(
        values.begin(), values.end(), value,
        [](const named_value& entry, std::uint64_t wanted) { return entry.value < wanted; });
    return at != values.end() && at->value == value ? &*at : nullptr;
}

bool is_known_status(std::uint16_t status) noexcept {
    return status >= 0xff00 || find_value(status_names, status) != nullptr;
}

bool carries_result(std::uint16_t status) noexcept {
    switch (status) {
        case status::success:
        case status::auth_continue:
        case status::range_scan_more:
        case status::range_scan_complete:
        case status::subdoc_multi_path_failure:
        case status::subdoc_success_deleted:
        case status::subdoc_multi_path_failure_deleted:
            return true;
        default:
            return false;
    }
}

const control_key* find_control(std::string_view key) noexcept {
    for (const control_key& c : control_keys) {
        if (c.key == key) return &c;
    }
    return nullptr;
}

std::string_view meaning_of(const control_key& setting, std::string_view value) noexcept {
    for (const control_value& v : setting.known) {
        if (v.value == value) return v.meaning;
    }
    const bool takes_any = setting.values == "bytes" || setting.values == "seconds" ||
                           setting.values == "text" || setting.values == value;
    return takes_any ? setting.meaning : std::string_view{};
}

}  // namespace cdcscope::dcp
