#include "docs/generate/canal_schema.h"

#include <algorithm>

#include "docs/generate/pretty_json.h"
#include "docs/generate/wire_schema.h"
#include "proto/canal/packet_types.h"
#include "proto/canal/time_unit.h"

namespace cdcscope::docs {
namespace {

using namespace canal;

constexpr std::string_view head =
    R"({"$schema":"https://json-schema.org/draft/2020-12/schema","title":"cdcscope canal )";
constexpr std::string_view any_int64 = R"({"type":["integer","string"],"pattern":"^-?[0-9]+$"})";
constexpr std::string_view any_base64 = R"({"type":"string","contentEncoding":"base64"})";
constexpr std::string_view any_text = R"({"anyOf":[{"type":"string"},{"$ref":"#/$defs/bytes"}]})";
constexpr std::string_view bytes_object =
    R"({"type":"object","properties":{"base64":{"type":"string","contentEncoding":"base64"}},"required":["base64"]})";
constexpr std::string_view position_object =
    R"({"type":"object","required":["journalName","position","serverId"],"properties":{"journalName":{"$ref":"#/$defs/text"},
"position":{"$ref":"#/$defs/int64"},"serverId":{"$ref":"#/$defs/int64"}}})";

constexpr std::string_view unknown_fields =
    R"({"type":"array","minItems":1,"items":{"type":"object","required":["message","number"],"minProperties":3,"maxProperties":3,
"additionalProperties":false,"properties":{"message":{"type":"string"},"number":{"type":"integer","minimum":1},
"varint":{"type":["integer","string"]},"fixed32":{"type":["integer","string"]},"fixed64":{"type":["integer","string"]},
"base64":{"type":"string"},"groupBase64":{"type":"string"}}}})";

template <typename Names>
std::string name_or_number(const Names& names) {
    std::string out = R"({"anyOf":[{"type":"integer"},{"enum":[)";
    bool first = true;
    for (const auto& each : names) {
        out += (first ? "\"" : ",\"") + std::string(each.name) + "\"";
        first = false;
    }
    return out + "]}]}";
}

void add(std::string& out, std::string_view name, std::string_view schema) {
    if (out.back() != '{') out += ',';
    out += "\"" + std::string(name) + "\":" + std::string(schema);
}

void add_field(std::string& out, const field_row& f, bool is_get) {
    switch (f.kind) {
        case field_kind::int32:
            add(out, f.json_name,
                is_get && f.number == fields::get::unit ? name_or_number(time_units)
                                                        : R"({"type":"integer"})");
            return;
        case field_kind::int64:
            add(out, f.json_name, any_int64);
            return;
        case field_kind::boolean:
            add(out, f.json_name, R"({"type":"boolean"})");
            return;
        case field_kind::enumeration:
            add(out, f.json_name, name_or_number(row_of(f.enumeration).values));
            return;
        case field_kind::text:
            add(out, f.json_name, R"({"type":"string"})");
            add(out, std::string(f.json_name) + "Base64", any_base64);
            return;
        case field_kind::bytes:
            add(out, f.json_name, f.secret ? R"({"type":"string"})" : any_base64);
            return;
        case field_kind::message:
            return;
    }
}

std::string packet_schema(const packet_row& row, port_kind port) {
    const std::string_view name = packet_type_name(port, row.type);
    const bool admin = port == port_kind::admin;
    std::string out(head);
    out += (admin ? "admin packet " : "packet ") + std::string(name) +
           R"(","type":"object","properties":{)";
    add(out, "packet", "{\"const\":\"" + std::string(name) + "\"}");
    if (admin) add(out, "admin", R"({"const":true})");
    for (const std::string_view number : {"magicNumber", "version"})
        add(out, number, R"({"type":"integer"})");
    if (!admin) add(out, "compression", name_or_number(row_of(enum_id::compression).values));
    if (row.body == message_id::messages) {
        add(out, "batchId", any_int64);
        add(out, "entries", R"({"type":"integer","minimum":1})");
    } else if (row.body == message_id::none) {
        add(out, "bodyBase64", any_base64);
    } else {
        for (const field_row& f : row_of(row.body).fields)
            add_field(out, f, row.body == message_id::get);
    }
    if (row.from == sender::server) {
        add(out, "answers",
            R"({"type":"object","properties":{"packet":{"type":"string"},"frame":{"type":"integer","minimum":1}},"required":["frame"]})");
        add(out, "waitedMs", R"({"type":"number","minimum":0})");
    }
    add(out, "malformed", R"({"type":"string"})");
    add(out, "unknownFields", unknown_fields);
    add(out, "raw", any_base64);
    add(out, "wire", R"({"$ref":"#/$defs/wire"})");
    const bool batch = row.body == message_id::messages || row.body == message_id::client_ack ||
                       row.body == message_id::client_rollback;
    out += std::string(R"(},"required":["packet",)") + (admin ? R"("admin",)" : "") +
           (batch ? R"("batchId",)" : "") + R"("wire"],"$defs":{"wire":)" +
           std::string(wire_schema) + "}}";
    return out;
}

std::string defs() {
    return R"("$defs":{"bytes":)" + std::string(bytes_object) + R"(,"text":)" +
           std::string(any_text) + R"(,"int64":)" + std::string(any_int64) + R"(,"position":)" +
           std::string(position_object) +
           R"(,"row":{"type":"object","additionalProperties":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/text"}]}}})";
}

