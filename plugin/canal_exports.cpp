// "Export Objects": the row changes of a batch, one JSON file an entry. "Follow stream": the
// packets of a connection.
#include "plugin/boundary.h"
#include "plugin/canal_labels.h"
#include "plugin/canal_taps.h"
#include "plugin/follow.h"
#include "plugin/text.h"
#include "proto/canal/view.h"
#include "proto/json/json_writer.h"
#include "proto/wire/utf8.h"

namespace cdcscope {
namespace {

constexpr std::size_t longest_name = 100;

void write_columns(json_writer& out, std::string_view name, byte_view row, std::uint32_t number) {
    out.name(name).begin_object();
    for (const byte_view bytes : canal::occurrences(row, number)) {
        const canal::column_view column = canal::parse_column(bytes);
        const bool named = is_utf8(as_bytes(column.name));
        out.name(named ? column.name : "(not UTF-8)");
        if (column.is_null) {
            out.null();
        } else if (is_utf8(as_bytes(column.value))) {
            out.string(column.value);
        } else {
            out.base64(as_bytes(column.value));
        }
    }
    out.end_object();
}

void write_change(json_writer& out, const canal::entry_view& entry) {
    const canal::row_change_view change = canal::parse_row_change(entry.store);
    out.begin_object();
    out.text_or_base64("schema", as_bytes(entry.header.schema));
    out.text_or_base64("table", as_bytes(entry.header.table));
    out.field("type", canal::row_of(canal::enum_id::event_type).find(change.event_type));
    out.field("executeTime", entry.header.execute_time);
    if (!change.sql.empty()) out.text_or_base64("sql", as_bytes(change.sql));
    out.name("rows").begin_array();
    for (const byte_view row :
         canal::occurrences(entry.store, canal::fields::row_change::row_datas)) {
        out.begin_object();
        write_columns(out, "before", row, canal::fields::row_data::before_columns);
        write_columns(out, "after", row, canal::fields::row_data::after_columns);
        out.end_object();
    }
    out.end_array().end_object();
}

// "shop.orders-3-1.json": table, batch, place in the batch. What may not stand in a file's name
// becomes `_`.
char* file_name(packet_info* pinfo, byte_view entry, std::int64_t batch, unsigned place) {
    char* name = g_strdup_printf("%.*s-%" PRIi64 "-%u.json", static_cast<int>(longest_name),
                                 canal_table_name(pinfo, entry), batch, place);
    for (char* c = name; *c != '\0'; ++c) {
        if (!g_ascii_isalnum(*c) && *c != '.' && *c != '-') *c = '_';
    }
    return name;
}

void add_entries(export_object_list_t* list, packet_info* pinfo, const canal_tap_data& d) {
    json_writer out;
    const canal::packet_view packet = canal::parse_packet(d.payload, d.packet.port);
    const std::int64_t batch = canal::parse_messages(packet.body).batch_id;
    unsigned place = 0;
    for (const byte_view bytes :
         canal::occurrences(packet.body, canal::fields::messages::messages)) {
        ++place;
        const canal::entry_view entry = canal::parse_entry(bytes);
        if (entry.type != static_cast<std::int32_t>(canal::entry_type::rowdata)) continue;
        out.clear();
        write_change(out, entry);
        const std::string_view text = out.text();
        auto* object = g_new0(export_object_entry_t, 1);
        object->pkt_num = d.frame;
        object->hostname = g_strdup(canal_table_name(pinfo, bytes));
        object->content_type = g_strdup("application/json");
        object->filename = file_name(pinfo, bytes, batch, place);
        object->payload_len = text.size();
        object->payload_data = reinterpret_cast<std::uint8_t*>(g_strndup(text.data(), text.size()));
        list->add_entry(list->gui_data, object);
    }
}

tap_packet_status export_changes(void* where, packet_info* pinfo, epan_dissect_t*, const void* data,
                                 tap_flags_t) {
    const auto& d = *static_cast<const canal_tap_data*>(data);
    const bool messages = d.packet.port == canal::port_kind::data &&
                          d.type == static_cast<std::int32_t>(canal::packet_type::messages);
    if (!messages) return TAP_PACKET_DONT_REDRAW;
    const bool good = ws::quiet_boundary(
        [&] { add_entries(static_cast<export_object_list_t*>(where), pinfo, d); });
    return good ? TAP_PACKET_REDRAW : TAP_PACKET_DONT_REDRAW;
}

}  // namespace

canal_export_taps register_canal_exports(int proto) {
    return {.objects = register_export_object(proto, export_changes, nullptr),
            .follow = ws::register_follow(proto, "canal_follow")};
}

}  // namespace cdcscope
