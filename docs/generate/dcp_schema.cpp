// A schema has two branches, the message and the answer to it, each with the members that its row
// of the table can give.
#include "docs/generate/dcp_schema.h"

#include <map>
#include <set>

#include "docs/generate/pretty_json.h"
#include "docs/generate/wire_schema.h"
#include "proto/dcp/json_members.h"
#include "proto/dcp/opcodes.h"
#include "proto/json/json_writer.h"

namespace cdcscope::docs {
namespace {

using namespace dcp;
using members = std::map<std::string, std::string>;  // name -> schema, as JSON

const std::string any_text = R"({"type":"string"})";
const std::string base64 = R"({"type":"string","contentEncoding":"base64"})";
const std::string hex64 = R"({"type":"string","pattern":"^0x[0-9a-f]{16}$"})";
const std::string hex_digits = R"({"type":"string","pattern":"^[0-9a-f]*$"})";

std::string integer(field_type type) {
    switch (width(type)) {
        case 1:
            return R"({"type":"integer","minimum":0,"maximum":255})";
        case 2:
            return R"({"type":"integer","minimum":0,"maximum":65535})";
        case 4:
            return R"({"type":"integer","minimum":0,"maximum":4294967295})";
        default:
            break;
    }
    if (type == field_type::i64) return R"({"type":["integer","string"],"pattern":"^-?[0-9]+$"})";
    return R"({"type":["integer","string"],"minimum":0,"maximum":18446744073709551615,"pattern":"^[0-9]+$"})";
}

template <typename Rows, typename Name>
std::string enumeration(const Rows& rows, Name name) {
    json_writer out;
    out.begin_object().name("enum").begin_array();
    for (const auto& row : rows) out.string(name(row));
    out.end_array().end_object();
    return std::string(out.text());
}

std::string value_names(const field& f) {
    return enumeration(f.values, [](const named_value& v) { return v.name; });
}

std::string bit_list(field_id id) {
    return R"({"type":"array","items":{"anyOf":[)" +
           enumeration(bits_of(id), [](const field& f) { return f.json; }) +
           R"(,{"type":"string","pattern":"^0x[0-9a-f]+$"}]}})";
}

void add_field(members& to, field_id id) {
    const field& f = describe(id);
    const std::string name(f.json);
    switch (f.form) {
        case json_form::none:
            return;
        case json_form::number:
        case json_form::nonzero:
            to[name] = integer(f.type);
            return;
        case json_form::number_hex:
            to[name] = integer(f.type);
            to[name + "Hex"] = hex64;
            return;
        case json_form::hex:
            to[name] = R"({"type":"string","pattern":"^[0-9a-f]+$"})";
            return;
        case json_form::opaque:
            to[name] = R"({"type":"string","pattern":"^0x[0-9a-f]+$"})";
            return;
        case json_form::boolean:
            to[name] = R"({"type":"boolean"})";
            return;
        case json_form::name:
            to[name] = R"({"anyOf":[)" + value_names(f) + "," + integer(f.type) + "]}";
            return;
        case json_form::name_code:
            to[name] = R"({"anyOf":[)" + value_names(f) + "," + integer(f.type) + "]}";
            to[name + "Code"] = integer(f.type);
            return;
        case json_form::bit_names:
            to[name] = bit_list(id);
            return;
        case json_form::number_bits:
            to[name] = integer(f.type);
            to["flagNames"] = bit_list(id);
            return;
        case json_form::text:
            to[name] = any_text;
            to[name + "Base64"] = base64;
            return;
    }
}

void add_layouts(members& to, std::span<const layout> variants) {
    for (const layout& l : variants) {
        for (const field_at& at : l.fields) add_field(to, at.field);
    }
}

std::string object_of(const members& all) {
    std::string out = R"({"type":"object","properties":{)";
    bool first = true;
    for (const auto& [name, schema] : all) {
        if (!first) out += ',';
        first = false;
        out += '"' + name + "\":" + schema;
    }
    return out + "}}";
}

void add_document(members& to) {
    to["content"] = "true";
    to["contentBase64"] = base64;
    to["notInflated"] = integer(field_type::u32);
    to["xattrs"] = R"({"type":"object"})";
    to["extendedMetadata"] = R"({"type":"object","required":["version","entries"]})";
    add_field(to, field_id::datatype);
}

void add_names(members& to) {
    add_field(to, field_id::collection_id);
    add_field(to, field_id::scope_name);
    add_field(to, field_id::collection_name);
}

void add_list(members& to, const value_rule& rule) {
    const std::string name(describe(rule.field).json);
    const layout& entry = rule.layouts.front();
    members one;
    add_layouts(one, rule.layouts);
    const bool single = entry.fields.size() == 1;
    to[name] =
        R"({"type":"array","items":)" + (single ? one.begin()->second : object_of(one)) + "}";
}

void add_cache_records(members& to) {
    members one;
    add_field(one, field_id::collection_id);
    add_field(one, field_id::document_key);
    add_layouts(one, {&cache_record_layout(), 1});
    add_document(one);
    to[std::string(describe(field_id::cache_record).json)] =
        R"({"type":"array","items":)" + object_of(one) + "}";
}

void add_events(members& to) {
    for (const event_rule& rule : event_rules()) {
        if (rule.value != nullptr) add_layouts(to, {rule.value, 1});
        for (const flat_field& f : rule.table) add_field(to, f.field);
        add_field(to, rule.key_field);
    }
    to["contentBase64"] = base64;
}

void add_value(members& to, const value_rule& rule) {
    switch (rule.kind) {
        case value_kind::none:
            return;
        case value_kind::document:
        case value_kind::raw:
            return add_document(to);
        case value_kind::fixed:
            return add_layouts(to, rule.layouts);
        case value_kind::list:
            return add_list(to, rule);
        case value_kind::text:
            if (rule.field == field_id::control_value) add_field(to, field_id::control_meaning);
            return add_field(to, rule.field);
        case value_kind::json:
            to["notInflated"] = integer(field_type::u32);
            to["content"] = "true";
            to["contentBase64"] = base64;
            return;
        case value_kind::secret:
            to["payload"] = any_text;
            to["payloadBase64"] = base64;
            return;
        case value_kind::system_event:
            return add_events(to);
        case value_kind::cache_transfer:
            return add_cache_records(to);
        case value_kind::stream_filter:
            to["filter"] = R"({"type":["object","array","string","number","boolean","null"]})";
            to["filterBase64"] = base64;
            return;
        case value_kind::error:
            add_field(to, field_id::error_text);
            to["content"] = "true";
            return;
    }
}

void add_framing(members& to, bool response) {
    for (std::uint16_t id = 0; id < 16; ++id) {
        const frame_rule* rule = find_frame(response, id);
        if (rule == nullptr) continue;
        if (rule->field == field_id::frame_data) {
            to[std::string(find_value(describe(field_id::frame_id).values, id)->name)] =
                R"({"const":true})";
        } else if (describe(rule->field).form == json_form::none) {
            to[std::string(describe(rule->field).json)] = R"({"type":"number","minimum":0})";
        } else {
            add_field(to, rule->field);
        }
        if (rule->second != field_id::count) add_field(to, rule->second);
    }
    to["frames"] = R"({"type":"array","items":{"type":"object","required":["id","data"]}})";
}

// What any message may have: names, the header, what was worked out, what is wrong.
void add_common(members& to, const opcode_row& row) {
    add_field(to, field_id::bucket);
    add_field(to, field_id::cas);
    add_field(to, field_id::datatype);
    if (row.has_vbucket) add_field(to, field_id::vbucket);
    if (row.of_stream) add_field(to, field_id::vbucket_uuid);
    if (row.data_change && !row.has_cas) to["latencyMs"] = R"({"type":"number","minimum":0})";
    if (row.opcode == 0x5d) to["outstanding"] = integer(field_type::u32);
    if (row.opcode == 0x56) to["version"] = R"({"enum":["1.0","2.0","2.1","2.2"]})";
    to["malformed"] = any_text;
    to["extras"] = hex_digits;
    to["contentBase64"] = base64;
    to["raw"] = base64;
    to["wire"] = R"({"$ref":"#/$defs/wire"})";
}

// A key that is JSON is written with its members.
void add_key(members& to, field_id key) {
    add_field(to, key);
    for (const json_member& m : json_members()) {
        if (m.of == key) add_field(to, m.field);
    }
}

members members_of(const opcode_row& row, bool response) {
    members all;
    const message_rule& rule = response ? row.response : row.request;
    add_common(all, row);
    add_framing(all, response);
    if (rule.key.collection_prefix) add_names(all);
    if (rule.key.is != presence::never) add_key(all, rule.key.field);
    add_layouts(all, rule.extras);
    add_value(all, rule.value);
    for (const status_value& special : rule.by_status) add_value(all, special.value);
    if (response) {
        add_value(all, {presence::optional, value_kind::error, field_id::error_text, {}});
        all["response"] = R"({"const":true})";
        all["status"] = R"({"type":"string","pattern":"^([A-Z][A-Za-z0-9]*|0x[0-9a-f]{4})$"})";
    }
    if (row.opcode == 0x56) all["version"] = R"({"enum":["1.0","2.0","2.1","2.2"]})";
    return all;
}

// Present in each message of this kind, however short it was cut: from the header, the key, the
// extras of every variant.
std::vector<std::string> required_of(const opcode_row& row, bool response) {
    std::vector<std::string> out = {"event", "wire"};
    if (response) {
        out.insert(out.end(), {"response", "status"});
        return out;
    }
    if (row.has_vbucket) out.emplace_back("partition");
    if (row.data_change && row.has_cas) out.insert(out.end(), {"cas", "casHex"});
    return out;
}

// What a message whose layout is not broken has besides.
std::vector<std::string> required_if_sound(const opcode_row& row) {
    std::vector<std::string> out;
    if (row.request.extras.empty()) return out;
    for (const field_at& at : row.request.extras.front().fields) {
        const field& f = describe(at.field);
        const bool always = f.form != json_form::none && f.form != json_form::nonzero &&
                            f.form != json_form::bit_names;
        bool in_all = true;
        for (const layout& l : row.request.extras) {
            bool here = false;
            for (const field_at& other : l.fields) here |= other.field == at.field;
            in_all &= here;
        }
        if (always && in_all) out.emplace_back(f.json);
    }
    return out;
}

void write_branch(std::string& out, const members& all, const std::vector<std::string>& required,
                  std::string_view rest) {
    json_writer names;
    names.begin_array();
    for (const std::string& name : required) names.string(name);
    names.end_array();
    std::string object = object_of(all);
    object.pop_back();
    out += object + ",\"required\":" + std::string(names.text()) + std::string(rest) + "}";
}

std::string rules_of_values(const opcode_row& row, bool response) {
    std::string out;
    if (row.data_change && !response)
        out += R"(,"oneOf":[{"required":["key"]},{"required":["keyBase64"]}])";
    return out + R"(,"not":{"required":["content","contentBase64"]})";
}

std::string head(std::string_view title) {
    return R"({"$schema":"https://json-schema.org/draft/2020-12/schema","title":"cdcscope )" +
           std::string(title) + R"(","type":"object",)";
}

std::string schema_of(const opcode_row& row, const members& event) {
    std::string out = head(row.event);
    std::string sound;
    const std::vector<std::string> fields_of_extras = required_if_sound(row);
    for (const std::string& name : fields_of_extras)
        sound += (sound.empty() ? "\"" : ",\"") + name + "\"";
    out += R"("properties":{"event":)" + event.at("event") +
           R"(},"required":["event","wire"],"if":{"required":["response"]},"then":)";
    write_branch(out, members_of(row, true), required_of(row, true), rules_of_values(row, true));
    out += R"(,"else":)";
    std::string rest = rules_of_values(row, false);
    if (!sound.empty())
        rest += R"(,"if":{"not":{"required":["malformed"]}},"then":{"required":[)" + sound + "]}";
    write_branch(out, members_of(row, false), required_of(row, false), rest);
    return out + R"(,"$defs":{"wire":)" + std::string(wire_schema) + "}}";
}

std::string file_name(std::string_view event) {
    std::string out = "dcp-";
    for (const char c : event) out += c == '_' ? '-' : c;
    return out + ".json";
}

// Commands that the tables only name, or that share a name with one of DCP.
std::string other_commands(const std::set<std::string_view>& taken) {
    members all;
    json_writer names;
    names.begin_object().name("anyOf").begin_array().begin_object().name("enum").begin_array();
    for (const opcode_row& row : client_opcodes()) {
        if (taken.count(row.event) != 0) continue;
        for (const bool response : {false, true}) {
            for (auto& [name, schema] : members_of(row, response)) all[name] = schema;
        }
        names.string(row.event);
    }
    names.end_array().end_object();
    names.begin_object()
        .field("type", "string")
        .field("pattern", "^opcode_0x[0-9a-f]{2}$")
        .end_object();
    names.end_array().end_object();
    all["event"] = std::string(names.text());
    add_field(all, field_id::document_key);
    add_names(all);
    std::string object = object_of(all);
    object = object.substr(std::string_view(R"({"type":"object",)").size());
    object.pop_back();
    return head("other key-value commands") + object +
           R"(,"required":["event","wire"],"not":{"required":["content","contentBase64"]},"$defs":{"wire":)" +
           std::string(wire_schema) + "}}";
}

std::string push_schema() {
    members all;
    for (const opcode_row& row : push_opcodes()) {
        for (const bool response : {false, true}) {
            for (auto& [name, schema] : members_of(row, response)) all[name] = schema;
        }
    }
    all["event"] = R"({"const":"server_push"})";
    all["push"] = any_text;
    std::string object = object_of(all).substr(std::string_view(R"({"type":"object",)").size());
    object.pop_back();
    return head("server push") + object +
           R"(,"required":["event","push","wire"],"$defs":{"wire":)" + std::string(wire_schema) +
           "}}";
}

}  // namespace

std::vector<schema_file> dcp_schemas() {
    std::vector<schema_file> out;
    std::set<std::string_view> taken;
    const auto is_dcp = [](const opcode_row& row) {
        return row.opcode >= 0x50 && row.opcode <= 0x6f;
    };
    for (const bool dcp :
         {true, false}) {  // where both have one name (noop, flush), the schema is DCP's
        for (const opcode_row& row : client_opcodes()) {
            if (!row.described || is_dcp(row) != dcp || !taken.insert(row.event).second) continue;
            const members event = {{"event", R"({"const":")" + std::string(row.event) + "\"}"}};
            out.push_back({file_name(row.event), pretty_json(schema_of(row, event))});
        }
    }
    out.push_back({"dcp-server-push.json", pretty_json(push_schema())});
    out.push_back({"dcp-other.json", pretty_json(other_commands(taken))});
    return out;
}

}  // namespace cdcscope::docs