std::string row_schema() {
    return std::string(head) +
           R"(row change, a FlatMessage","type":"object","required":["id","database","table","isDdl","type","es","ts","sql","data","old",
"pkNames","sqlType","mysqlType","gtid","position"],"properties":{"id":{"$ref":"#/$defs/int64"},"database":{"$ref":"#/$defs/text"},
"table":{"$ref":"#/$defs/text"},"isDdl":{"type":"boolean"},"type":{"type":"string"},"es":{"$ref":"#/$defs/int64"},
"ts":{"$ref":"#/$defs/int64"},"sql":{"$ref":"#/$defs/text"},"gtid":{"$ref":"#/$defs/text"},
"pkNames":{"anyOf":[{"type":"null"},{"type":"array","items":{"$ref":"#/$defs/text"}}]},
"sqlType":{"type":["object","null"],"additionalProperties":{"type":"integer"}},
"mysqlType":{"type":["object","null"],"additionalProperties":{"$ref":"#/$defs/text"}},
"data":{"anyOf":[{"type":"null"},{"type":"array","items":{"$ref":"#/$defs/row"}}]},
"old":{"anyOf":[{"type":"null"},{"type":"array","items":{"$ref":"#/$defs/row"}}]},
"position":{"$ref":"#/$defs/position"},"rowOffset":{"type":"integer","minimum":1},"malformed":{"type":"string"}},)" +
           defs() + "}";
}

std::string transaction_schema() {
    return std::string(head) +
           R"(entry that is no row change","type":"object","required":["event","id","es","ts","position"],"properties":{
"event":{"type":"string","pattern":"^(transaction_begin|transaction_end|heartbeat|gtid|entry_type_-?[0-9]+)$"},
"id":{"$ref":"#/$defs/int64"},"es":{"$ref":"#/$defs/int64"},"ts":{"$ref":"#/$defs/int64"},"gtid":{"$ref":"#/$defs/text"},
"threadId":{"$ref":"#/$defs/int64"},"transactionId":{"$ref":"#/$defs/text"},"key":{"$ref":"#/$defs/text"},
"value":{"$ref":"#/$defs/text"},"storeValueBase64":{"type":"string","contentEncoding":"base64"},
"batches":{"type":"array","items":{"$ref":"#/$defs/int64"}},"rows":{"type":"integer","minimum":0},
"position":{"$ref":"#/$defs/position"},"rowOffset":{"type":"integer","minimum":1},"malformed":{"type":"string"}},)" +
           defs() + "}";
}

std::string file_of(std::string_view name) {
    std::string out(name);
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return out;
}

}  // namespace

std::vector<canal_schema_file> canal_schemas() {
    std::vector<canal_schema_file> out;
    for (const packet_row& row : packet_rows) {
        const std::string name = file_of(packet_type_name(port_kind::data, row.type));
        out.push_back(
            {"canal-" + name + ".json", pretty_json(packet_schema(row, port_kind::data))});
    }
    for (const packet_row& row : admin_packet_rows) {
        const std::string name = file_of(packet_type_name(port_kind::admin, row.type));
        out.push_back(
            {"canal-admin-" + name + ".json", pretty_json(packet_schema(row, port_kind::admin))});
    }
    out.push_back({"canal-row.json", pretty_json(row_schema())});
    out.push_back({"canal-transaction.json", pretty_json(transaction_schema())});
    return out;
}

}  // namespace cdcscope::docs
