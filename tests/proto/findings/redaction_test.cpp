// What --redact leaves of findings.
#include "proto/findings/redaction.h"

#include <gtest/gtest.h>

namespace cdcscope::findings {
namespace {

const std::string& text_of(const figure& f) {
    return std::get<std::string>(f.value);
}

finding with_key_and_statement() {
    finding f;
    f.figures.push_back({"key", std::string("order::3")});
    f.figures.push_back({"ageMs", 13999.5});
    f.figures.push_back({"sql", std::string("alter table x")});
    return f;
}

TEST(Redaction, HidesKeysAndStatementsInFiguresAndText) {
    finding f = with_key_and_statement();
    f.text = "prepare of key order::3 (vb 60) open";
    EXPECT_EQ(redacted(f, {}).text, f.text);
    const finding no_key = redacted(f, {.keys = true});
    EXPECT_EQ(no_key.text, "prepare of key (redacted, 8 bytes) (vb 60) open");
    EXPECT_EQ(text_of(no_key.figures[0]), "(redacted, 8 bytes)");
    EXPECT_EQ(text_of(no_key.figures[2]), "alter table x");
    f.text = "a DDL changes the schema: alter table x";
    const finding no_statement = redacted(f, {.values = true});
    EXPECT_EQ(no_statement.text, "a DDL changes the schema: (redacted, 13 bytes)");
    EXPECT_EQ(text_of(no_statement.figures[0]), "order::3");
    EXPECT_EQ(text_of(no_statement.figures[2]), "(redacted, 13 bytes)");
}

TEST(Redaction, HidesThemInTheEndOfAFindingToo) {
    settlement s;
    s.figures = with_key_and_statement().figures;
    s.text = "prepare of key order::3 (vb 60) was committed after 14 s";
    const settlement hidden = redacted(s, {.keys = true, .values = true});
    EXPECT_EQ(hidden.text, "prepare of key (redacted, 8 bytes) (vb 60) was committed after 14 s");
    EXPECT_EQ(text_of(hidden.figures[0]), "(redacted, 8 bytes)");
    EXPECT_EQ(text_of(hidden.figures[2]), "(redacted, 13 bytes)");
}

TEST(Redaction, HidesWhatTheTextShowsShortened) {
    finding f;
    const std::string statement = "create table t (" + std::string(5000, 'x') + ")";
    f.figures.push_back({"sql", statement});
    f.text = "1 statement changes the schema: create table t (" + std::string(84, 'x') + "...";
    EXPECT_EQ(redacted(f, {.values = true}).text.find("create"), std::string::npos);
}

}  // namespace
}  // namespace cdcscope::findings
