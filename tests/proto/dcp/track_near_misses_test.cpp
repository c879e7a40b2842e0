// Every rule of DCP just met and just missed: tests/data/rules/README.md.
#include "proto/dcp/track.h"
#include "tests/support/near_misses.h"

namespace cdcscope::dcp {
namespace {

class machine {
  public:
    explicit machine(findings::finding_sink& found) : world_({&found, nullptr, nullptr}, {}) {}
    void connect(std::uint32_t conn, std::uint32_t id, const std::string& client,
                 const std::string& server, bool from_start) {
        connections_[conn] = world_.add({id, client, server, from_start});
    }
    void message(std::uint32_t conn, std::uint32_t number, const frame_ref& at, direction dir,
                 const std::vector<std::uint8_t>& bytes) {
        (void)connections_.at(conn)->feed({number, at, dir, bytes, false});
    }
    void end(std::uint32_t conn, direction dir, bool reset, std::uint32_t number,
             const frame_ref& at) {
        connections_.at(conn)->end(dir, reset ? end_of::rst : end_of::fin, at, number);
    }
    void hole(std::uint32_t conn, direction dir) { connections_.at(conn)->hole(dir); }
    void finish(std::uint32_t number, const frame_ref& at) {
        for (const auto& [conn, c] : connections_) c->finish(at, number);
    }

  private:
    world world_;
    std::map<std::uint32_t, std::unique_ptr<connection>> connections_;
};

class NearMiss : public testing::TestWithParam<support::near_miss> {};

TEST_P(NearMiss, FiresExactlyTheListedFindings) {
    const support::json& sequence = GetParam().sequence;
    SCOPED_TRACE(GetParam().text("what"));
    support::told_findings found;
    support::play<machine>(sequence, found);
    EXPECT_EQ(found.loud, support::listed(sequence["expect"]));
    EXPECT_EQ(found.quiet, support::listed(sequence["notes"]));
}

INSTANTIATE_TEST_SUITE_P(Dcp, NearMiss, testing::ValuesIn(support::near_misses("dcp")),
                         support::name_of);

TEST(NearMisses, CoverEveryRule) {
    support::expect_all_rules("dcp", findings::protocol::dcp);
}

}  // namespace
}  // namespace cdcscope::dcp
