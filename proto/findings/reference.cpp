// Markdown of the findings table.
#include "proto/findings/reference.h"

#include <array>
#include <cstdio>

#include "proto/findings/words.h"

namespace cdcscope::findings {
namespace {

constexpr std::string_view head = R"(# Findings

Everything that `cdcscope report`, the plugin's expert items and the stream `cdcscope.findings` can tell: made from the table in
`proto/findings` by `./dev docs`, a test holds it up to date. `cdcscope explain CODE` prints one entry. Sources: `couchbase/kv_engine` and
`alibaba/canal` are the repositories on GitHub, with files of theirs; RFCs and drafts are those of the IETF; where no document has the
rule or its limit, it is cdcscope's own.

A finding is certain unless it says otherwise. Where the capture starts in mid-stream or has a hole, errors and warnings of the rules
that depend on what is missing are notes, marked as uncertain. Limits are set with `--threshold NAME=VALUE`, and in the preferences of
the plugin.
)";

struct part {
    protocol of;
    std::string_view title;
};
constexpr part parts[] = {
    {protocol::dcp, "Couchbase DCP"},
    {protocol::canal, "canal"},
    {protocol::tcp, "TCP"},
    {protocol::ip, "IP"},
    {protocol::capture, "The capture"},
    {protocol::cap, "Limits that were reached"},
};

void append_contents(std::string& out, const part& p) {
    out += "\n## " + std::string(p.title) + "\n\n| code | rule | severity | |\n|---|---|---|---|\n";
    for (const entry& row : table()) {
        if (row.of != p.of) continue;
        out += "| [`" + std::string(row.text) + "`](#" + std::string(row.text) + ") | " +
               std::string(row.rule) + " | " + severities(row) + " | " + std::string(row.title) +
               " |\n";
    }
}

void append_entry(std::string& out, const entry& row) {
    out += "\n<a id=\"" + std::string(row.text) + "\"></a>\n### " + std::string(row.title) + "\n\n";
    out += "`" + std::string(row.text) + "`";
    if (!row.rule.empty()) out += ", rule " + std::string(row.rule);
    out += ", " + severities(row);
    if (const std::string field = expert_field(row); !field.empty())
        out += ", in Wireshark `" + field + "`";
    out += "\n\n" + std::string(row.statement) + " Source: " + std::string(row.source) + ".\n\n";
    if (row.both_sides) out += std::string(both_sides_text) + "\n\n";
    out += "Usually means: " + std::string(row.meaning) + "\n\nDo:\n\n";
    std::size_t number = 0;
    for (const std::string_view step : row.advice())
        out += std::to_string(++number) + ". " + std::string(step) + "\n";
    if (limits_of(row.what).empty()) return;
    out += "\n| limit | default | |\n|---|---|---|\n";
    for (const threshold& t : limits_of(row.what)) {
        out += "| `" + std::string(t.name) + "` | " + default_of(t) + " | " + std::string(t.help) +
               " |\n";
    }
}

}  // namespace

std::string_view meaning_of(severity s) noexcept {
    switch (s) {
        case severity::error:
            return "the protocol is broken";
        case severity::warning:
            return "suspicious or harmful";
        case severity::note:
            return "worth knowing";
        case severity::chat:
            break;
    }
    return "everyday detail, no fault";
}

std::string severities(const entry& row) {
    std::string text(name(row.least));
    if (row.least != row.level) text += " to " + std::string(name(row.level));
    return text;
}

std::string expert_field(const entry& row) {
    switch (row.of) {
        case protocol::dcp:
            return "cb" + std::string(row.text);
        case protocol::canal:
            // A figure of the plugin has that name, too.
            return std::string(row.text) + (row.what == code::canal_lag ? ".expert" : "");
        default:
            return {};
    }
}

std::string default_of(const threshold& row) {
    if (row.unit == "B") return bytes_text(static_cast<std::uint64_t>(row.value));
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.10g", row.value);
    std::string out(text.data());
    if (!row.unit.empty()) out += " " + std::string(row.unit);
    return out;
}

std::string reference_text() {
    std::string out(head);
    out += "\n| severity | |\n|---|---|\n";
    for (const auto s : {severity::error, severity::warning, severity::note, severity::chat}) {
        out += "| " + std::string(name(s)) + " | " + std::string(meaning_of(s)) +
               (s == severity::chat ? ": a report counts it and has it in its JSON" : "") + " |\n";
    }
    for (const part& p : parts) append_contents(out, p);
    out += "\n## Each finding\n";
    for (const entry& row : table()) append_entry(out, row);
    return out;
}

}  // namespace cdcscope::findings
