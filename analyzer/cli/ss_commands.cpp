// `cdcscope ss ...` on the command line.
#include "analyzer/cli/ss_commands.h"

#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "analyzer/cli/choices.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/ss_files.h"
#include "analyzer/cli/terminal.h"

namespace cdcscope::cli {
namespace {

// A subcommand whose options live as long as it does. `run` gets the work.
template <typename Options>
CLI::App* add(CLI::App& parent, action& run, const char* name, const char* about,
              std::shared_ptr<Options>& options, int (*work)(const Options&)) {
    options = std::make_shared<Options>();
    CLI::App* command = parent.add_subcommand(name, about);
    command->callback([&run, o = options, work] {
        run = [o, work] {
            try {
                return work(*o);
            } catch (const ss_failure& e) {
                print_error(e.text);
                return exit_status::failed;
            }
        };
    });
    return command;
}

void add_pack(CLI::App& parent, action& run) {
    std::shared_ptr<ss_pack_options> o;
    CLI::App* c = add(parent, run, "pack", "Make a .ss file from JSON lines", o, ss_pack);
    c->add_option("VECTOR", o->vector,
                  "lines as `ss dump --payload` prints them; - for standard input")
        ->required();
    c->add_option("-o,--output", o->out, "file to write")->required();
    c->add_flag("--force", o->force, "replace an existing file");
}

void add_dump(CLI::App& parent, action& run) {
    std::shared_ptr<ss_dump_options> o;
    CLI::App* c = add(parent, run, "dump", "Print every frame as a JSON line", o, ss_dump);
    c->add_option("FILE", o->file)->required();
    c->add_flag("--payload", o->payload, "payloads, too (base64)");
}

void add_verify(CLI::App& parent, action& run) {
    std::shared_ptr<ss_verify_options> o;
    CLI::App* c = add(parent, run, "verify", "Check everything a .ss file promises", o, ss_verify);
    c->add_option("FILE", o->file)->required();
    c->add_flag("--json", o->json, "problems as one JSON object");
    add_choice<ss::marker_rule>(
        *c, "--markers", o->markers,
        {{"exact", ss::marker_rule::exact}, {"known", ss::marker_rule::known}},
        "what beacons may hold: `known` for files that a SeaStreamer producer opened again");
}

void add_cat(CLI::App& parent, action& run) {
    std::shared_ptr<ss_cat_options> o;
    CLI::App* c = add(parent, run, "cat", "Print the messages", o, ss_cat);
    c->add_option("FILE", o->file)->required();
    c->add_option("--key", o->key, "this stream only");
    c->add_option_function<std::string>(
         "--from", [o](const std::string& t) { o->from = parse_number("--from", t); },
         "from this number of the stream on")
        ->type_name("NUMBER");
    c->add_option_function<std::string>(
        "--since", [o](const std::string& t) { o->since = parse_time("--since", t); },
        "messages of this time or later");
    c->add_option_function<std::string>(
        "--until", [o](const std::string& t) { o->until = parse_time("--until", t); },
        "messages of this time or earlier");
    add_choice<cat_format>(
        *c, "--format", o->format,
        {{"log", cat_format::log}, {"json", cat_format::json}, {"raw", cat_format::raw}},
        "log, json (a line each) or raw (payloads, nothing else)");
    c->add_flag("--follow", o->follow, "wait for more until the stream ends");
    c->add_flag("--all", o->all, "messages under internal keys, too");
}

void add_info(CLI::App& parent, action& run) {
    std::shared_ptr<ss_info_options> o;
    CLI::App* c = add(parent, run, "info", "Tell what is in a .ss file", o, ss_info);
    c->add_option("FILE", o->file)->required();
    c->add_flag("--json", o->json, "as one JSON object");
}

void add_repair(CLI::App& parent, action& run) {
    std::shared_ptr<ss_repair_options> o;
    CLI::App* c =
        add(parent, run, "repair", "Write all that can be saved to a new file", o, ss_repair);
    c->add_option("FILE", o->file)->required();
    c->add_option("-o,--output", o->out, "file to write")->required();
    c->add_flag("--force", o->force, "replace an existing file");
}

void add_join(CLI::App& parent, action& run) {
    std::shared_ptr<ss_join_options> o;
    CLI::App* c = add(parent, run, "join", "Put several files into one, by time", o, ss_join);
    c->add_option("FILE", o->files)->required();
    c->add_option("-o,--output", o->out, "file to write")->required();
    c->add_flag("--force", o->force, "replace an existing file");
}

}  // namespace

void add_ss_commands(CLI::App& app, action& run) {
    CLI::App* ss = app.add_subcommand("ss", "Read, check and mend .ss files");
    ss->require_subcommand(1);
    add_cat(*ss, run);
    add_dump(*ss, run);
    add_info(*ss, run);
    add_join(*ss, run);
    add_pack(*ss, run);
    add_repair(*ss, run);
    add_verify(*ss, run);
}

}  // namespace cdcscope::cli
