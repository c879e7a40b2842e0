// docs/dcp-fields.md from the tables of proto/dcp: fields with their filter names, and the layout
// of each message.
#include "docs/generate/dcp_fields.h"

#include <set>

#include "proto/dcp/json_members.h"
#include "proto/dcp/opcodes.h"

namespace cdcscope::docs {
namespace {

using namespace dcp;

std::string hex(std::uint64_t value, int digits) {
    std::string out = "0x";
    for (int i = digits - 1; i >= 0; --i) out += "0123456789abcdef"[value >> (4 * i) & 0xfU];
    return out;
}

std::string code(std::string_view text) {
    return "`" + std::string(text) + "`";
}

std::string type_of(const field& f) {
    switch (f.type) {
        case field_type::group:
            return "tree";
        case field_type::u8:
            return "unsigned, 1 byte";
        case field_type::u16:
            return "unsigned, 2 bytes";
        case field_type::u32:
            return f.display == field_display::utc_seconds ? "seconds since 1970, 4 bytes"
                                                           : "unsigned, 4 bytes";
        case field_type::u64:
            return "unsigned, 8 bytes";
        case field_type::i64:
            return "signed, 8 bytes";
        case field_type::boolean:
            return "boolean";
        case field_type::bit:
            return "bit " + hex(f.mask, f.mask > 0xff ? 3 : 2);
        case field_type::leb128:
            return "unsigned LEB128, up to 4 bytes of value";
        case field_type::text:
            return "text";
        case field_type::bytes:
            return "bytes";
        case field_type::frame:
            return "frame number";
        case field_type::duration:
            return "duration";
        case field_type::percentage:
            return "per cent";
    }
    return {};
}

std::string names_of(const field& f) {
    std::string out;
    for (const named_value& v : f.values) {
        if (!out.empty()) out += ", ";
        out += (f.display == field_display::hex ? hex(v.value, v.value > 0xff ? 4 : 2)
                                                : std::to_string(v.value)) +
               " ";
        out += std::string(v.title);
        if (v.title != v.name) out += " (" + code(v.name) + ")";
    }
    return out;
}

std::string remark_of(const field& f) {
    // Statuses and features have tables of their own.
    const bool elsewhere = f.id == field_id::status || f.id == field_id::hello_feature;
    std::string out = elsewhere ? "see below" : names_of(f);
    if (!f.blurb.empty()) out += (out.empty() ? "" : ". ") + std::string(f.blurb);
    if (is_worked_out(f.id))
        out += (out.empty() ? "" : ". ") + std::string("Worked out, no bytes of its own");
    return out;
}

void write_fields(std::string& out) {
    out += "## Fields\n\n| filter | title | type | JSON | values |\n|---|---|---|---|---|\n";
    std::set<std::string_view> written;
    for (const field& f : fields) {
        if (!written.insert(f.abbreviation).second) continue;
        const std::string json = f.json.empty() || f.form == json_form::none
                                     ? std::string(f.type == field_type::bit ? code(f.json) : "")
                                     : code(f.json);
        out += "| " + code(f.abbreviation) + " | " + std::string(f.title) + " | " + type_of(f) +
               " | " + json + " | " + remark_of(f) + " |\n";
    }
}

std::string_view text_of(sender s) {
    constexpr std::string_view names[] = {"any side",
                                          "client",
                                          "server",
                                          "producer",
                                          "consumer",
                                          "cluster manager",
                                          "consumer, cluster manager"};
    return names[static_cast<std::size_t>(s)];
}
std::string_view text_of(answer a) {
    constexpr std::string_view names[] = {"always", "on error", "never"};
    return names[static_cast<std::size_t>(a)];
}
std::string_view text_of(value_kind k) {
    constexpr std::string_view names[] = {
        "none",  "document", "fields",       "list of",       "text",
        "JSON",  "secret",   "system event", "cache records", "JSON stream filter",
        "error", "bytes"};
    return names[static_cast<std::size_t>(k)];
}

std::string fields_text(const layout& l) {
    std::string out;
    for (const field_at& at : l.fields) {
        if (!out.empty()) out += ", ";
        out += "+" + std::to_string(at.offset) + " " + code(describe(at.field).abbreviation);
    }
    return out;
}

void write_layouts(std::string& out, std::string_view what, std::span<const layout> variants) {
    for (const layout& l : variants) {
        if (l.size == 0) continue;
        out += "- " + std::string(what) + ", " + std::to_string(l.size) + " bytes";
        if (!l.name.empty()) out += " (" + std::string(l.name) + ")";
        out += ": " + fields_text(l) + "\n";
    }
}

void write_part(std::string& out, std::string_view which, const message_rule& rule) {
    write_layouts(out, std::string(which) + " extras", rule.extras);
    if (rule.key.is != presence::never) {
        out += "- " + std::string(which) + " key: " + code(describe(rule.key.field).abbreviation);
        if (rule.key.collection_prefix)
            out += ", behind `cbdcp.collection_id` if collections are on";
        if (rule.key.is == presence::optional) out += " (may be empty)";
        out += "\n";
    }
    if (rule.value.is != presence::never) {
        out += "- " + std::string(which) + " value: " + std::string(text_of(rule.value.kind));
        if (rule.value.kind == value_kind::text || rule.value.kind == value_kind::list) {
            out += " " + code(describe(rule.value.field).abbreviation);
        }
        out += "\n";
        write_layouts(out, rule.value.kind == value_kind::list ? "each entry" : "value",
                      rule.value.layouts);
    }
    for (const status_value& special : rule.by_status) {
        out += "- value with status " +
               std::string(find_value(status_names, special.status)->title) + ": " +
               std::string(text_of(special.value.kind)) + "\n";
        write_layouts(out, "value", special.value.layouts);
    }
}

void write_message(std::string& out, const opcode_row& row) {
    out += "\n### " + hex(row.opcode, 2) + " " + std::string(row.name) + "\n\n";
    out += "JSON event " + code(row.event) + ". From: " + std::string(text_of(row.from)) +
           ". Answered: " + std::string(text_of(row.answered)) + ".";
    if (row.flow_controlled) out += " Counts for flow control";
    if (row.flow_controlled && row.flow_extra != 0)
        out += ", " + std::to_string(row.flow_extra) + " bytes more than sent";
    if (row.flow_controlled) out += ".";
    if (row.stream_id) out += " May carry a stream id.";
    out += "\n\n";
    std::string parts;
    write_part(parts, "request", row.request);
    write_part(parts, "response", row.response);
    out += parts.empty() ? "Header only.\n" : parts;
}

void write_events(std::string& out) {
    out += "\n## System events\n\n| event | version | value |\n|---|---|---|\n";
    for (const event_rule& rule : event_rules()) {
        const std::span<const named_value> names = describe(field_id::event_id).values;
        out += "| " + std::to_string(rule.event) + " " +
               std::string(find_value(names, rule.event)->title) + " | " +
               std::to_string(rule.version) + " | ";
        if (rule.value != nullptr) {
            out += fields_text(*rule.value);
        } else {
            std::string slots;
            for (const flat_field& f : rule.table) {
                if (!slots.empty()) slots += ", ";
                slots +=
                    "slot " + std::to_string(f.slot) + " " + code(describe(f.field).abbreviation);
            }
            out += "FlatBuffers: " + slots;
        }
        out += " |\n";
    }
}

void write_names(std::string& out, std::string_view title, std::span<const named_value> names,
                 int digits) {
    out += "\n## " + std::string(title) + "\n\n| number | name | title |\n|---|---|---|\n";
    for (const named_value& v : names) {
        out += "| " + hex(v.value, digits) + " | " + code(v.name) + " | " + std::string(v.title) +
               " |\n";
    }
}

void write_controls(std::string& out) {
    out +=
        "\n## Settings of DCP_CONTROL\n\n| setting | values | since | meaning "
        "|\n|---|---|---|---|\n";
    for (const control_key& c : control_keys) {
        std::string values;
        for (const control_value& v : c.known) {
            values += "; " + code(v.value) + ": " + std::string(v.meaning);
        }
        out += "| " + code(c.key) + " | " + std::string(c.values) + " | " + std::string(c.since) +
               " | " + std::string(c.meaning) + values + " |\n";
    }
}

void write_json_members(std::string& out) {
    out += "\n## Members of JSON values\n\n| in | member | field |\n|---|---|---|\n";
    for (const json_member& m : json_members()) {
        out += "| " + code(describe(m.of).abbreviation) + " | " + code(m.path) + " | " +
               code(describe(m.field).abbreviation) + " |\n";
    }
}

}  // namespace

std::string dcp_fields_markdown() {
    std::string out =
        "# DCP fields\n\nGenerated from the tables in `proto/dcp` by `./dev docs`; a test holds it "
        "against them. Filter names are those of the\n"
        "Wireshark plugin, JSON names those of the records that `cdcscope extract` writes.\n\n";
    write_fields(out);
    out +=
        "\n## Messages\n\nOffsets count from the start of extras or value; numbers are "
        "big-endian.\n";
    for (const opcode_row& row : client_opcodes()) {
        if (row.described) write_message(out, row);
    }
    out += "\n## Server pushes\n";
    for (const opcode_row& row : push_opcodes()) write_message(out, row);
    write_events(out);
    write_names(out, "Statuses", status_names, 4);
    write_names(out, "Features of HELLO", feature_names, 4);
    write_controls(out);
    write_json_members(out);
    out +=
        "\n## Other commands\n\nNamed, with their parts as they are; in Wireshark the built-in "
        "dissector shows them.\n\n| opcode | name | JSON event |\n|---|---|---|\n";
    for (const opcode_row& row : client_opcodes()) {
        if (!row.described)
            out += "| " + hex(row.opcode, 2) + " | " + std::string(row.name) + " | " +
                   code(row.event) + " |\n";
    }
    return out;
}

}  // namespace cdcscope::docs
