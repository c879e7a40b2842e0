// Every form says what there is to say in every state, and nothing more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "analyzer/report/html.h"
#include "analyzer/report/json.h"
#include "analyzer/report/layout.h"
#include "analyzer/report/markdown.h"
#include "analyzer/report/text.h"
#include "tests/analyzer/report/sample_models.h"

namespace cdcscope::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const model& m, std::size_t width = 100) {
    return render_text(m, {width, false, false});
}

TEST(States, CleanIsOneLineWithoutCards) {
    const auto m = samples::clean();
    EXPECT_THAT(text_of(m), HasSubstr("No errors, no warnings."));
    EXPECT_THAT(text_of(m), Not(HasSubstr("FINDINGS")));
    const auto page = render_html(m);
    EXPECT_THAT(page, HasSubstr("No errors, no warnings.</h1>"));
    EXPECT_THAT(page, Not(HasSubstr("class=\"top3\"")));
    EXPECT_THAT(render_markdown(m), HasSubstr("every TCP byte read"));
}

TEST(States, NothingRecoveredOffersACommandAndNoEmptySections) {
    const auto m = samples::nothing_recovered();
    EXPECT_THAT(text_of(m), HasSubstr("cdcscope report r63-other-port.pcap --port dcp=12000"));
    EXPECT_THAT(text_of(m), Not(HasSubstr("CONNECTIONS")));
    const auto page = render_html(m);
    EXPECT_THAT(page, HasSubstr("--port dcp=12000</code>"));
    EXPECT_THAT(page, HasSubstr("Ports in this capture"));
    for (const auto* absent : {"id=\"connections\"", "id=\"findings\"", "id=\"streams\"",
                               "id=\"batches\"", "id=\"detail\""}) {
        EXPECT_THAT(page, Not(HasSubstr(absent)));
    }
}

TEST(States, EncryptedNamesWhatCanStillBeSaid) {
    const auto m = samples::encrypted();
    EXPECT_THAT(text_of(m), HasSubstr("encrypted"));
    EXPECT_THAT(render_html(m), HasSubstr("times, bytes and closes can"));
    EXPECT_EQ(nlohmann::json::parse(render_json(m))["verdict"]["result"], "encrypted");
}

TEST(States, OneDirectionIsSaidAboveTheVerdict) {
    const auto page = render_html(samples::one_direction());
    const auto strip = page.find("class=\"strip\""), headline = page.find("<h1>");
    ASSERT_NE(strip, std::string::npos);
    EXPECT_LT(strip, headline);
    EXPECT_THAT(page, HasSubstr("Not drawn: acknowledgements go from client to server"));
}

TEST(States, AStallIsOnTopInEveryForm) {
    const auto m = samples::stalled();
    const auto text = text_of(m);
    EXPECT_LT(text.find("One connector has received nothing"), text.find("CAPTURE"));
    EXPECT_THAT(text, HasSubstr("warning, dcp.flow.stalled, rules D11, D13, D15, c1"));
    EXPECT_THAT(text, HasSubstr("#60    06:22:01.016  window full"));
    EXPECT_THAT(text, HasSubstr("4,096 |"));
    EXPECT_THAT(render_markdown(m), HasSubstr("| 1 | **Warning** |"));
    const auto json = nlohmann::json::parse(render_json(m));
    EXPECT_EQ(json["findings"][0]["rule"], "D13");
    EXPECT_EQ(json["findings"][0]["frames"], nlohmann::json({60, 313}));
    EXPECT_EQ(json["findings"][0]["figures"]["window"], 4096);
    EXPECT_EQ(json["connections"][0]["flowControl"]["peak"], 4230);
    EXPECT_EQ(json["resume"][0]["seqno"], 14);
    const auto page = render_html(m);
    EXPECT_THAT(page, HasSubstr("id=\"f1\""));
    EXPECT_THAT(page, HasSubstr("frame.number in {24, 60}</code>"));
    EXPECT_THAT(page, HasSubstr("class=\"pl-lim\""));
}

TEST(States, AFilterStandsClearOfANameOfAnyLength) {
    auto m = samples::stalled();
    for (const auto* name : {"a.pcap", "sixteen-chars.pc", "captures/dcp/faults-of-it.pcap"}) {
        m.cards[0].filters[0].label = "Frames, " + std::string(name);
        for (const std::size_t width : {80, 100}) {
            EXPECT_TRUE(std::regex_search(
                text_of(m, width), std::regex(std::string(name) + "\\s+frame.number in \\{")))
                << name;
        }
        EXPECT_THAT(render_markdown(m), HasSubstr("\n```\nframe.number in {24, 60}\n```\n"));
    }
    EXPECT_THAT(text_of(m), HasSubstr("with plugin     ip.addr == "));
    EXPECT_THAT(render_markdown(m), HasSubstr("tcp.port == 40001 && cbdcp.flow.stalled\n```"));
}

TEST(States, TextNeverExceedsItsWidth) {
    for (const auto& m :
         {samples::stalled(), samples::clean(), samples::nothing_recovered(), samples::many(60)}) {
        for (const std::size_t width : {60, 72, 80, 100, 132}) {
            const auto text = text_of(m, width);
            for (std::size_t at = 0; at < text.size();) {
                const auto end = text.find('\n', at);
                const auto line = text.substr(at, end - at);
                if (line.find("frame.number") == std::string::npos &&
                    line.find("ip.addr") == std::string::npos &&
                    line.find("--port") == std::string::npos) {
                    EXPECT_LE(display_width(line), width) << line;
                }
                at = end + 1;
            }
        }
    }
}

TEST(States, ColourIsOnlyThereOnRequest) {
    const auto m = samples::stalled();
    EXPECT_THAT(render_text(m, {100, false, true}), Not(HasSubstr("\x1b")));
    EXPECT_THAT(render_text(m, {100, true, true}), HasSubstr("\x1b[33m"));
}

TEST(States, AThousandConnectionsStayUnderTwoMegabytes) {
    const auto m = samples::many(1000);
    const auto page = render_html(m);
    EXPECT_LT(page.size(), 2U << 20);
    EXPECT_THAT(page, HasSubstr("and 500 more in the JSON"));
    EXPECT_EQ(nlohmann::json::parse(render_json(m))["connections"].size(), 1000U);
    EXPECT_THAT(text_of(m), HasSubstr("and 950 more"));
}

TEST(States, AnEmptyModelBreaksNothing) {
    const model m;
    EXPECT_FALSE(render_html(m).empty());
    EXPECT_FALSE(text_of(m).empty());
    EXPECT_FALSE(render_markdown(m).empty());
    EXPECT_TRUE(nlohmann::json::accept(render_json(m)));
}

}  // namespace
}  // namespace cdcscope::report
