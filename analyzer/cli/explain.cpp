// `explain`: the findings table for people.
#include "analyzer/cli/explain.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "analyzer/cli/command.h"
#include "analyzer/cli/terminal.h"
#include "proto/findings/reference.h"

namespace cdcscope::cli {
namespace {

constexpr std::size_t label_width = 9;  // "severity" and a space
constexpr int narrowest = 40, widest = 100;

// `text` broken between words, each line behind `indent` spaces; the first one goes on where the
// caller stands.
std::string wrapped(std::string_view text, std::size_t indent, int width) {
    const auto room = static_cast<std::size_t>(std::max(width, narrowest)) - indent;
    std::string out;
    std::size_t column = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (column != 0 && column + 1 + word.size() > room) {
            out += "\n" + std::string(indent, ' ');
            column = 0;
        }
        if (column != 0) {
            out += ' ';
            ++column;
        }
        out += word;
        column += word.size();
    }
    return out + "\n";
}

std::string labelled(std::string_view label, std::string_view text, int width) {
    return fmt::format("{:<{}}", label, label_width) + wrapped(text, label_width, width);
}

std::string with_rule(const findings::entry& row) {
    return row.rule.empty() ? std::string(row.text) : fmt::format("{} ({})", row.text, row.rule);
}

// Codes in which the word stands, the first ones.
std::string codes_with(std::string_view word) {
    constexpr std::size_t most = 4;
    std::string text;
    std::size_t found = 0;
    for (const findings::entry& row : findings::table()) {
        if (row.text.find(word) == std::string_view::npos || ++found > most) continue;
        text += (text.empty() ? "" : ", ") + with_rule(row);
    }
    return found > most ? text + fmt::format(" and {} more", found - most) : text;
}

std::string unknown_finding(const std::string& asked) {
    using findings::protocol;
    constexpr std::string_view all = "cdcscope explain lists all";
    if (findings::rule_of(asked)) {
        return fmt::format(
            "explain: no rule {}; canal's go from C1 to C{}, those of DCP from D1 to D{}. {}",
            asked, findings::last_rule(protocol::canal), findings::last_rule(protocol::dcp), all);
    }
    if (const findings::entry* near = findings::nearest(asked))
        return fmt::format("explain: no finding {}; nearest: {}. {}", asked, with_rule(*near), all);
    constexpr std::size_t shortest = 2;
    const std::string with = asked.size() < shortest ? "" : codes_with(asked);
    return with.empty() ? fmt::format("explain: no finding {}; {}", asked, all)
                        : fmt::format("explain: no finding {}; with this in their code: {}. {}",
                                      asked, with, all);
}

int explain(const std::string& asked, bool markdown) {
    if (markdown)
        return print(findings::reference_text()) ? exit_status::done : exit_status::failed;
    const int width = std::clamp(columns(stdout), narrowest, widest);
    if (asked.empty())
        return print(list_of_findings(width)) ? exit_status::done : exit_status::failed;
    const findings::entry* row = findings::find_code(asked);
    if (row == nullptr) row = findings::find_rule(asked);
    if (row == nullptr) {
        print_error(unknown_finding(asked));
        return exit_status::failed;
    }
    return print(explanation(*row, width)) ? exit_status::done : exit_status::failed;
}

std::string_view unit_word(std::string_view unit) {
    return unit == "B" ? "bytes" : unit;
}

// The limits of all rules, one a line: what --threshold takes.
std::string list_of_limits(int width) {
    std::size_t longest = 0;
    for (const findings::threshold& t : findings::limit_table())
        longest = std::max(longest, fmt::formatted_size("{}={}", t.name, t.value));
    std::string out;
    for (const findings::threshold& t : findings::limit_table()) {
        const std::string line = fmt::format(
            "{:<{}}  {:<5}  ", fmt::format("{}={}", t.name, t.value), longest, unit_word(t.unit));
        out += line + wrapped(t.help, line.size(), width);
    }
    return out;
}

}  // namespace

std::string list_of_findings(int width) {
    std::size_t longest = 0;
    for (const findings::entry& row : findings::table())
        longest = std::max(longest, row.text.size());
    std::string out;
    std::string_view part;
    for (const findings::entry& row : findings::table()) {
        if (findings::name(row.of) != part) {
            if (!out.empty()) out += '\n';
            part = findings::name(row.of);
        }
        const std::string line = fmt::format("{:<{}}  {:<3}  ", row.text, longest, row.rule);
        out += line + wrapped(row.title, line.size(), width);
    }
    out += '\n';
    for (const auto s : {findings::severity::error, findings::severity::warning,
                         findings::severity::note, findings::severity::chat})
        out += fmt::format("{:<{}}  {}\n", findings::name(s), label_width, findings::meaning_of(s));
    out += "\nLimits of the rules with their defaults, for --threshold NAME=VALUE:\n\n";
    out += list_of_limits(width);
    out +=
        "\nOne of them: cdcscope explain dcp.flow.stalled, or by its rule: cdcscope explain D13\n";
    return out;
}

std::string explanation(const findings::entry& row, int width) {
    std::string out = fmt::format("{}\n\n", row.title);
    out += labelled("code", row.text, width);
    if (!row.rule.empty()) out += labelled("rule", row.rule, width);
    auto severities = findings::severities(row);
    if (row.least == findings::severity::chat) {
        const auto meaning = findings::meaning_of(findings::severity::chat);
        severities += row.level == row.least ? fmt::format(": {}", meaning)
                                             : fmt::format(" (chat: {})", meaning);
    }
    out += labelled("severity", severities, width);
    out += labelled("when", fmt::format("{} ({})", row.statement, row.source), width);
    if (row.both_sides) out += labelled("", findings::both_sides_text, width);
    out += '\n' + labelled("means", row.meaning, width);
    std::size_t number = 0;
    for (const std::string_view step : row.advice()) {
        ++number;
        const std::string label =
            fmt::format("{:<{}}{} ", number == 1 ? "do" : "", label_width, number);
        out += label + wrapped(step, label.size(), width);
    }
    const auto limits = findings::limits_of(row.what);
    if (!limits.empty()) out += '\n';
    for (const findings::threshold& t : limits) {
        out += labelled(&t == limits.data() ? "limits" : "",
                        fmt::format("--threshold {}={}: {}", t.name, t.value, t.help) +
                            (t.unit.empty() ? "" : fmt::format(" (in {})", unit_word(t.unit))),
                        width);
    }
    if (const std::string filter = findings::expert_field(row); !filter.empty()) {
        out += '\n' + labelled("filter", filter + " (Wireshark, with the plugin)", width);
    }
    return out;
}

void add_explain_command(CLI::App& app, action& run) {
    CLI::App* command = app.add_subcommand("explain", "What a finding means and what to do");
    const auto asked = std::make_shared<std::string>();
    const auto markdown = std::make_shared<bool>(false);
    command->add_option("FINDING", *asked, "its code, or its rule; without it all are listed");
    command->add_flag("--markdown", *markdown, "the whole reference, as docs/findings.md")
        ->group("");
    command->callback([asked, markdown, &run] {
        run = [asked, markdown] { return explain(*asked, *markdown); };
    });
}

}  // namespace cdcscope::cli
