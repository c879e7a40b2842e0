// A finding as JSON, whole texts.
#include "proto/findings/finding_json.h"

#include <gtest/gtest.h>

#include "proto/findings/table.h"

namespace cdcscope::findings {
namespace {

finding open_prepare() {
    finding f;
    f.what = code::dcp_prepare_unresolved;
    f.level = severity::note;
    f.connection = 1;
    f.first = {1'700'000'000'000'000'000, 49, 0};
    f.at = {1'700'000'013'999'000'000, 63, 0};
    f.figures.push_back({"partition", std::uint64_t{60}});
    f.figures.push_back({"key", std::string("order::3")});
    f.figures.push_back({"ageMs", 13999.5});
    f.text = "order::3 open";
    return f;
}

TEST(FindingJson, HasCodeRuleSeverityFramesTimeAndFigures) {
    json_writer json;
    write_json(json, open_prepare());
    EXPECT_EQ(
        json.text(),
        R"({"code":"dcp.prepare.unresolved","rule":"D30","severity":"note","connection":1,"frames":[49,63],)"
        R"("time":"2023-11-14T22:13:33.999000000Z","partition":60,"key":"order::3","ageMs":13999.5,"text":"order::3 open"})");
}

TEST(FindingJson, LeavesOutRuleAndConnectionWhereThereIsNoneAndGivesTheCount) {
    finding f;
    f.what = code::capture_snaplen;
    f.level = severity::note;
    f.uncertain = true;
    f.at = {-1, 7, 0};
    f.figures.push_back({"key", std::string("\xff")});
    f.figures.push_back({"opaques", std::vector<std::uint64_t>{1, 2}});
    json_writer json;
    write_json(json, f, 3);
    EXPECT_EQ(
        json.text(),
        R"({"code":"capture.snaplen","severity":"note","uncertain":true,"frames":[7,7],)"
        R"("time":"1969-12-31T23:59:59.999999999Z","keyBase64":"/w==","opaques":[1,2],"text":"","count":3})");
}

}  // namespace
}  // namespace cdcscope::findings
