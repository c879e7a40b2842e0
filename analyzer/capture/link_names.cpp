#include "analyzer/capture/link_names.h"

#include <fmt/format.h>
#include <pcap/pcap.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace cdcscope::capture {
namespace {

struct name_row {
    std::uint32_t link_type;
    std::string_view name;
};
// Those that people meet; libpcap describes the others.
constexpr std::array<name_row, 8> names{{
    {105, "IEEE 802.11"},
    {119, "IEEE 802.11 with Prism header"},
    {127, "IEEE 802.11 radiotap"},
    {189, "USB"},
    {192, "PPI, mostly IEEE 802.11"},
    {201, "Bluetooth"},
    {220, "USB"},
    {249, "USB"},
}};

std::string name_of(std::uint32_t type) {
    const auto* row = std::ranges::find(names, type, &name_row::link_type);
    if (row != names.end()) return std::string(row->name);
    const char* described = ::pcap_datalink_val_to_description(static_cast<int>(type));
    return described == nullptr ? "without a name" : described;
}

}  // namespace

std::string link_type_code(std::uint32_t type) {
    constexpr std::uint32_t linktype_raw = 101;  // in files; libpcap's own number for it differs
    const char* name =
        ::pcap_datalink_val_to_name(type == linktype_raw ? DLT_RAW : static_cast<int>(type));
    return name == nullptr ? std::to_string(type) : name;
}

std::string link_type_names(const std::vector<std::uint32_t>& types) {
    std::string text = types.size() == 1 ? "link type " : "link types ";
    for (std::size_t n = 0; n < types.size(); ++n) {
        if (n != 0) text += n + 1 == types.size() ? " and " : ", ";
        text += fmt::format("{} ({})", types[n], name_of(types[n]));
    }
    return text;
}

std::string unread_link_type(const std::string& file, const std::vector<std::uint32_t>& types,
                             std::size_t interfaces) {
    const std::string where =
        interfaces == 0 ? "" : fmt::format(" in any of its {} interfaces", interfaces);
    return fmt::format("{}: {} {} not read{}; capture on the wired side, or with -i any", file,
                       link_type_names(types), types.size() == 1 ? "is" : "are", where);
}

}  // namespace cdcscope::capture
