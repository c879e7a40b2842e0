#include "plugin/canal_fields.h"

#include <array>
#include <cctype>
#include <deque>
#include <string>
#include <vector>

namespace cdcscope {
namespace {

using canal::message_id;

// Where the filter name is not simply made of the names in the .proto. `path` that starts with
// "canal." is the whole name.
struct name_row {
    message_id in;
    std::string_view field;
    std::string_view path;
    std::string_view title;  // empty: made of the name
};
constexpr name_row names[] = {
    {message_id::packet, "magic_number", "magic", "Magic"},
    {message_id::admin_packet, "magic_number", "magic", "Magic"},
    {message_id::messages, "batch_id", "canal.batch_id", ""},
    {message_id::client_ack, "batch_id", "canal.batch_id", ""},
    {message_id::client_rollback, "batch_id", "canal.batch_id", ""},
    {message_id::messages, "messages", "canal.entry", "Entry"},
    {message_id::entry, "entryType", "type", ""},
    {message_id::header, "serverenCode", "server_encoding", "Server Encoding"},
    {message_id::row_change, "rowDatas", "canal.row", "Row"},
    {message_id::row_data, "beforeColumns", "before.column", "Before"},
    {message_id::row_data, "afterColumns", "after.column", "After"},
    {message_id::column, "mysqlType", "mysql_type", "MySQL Type"},
};
struct prefix_row {
    message_id of;
    std::string_view prefix;
};
constexpr prefix_row prefixes[] = {
    {message_id::row_data, "canal.row"},
    {message_id::pair, "canal.gtid_log"},
};

// One filter over the messages that carry a field of this name.
struct alias_row {
    std::string_view field;
    const char* abbreviation;
    const char* title;
    int id = -1;
};
alias_row aliases[] = {
    {"destination", "canal.destination", "Destination"},
    {"client_id", "canal.client_id", "Client ID"},
};

// Owns what epan keeps pointing to.
struct registry {
    std::deque<std::string> text;
    std::deque<canal_use> uses;
    std::deque<std::vector<canal_use::member>> members;
    std::deque<std::vector<value_string>> value_strings;
    std::vector<hf_register_info> fields;
    std::vector<int*> trees;
    std::array<const value_string*, std::size(canal::enum_rows)> enums{};
    std::array<const canal_use*, canal_message_count> bodies{};
    const canal_use* packets[2] = {};
};
registry known;

const char* keep(std::string text) {
    return known.text.emplace_back(std::move(text)).c_str();
}

// "logfileOffset", "HeartBeat" -> "logfile_offset", "heart_beat".
std::string snake(std::string_view name) {
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const auto c = static_cast<unsigned char>(name[i]);
        if (std::isupper(c) != 0 && i > 0 &&
            std::islower(static_cast<unsigned char>(name[i - 1])) != 0)
            out += '_';
        out += static_cast<char>(std::tolower(c));
    }
    return out;
}

// "logfileOffset" -> "Logfile Offset".
std::string title_of(std::string_view name) {
    std::string out = snake(name);
    bool begins_word = true;
    for (char& c : out) {
        if (c == '_') c = ' ';
        if (begins_word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        begins_word = c == ' ';
    }
    if (out.ends_with("Props")) out.replace(out.size() - 5, 5, "Property");
    for (const std::string_view word : {"Id", "Gtid", "Sql", "Ddl"}) {
        for (std::size_t at = out.find(word); at != std::string::npos;
             at = out.find(word, at + 1)) {
            const bool whole = (at == 0 || out[at - 1] == ' ') &&
                               (at + word.size() == out.size() || out[at + word.size()] == ' ');
            for (std::size_t i = 0; whole && i < word.size(); ++i) {
                out[at + i] =
                    static_cast<char>(std::toupper(static_cast<unsigned char>(out[at + i])));
            }
        }
    }
    return out;
}

std::string prefix_of(message_id id) {
    for (const prefix_row& p : prefixes) {
        if (p.of == id) return std::string(p.prefix);
    }
    const canal::message_row& row = canal::row_of(id);
    return (row.admin ? "canal.admin." : "canal.") + snake(row.name);
}

const name_row* find_name(message_id in, std::string_view field) {
    for (const name_row& n : names) {
        if (n.in == in && n.field == field) return &n;
    }
    return nullptr;
}

std::string path_of(const std::string& prefix, message_id in, const canal::field_row& f) {
    if (const name_row* n = find_name(in, f.name)) {
        return n->path.starts_with("canal.") ? std::string(n->path)
                                             : prefix + "." + std::string(n->path);
    }
    std::string part = snake(f.name);
    if (f.repeated && part.ends_with("s")) part.pop_back();  // props -> prop
    return prefix + "." + part;
}

const value_string* names_of(canal::enum_id id) {
    const std::size_t at = static_cast<std::size_t>(id) - 1;
    if (known.enums[at] == nullptr) {
        std::vector<value_string>& made = known.value_strings.emplace_back();
        for (const canal::enum_value& v : canal::row_of(id).values) {
            made.push_back({static_cast<std::uint32_t>(v.number), keep(std::string(v.name))});
        }
        made.push_back({0, nullptr});
        known.enums[at] = made.data();
    }
    return known.enums[at];
}

// Fields that say more when shown in another way than their type tells.
struct special_row {
    std::string_view field;
    ftenum type;
    int display;
    const value_string* values;
};
constexpr value_string time_units[] = {  // ordinals of Java's TimeUnit
    {0, "Nanoseconds"}, {1, "Microseconds"}, {2, "Milliseconds"}, {3, "Seconds"},
    {4, "Minutes"},     {5, "Hours"},        {6, "Days"},         {0, nullptr}};
constexpr value_string sql_types[] = {  // java.sql.Types
    {static_cast<std::uint32_t>(-16), "LONGNVARCHAR"},
    {static_cast<std::uint32_t>(-15), "NCHAR"},
    {static_cast<std::uint32_t>(-9), "NVARCHAR"},
    {static_cast<std::uint32_t>(-8), "ROWID"},
    {static_cast<std::uint32_t>(-7), "BIT"},
    {static_cast<std::uint32_t>(-6), "TINYINT"},
    {static_cast<std::uint32_t>(-5), "BIGINT"},
    {static_cast<std::uint32_t>(-4), "LONGVARBINARY"},
    {static_cast<std::uint32_t>(-3), "VARBINARY"},
    {static_cast<std::uint32_t>(-2), "BINARY"},
    {static_cast<std::uint32_t>(-1), "LONGVARCHAR"},
    {0, "NULL"},
    {1, "CHAR"},
    {2, "NUMERIC"},
    {3, "DECIMAL"},
    {4, "INTEGER"},
    {5, "SMALLINT"},
    {6, "FLOAT"},
    {7, "REAL"},
    {8, "DOUBLE"},
    {12, "VARCHAR"},
    {16, "BOOLEAN"},
    {70, "DATALINK"},
    {91, "DATE"},
    {92, "TIME"},
    {93, "TIMESTAMP"},
    {1111, "OTHER"},
    {2000, "JAVA_OBJECT"},
    {2001, "DISTINCT"},
    {2002, "STRUCT"},
    {2003, "ARRAY"},
    {2004, "BLOB"},
    {2005, "CLOB"},
    {2006, "REF"},
    {2009, "SQLXML"},
    {2011, "NCLOB"},
    {0, nullptr}};
const special_row specials[] = {
    {"executeTime", FT_ABSOLUTE_TIME, ABSOLUTE_TIME_UTC, nullptr},
    {"unit", FT_INT32, BASE_DEC, time_units},
    {"sqlType", FT_INT32, BASE_DEC, sql_types},
};

header_field_info describe(const char* title, const char* abbreviation, const canal::field_row& f) {
    header_field_info h = {title, abbreviation, FT_NONE, BASE_NONE, nullptr, 0, nullptr, HFILL};
    for (const special_row& s : specials) {
        if (s.field != f.name) continue;
        h.type = s.type;
        h.display = s.display;
        h.strings = s.values == nullptr ? nullptr : VALS(s.values);
        return h;
    }
    switch (f.kind) {
        case canal::field_kind::int32:
            h.type = FT_INT32, h.display = BASE_DEC;
            break;
        case canal::field_kind::int64:
            h.type = FT_INT64, h.display = BASE_DEC;
            break;
        case canal::field_kind::boolean:
            h.type = FT_BOOLEAN;
            break;
        case canal::field_kind::enumeration:
            h.type = FT_INT32, h.display = BASE_DEC, h.strings = VALS(names_of(f.enumeration));
            break;
        case canal::field_kind::text:
            h.type = FT_STRING;
            break;
        case canal::field_kind::bytes:
            h.type = f.holds == canal::content::plain ? FT_BYTES : FT_NONE;
            break;
        case canal::field_kind::message:
            h.type = FT_NONE;
            break;
    }
    return h;
}

int* alias_for(std::string_view field) {
    for (alias_row& a : aliases) {
        if (a.field == field) return &a.id;
    }
    return nullptr;
}

// The schema has no cycle, so this ends.
const canal_use* make_use(message_id id, const std::string& prefix, const char* title) {
    const canal::message_row& row = canal::row_of(id);
    canal_use& use = known.uses.emplace_back();
    std::vector<canal_use::member>& members = known.members.emplace_back(row.fields.size());
    use = {.message = id, .title = title, .tree = -1, .value_bytes = -1, .members = members.data()};
    known.trees.push_back(&use.tree);
    for (std::size_t i = 0; i < row.fields.size(); ++i) {
        const canal::field_row& f = row.fields[i];
        const std::string path = path_of(prefix, id, f);
        const name_row* named = find_name(id, f.name);
        const bool titled = named != nullptr && !named->title.empty();
        const char* name = keep(titled ? std::string(named->title) : title_of(f.name));
        members[i].row = &f;
        known.fields.push_back({&members[i].field, describe(name, keep(path), f)});
        if (f.kind == canal::field_kind::message || f.holds == canal::content::one_message) {
            members[i].inner = make_use(f.message, path, name);
        }
    }
    if (id == message_id::column) {
        known.fields.push_back(
            {&use.value_bytes,
             {"Value as Bytes", keep(prefix + ".value_bytes"), FT_BYTES, BASE_NONE, nullptr, 0,
              "Binary values travel as text, one character a byte", HFILL}});
    }
    return &use;
}

void make_body(message_id id) {
    if (id == message_id::none) return;
    const canal_use*& body = known.bodies[static_cast<std::size_t>(id) - 1];
    if (body == nullptr) body = make_use(id, prefix_of(id), keep(title_of(canal::row_of(id).name)));
}

}  // namespace

const canal_use::member* canal_use::find(std::uint32_t number) const noexcept {
    const std::span<const canal::field_row> rows = canal::row_of(message).fields;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].number == number) return &members[i];
    }
    return nullptr;
}

