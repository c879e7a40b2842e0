// `cdcscope extract`: captures in, messages out.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "analyzer/cli/command.h"
#include "analyzer/cli/extract_table.h"
#include "analyzer/cli/inputs.h"
#include "analyzer/cli/pipeline.h"
#include "analyzer/cli/signals.h"
#include "analyzer/cli/summary_json.h"
#include "analyzer/cli/terminal.h"
#include "analyzer/report/format.h"

namespace cdcscope::cli {
namespace {

bool fail(const std::string& error) {
    if (!error.empty()) print_error(error);
    return !error.empty();
}

// Whether the warnings say of an empty file all that there is to say.
bool says_no_packets(const track::figures& figures) {
    return std::ranges::any_of(figures.observations(), [](const track::noticed& n) {
        return n.what == findings::code::capture_no_packets;
    });
}

// Opened before the capture is read, as the output is.
std::string open_summary(const extract_options& o, sink::output_file& file) {
    if (o.summary.empty()) return {};
    const auto existing =
        o.force ? sink::output_file::existing::replace : sink::output_file::existing::refuse;
    return file.open(o.summary, existing, "--summary").error;
}

std::string write_summary(const extract_options& o, const pipeline& read,
                          const track::figures& figures, sink::output_file& file) {
    if (o.summary.empty()) return {};
    const std::string text =
        summary_json(read.captures().names(), read.captures().packets(), figures);
    if (sink::status written = file.write(as_bytes(text)); !written.ok()) return written.error;
    return file.commit().error;
}

// A full disk: what takes less room.
std::string with_smaller_form(const extract_options& o, const std::string& error) {
    const bool full = error.find("no space left on device") != std::string::npos;
    return full && o.records.payload != record::payload_mode::raw
               ? error + ". --payload raw needs about a third"
               : error;
}

// "x.ss holds", "x.c0001.ss and 3 more files hold".
std::string output_holds(const extraction& run) {
    return run.output().written() + (run.output().files() > 1 ? " hold" : " holds");
}

// What --keep-secrets left in the output; nothing if the capture had no secrets.
std::string secrets_kept(const extract_options& o, const track::figures& figures,
                         const extraction& run) {
    if (!o.records.keep_secrets) return {};
    const auto of = [&](std::initializer_list<std::string_view> types) {
        std::uint64_t n = 0;
        for (const auto type : types) {
            const auto found = figures.by_type().find(type);
            n += found == figures.by_type().end() ? 0 : found->second;
        }
        return n;
    };
    const auto sasl = of({"sasl_auth", "sasl_step"});
    const auto logins = of({"CLIENTAUTHENTICATION"});
    if (sasl + logins == 0) return {};
    std::string what;
    if (sasl > 0) what = report::plain_spaces(report::count(sasl, "SASL payload"));
    if (logins > 0)
        what += (what.empty() ? "" : " and ") +
                report::plain_spaces(report::count(logins, "canal password"));
    return fmt::format("--keep-secrets: {} {} as captured; do not attach {} to a ticket",
                       output_holds(run), what, run.output().files() > 1 ? "them" : "it");
}

void print_interrupted(const pipeline& read, const extraction& run) {
    const capture::reading_progress p = read.captures().progress();
    const auto files = read.captures().files();
    const std::string share = p.total > 0 ? fmt::format(" ({} %)", p.done * 100 / p.total) : "";
    const bool named = p.file < files.size();
    std::string text = fmt::format("interrupted after packet {} of {}{}; ",
                                   report::number(named ? files[p.file].packets : 0),
                                   named ? files[p.file].name : "-", share);
    const std::uint64_t messages = run.written().messages;
    if (run.output().files() == 0) {
        text += "there was no message up to there, and nothing was written";
    } else {
        text += fmt::format("{} the {} up to there and {}", output_holds(run),
                            report::plain_spaces(report::count(messages, "message")),
                            run.output().to_standard_output() ? "has no end"
                            : run.output().files() > 1        ? "are valid files"
                                                              : "is a valid file");
    }
    print_error(text);
}

int extract(const extract_options& o) {
    if (o.output.starts_with("redis://") || o.output.starts_with("kafka://")) {
        throw usage_error("extract: -o " + o.output +
                          ": is no output; -o - writes JSON lines, to pipe into a client of it");
    }
    if (o.roll && format_of(o, output_name(o)) != output_format::ss)
        throw usage_error("extract: --roll makes .ss files only; -o NAME.ss");
    if (o.split_connections && output_name(o) == "-")
        throw usage_error("extract: --split connection writes files; -o NAME names them");
    if (!o.summary.empty() && o.summary == output_name(o)) {
        throw usage_error("extract: --summary and -o name the same file");
    }
    if (fail(is_read(o.summary, o.common.captures))) return exit_status::failed;
    track::figures figures;
    extraction run(o, figures);
    pipeline read(o.common, "extract", run, figures, nullptr, run.watch_canal());
    if (fail(read.open())) return exit_status::failed;
    sink::output_file summary;
    if (fail(open_summary(o, summary))) return exit_status::failed;
    if (fail(run.open(read.captures()).error)) return exit_status::failed;
    const outcome how = read.run([&] { return !run.failure().ok() || run.reader_gone(); },
                                 [&] { return run.written().messages; });
    if (run.reader_gone()) return exit_status::done;
    const bool whole = how == outcome::done && run.failure().ok();
    if (how == outcome::failed) {
        print_error(read.captures().error());
        return exit_status::failed;
    }
    const std::string sink_error = run.finish(whole).error;
    if (run.reader_gone()) return exit_status::done;
    if (fail(with_smaller_form(o, sink_error))) return exit_status::failed;
    if (fail(write_summary(o, read, figures, summary))) return exit_status::failed;
    if (how == outcome::interrupted) {
        print_interrupted(read, run);
        return stop_status();
    }
    std::FILE* to = run.output().to_standard_output() ? stderr : stdout;
    const extract_facts facts{.captures = &o.common.captures,
                              .files = &read.captures().names(),
                              .packets = &read.captures().packets(),
                              .run = &run,
                              .figures = &figures,
                              .asked = &o.common,
                              .width = columns(to)};
    if (!o.common.quiet) {
        for (const std::string& note : run.output().notes()) print_warning(note);
        if (const auto kept = secrets_kept(o, figures, run); !kept.empty()) print_warning(kept);
        print_notices(read.notices(figures.observations()));
        const std::string nothing = nothing_there(facts);
        if (nothing.empty()) {
            const std::string table = report::plain_spaces(extract_table(facts));
            if (to == stderr) {
                fmt::print(to, "{}", table);
            } else if (!print(table)) {
                return exit_status::failed;
            }
        } else if (!says_no_packets(figures)) {
            print_error(report::plain_spaces(nothing));
        }
        for (const std::string& line : foreign_beside(facts))
            print_error(report::plain_spaces(line));
    }
    const std::string missing = what_is_missing(facts);
    if (!o.strict || missing.empty()) return exit_status::done;
    print_error(fmt::format("--strict: {}; {} complete apart from that", missing,
                            run.output().written() + (run.output().files() > 1 ? " are" : " is")));
    return exit_status::demanded;
}

}  // namespace

void add_extract_command(CLI::App& app, action& run) {
    CLI::App* command = app.add_subcommand("extract", "recover the messages (the main job)");
    auto options = std::make_shared<extract_options>();
    add_extract_options(*command, *options);
    command->callback([&run, options] { run = [options] { return extract(*options); }; });
}

}  // namespace cdcscope::cli
