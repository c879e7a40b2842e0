// Every rule of canal just met and just missed: tests/data/rules/README.md.
#include "tests/support/near_misses.h"

#include "proto/canal/track.h"

namespace cdcscope::canal {
namespace {

class machine {
  public:
    explicit machine(findings::finding_sink& found) : found_(found) {}
    void connect(std::uint32_t conn, std::uint32_t id, const std::string& /*client*/,
                 const std::string& server, bool from_start) {
        connection_start start;
        start.id = id;
        start.server = server;
        start.from_start[0] = start.from_start[1] = from_start;
        trackers_[conn] = std::make_unique<tracker>(world_, start, found_);
    }
    void message(std::uint32_t conn, std::uint32_t number, const frame_ref& at, direction dir,
                 const std::vector<std::uint8_t>& payload) {
        message_input m;
        m.id = number;
        m.dir = dir;
        m.payload = payload;
        m.frames = {number, number, at};
        m.first_ns = at.time_ns;
        (void)trackers_.at(conn)->feed(m);
    }
    void end(std::uint32_t conn, direction dir, bool reset, std::uint32_t number,
             const frame_ref& at) {
        trackers_.at(conn)->end(dir, reset ? close_kind::rst : close_kind::fin, number, at);
    }
    void hole(std::uint32_t conn, direction dir) { trackers_.at(conn)->hole(dir); }
    void finish(std::uint32_t number, const frame_ref& at) {
        for (const auto& [conn, t] : trackers_) t->finish(number, at);
        world_.finish();
    }

  private:
    findings::finding_sink& found_;
    world world_;
    std::map<std::uint32_t, std::unique_ptr<tracker>> trackers_;
};

class NearMiss : public testing::TestWithParam<support::near_miss> {};

TEST_P(NearMiss, FiresExactlyTheListedFindings) {
    const support::json& sequence = GetParam().sequence;
    SCOPED_TRACE(GetParam().text("what"));
    support::told_findings found;
    support::play<machine>(sequence, found);
    EXPECT_EQ(found.loud, support::listed(sequence["expect"]));
    // Not all notes are listed.
    for (const auto& [line, count] : support::listed(sequence["notes"])) {
        EXPECT_EQ(found.quiet[line], count) << line;
    }
}

INSTANTIATE_TEST_SUITE_P(Canal, NearMiss, testing::ValuesIn(support::near_misses("canal")),
                         support::name_of);

TEST(NearMisses, CoverEveryRuleButTheOneThatNeedsSegments) {
    support::expect_all_rules("canal", findings::protocol::canal, {"C24"});
}

}  // namespace
}  // namespace cdcscope::canal
