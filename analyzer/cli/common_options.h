// Options that most commands share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/cli/quantities.h"
#include "analyzer/record/options.h"
#include "proto/findings/redaction.h"
#include "proto/findings/thresholds.h"

namespace CLI {
class App;
}

namespace cdcscope::cli {

enum class protocol_choice { automatic, dcp, canal };
enum class collections_choice { automatic, on, off };
enum class color_choice { automatic, always, never };

struct common_options {
    std::vector<std::string> captures;
    protocol_choice protocol = protocol_choice::automatic;
    std::vector<std::uint16_t> dcp_ports;  // added to the well-known ones
    std::vector<std::uint16_t> canal_ports;
    std::string filter;  // BPF, on packets as captured
    std::optional<time_bound> since, until;
    std::uint64_t max_memory = std::uint64_t{512} << 20;
    std::optional<std::uint64_t> max_message;  // both protocols
    collections_choice collections = collections_choice::automatic;
    findings::thresholds limits;  // --threshold
    bool quiet = false;
    bool no_progress = false;
    color_choice color = color_choice::automatic;
};

// Adds CAPTURE... and the shared options to a subcommand.
void add_common_options(CLI::App& command, common_options& options);

// "--since", "--until" or "--since and --until", as given; empty if neither was.
[[nodiscard]] std::string time_bounds(const common_options& o);

// --redact, of extract and report.
void add_redact_option(CLI::App& command, record::redact_mode& to);
[[nodiscard]] findings::redaction redaction_of(record::redact_mode mode) noexcept;

}  // namespace cdcscope::cli
