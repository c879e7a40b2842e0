// The command line: picks the subcommand, and turns what can go wrong with the words into one line
// and status 2.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <exception>
#include <new>
#include <sstream>

#include "analyzer/cli/command.h"
#include "analyzer/cli/nearest.h"
#include "analyzer/cli/out_of_memory.h"
#include "analyzer/cli/signals.h"
#include "analyzer/cli/terminal.h"

namespace cdcscope::cli {
namespace {

// The subcommand that was named, as deep as it goes: "ss verify"; or the first on the way that has
// words it does not know.
const CLI::App& named(const CLI::App& app, std::string& path) {
    const auto subcommands = app.get_subcommands();
    if (subcommands.empty() || !app.remaining(false).empty()) return app;
    if (!path.empty()) path += ' ';
    path += subcommands.front()->get_name();
    return named(*subcommands.front(), path);
}

std::vector<std::string> option_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
}

// What a command that takes one argument calls it: "file".
std::string argument_of(const CLI::App& command) {
    for (const CLI::Option* option : command.get_options()) {
        if (!option->get_positional()) continue;
        std::string name = option->get_name(true);
        std::ranges::transform(name, name.begin(),
                               [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return name;
    }
    return "argument";
}

// The name of an error is at times that of the command; its code always tells.
bool is(const CLI::ParseError& error, CLI::ExitCodes code) {
    return error.get_exit_code() == static_cast<int>(code);
}

// CLI11 knows what is wrong, but not how we say it.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
    std::string path;
    const CLI::App& command = named(app, path);
    const std::string where = path.empty() ? "" : path + ": ";
    const std::string help =
        fmt::format("cdcscope {}{}--help lists all", path, path.empty() ? "" : " ");
    std::vector<std::string> extras = command.remaining(true);
    // A word that is no command of a command is left to the program itself.
    if (extras.empty() && is(error, CLI::ExitCodes::RequiredError) &&
        !command.get_subcommands({}).empty())
        extras = app.remaining(true);
    if (!extras.empty() && (is(error, CLI::ExitCodes::ExtrasError) || path.empty() ||
                            !command.get_subcommands({}).empty())) {
        const std::string& word = extras.front();
        if (word.rfind('-', 0) == 0) {
            const std::string option = word.substr(0, word.find('='));
            const auto near = nearest(option, option_names(command));
            return fmt::format("{}unknown option {}{}{}", where, option,
                               near ? "; did you mean " + *near + "? " : "; ", help);
        }
        if (!path.empty() && command.get_subcommands({}).empty())
            return fmt::format("{}takes one {}, {} is one more; {}", where, argument_of(command),
                               word, help);
        std::vector<std::string> names;
        for (const CLI::App* sub : command.get_subcommands({})) names.push_back(sub->get_name());
        const auto near = nearest(word, names);
        return fmt::format("{}no command {}{}{}", where, word,
                           near ? "; did you mean " + *near + "? " : "; ", help);
    }
    if (is(error, CLI::ExitCodes::RequiredError) && !command.get_subcommands({}).empty())
        return where + "a command is missing; " + help;
    return fmt::format("{}{}; {}", where, error.what(), help);
}

int run(int argc, char** argv) {
    CLI::App app{
        "Recovers Couchbase DCP and Alibaba canal messages from captures, and says what went "
        "wrong."};
    app.name("cdcscope");
    app.set_version_flag("--version", "cdcscope " CDCSCOPE_VERSION);
    app.require_subcommand(1);
    app.fallthrough(false);
    action todo;
    add_extract_command(app, todo);
    add_streams_command(app, todo);
    add_report_command(app, todo);
    add_ss_commands(app, todo);
    add_explain_command(app, todo);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& e) {  // --help, --version
        std::ostringstream text;
        (void)app.exit(e, text, text);
        return print(text.str()) ? exit_status::done : exit_status::failed;
    } catch (const CLI::ParseError& e) {
        print_error(explain(app, e));
        return exit_status::wrong_use;
    }
    return todo ? todo() : exit_status::wrong_use;
}

}  // namespace
}  // namespace cdcscope::cli

int main(int argc, char** argv) {
    using namespace cdcscope::cli;
    end_without_memory();
    try {
        catch_signals();
        return run(argc, argv);
    } catch (const usage_error& e) {
        print_error(e.what());
        return exit_status::wrong_use;
    } catch (const std::bad_alloc&) {
        print_error(out_of_memory);
    } catch (const std::exception& e) {
        print_error(e.what());
    }
    return exit_status::failed;
}
