// FlatMessages against those of canal's own converter: tests/data/canal/README.md.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "analyzer/record/canal_row_json.h"
#include "tests/support/hex.h"

namespace cdcscope::record {
namespace {

using nlohmann::json;

TEST(CanalFlatMessage, EqualsWhatTheConnectorMakes) {
    std::ifstream entries(CDCSCOPE_SOURCE_DIR "/tests/data/canal/flat_messages.entries");
    std::ifstream converted(CDCSCOPE_SOURCE_DIR "/tests/data/canal/flat_messages.jsonl");
    canal_row_json rows{options{}};
    std::size_t compared = 0;
    for (std::string line; std::getline(entries, line);) {
        const std::size_t blank = line.find(' ');
        const auto bytes = support::hex(line.substr(blank + 1));
        const canal::entry_view e = canal::parse_entry(bytes);
        if (e.type != static_cast<std::int32_t>(canal::entry_type::rowdata)) continue;
        entry_origin from;
        from.batch_id = std::stoll(line.substr(0, blank));
        json ours = json::parse(rows.write_row(e, from));
        ours.erase("position");
        std::string expected;
        ASSERT_TRUE(std::getline(converted, expected));
        const json theirs = json::parse(expected);
        EXPECT_EQ(ours, theirs) << json::diff(theirs, ours).dump();
        ++compared;
    }
    std::string left;
    EXPECT_FALSE(std::getline(converted, left)) << left;
    EXPECT_GT(compared, 100U);
}

}  // namespace
}  // namespace cdcscope::record
