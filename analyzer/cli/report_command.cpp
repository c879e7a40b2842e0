#include "analyzer/cli/report_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "analyzer/cli/choices.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/inputs.h"
#include "analyzer/cli/pipeline.h"
#include "analyzer/cli/signals.h"
#include "analyzer/cli/terminal.h"
#include "analyzer/cli/typed_again.h"
#include "analyzer/report/collector.h"
#include "analyzer/report/format.h"
#include "analyzer/report/html.h"
#include "analyzer/report/json.h"
#include "analyzer/report/markdown.h"
#include "analyzer/report/text.h"
#include "analyzer/sink/output_file.h"

namespace cdcscope::cli {
namespace {

std::string command_of(const report_options& o) {
    std::string out = typed_again("report", o.common);
    using record::redact_mode;
    if (o.redact == redact_mode::nothing) return out;
    return out + (o.redact == redact_mode::keys     ? " --redact keys"
                  : o.redact == redact_mode::values ? " --redact values"
                                                    : " --redact all");
}

std::string settings_of(const common_options& o) {
    std::string out = "ports dcp=11210";
    for (const std::uint16_t port : o.dcp_ports) out += fmt::format(",{}", port);
    out += ", canal=11111";
    for (const std::uint16_t port : o.canal_ports) out += fmt::format(",{}", port);
    if (!o.filter.empty()) out += fmt::format("; filter {}", o.filter);
    if (o.since) out += fmt::format("; since {}", o.since->text);
    if (o.until) out += fmt::format("; until {}", o.until->text);
    return out;
}

report::capture_info captured(const capture::reader& from) {
    report::capture_info c;
    for (const capture::file_facts& f : from.files()) {
        if (f.packets > 0) {
            c.span.from = c.span.from == 0 ? f.first_ns : std::min(c.span.from, f.first_ns);
            c.span.to = std::max(c.span.to, f.last_ns);
        }
        c.files.push_back({f.name, f.packets, f.bytes, false});
    }
    c.packets = from.packets().read;
    c.tcp_packets = from.packets().tcp;
    c.other_packets = from.packets().other;
    c.cut_packets = from.packets().cut;
    c.left_out_packets = from.packets().left_out;
    return c;
}

std::string rendered(const report::model& m, const report_options& o, report_format format) {
    if (format == report_format::html) return report::render_html(m);
    if (format == report_format::markdown) return report::render_markdown(m, {o.all});
    // A file has room for every finding; a terminal shows the gravest three in full.
    const bool to_terminal = o.output == "-";
    return report::render_text(
        m, {static_cast<std::size_t>(columns(stdout)),
            to_terminal && use_color(o.common.color, stdout), o.all || !to_terminal});
}

bool fail(const std::string& error) {
    if (!error.empty()) print_error(error);
    return !error.empty();
}

// Opened before the capture is read: an output that cannot be is known before the work is done.
std::string open_output(const report_options& o, sink::output_file& file) {
    if (std::string why = is_read(o.output, o.common.captures); !why.empty()) return why;
    const auto existing =
        o.force ? sink::output_file::existing::replace : sink::output_file::existing::refuse;
    return file.open(o.output, existing).error;
}

std::string write(sink::output_file& file, const report::model& m, const report_options& o,
                  report_format format) {
    sink::status written;
    const auto put = [&](std::string_view text) {
        if (written.ok()) written = file.write(as_bytes(text));
    };
    if (format == report_format::json) {
        report::write_json(m, put);
        put("\n");
    } else {
        put(rendered(m, o, format));
    }
    if (!written.ok()) return written.error;
    sink::status done = file.commit();
    return file.reader_gone() ? std::string{} : done.error;
}

// Keeps for the warnings what the report hears.
class heard final : public track::observation_log {
  public:
    explicit heard(capture::observation_sink& to) : to_(to) {}
    void on_observation(const capture::observation& o) override {
        track::observation_log::on_observation(o);
        to_.on_observation(o);
    }

