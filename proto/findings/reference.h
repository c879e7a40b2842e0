// The reference of all findings, docs/findings.md, as the table gives it.
#pragma once

#include <string>
#include <string_view>

#include "proto/findings/thresholds.h"

namespace cdcscope::findings {

// The whole file, Markdown.
[[nodiscard]] std::string reference_text();

// What a severity says: "the protocol is broken".
[[nodiscard]] std::string_view meaning_of(severity s) noexcept;

// "error", "note or warning": what the rule gives.
[[nodiscard]] std::string severities(const entry& row);

// Expert field of the Wireshark plugin: "cbdcp.flow.stalled"; empty for findings that the plugin
// does not have.
[[nodiscard]] std::string expert_field(const entry& row);

// Of rules with entry::both_sides.
inline constexpr std::string_view both_sides_text =
    "It compares what the two sides said: where only one direction was captured, the report does "
    "not judge by it.";

// "10 s", "80 %", "3".
[[nodiscard]] std::string default_of(const threshold& row);

}  // namespace cdcscope::findings
