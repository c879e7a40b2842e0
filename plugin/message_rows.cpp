#include "plugin/message_rows.h"

#include "plugin/experts.h"
#include "plugin/text.h"

namespace cdcscope::ws {
namespace {

constexpr std::uint32_t ids_key = 0x69647300;  // of p_add_proto_data()
constexpr std::size_t longest_finding = 1000;

}  // namespace

void keep_first_id(packet_info* pinfo, int proto, unsigned ordinal, std::uint32_t id) {
    if (ordinal != 0) return;
    p_add_proto_data(wmem_file_scope(), pinfo, proto, ids_key, GUINT_TO_POINTER(id));
}

std::uint32_t kept_id(packet_info* pinfo, int proto, unsigned ordinal) {
    const void* first = p_get_proto_data(wmem_file_scope(), pinfo, proto, ids_key);
    return first == nullptr ? 0 : GPOINTER_TO_UINT(first) + ordinal;
}

void show_findings(packet_info* pinfo, proto_item* item, const finding_store& found,
                   std::uint32_t id) {
    found.each(id, [&](const findings::finding& f) {
        add_expert(pinfo, item, f.what, f.level,
                   printable(pinfo, as_bytes(f.text), longest_finding));
    });
}

std::string endpoint(const address& a, std::uint16_t port) {
    char* text = address_to_str(nullptr, &a);
    std::string made = std::string(text) + ":" + std::to_string(port);
    wmem_free(nullptr, text);
    return made;
}

}  // namespace cdcscope::ws
