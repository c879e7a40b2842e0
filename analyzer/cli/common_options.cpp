#include "analyzer/cli/common_options.h"

#include <CLI/CLI.hpp>

#include "analyzer/cli/command.h"

namespace cdcscope::cli {

void add_common_options(CLI::App& command, common_options& o) {
    command
        .add_option("CAPTURE", o.captures,
                    "pcap or pcapng, also gzip or zstd; - for standard input")
        ->required()
        ->type_name("FILE");
    command.add_option("--protocol", o.protocol, "what to look for: auto, dcp or canal")
        ->transform(CLI::CheckedTransformer(
            std::map<std::string, protocol_choice>{{"auto", protocol_choice::automatic},
                                                   {"dcp", protocol_choice::dcp},
                                                   {"canal", protocol_choice::canal}}))
        ->type_name("NAME");
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
    command
        .add_option("--collections", o.collections,
                    "DCP keys have a collection prefix: auto, on or off")
        ->transform(CLI::CheckedTransformer(
            std::map<std::string, collections_choice>{{"auto", collections_choice::automatic},
                                                      {"on", collections_choice::on},
                                                      {"off", collections_choice::off}}))
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
            "a limit of the rules (repeatable); cdcscope explain lists them")
        ->take_all()
        ->type_name("NAME=VALUE");
    command.add_flag("--quiet", o.quiet, "print nothing on success");
    command.add_flag("--no-progress", o.no_progress, "no progress line");
    command.add_option("--color", o.color, "auto, always or never")
        ->transform(CLI::CheckedTransformer(
            std::map<std::string, color_choice>{{"auto", color_choice::automatic},
                                                {"always", color_choice::always},
                                                {"never", color_choice::never}}))
        ->type_name("WHEN");
}

void add_redact_option(CLI::App& command, record::redact_mode& to) {
    command.add_option("--redact", to, "leave out document keys, values and statements, or both")
        ->transform(CLI::CheckedTransformer(
            std::map<std::string, record::redact_mode>{{"keys", record::redact_mode::keys},
                                                       {"values", record::redact_mode::values},
                                                       {"all", record::redact_mode::all}}))
        ->type_name("NAME");
}

findings::redaction redaction_of(record::redact_mode mode) noexcept {
    using record::redact_mode;
    return {.keys = mode == redact_mode::keys || mode == redact_mode::all,
            .values = mode == redact_mode::values || mode == redact_mode::all};
}

}  // namespace cdcscope::cli
