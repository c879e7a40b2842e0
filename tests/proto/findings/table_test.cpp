// The findings table is whole: every rule once, every text there, in the order of the codes.
#include "proto/findings/table.h"

#include <gmock/gmock.h>

#include <set>
#include <string>

namespace cdcscope::findings {
namespace {

TEST(FindingsTable, RowsStandInTheOrderOfTheCodes) {
    const auto all = table();
    ASSERT_EQ(all.size(), static_cast<std::size_t>(code::cap_rules) + 1);
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(static_cast<std::size_t>(all[i].what), i) << all[i].text;
        EXPECT_EQ(&entry_of(all[i].what), &all[i]);
    }
}

TEST(FindingsTable, EveryCodeTextIsUniqueAndBeginsWithItsProtocol) {
    std::set<std::string_view> texts;
    for (const entry& e : table()) {
        EXPECT_TRUE(texts.insert(e.text).second) << e.text;
        EXPECT_TRUE(e.text.starts_with(std::string(name(e.of)) + ".")) << e.text;
        EXPECT_EQ(e.text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_."), std::string_view::npos);
    }
}

TEST(FindingsTable, EveryRuleOfBothReferencesHasOneRow) {
    std::multiset<std::string> rules;
    for (const entry& e : table()) {
        if (!e.rule.empty()) rules.emplace(e.rule);
    }
    std::multiset<std::string> wanted;
    for (int i = 1; i <= 56; ++i)
        wanted.insert(i < 10 ? "D0" + std::to_string(i) : "D" + std::to_string(i));
    for (int i = 1; i <= 24; ++i) wanted.insert("C" + std::to_string(i));
    EXPECT_EQ(rules, wanted);
}

TEST(FindingsTable, EveryRowSaysWhatItMeansAndWhatToDo) {
    for (const entry& e : table()) {
        for (const std::string_view text : {e.title, e.statement, e.source, e.meaning}) {
            EXPECT_FALSE(text.empty()) << e.text;
            EXPECT_EQ(text.find('!'), std::string_view::npos) << e.text;
        }
        EXPECT_EQ(e.statement.back(), '.') << e.text;
        EXPECT_EQ(e.meaning.back(), '.') << e.text;
        EXPECT_FALSE(e.advice().empty()) << e.text;
        for (const std::string_view step : e.advice()) EXPECT_EQ(step.back(), '.') << e.text;
        EXPECT_LE(e.least, e.level) << e.text;
    }
}

// What a reader can look up, or the project's own judgement: no document that is nowhere.
TEST(FindingsTable, EverySourceIsPublic) {
    for (const entry& e : table()) {
        bool known = false;
        for (const std::string_view publisher :
             {"couchbase/kv_engine ", "alibaba/canal ", "RFC ", "draft-ietf-",
              "Couchbase issue MB-", "cdcscope's own "})
            known = known || e.source.starts_with(publisher);
        EXPECT_TRUE(known) << e.text << ": " << e.source;
        if (e.source.find(".md") != std::string_view::npos) {
            EXPECT_NE(e.source.find("couchbase/kv_engine "), std::string_view::npos) << e.text;
        }
    }
}

TEST(FindingsTable, LookUpGoesByCodeAndByRule) {
    ASSERT_NE(find_code("dcp.flow.stalled"), nullptr);
    EXPECT_EQ(find_code("dcp.flow.stalled")->rule, "D13");
    EXPECT_EQ(find_rule("D13"), find_code("dcp.flow.stalled"));
    EXPECT_EQ(find_rule("d13"), find_rule("D13"));
    EXPECT_EQ(find_rule("D1"), find_rule("D01"));
    EXPECT_EQ(find_rule("c01"), find_rule("C1"));
    EXPECT_EQ(find_rule("D57"), nullptr);
    EXPECT_EQ(find_rule("D"), nullptr);
    EXPECT_EQ(find_rule("D-1"), nullptr);
    EXPECT_EQ(find_rule(""), nullptr);
    EXPECT_EQ(find_code("dcp.flow"), nullptr);
}

TEST(FindingsTable, ATypoLeadsToTheNearestCode) {
    EXPECT_EQ(nearest("dcp.flow.stalld"), find_code("dcp.flow.stalled"));
    EXPECT_EQ(nearest("canal.lagg"), find_code("canal.lag"));
}

TEST(FindingsTable, NothingIsNearToNonsense) {
    for (const auto* far : {"nonsense", "", "x", "stalled", "tcp"})
        EXPECT_EQ(nearest(far), nullptr) << far;
    EXPECT_EQ(nearest(std::string(1 << 20, 'x')), nullptr);
}

TEST(FindingsTable, RulesHaveNumbers) {
    EXPECT_EQ(last_rule(protocol::dcp), 56U);
    EXPECT_EQ(last_rule(protocol::canal), 24U);
    EXPECT_EQ(last_rule(protocol::tcp), 0U);
    EXPECT_EQ(rule_of("C99"), (rule_number{protocol::canal, 99}));
    EXPECT_FALSE(rule_of("C99x"));
}

}  // namespace
}  // namespace cdcscope::findings
