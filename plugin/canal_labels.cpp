#include "plugin/canal_labels.h"

#include "plugin/text.h"
#include "proto/wire/utf8.h"

namespace cdcscope {
namespace {

using canal::message_id;
using canal::wire_field;
using canal::wire_type;

constexpr std::int32_t sql_type_blob = 2004;   // java.sql.Types.BLOB
constexpr std::size_t most_blob_buffers = 16;  // each is a tab in the window

int hf_table = -1;
int hf_lag = -1;

const char* text_in(const canal_walk& w, std::size_t from, std::size_t to, std::uint32_t number,
                    std::size_t most = 60) {
    wire_field f;
    if (!find_canal_field(w.bytes, from, to, number, wire_type::length, f)) return nullptr;
    return ws::printable(w.pinfo, f.bytes, most);
}

std::int64_t number_in(const canal_walk& w, std::size_t from, std::size_t to, std::uint32_t number,
                       std::int64_t absent) {
    wire_field f;
    return find_canal_field(w.bytes, from, to, number, wire_type::varint, f) ? f.as_int64()
                                                                             : absent;
}

std::size_t count_in(const canal_walk& w, std::size_t from, std::size_t to, std::uint32_t number) {
    const std::size_t end = std::min(to, w.bytes.size());
    canal::wire_reader reader(w.bytes.subspan(std::min(from, end), end - std::min(from, end)),
                              from);
    wire_field f;
    std::size_t n = 0;
    while (reader.next(f)) n += f.number == number ? 1 : 0;
    return n;
}

const char* plural(std::size_t n) {
    return n == 1 ? "" : "s";
}

void label_entry(const canal_walk& w, proto_item* item, std::size_t from, std::size_t to,
                 std::int64_t type) {
    namespace entry = canal::fields::entry;
    const std::string_view type_name = canal::row_of(canal::enum_id::entry_type).find(type);
    if (static_cast<canal::entry_type>(type) != canal::entry_type::rowdata) {
        proto_item_append_text(item, ": %s",
                               type_name.empty() ? "unknown type" : ws::c_str(type_name));
        return;
    }
    wire_field header;
    wire_field stored;
    if (!find_canal_field(w.bytes, from, to, entry::header, wire_type::length, header)) return;
    const std::int64_t event =
        number_in(w, header.value, header.end, canal::fields::header::event_type,
                  static_cast<std::int64_t>(canal::event_type::update));
    const std::string_view event_name = canal::row_of(canal::enum_id::event_type).find(event);
    proto_item_append_text(item, ": %s %s", event_name.empty() ? "ROWDATA" : ws::c_str(event_name),
                           canal_table_name(w, header.value, header.end));
    if (!find_canal_field(w.bytes, from, to, entry::store_value, wire_type::length, stored)) return;
    const std::size_t rows =
        count_in(w, stored.value, stored.end, canal::fields::row_change::row_datas);
    if (rows > 0) proto_item_append_text(item, ", %zu row%s", rows, plural(rows));
}

void label_column(const canal_walk& w, proto_item* item, std::size_t from, std::size_t to) {
    namespace column = canal::fields::column;
    const char* name = text_in(w, from, to, column::name);
    const char* value = text_in(w, from, to, column::value);
    const bool is_null = number_in(w, from, to, column::is_null, 0) != 0;
    proto_item_append_text(item, ": %s = %s%s%s", name == nullptr ? "" : name,
                           is_null ? "NULL" : (value == nullptr ? "\"\"" : value),
                           number_in(w, from, to, column::is_key, 0) != 0 ? ", key" : "",
                           number_in(w, from, to, column::updated, 0) != 0 ? ", updated" : "");
}

void label_row(const canal_walk& w, proto_item* item, std::size_t from, std::size_t to) {
    const std::size_t before = count_in(w, from, to, canal::fields::row_data::before_columns);
    const std::size_t after = count_in(w, from, to, canal::fields::row_data::after_columns);
    proto_item_append_text(item, ": %zu column%s before, %zu after", before, plural(before), after);
}

void label_pair(const canal_walk& w, proto_item* item, std::size_t from, std::size_t to) {
    const char* key = text_in(w, from, to, canal::fields::pair::key);
    const char* value = text_in(w, from, to, canal::fields::pair::value);
    proto_item_append_text(item, ": %s = %s", key == nullptr ? "" : key,
                           value == nullptr ? "\"\"" : value);
}

void label_header(const canal_walk& w, proto_item* item, std::size_t from, std::size_t to) {
    const char* file = text_in(w, from, to, canal::fields::header::logfile_name);
    if (file == nullptr) return;
    proto_item_append_text(item, ": %s, offset %" PRIi64, file,
                           number_in(w, from, to, canal::fields::header::logfile_offset, 0));
}

// Numbers with a meaning of their own (canal.md sections 6 and 8).
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

void add_table(const canal_walk& w, proto_tree* tree, const wire_field& header) {
    if (!ws::is_wanted(tree, hf_table)) return;
    const char* name = canal_table_name(w, header.value, header.end);
    if (*name == '\0') return;
    proto_item_set_generated(
        proto_tree_add_string(tree, hf_table, w.tvb, static_cast<int>(header.tag),
                              static_cast<int>(header.end - header.tag), name));
}

// Packet time minus executeTime, which has a resolution of one second (canal.md section 11).
void add_lag(const canal_walk& w, proto_tree* tree, const wire_field& header) {
    if (!ws::is_wanted(tree, hf_lag)) return;
    const std::int64_t executed =
        number_in(w, header.value, header.end, canal::fields::header::execute_time, 0);
    if (executed <= 0) return;
    const nstime_t start = canal_time(executed);
    nstime_t lag;
    nstime_delta(&lag, &w.pinfo->abs_ts, &start);
    proto_item_set_generated(proto_tree_add_time(tree, hf_lag, w.tvb, static_cast<int>(header.tag),
                                                 static_cast<int>(header.end - header.tag), &lag));
}

// Binary columns are bytes taken for ISO-8859-1 and sent as UTF-8 (canal.md section 10). Null if
// this value is not.
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

void add_blob(canal_walk& w, proto_tree* tree, const canal_use& use, std::size_t from,
              std::size_t to) {
    namespace column = canal::fields::column;
    if (!ws::is_wanted(tree, use.value_bytes) ||
        number_in(w, from, to, column::sql_type, 0) != sql_type_blob)
        return;
    wire_field value;
    if (!find_canal_field(w.bytes, from, to, column::value, wire_type::length, value) ||
        value.bytes.empty())
        return;
    std::size_t size = 0;
    const std::uint8_t* blob = undo_blob(w.pinfo, value.bytes, size);
    if (blob == nullptr) return;
    proto_item* item;
    if (w.blobs < most_blob_buffers) {
        ++w.blobs;
        tvbuff_t* content = tvb_new_child_real_data(w.tvb, blob, static_cast<unsigned>(size),
                                                    static_cast<int>(size));
        add_new_data_source(w.pinfo, content, "Binary column");
        item = proto_tree_add_item(tree, use.value_bytes, content, 0, -1, ENC_NA);
    } else {
        item = proto_tree_add_bytes_with_length(
            tree, use.value_bytes, w.tvb, static_cast<int>(value.tag),
            static_cast<int>(value.end - value.tag), blob, static_cast<int>(size));
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

const char* canal_table_name(const canal_walk& w, std::size_t from, std::size_t to) {
    constexpr std::size_t longest_name = 256;
    const char* schema = text_in(w, from, to, canal::fields::header::schema_name, longest_name);
    const char* table = text_in(w, from, to, canal::fields::header::table_name, longest_name);
    if (schema == nullptr || *schema == '\0') return table == nullptr ? "" : table;
    if (table == nullptr || *table == '\0') return schema;
    return wmem_strdup_printf(w.pinfo->pool, "%s.%s", schema, table);
}

void label_canal_message(const canal_walk& w, proto_item* item, const canal_use& use,
                         std::size_t from, std::size_t to, std::int64_t type) {
    switch (use.message) {
        case message_id::entry:
            return label_entry(w, item, from, to, type);
        case message_id::header:
            return label_header(w, item, from, to);
        case message_id::row_data:
            return label_row(w, item, from, to);
        case message_id::column:
            return label_column(w, item, from, to);
        case message_id::pair:
            return label_pair(w, item, from, to);
        default:
            proto_item_append_text(item, ": %s", use.title);
    }
}

void label_canal_number(const canal_walk&, proto_item* item, const canal_use& use,
                        const wire_field& f) {
    for (const remark_row& r : remarks) {
        if (r.in == use.message && r.number == f.number && r.value == f.as_int64()) {
            proto_item_append_text(item, " (%s)", r.remark);
        }
    }
}

void add_canal_generated(canal_walk& w, proto_tree* tree, const canal_use& use, std::size_t from,
                         std::size_t to) {
    if (use.message == message_id::column) return add_blob(w, tree, use, from, to);
    if (use.message != message_id::entry) return;
    wire_field header;
    if (!find_canal_field(w.bytes, from, to, canal::fields::entry::header, wire_type::length,
                          header))
        return;
    add_table(w, tree, header);
    add_lag(w, tree, header);
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
    proto_register_field_array(proto, fields, array_length(fields));
}

}  // namespace cdcscope
