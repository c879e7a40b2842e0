// Limits of the rules: names, defaults, and what `--threshold NAME=VALUE` takes.
#include "proto/findings/thresholds.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace cdcscope::findings {
namespace {

TEST(Thresholds, EveryLimitHasOneRowAndIsNamedAfterItsFinding) {
    const auto all = limit_table();
    ASSERT_EQ(all.size(), limit_count);
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(static_cast<std::size_t>(all[i].which), i) << all[i].name;
        EXPECT_TRUE(names.insert(all[i].name).second);
        EXPECT_TRUE(all[i].name.starts_with(std::string(entry_of(all[i].of).text) + "."))
            << all[i].name;
        EXPECT_FALSE(all[i].help.empty());
    }
}

TEST(Thresholds, LimitsOfAFindingStandTogether) {
    const auto stalled = limits_of(code::dcp_flow_stalled);
    ASSERT_EQ(stalled.size(), 2U);
    EXPECT_EQ(stalled[1].name, "dcp.flow.stalled.warning");
    EXPECT_TRUE(limits_of(code::tcp_gap).empty());
}

TEST(Thresholds, DefaultsAreThoseOfTheReferences) {
    const thresholds t;
    EXPECT_EQ(t.ns(limit::stalled_note), 1'000'000'000);
    EXPECT_EQ(t.ns(limit::stalled_warning), 10'000'000'000);
    EXPECT_EQ(t.ns(limit::noop_unanswered), 360'000'000'000);
    EXPECT_EQ(t.ns(limit::write_time), 30'000'000);
    EXPECT_EQ(t.get(limit::batch_bytes), 16.0 * 1024 * 1024);
}

TEST(Thresholds, AnAssignmentTakesANumberWithOrWithoutUnit) {
    thresholds t;
    EXPECT_FALSE(t.set("dcp.flow.stalled.warning=2.5"));
    EXPECT_EQ(t.ns(limit::stalled_warning), 2'500'000'000);
    EXPECT_FALSE(t.set("dcp.flow.stalled.warning=250ms"));
    EXPECT_EQ(t.ns(limit::stalled_warning), 250'000'000);
    EXPECT_FALSE(t.set("canal.batch.unacknowledged.bytes=1MiB"));
    EXPECT_EQ(t.get(limit::batch_bytes), 1048576.0);
    EXPECT_FALSE(t.set("canal.write.delayed.time=0.1s"));
    EXPECT_EQ(t.ns(limit::write_time), 100'000'000);
    EXPECT_FALSE(t.set("dcp.flow.ack_missing.share=50%"));
    EXPECT_EQ(t.get(limit::ack_missing_share), 50.0);
}

TEST(Thresholds, AWrongAssignmentSaysWhatIsWrongAndChangesNothing) {
    thresholds t;
    EXPECT_TRUE(t.set("dcp.flow.stalled=1"));
    EXPECT_TRUE(t.set("dcp.flow.stalled.warning"));
    EXPECT_TRUE(t.set("dcp.flow.stalled.warning="));
    EXPECT_TRUE(t.set("dcp.flow.stalled.warning=-1"));
    EXPECT_TRUE(t.set("dcp.flow.stalled.warning=10MiB"));
    EXPECT_TRUE(t.set("dcp.flow.stalled.warning=nan"));
    EXPECT_TRUE(t.set("dcp.flow.stalled.warning=1e13"));
    EXPECT_EQ(t.ns(limit::stalled_warning), 10'000'000'000);
}

}  // namespace
}  // namespace cdcscope::findings
