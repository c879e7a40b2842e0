#include "plugin/canal_labels.h"

#include <iterator>

#include "plugin/text.h"
#include "proto/canal/view.h"
#include "proto/wire/utf8.h"

namespace cdcscope {
namespace {

using canal::message_field;
using canal::message_id;

constexpr std::int32_t sql_type_blob = 2004;   // java.sql.Types.BLOB
constexpr std::size_t most_blob_buffers = 16;  // each is a tab in the window
constexpr std::size_t longest_text = 60;

int hf_table = -1;
int hf_lag = -1;

const char* shown(const canal_walk& w, std::string_view text) {
    return ws::printable(w.pinfo, as_bytes(text), longest_text);
}

const char* plural(std::size_t n) {
    return n == 1 ? "" : "s";
}

std::size_t count(byte_view message, std::uint32_t number) {
    std::size_t n = 0;
    for ([[maybe_unused]] const byte_view each : canal::occurrences(message, number)) ++n;
    return n;
}

void label_entry(const canal_walk& w, proto_item* item, byte_view bytes) {
    const canal::entry_view entry = canal::parse_entry(bytes);
    if (static_cast<canal::entry_type>(entry.type) != canal::entry_type::rowdata) {
        const std::string_view name = canal::row_of(canal::enum_id::entry_type).find(entry.type);
        proto_item_append_text(item, ": %s", name.empty() ? "unknown type" : ws::c_str(name));
        return;
    }
    const canal::row_change_view change = canal::parse_row_change(entry.store);
    const std::string_view event = canal::row_of(canal::enum_id::event_type)
                                       .find(entry.header.event_type.value_or(change.event_type));
    proto_item_append_text(item, ": %s %s", event.empty() ? "ROWDATA" : ws::c_str(event),
                           canal_table_name(w.pinfo, bytes));
    if (change.rows > 0) {
        proto_item_append_text(item, ", %u row%s", change.rows, plural(change.rows));
    }
    if (change.is_ddl) proto_item_append_text(item, ", DDL");
}

void label_header(const canal_walk& w, proto_item* item, byte_view bytes) {
    std::string_view file;
    std::int64_t offset = 0;
    canal::message_reader reader(message_id::header, bytes);
    message_field f;
    while (reader.next(f)) {
        if (f.row == nullptr) continue;
        if (f.number == canal::fields::header::logfile_name) file = as_text(f.bytes);
        if (f.number == canal::fields::header::logfile_offset) offset = f.as_int64();
    }
    if (!file.empty()) {
        proto_item_append_text(item, ": %s, offset %" PRIi64, shown(w, file), offset);
    }
}

void label_column(const canal_walk& w, proto_item* item, byte_view bytes) {
    const canal::column_view column = canal::parse_column(bytes);
    const char* value = "NULL";
    if (!column.is_null) value = column.value.empty() ? "\"\"" : shown(w, column.value);
    proto_item_append_text(item, ": %s = %s%s%s", shown(w, column.name), value,
                           column.is_key ? ", key" : "", column.updated ? ", updated" : "");
}

void label_row(proto_item* item, byte_view bytes) {
    const std::size_t before = count(bytes, canal::fields::row_data::before_columns);
    const std::size_t after = count(bytes, canal::fields::row_data::after_columns);
    proto_item_append_text(item, ": %zu column%s before, %zu after", before, plural(before), after);
}

void label_pair(const canal_walk& w, proto_item* item, byte_view bytes) {
    const canal::pair_view pair = canal::parse_pair(bytes);
    proto_item_append_text(item, ": %s = %s", shown(w, pair.key), shown(w, pair.value));
}

// Numbers with a meaning of their own.
struct remark_row {
    message_id in;
    std::uint32_t number;
    std::int64_t value;
    const char* remark;
};
constexpr remark_row remarks[] = {
    {message_id::messages, canal::fields::messages::batch_id, -1, "nothing new"},
    {message_id::client_ack, canal::fields::client_ack::batch_id, 0, "refused by the server"},
    {message_id::client_ack, canal::fields::client_ack::batch_id, -1, "ignored by the server"},
    {message_id::client_rollback, canal::fields::client_rollback::batch_id, 0, "all open batches"},
    {message_id::get, canal::fields::get::timeout, -1, "no wait"},
    {message_id::get, canal::fields::get::timeout, 0, "wait until fetch_size is reached"},
};

void add_table(const canal_walk& w, proto_tree* tree, const message_field& entry) {
    if (!ws::is_wanted(tree, hf_table)) return;
    const char* name = canal_table_name(w.pinfo, entry.bytes);
    if (*name == '\0') return;
    proto_item_set_generated(
        proto_tree_add_string(tree, hf_table, w.tvb, static_cast<int>(entry.value), 0, name));
}

// Packet time minus executeTime, which has a resolution of one second.
void add_lag(const canal_walk& w, proto_tree* tree, const message_field& entry) {
    if (!ws::is_wanted(tree, hf_lag)) return;
    const std::int64_t executed = canal::parse_entry(entry.bytes).header.execute_time;
    if (executed <= 0) return;
    const nstime_t start = canal_time(executed);
    nstime_t lag;
    nstime_delta(&lag, &w.pinfo->abs_ts, &start);
    proto_item_set_generated(
        proto_tree_add_time(tree, hf_lag, w.tvb, static_cast<int>(entry.value), 0, &lag));
}

// Binary columns are bytes taken for ISO-8859-1 and sent as UTF-8. Null if this value is not.
std::uint8_t* undo_blob(packet_info* pinfo, byte_view text, std::size_t& size) {
    auto* out = static_cast<std::uint8_t*>(wmem_alloc(pinfo->pool, text.size()));
    size = 0;
    while (!text.empty()) {
        const code_point c = decode_utf8(text);
        if (c.size == 0 || c.value > 0xff) return nullptr;
        out[size++] = static_cast<std::uint8_t>(c.value);
        text = text.subspan(c.size);
    }
    return out;
}

void add_blob(canal_walk& w, proto_tree* tree, const canal_use& use, const message_field& f) {
    if (!ws::is_wanted(tree, use.value_bytes)) return;
    const canal::column_view column = canal::parse_column(f.bytes);
    if (column.sql_type != sql_type_blob || column.value.empty()) return;
    std::size_t size = 0;
    const std::uint8_t* blob = undo_blob(w.pinfo, as_bytes(column.value), size);
    if (blob == nullptr) return;
    proto_item* item = nullptr;
    if (w.visible && w.blobs < most_blob_buffers) {
        ++w.blobs;
        tvbuff_t* content = tvb_new_child_real_data(w.tvb, blob, static_cast<unsigned>(size),
                                                    static_cast<int>(size));
        add_new_data_source(w.pinfo, content, "Binary column");
        item = proto_tree_add_item(tree, use.value_bytes, content, 0, -1, ENC_NA);
    } else {
        item = proto_tree_add_bytes_with_length(tree, use.value_bytes, w.tvb,
                                                static_cast<int>(f.value), 0, blob,
                                                static_cast<int>(size));
    }
    proto_item_set_generated(item);
}

}  // namespace

nstime_t canal_time(std::int64_t milliseconds) {
    std::int64_t seconds = milliseconds / 1000;
    std::int64_t rest = milliseconds % 1000;
    if (rest < 0) {
        rest += 1000;
        --seconds;
    }
    return {static_cast<time_t>(seconds), static_cast<int>(rest * 1'000'000)};
}

const char* canal_table_name(packet_info* pinfo, byte_view bytes) {
    constexpr std::size_t longest_name = 256;
    const canal::header_view header = canal::parse_entry(bytes).header;
    const char* table = ws::printable(pinfo, as_bytes(header.table), longest_name);
    if (header.schema.empty()) return table;
    const char* schema = ws::printable(pinfo, as_bytes(header.schema), longest_name);
    if (header.table.empty()) return schema;
    return wmem_strdup_printf(pinfo->pool, "%s.%s", schema, table);
}

void label_canal_message(const canal_walk& w, proto_item* item, const canal_use& use,
                         const message_field& f) {
    switch (use.message) {
        case message_id::entry:
            return label_entry(w, item, f.bytes);
        case message_id::header:
            return label_header(w, item, f.bytes);
        case message_id::row_data:
            return label_row(item, f.bytes);
        case message_id::column:
            return label_column(w, item, f.bytes);
        case message_id::pair:
            return label_pair(w, item, f.bytes);
        default:
            proto_item_append_text(item, ": %s", use.title);
    }
}

void label_canal_number(proto_item* item, const canal_use& use, const message_field& f) {
    for (const remark_row& r : remarks) {
        if (r.in == use.message && r.number == f.number && r.value == f.as_int64()) {
            proto_item_append_text(item, " (%s)", r.remark);
        }
    }
}

void add_canal_generated(canal_walk& w, proto_tree* tree, const canal_use& use,
                         const message_field& f) {
    if (use.message == message_id::column) return add_blob(w, tree, use, f);
    if (use.message != message_id::entry) return;
    add_table(w, tree, f);
    add_lag(w, tree, f);
}

void register_canal_labels(int proto) {
    static hf_register_info fields[] = {
        {&hf_table,
         {"Table", "canal.table", FT_STRING, BASE_NONE, nullptr, 0, "Schema and table of the entry",
          HFILL}},
        {&hf_lag,
         {"Lag", "canal.lag", FT_RELATIVE_TIME, BASE_NONE, nullptr, 0,
          "Packet time minus executeTime, which has a resolution of one second and the clock of "
          "the database",
          HFILL}},
    };
    proto_register_field_array(proto, fields, static_cast<int>(std::size(fields)));
}

}  // namespace cdcscope
