#include "analyzer/report/client_name.h"

#include <gtest/gtest.h>

namespace cdcscope::report {
namespace {

TEST(ClientName, AgentIsWhatHelloSaysOrItsJsonHas) {
    EXPECT_EQ(agent_name("proxy"), "proxy");
    EXPECT_EQ(agent_name(R"j({"a":"connector/1.0 (Linux)","i":"01/02"})j"),
              "connector/1.0 (Linux)");
    EXPECT_EQ(agent_name(R"j({"i":"01/02"})j"), R"j({"i":"01/02"})j");
}

TEST(ClientName, JsonIsToldByAgentAndId) {
    EXPECT_EQ(short_name(R"j({"a":"connector/1.0 (Linux)","i":"01/02"})j"), "connector/1.0 01/02");
    EXPECT_EQ(short_name(R"j("i":"01/02","a":"java-dcp/0.54 Java/17")j"), "java-dcp/0.54 01/02");
    EXPECT_EQ(short_name(R"j({"i":"01/02"})j"), "01/02");
}

TEST(ClientName, JsonThatWasCutIsToldAllTheSame) {
    EXPECT_EQ(short_name(R"j("i":"01/02","a":"java-dcp/0.54 Jav)j"), "java-dcp/0.54 01/02");
    EXPECT_EQ(short_name(R"j({"i":"01/02","a":"java-d)j"), "java-d 01/02");
}

TEST(ClientName, OtherNamesStayWhole) {
    for (const auto* name :
         {"", "eq_dcpq:connector-1", "{", "\"", "{}", R"j({"a":"no id"})j", "[1]"})
        EXPECT_EQ(short_name(name), "") << name;
}

}  // namespace
}  // namespace cdcscope::report
