#include "docs/generate/canal_fields.h"

#include "proto/canal/packet_types.h"

namespace cdcscope::docs {
namespace {

using namespace canal;

std::string_view kind_name(field_kind kind) {
    switch (kind) {
        case field_kind::int32:
            return "int32";
        case field_kind::int64:
            return "int64";
        case field_kind::boolean:
            return "bool";
        case field_kind::enumeration:
            return "enum";
        case field_kind::text:
            return "string";
        case field_kind::bytes:
            return "bytes";
        case field_kind::message:
            return "message";
    }
    return {};
}

std::string type_of(const field_row& f) {
    std::string out = f.repeated ? "list of " : "";
    if (f.kind == field_kind::enumeration) return out + std::string(row_of(f.enumeration).name);
    if (f.kind == field_kind::message) return out + std::string(row_of(f.message).name);
    out += kind_name(f.kind);
    switch (f.holds) {
        case content::plain:
            break;
        case content::one_message:
            out += ", each a serialized " + std::string(row_of(f.message).name);
            break;
        case content::by_packet_type:
            out += ", the message that `type` names";
            break;
        case content::by_entry_type:
            out += ", the message that `entryType` names";
            break;
    }
    return out;
}

std::string default_of(const field_row& f) {
    if (!f.has_default) return "";
    if (f.kind == field_kind::text) return std::string(f.default_text);
    if (f.kind == field_kind::boolean) return f.default_number != 0 ? "true" : "false";
    if (f.kind == field_kind::enumeration)
        return std::string(row_of(f.enumeration).find(f.default_number));
    return std::to_string(f.default_number);
}

std::string_view sender_name(sender from) {
    switch (from) {
        case sender::client:
            return "client";
        case sender::server:
            return "server";
        case sender::nobody:
            return "nobody";
    }
    return {};
}

std::string_view answer_text(answered how) {
    switch (how) {
        case answered::always:
            return "always";
        case answered::on_error:
            return "only when refused";
        case answered::unsupported:
            return "refused always";
        case answered::no_request:
            return "";
    }
    return {};
}

template <typename Rows>
void write_packets(std::string& out, const Rows& rows, port_kind port) {
    out += "\n| number | packet | body | sent by | answered |\n|---|---|---|---|---|\n";
    for (const packet_row& row : rows) {
        out += "| " + std::to_string(row.type) + " | `" +
               std::string(packet_type_name(port, row.type)) + "` | " +
               (row.body == message_id::none ? std::string() : std::string(row_of(row.body).name)) +
               " | " + std::string(sender_name(row.from)) + " | " +
               std::string(answer_text(row.how)) + " |\n";
    }
}

void write_message(std::string& out, const message_row& m) {
    out += "\n### " + std::string(m.name) +
           "\n\n| number | field | JSON | type | default |\n|---|---|---|---|---|\n";
    for (const field_row& f : m.fields) {
        out += "| " + std::to_string(f.number) + " | `" + std::string(f.name) + "` | `" +
               std::string(f.json_name) + "` | " + type_of(f) +
               (f.secret ? ", written out only with `--keep-secrets`" : "") + " | " +
               default_of(f) + " |\n";
    }
}

void write_enum(std::string& out, const enum_row& e) {
    out += "\n**" + std::string(e.name) + "**: ";
    for (const enum_value& v : e.values) {
        if (&v != e.values.data()) out += " · ";
        out += std::to_string(v.number) + " " + std::string(v.name);
    }
    out += "\n";
}

}  // namespace

std::string canal_fields_markdown() {
    std::string out =
        "# canal messages and fields\n\n"
        "Generated from the tables that `proto/canal/*.proto` become, by `./dev docs`; a test "
        "holds it against them. A default is\n"
        "what an absent field means: in entries always, in packets for peers up to 1.1.3 (later "
        "ones take 0).\n\n"
        "## Packets of the data port (11111)\n";
    write_packets(out, packet_rows, port_kind::data);
    out += "\n## Packets of the admin port (11110)\n";
    write_packets(out, admin_packet_rows, port_kind::admin);
    for (const bool admin : {false, true}) {
        out += admin ? "\n## Messages of the admin port\n" : "\n## Messages of the data port\n";
        for (const message_row& m : message_rows) {
            if (m.admin == admin) write_message(out, m);
        }
    }
    out += "\n## Enums\n\nOpen: other numbers are shown as numbers.\n";
    for (const enum_row& e : enum_rows) {
        if (!e.admin) write_enum(out, e);
    }
    return out;
}

}  // namespace cdcscope::docs
