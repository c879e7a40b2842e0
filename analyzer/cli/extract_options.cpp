#include "analyzer/cli/extract_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>

#include "analyzer/cli/choices.h"
#include "analyzer/cli/command.h"
#include "analyzer/record/stream_key.h"

namespace cdcscope::cli {
namespace {

std::uint32_t parse_interval(const std::string& text) {
    const std::uint64_t interval = parse_size("--beacon-interval", text);
    if (const std::string fault = sink::interval_fault(interval); !fault.empty()) {
        throw usage_error(fmt::format("--beacon-interval {}: {}", text, fault));
    }
    return static_cast<std::uint32_t>(interval);
}

}  // namespace

void add_extract_options(CLI::App& command, extract_options& o) {
    add_common_options(command, o.common);
    command
        .add_option("-o,--output", o.output,
                    "x.ss, x.jsonl, or - for JSON lines on standard output")
        ->type_name("OUT");
    add_choice<output_format>(command, "--format", o.format,
                              {{"ss", output_format::ss}, {"jsonl", output_format::jsonl}},
                              "ss or jsonl, where the name does not tell");
    command.add_flag("--force", o.force, "replace an existing file");
    command.add_flag("--append", o.append, "continue an existing .ss file")->excludes("--force");
    add_choice<record::payload_mode>(command, "--payload", o.records.payload,
                                     {{"json", record::payload_mode::json},
                                      {"raw", record::payload_mode::raw},
                                      {"both", record::payload_mode::both}},
                                     "json (default), raw (the message's bytes) or both");
    add_choice<record::layout>(
        command, "--streams", o.records.streams,
        {{"connection", record::layout::connection},
         {"changes", record::layout::changes},
         {"vbucket", record::layout::vbucket}},
        "keys: a connection each (default), changes only, or a vbucket each");
    command
        .add_option_function<std::string>(
            "--split",
            [&o](const std::string& by) {
                if (by != "connection")
                    throw usage_error("--split " + by + ": only connection can be split by");
                o.split_connections = true;
            },
            "connection: a file each, x.c0001.ss")
        ->type_name("BY");
    command
        .add_option_function<std::string>(
            "--beacon-interval",
            [&o](const std::string& t) { o.beacon_interval = parse_interval(t); },
            "bytes between two beacons (1MiB)")
        ->type_name("SIZE");
    command
        .add_option_function<std::string>(
            "--limit", [&o](const std::string& t) { o.limit = parse_size("--limit", t); },
            "largest .ss file (16GiB)")
        ->type_name("SIZE");
    command.add_flag("--roll", o.roll, "at the limit go on in a next file");
    command
        .add_option_function<std::string>(
            "--created",
            [&o](const std::string& t) {
                const time_bound at = parse_time("--created", t);
                if (at.what != time_bound::kind::absolute)
                    throw usage_error("--created " + t + ": a date and time is needed");
                o.created_ns = at.ns;
            },
            "creation time in the file (the first packet's)")
        ->type_name("TIME");
    command.add_flag("--no-eos", o.no_eos, "leave the end-of-stream message out");
    add_redact_option(command, o.records.redact);
    command.add_flag("--keep-secrets", o.records.keep_secrets,
                     "SASL payloads and canal passwords as captured");
    command
        .add_option_function<std::string>(
            "--int64",
            [&o](const std::string& how) {
                if (how != "number" && how != "string")
                    throw usage_error("--int64 " + how + ": number or string");
                o.records.int64_as_strings = how == "string";
            },
            "64-bit fields as number (default) or string")
        ->type_name("HOW");
    add_choice<record::blob_mode>(
        command, "--blob", o.records.blob,
        {{"text", record::blob_mode::text}, {"base64", record::blob_mode::base64}},
        "binary columns as text (default) or base64");
    command.add_option("--summary", o.summary, "write the totals as JSON")->type_name("FILE");
    command.add_flag("--strict", o.strict, "exit status 3 if anything is missing");
}

std::string output_name(const extract_options& o) {
    if (!o.output.empty()) return o.output;
    const std::string& first = o.common.captures.front();
    if (first == "-") return "-";
    std::filesystem::path name = std::filesystem::path(first).filename();
    constexpr std::array<std::string_view, 7> endings{".gz",     ".zst", ".zstd", ".pcap",
                                                      ".pcapng", ".cap", ".dmp"};
    bool cut = true;
    while (cut && !name.stem().empty()) {
        cut = std::ranges::find(endings, name.extension().string()) != endings.end();
        if (cut) name = name.stem();
    }
    return name.string() + (format_of(o, "") == output_format::ss ? ".ss" : ".jsonl");
}

output_format format_of(const extract_options& o, const std::string& output) {
    if (o.format) return *o.format;
    const bool lines = output == "-" || output.ends_with(".jsonl") || output.ends_with(".ndjson");
    return lines ? output_format::jsonl : output_format::ss;
}

std::string split_name(const std::string& output, std::uint32_t connection) {
    const std::filesystem::path path(output);
    const std::string name = path.stem().string() + "." + record::connection_part(connection) +
                             path.extension().string();
    return (path.parent_path() / name).string();
}

}  // namespace cdcscope::cli
