// Names from the capture are text in every form: no markup, no script, no escape sequence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "analyzer/report/html.h"
#include "analyzer/report/html_writer.h"
#include "analyzer/report/json.h"
#include "analyzer/report/markdown.h"
#include "analyzer/report/text.h"
#include "tests/analyzer/report/sample_models.h"

namespace cdcscope::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string evil = "<img src=x onerror=\"alert(1)\"></script>'`|\x1b[2J\xff\n";

// Every text that can come from a capture or the command line.
model hostile() {
    auto m = samples::stalled(evil);
    m.capture.files.front().name = evil;
    m.command = evil;
    auto& c = m.connections.front();
    c.target = c.agent = c.condition = evil;
    c.first_bytes = evil;
    c.durable.make() = {2, 0, 1, 1, 1, 2};
    c.latency.make().add(5, true);
    c.collections = {{8, evil}};
    c.holes = {{direction::s2c, true, 0, 10, "acked_unseen", samples::frame(2, samples::second)}};
    c.items = {{evil, "mutation", 0, {}, 1, 1, 1, {}, 0, 0, false, {evil}}};
    c.rows = {{evil, "UPDATE", evil, true, evil, {evil}, {{evil, evil}}, {{evil, evil}}}};
    m.streams.front().end_name = m.streams.front().status_name = evil;
    m.streams.front().state = stream_state::ended;
    m.streams.front().end_reason = 2;
    durable_write d;
    d.connection = 1;
    d.key = d.level = d.application = evil;
    d.prepared = samples::frame(3, samples::second);
    d.latency_ns = 10 * samples::second;
    m.writes = {d};
    operation o;
    o.connection = 1;
    o.opcode = o.key = o.level = o.status_name = evil;
    o.has_answer = true;
    m.operations = {o};
    batch_row b;
    b.connection = 1;
    b.destination = b.client_id = b.journal = b.transaction = b.remark = evil;
    b.tables = {evil};
    b.has_lag = true;
    b.lag_ns = samples::second;
    m.batches = {b};
    m.positions = {{evil, evil, evil, evil, evil, 4, 1, 1}};
    m.capture.observations = {{"tcp.gap", 1, 1, 1, samples::frame(1, 0), evil}};
    auto& card = m.cards.front();
    for (auto* text :
         {&card.text, &card.why, &card.state, &card.brief, &card.meaning, &card.chart.left})
        *text = evil;
    card.shown.front().what = evil;
    card.advice.front() = evil;
    card.filters.front().expression = card.filters.front().label = evil;
    m.headline = m.second_line = m.strip = m.guess = m.guess_label = m.settings = evil;
    return m;
}

TEST(HostileNames, EscapingLeavesNothingThatBeginsMarkup) {
    EXPECT_EQ(escape_html("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
    EXPECT_EQ(escape_html("a\x1b\xff"), "a\\x1b\\xff");
}

TEST(HostileNames, AreTextInHtml) {
    const auto page = render_html(hostile());
    EXPECT_THAT(page, Not(HasSubstr("<img")));
    EXPECT_THAT(page, HasSubstr("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&lt;/script&gt;"));
    // The only scripts are the program's own.
    std::size_t scripts = 0;
    for (auto at = page.find("<script"); at != std::string::npos; at = page.find("<script", at + 1))
        ++scripts;
    EXPECT_EQ(scripts, 1U);
    EXPECT_THAT(page, HasSubstr("script-src 'sha256-"));
    EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(HostileNames, DoNotReachTheTerminal) {
    const auto text = render_text(hostile(), {100, false, true});
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(text, Not(HasSubstr("\xff")));
}

TEST(HostileNames, DoNotBreakATableOfMarkdown) {
    const auto text = render_markdown(hostile(), {true});
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    const auto row = text.find("| 1 | **Warning**");
    ASSERT_NE(row, std::string::npos);
    const auto line = text.substr(row, text.find('\n', row) - row);
    EXPECT_THAT(line, HasSubstr("\\<img"));
    EXPECT_THAT(line, HasSubstr("\\|"));
}

TEST(HostileNames, KeepJsonValid) {
    const auto text = render_json(hostile());
    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_TRUE(nlohmann::json::accept(text));
}

}  // namespace
}  // namespace cdcscope::report
