#include "analyzer/cli/common_options.h"

#include <CLI/CLI.hpp>

#include "analyzer/cli/choices.h"
#include "analyzer/cli/command.h"

namespace cdcscope::cli {

void add_common_options(CLI::App& command, common_options& o) {
    command
        .add_option("CAPTURE", o.captures,
                    "pcap or pcapng, also gzip or zstd; - for standard input")
        ->required()
        ->type_name("FILE");
    add_choice<protocol_choice>(command, "--protocol", o.protocol,
                                {{"auto", protocol_choice::automatic},
                                 {"dcp", protocol_choice::dcp},
                                 {"canal", protocol_choice::canal}},
                                "what to look for: auto, dcp or canal");
    command
        .add_option_function<std::vector<std::string>>(
            "--port",
            [&o](const std::vector<std::string>& given) {
                for (const std::string& text : given) {
                    for (const auto& [protocol, port] : parse_ports(text)) {
                        (protocol == "dcp" ? o.dcp_ports : o.canal_ports).push_back(port);
                    }
                }
            },
            "ports besides the well-known ones: dcp=12000,canal=11112 (repeatable)")
        ->take_all()
        ->type_name("NAME=PORT");
    command.add_option("--filter", o.filter, "only these packets; the syntax is that of tcpdump")
        ->type_name("BPF");
    command
        .add_option_function<std::string>(
            "--since", [&o](const std::string& t) { o.since = parse_time("--since", t); },
            "leave out messages and findings before: 06:22:00, 2026-11-30T06:22:00Z, +90s")
        ->type_name("TIME");
    command
        .add_option_function<std::string>(
            "--until", [&o](const std::string& t) { o.until = parse_time("--until", t); },
            "leave out messages and findings after")
        ->type_name("TIME");
    command
        .add_option_function<std::string>(
            "--max-memory",
            [&o](const std::string& t) { o.max_memory = parse_size("--max-memory", t); },
            "bytes held back at most (512MiB)")
        ->type_name("SIZE");
    command
        .add_option_function<std::string>(
            "--max-message",
            [&o](const std::string& t) { o.max_message = parse_size("--max-message", t); },
            "longest message believed (32MiB for DCP, 128MiB for canal)")
        ->type_name("SIZE");
    add_choice<collections_choice>(command, "--collections", o.collections,
                                   {{"auto", collections_choice::automatic},
                                    {"on", collections_choice::on},
                                    {"off", collections_choice::off}},
                                   "DCP keys have a collection prefix: auto, on or off")
        ->type_name("WHEN");
    command
        .add_option_function<std::vector<std::string>>(
            "--threshold",
            [&o](const std::vector<std::string>& given) {
                for (const std::string& text : given) {
                    if (const auto wrong = o.limits.set(text))
                        throw usage_error("--threshold " + *wrong);
                }
            },
            "a limit of the rules (repeatable); cdcscope explain lists them all")
        ->take_all()
        ->type_name("NAME=VALUE");
    command.add_flag("--quiet", o.quiet, "print nothing on success");
    command.add_flag("--no-progress", o.no_progress, "no progress line");
    add_choice<color_choice>(command, "--color", o.color,
                             {{"auto", color_choice::automatic},
                              {"always", color_choice::always},
                              {"never", color_choice::never}},
                             "auto, always or never")
        ->type_name("WHEN");
    // Two bounds of one kind can be compared before the capture is read.
    command.parse_complete_callback([&o] {
        if (!o.since || !o.until || o.since->what != o.until->what || o.since->ns <= o.until->ns)
            return;
        throw usage_error("--since lies after --until: nothing is left between them");
    });
}

std::string time_bounds(const common_options& o) {
    std::string text = o.since ? "--since" : "";
    if (o.until) text += text.empty() ? "--until" : " and --until";
    return text;
}

void add_redact_option(CLI::App& command, record::redact_mode& to) {
    add_choice<record::redact_mode>(command, "--redact", to,
                                    {{"keys", record::redact_mode::keys},
                                     {"values", record::redact_mode::values},
                                     {"all", record::redact_mode::all}},
                                    "leave out document keys, values and statements, or both");
}

findings::redaction redaction_of(record::redact_mode mode) noexcept {
    using record::redact_mode;
    return {.keys = mode == redact_mode::keys || mode == redact_mode::all,
            .values = mode == redact_mode::values || mode == redact_mode::all};
}

}  // namespace cdcscope::cli
