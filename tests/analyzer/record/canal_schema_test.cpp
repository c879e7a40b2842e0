// Every record of every capture against the schema of its kind in docs/schema.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/analyzer/record/canal_pipeline.h"
#include "tests/analyzer/record/schema_check.h"

namespace cdcscope::record {
namespace {

using nlohmann::json;

std::string file_of(const json& record) {
    if (record.contains("isDdl")) return "row";
    if (record.contains("event")) return "transaction";
    std::string name = record["packet"];
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return (record.contains("admin") ? "admin-" : "") + name;
}

std::vector<std::string> errors_of(const json& record) {
    const std::string file = CDCSCOPE_SOURCE_DIR "/docs/schema/canal-" + file_of(record) + ".json";
    static std::map<std::string, test::schema_check> known;
    if (!known.contains(file)) {
        std::ifstream in(file);
        if (!in) return {file + " is not there"};
        known.emplace(file, json::parse(in));
    }
    const test::schema_check& schema = known.at(file);
    std::vector<std::string> out = schema.errors(record);
    for (const std::string& name : schema.unknown_members(record))
        out.push_back("no member " + name);
    return out;
}

TEST(CanalSchema, FitsEveryRecordOfTheCaptures) {
    std::set<std::string> kinds;
    for (const bool everything : {false, true}) {
        options chosen;
        if (everything) {
            chosen.payload = payload_mode::both;
            chosen.int64_as_strings = chosen.keep_secrets = true;
            chosen.blob = blob_mode::base64;
        }
        for (const std::string& name : canal::canal_captures()) {
            canal_pipeline pipeline{chosen};
            play(name, pipeline);
            for (const made_record& r : pipeline.records.all) {
                const json record = r.json();
                if (record.value("packet", "").starts_with("TYPE_")) continue;
                kinds.insert(file_of(record));
                ASSERT_EQ(errors_of(record), std::vector<std::string>{})
                    << name << " " << r.payload.substr(0, 1000);
            }
        }
    }
    EXPECT_GE(kinds.size(), 20U);
}

TEST(CanalSchema, RefusesWhatNoRecordIs) {
    const json wire{{"conn", 1},     {"dir", "c2s"},
                    {"frames", {1}}, {"time", "2023-11-14T22:13:20.001000000Z"},
                    {"offset", 0},   {"bytes", 8}};
    const json good{
        {"packet", "GET"}, {"destination", "example"}, {"unit", "MILLISECONDS"}, {"wire", wire}};
    EXPECT_TRUE(errors_of(good).empty());
    for (const auto& [name, value] : std::map<std::string, json>{{"destination", 7},
                                                                 {"unit", "FORTNIGHTS"},
                                                                 {"timeout", 1.5},
                                                                 {"autoAck", "no"},
                                                                 {"answer", 1},
                                                                 {"wire", nullptr}}) {
        json bad = good;
        bad[name] = value;
        EXPECT_FALSE(errors_of(bad).empty()) << name;
    }
}

}  // namespace
}  // namespace cdcscope::record
