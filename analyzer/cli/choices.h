// Options that take one of a few words.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/cli/command.h"

namespace cdcscope::cli {

template <typename Choice>
using choices = std::vector<std::pair<std::string, Choice>>;

// `take` gets what was chosen; any other word is wrong use, and the line names those there are.
template <typename Choice>
CLI::Option* add_choice(CLI::App& command, const std::string& name, choices<Choice> all,
                        const std::string& help, std::function<void(Choice)> take) {
    std::string values;
    for (const auto& [known, choice] : all) values += (values.empty() ? "" : "|") + known;
    const auto choose = [name, all = std::move(all),
                         take = std::move(take)](const std::string& word) {
        std::string words;
        for (const auto& [known, choice] : all) {
            if (known == word) return take(choice);
            words += (words.empty() ? "" : ", ") + known;
        }
        throw usage_error(fmt::format("{} {}: one of {}", name, word, words));
    };
    return command.add_option_function<std::string>(name, choose, help)->type_name(values);
}

template <typename Choice, typename Target>
CLI::Option* add_choice(CLI::App& command, const std::string& name, Target& to, choices<Choice> all,
                        const std::string& help) {
    return add_choice<Choice>(command, name, std::move(all), help,
                              [&to](Choice chosen) { to = chosen; });
}

}  // namespace cdcscope::cli