  private:
    capture::observation_sink& to_;
};

report_format chosen_format(const report_options& o) {
    if (o.format) return *o.format;
    if (const auto by_name = format_by_name(o.output)) return *by_name;
    std::error_code unknown;
    if (std::filesystem::is_character_file(o.output, unknown) ||
        std::filesystem::is_fifo(o.output, unknown))
        return report_format::text;
    if (o.output.empty()) throw usage_error("report: -o: the name is empty");
    throw usage_error(
        fmt::format("report: output {}: ends in none of .html .json .md .txt; {}", o.output,
                    o.output.ends_with(".pdf") ? "print the .html to PDF from a browser"
                                               : "name it so, or say --format"));
}

int run_report(const report_options& o) {
    const report_format format = chosen_format(o);
    sink::output_file file;
    if (fail(open_output(o, file))) return exit_status::failed;
    const report_reading read = read_report(o);
    if (read.how == outcome::failed) {
        print_error(read.error);
        return exit_status::failed;
    }
    if (read.how == outcome::interrupted) {
        print_error("interrupted; no report was written");
        return stop_status();
    }
    const report::model& m = read.model;
    if (fail(write(file, m, o, format))) return exit_status::failed;
    if (!o.common.quiet) print_notices(read.notices);
    if (!o.fail_on) return exit_status::done;
    const std::string grave = what_to_fail_on(m.hits, *o.fail_on);
    if (grave.empty()) return exit_status::done;
    print_error(fmt::format("report: {} (--fail-on {}); see {}", grave, findings::name(*o.fail_on),
                            o.output == "-" ? "above" : o.output));
    return exit_status::demanded;
}

}  // namespace

report_reading read_report(const report_options& o) {
    report::collector collector(o.common.limits, redaction_of(o.redact));
    heard observed(collector);
    pipeline read(o.common, "report", collector, observed, collector.watch_dcp(),
                  collector.watch_canal());
    report_reading result;
    result.error = read.open();
    result.how = outcome::failed;
    if (!result.error.empty()) return result;
    bool bounds_known = false;
    const auto choose_time = [&] {
        if (bounds_known || !read.captures().first().seen) return false;
        bounds_known = true;
        const std::int64_t first = read.captures().first().time_ns;
        const auto at = [&](const std::optional<time_bound>& b) {
            return b ? std::optional(b->resolve(first)) : std::nullopt;
        };
        collector.choose_time(at(o.common.since), at(o.common.until));
        if (const auto until = at(o.common.until)) read.judge_until(*until);
        return false;
    };
    result.how = read.run(choose_time, [&] { return collector.messages(); });
    result.error = read.captures().error();
    if (result.how != outcome::done) return result;
    result.notices = read.notices(observed.observations());
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    collector.describe_run(command_of(o), settings_of(o.common), o.common.filter,
                           std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
    result.model = collector.finish(captured(read.captures()), read.canal_world());
    return result;
}

std::optional<report_format> format_by_name(std::string_view output) {
    constexpr std::array<std::pair<std::string_view, report_format>, 6> endings{
        {{".html", report_format::html},
         {".htm", report_format::html},
         {".json", report_format::json},
         {".md", report_format::markdown},
         {".txt", report_format::text},
         {"-", report_format::text}}};
    std::string lower(output);
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const auto& [ending, format] : endings) {
        if (lower.ends_with(ending) && (ending != "-" || output == "-")) return format;
    }
    return {};
}

std::string what_to_fail_on(const report::tally& hits, findings::severity least) {
    using findings::severity;
    const std::array<std::pair<severity, std::string>, 4> all{
        {{severity::error, hits.errors == 0 ? "" : report::count(hits.errors, "error")},
         {severity::warning, hits.warnings == 0 ? "" : report::count(hits.warnings, "warning")},
         {severity::note, hits.notes == 0 ? "" : report::count(hits.notes, "note")},
         {severity::chat, hits.chats == 0 ? "" : report::count(hits.chats, "chat")}}};
    std::vector<std::string> said;
    for (const auto& [level, words] : all) {
        if (level >= least && !words.empty()) said.push_back(report::plain_spaces(words));
    }
    std::string out;
    for (std::size_t i = 0; i < said.size(); ++i)
        out += (i == 0 ? "" : i + 1 == said.size() ? " and " : ", ") + said[i];
    return out;
}

void add_report_command(CLI::App& app, action& run) {
    CLI::App* command = app.add_subcommand("report", "what the streams did and what went wrong");
    auto options = std::make_shared<report_options>();
    add_common_options(*command, options->common);
    command
        ->add_option("-o,--output", options->output,
                     "x.html, x.json, x.md or x.txt; - for standard output (default)")
        ->type_name("OUT");
    add_choice<report_format>(*command, "--format", options->format,
                              {{"text", report_format::text},
                               {"md", report_format::markdown},
                               {"json", report_format::json},
                               {"html", report_format::html}},
                              "text (default), md, json or html, whatever the name says");
    command->add_flag("--all", options->all, "every finding in full, not the gravest three only");
    add_redact_option(*command, options->redact);
    command->add_flag("--force", options->force, "replace an existing file");
    add_choice<findings::severity>(*command, "--fail-on", options->fail_on,
                                   {{"error", findings::severity::error},
                                    {"warning", findings::severity::warning},
                                    {"note", findings::severity::note},
                                    {"chat", findings::severity::chat}},
                                   "exit with status 3 if there is a finding as grave as this");
    command->callback([&run, options] { run = [options] { return run_report(*options); }; });
}

}  // namespace cdcscope::cli
