// docs/findings.md is what the table says.
#include "proto/findings/reference.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace cdcscope::findings {
namespace {

TEST(FindingsReference, TheFileInDocsIsUpToDate) {
    std::ifstream in(CDCSCOPE_SOURCE_DIR "/docs/findings.md");
    std::stringstream text;
    text << in.rdbuf();
    EXPECT_EQ(text.str(), reference_text()) << "./dev docs writes it again";
}

TEST(FindingsReference, HasEveryFindingAndEveryLimit) {
    const std::string text = reference_text();
    for (const entry& row : table()) {
        EXPECT_NE(text.find("<a id=\"" + std::string(row.text) + "\">"), std::string::npos)
            << row.text;
    }
    for (const threshold& t : limit_table()) {
        EXPECT_NE(text.find("`" + std::string(t.name) + "` | " + default_of(t)), std::string::npos)
            << t.name;
    }
}

TEST(FindingsReference, SaysSeveritiesFieldsAndDefaults) {
    EXPECT_EQ(severities(*find_rule("D01")), "error");
    EXPECT_EQ(severities(*find_rule("D13")), "note to warning");
    EXPECT_EQ(expert_field(*find_rule("D13")), "cbdcp.flow.stalled");
    EXPECT_EQ(expert_field(*find_rule("C14")), "canal.lag.expert");
    EXPECT_EQ(expert_field(*find_code("tcp.gap")), "");
    EXPECT_EQ(default_of(*find_limit("canal.packet.large.bytes")), "8.0 MiB");
    EXPECT_EQ(default_of(*find_limit("dcp.flow.stalled.warning")), "10 s");
    EXPECT_EQ(default_of(*find_limit("dcp.rollback.loop.count")), "3");
}

}  // namespace
}  // namespace cdcscope::findings