const canal_use& canal_packet_use(canal::port_kind port) {
    return *known.packets[static_cast<std::size_t>(port)];
}

const canal_use* canal_body_use(message_id body) {
    return body == message_id::none ? nullptr : known.bodies[static_cast<std::size_t>(body) - 1];
}

void register_canal_fields(int proto) {
    for (const canal::port_kind port : {canal::port_kind::data, canal::port_kind::admin}) {
        const message_id packet = canal::packet_message(port);
        known.packets[static_cast<std::size_t>(port)] =
            make_use(packet, prefix_of(packet), "Packet");
    }
    for (const canal::packet_row& r : canal::packet_rows) make_body(r.body);
    for (const canal::packet_row& r : canal::admin_packet_rows) make_body(r.body);
    for (std::int32_t type = 0; type < 16; ++type) make_body(canal::stored_message(type));
    for (alias_row& a : aliases) {
        known.fields.push_back(
            {&a.id, {a.title, a.abbreviation, FT_STRING, BASE_NONE, nullptr, 0, nullptr, HFILL}});
    }
    proto_register_field_array(proto, known.fields.data(), static_cast<int>(known.fields.size()));
    proto_register_subtree_array(known.trees.data(), static_cast<int>(known.trees.size()));
    for (std::vector<canal_use::member>& members : known.members) {
        for (canal_use::member& m : members) {
            if (const int* alias = alias_for(m.row->name)) m.alias = *alias;
        }
    }
}

}  // namespace cdcscope
