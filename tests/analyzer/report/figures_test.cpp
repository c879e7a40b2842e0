// Whatever number page, text and ticket show is in the JSON of the same model, or is made of one by
// the rules of format.h.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

#include "analyzer/cli/report_command.h"
#include "analyzer/report/format.h"
#include "analyzer/report/html.h"
#include "analyzer/report/json.h"
#include "analyzer/report/markdown.h"
#include "analyzer/report/text.h"
#include "tests/analyzer/report/sample_models.h"

namespace cdcscope::report {
namespace {

using nlohmann::json;

const std::regex number_in_text(R"([0-9][0-9,]*(\.[0-9]+)?)");

void add_numbers(std::set<std::string>& known, const std::string& text) {
    for (std::sregex_iterator it(text.begin(), text.end(), number_in_text), end; it != end; ++it) {
        auto number = it->str();
        while (number.ends_with(',')) number.pop_back();
        known.insert(number);
    }
}

// All ways in which the page may write a number of the JSON.
void add_forms(std::set<std::string>& known, const json& value) {
    if (value.is_number_integer()) {
        const auto n = value.get<std::uint64_t>();
        for (const auto& text : {fmt::format("{}", n), number(n), bytes(n), fmt::format("{:x}", n)})
            add_numbers(known, text);
        return;
    }
    const auto ns = static_cast<std::int64_t>(std::llround(value.get<double>() * 1e6));
    for (const auto& text :
         {duration(ns), rough_duration(ns), exact_duration(ns), short_duration(ns),
          short_duration(ns / 1'000'000 * 1'000'000), fmt::format("{:g}", value.get<double>()),
          fmt::format("{:.1f}", value.get<double>()),
          fmt::format("{:.1f}", value.get<double>() / 1000)}) {
        add_numbers(known, text);
    }
}

void add_all(std::set<std::string>& known, const json& value) {
    if (value.is_number()) add_forms(known, value);
    if (value.is_string()) {
        const auto text = value.get<std::string>();
        add_numbers(known, text);
        // Times come out in parts, rounded to the millisecond.
        if (text.size() == 30 && text[10] == 'T') {
            const auto ms = std::llround(std::stod(text.substr(17, 12)) * 1000);
            add_numbers(known, fmt::format("{:02}.{:03} {:02}", ms / 1000, ms % 1000, ms / 1000));
        }
    }
    if (value.is_structured()) {
        for (const auto& inner : value) add_all(known, inner);
    }
}

// The text of the page: without style, script, the ticket's text, tags, and the labels of axes,
// which are round numbers.
std::string visible(std::string page) {
    for (const auto* cut :
         {"<style>[\\s\\S]*?</style>", "<script>[\\s\\S]*?</script>", "<pre [\\s\\S]*?</pre>",
          "<section id=\"about\">[\\s\\S]*?</section>", "<span class=\"t t[xy][^>]*>[^<]*</span>",
          "<span class=\"axl[^>]*>[^<]*</span>", "<[^>]*>", "&[a-z#0-9]*;"}) {
        page = std::regex_replace(page, std::regex(cut, std::regex::optimize), " ");
    }
    return page;
}

void expect_all_known(const model& m) {
    const auto report = json::parse(render_json(m));
    std::set<std::string> known{"1", "2", "3"};  // cards and steps are numbered
    add_all(known, report);
    for (const auto& c : report["connections"]) {
        const auto stream = c["c2s"]["streamBytes"].get<std::uint64_t>() +
                            c["s2c"]["streamBytes"].get<std::uint64_t>();
        const auto read = c["c2s"]["messageBytes"].get<std::uint64_t>() +
                          c["s2c"]["messageBytes"].get<std::uint64_t>();
        for (const auto& text :
             {exact_bytes(stream), bytes(stream), exact_bytes(read), share(read, stream),
              number(c["c2s"]["messages"].get<std::uint64_t>() +
                     c["s2c"]["messages"].get<std::uint64_t>())}) {
            add_numbers(known, text);
        }
    }
    const auto& all = m.capture.bytes;
    for (const auto part : {all.message, all.gap, all.unparsed, all.stream})
        add_numbers(known, share(part, all.stream));
    for (const auto& c : m.connections) add_numbers(known, share(c.flow->peak, c.flow->window));
    const std::pair<std::string_view, std::string> forms[] = {
        {"page", visible(render_html(m))},
        {"text", render_text(m, {200, false, true})},
        {"ticket", render_markdown(m, {true})}};
    for (const auto& [name, text] : forms) {
        std::set<std::string> shown;
        add_numbers(shown, text);
        for (const auto& n : shown) EXPECT_TRUE(known.contains(n)) << n << " in the " << name;
    }
}

TEST(Figures, OfAHandMadePageAreInTheJson) {
    expect_all_known(samples::stalled());
}

TEST(Figures, OfEveryCaseAreInTheJson) {
    std::size_t captures = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(CDCSCOPE_SOURCE_DIR "/tests/data/reports")) {
        if (entry.path().extension() != ".pcap") continue;
        ++captures;
        SCOPED_TRACE(entry.path().filename().string());
        cli::report_options o;
        o.common.captures = {entry.path().string()};
        o.common.quiet = o.common.no_progress = true;
        expect_all_known(cli::read_report(o).model);
    }
    EXPECT_GE(captures, 30U);
}

TEST(Figures, OfTwoFilesInOneReportAreInTheJson) {
    cli::report_options o;
    for (const auto* file : {"travel-1.pcap", "travel-2.pcap"})
        o.common.captures.push_back(std::string(CDCSCOPE_SOURCE_DIR "/captures/travel/") + file);
    o.common.quiet = o.common.no_progress = true;
    expect_all_known(cli::read_report(o).model);
}

}  // namespace
}  // namespace cdcscope::report
