// "Export Objects": the documents of mutations, deletions and prepares. "Follow stream": the
// messages of a connection.
#include <algorithm>
#include <array>

#include "plugin/boundary.h"
#include "plugin/dcp_taps.h"
#include "plugin/follow.h"
#include "plugin/text.h"
#include "proto/dcp/document.h"

namespace cdcscope {
namespace {

using dcp::field_id;

dcp::inflate_buffer inflated;
constexpr std::size_t keep_inflated = 1U << 20;
constexpr std::size_t longest_name = 100;

// A key as a file's name: what may not stand in one becomes `_`.
char* file_name(byte_view key, const dcp_tap_data& d) {
    std::array<char, longest_name + 1> name{};
    std::size_t n = 0;
    for (const std::uint8_t c : key) {
        if (n == longest_name) break;
        const bool plain =
            g_ascii_isalnum(static_cast<char>(c)) || c == '-' || c == '_' || c == '.' || c == ':';
        name[n++] = plain ? static_cast<char>(c) : '_';
    }
    const bool json = (d.message.view.head.datatype & dcp::datatype_bit::json) != 0;
    return g_strdup_printf("%s-%" PRIu64 "%s", name.data(), d.message.view.own_seqno().value_or(0),
                           json ? ".json" : ".bin");
}

bool is_document(const dcp::message_view& m) {
    return m.is_request() && m.kind() == dcp::value_kind::document && m.own_seqno() &&
           !m.parts.cut && !m.parts.value.empty();
}

void add_entry(export_object_list_t* list, const dcp_tap_data& d) {
    const dcp::message_view& m = d.message.view;
    const auto nmeta = static_cast<std::uint16_t>(m.number(field_id::nmeta).value_or(0));
    const dcp::document_view document =
        dcp::open_document(m.parts.value, m.head.datatype, nmeta, inflated);
    auto* entry = g_new0(export_object_entry_t, 1);
    entry->pkt_num = d.frame;
    entry->hostname = g_strdup_printf("vBucket %u", m.head.vbucket());
    entry->content_type =
        g_strdup((m.head.datatype & dcp::datatype_bit::json) != 0 ? "application/json"
                                                                  : "application/octet-stream");
    entry->filename = file_name(m.key.bytes, d);
    entry->payload_len = document.body.size();
    entry->payload_data = static_cast<std::uint8_t*>(g_malloc(document.body.size() + 1));
    std::copy(document.body.begin(), document.body.end(), entry->payload_data);
    inflated.shrink(keep_inflated);
    list->add_entry(list->gui_data, entry);
}

tap_packet_status export_document(void* where, packet_info*, epan_dissect_t*, const void* data,
                                  tap_flags_t) {
    const auto& d = *static_cast<const dcp_tap_data*>(data);
    if (!is_document(d.message.view)) return TAP_PACKET_DONT_REDRAW;
    const bool good =
        ws::quiet_boundary([&] { add_entry(static_cast<export_object_list_t*>(where), d); });
    return good ? TAP_PACKET_REDRAW : TAP_PACKET_DONT_REDRAW;
}

}  // namespace

dcp_export_taps register_dcp_exports(int proto) {
    return {.objects = register_export_object(proto, export_document, nullptr),
            .follow = ws::register_follow(proto, "cbdcp_follow")};
}

}  // namespace cdcscope
