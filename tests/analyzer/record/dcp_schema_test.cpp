// Every message of the listings, as a record, against the schema of its event in docs/schema.
#include <fstream>

#include "tests/analyzer/record/dcp_fixture.h"
#include "tests/analyzer/record/schema_check.h"

namespace cdcscope {
namespace {

using nlohmann::json;

const test::schema_check& schema_for(const std::string& event) {
    static std::map<std::string, test::schema_check> known;
    const auto found = known.find(event);
    if (found != known.end()) return found->second;
    std::string file = event;
    std::replace(file.begin(), file.end(), '_', '-');
    const std::string folder = std::string(CDCSCOPE_SOURCE_DIR) + "/docs/schema/dcp-";
    std::ifstream own(folder + file + ".json");
    std::ifstream other(folder + "other.json");
    return known.emplace(event, test::schema_check(json::parse(own ? own : other))).first->second;
}

class dcp_schema : public test::dcp_record {
  protected:
    void hold(const json& record) {
        const std::string event = record.at("event");
        const test::schema_check& schema = schema_for(event);
        EXPECT_EQ(schema.errors(record), std::vector<std::string>{}) << record;
        // Two commands share a name with a DCP message; the schema is DCP's.
        if (record.at("event") == "flush") return;
        EXPECT_EQ(schema.unknown_members(record), std::set<std::string>{}) << record;
    }
};

TEST_F(dcp_schema, FitsEveryMessageOfTheCaptures) {
    names.bucket_name = "travel";
    names.collections = {{0, {"_default", "_default"}}, {9, {"inventory", "route"}}};
    names.scopes = {{8, "inventory"}};
    int held = 0;
    for (const std::string& name : test::listings()) {
        for (const auto& line : test::lines_of(name)) {
            const test::rebuilt message = test::rebuild(line);
            if (!message.whole) continue;
            SCOPED_TRACE(name + " line " + std::to_string(line.at("n").get<int>()));
            for (const bool collections : {false, true}) {
                options.payload =
                    collections ? record::payload_mode::both : record::payload_mode::json;
                options.int64_as_strings = collections;
                track.context.collections =
                    collections ? dcp::collection_keys::on : dcp::collection_keys::off;
                track.context.stream_ids = true;
                track.has_partition = track.flow_known = collections;
                track.vbucket_uuid = collections ? 0xa1b2c3d4e5f6 : 0;
                track.prepare = collections ? 1 : 0;
                track.elapsed_ns = 1500000;
                hold(json_of(message.bytes));
            }
            ++held;
        }
    }
    EXPECT_GT(held, 1200);
}

TEST_F(dcp_schema, FitsCutAndRedactedMessages) {
    for (const auto& line : test::lines_of("v8_features_ipv6")) {
        const test::rebuilt message = test::rebuild(line);
        if (!message.whole || line.at("vlen") == 0) continue;
        recover::message m =
            test::message_of(byte_view(message.bytes).first(message.bytes.size() - 1));
        m.cut = true;
        m.wire_length = message.bytes.size();
        hold(json_of(m));
        options.redact = record::redact_mode::all;
        hold(json_of(message.bytes));
        options.redact = record::redact_mode::nothing;
    }
}

// The schemas refuse what no record may be; without this the tests above could not
// fail.
TEST_F(dcp_schema, RefusesWrongRecords) {
    const auto bytes = test::bytes_of(
        "80600005 1f000210 00000029 00001210 0000000000000000 0000000000000004 0000000000000001"
        "00000000 00000000 00000000 00 00 01 68656c6c6f 776f726c64");
    const json good = json_of(bytes);
    const std::string event = "prepare";
    const test::schema_check& schema = schema_for(event);
    ASSERT_EQ(schema.errors(good), std::vector<std::string>{});
    for (const char* name : {"partition", "cas", "bySeqno", "key", "wire", "durability"}) {
        json bad = good;
        bad.erase(name);
        EXPECT_NE(schema.errors(bad), std::vector<std::string>{}) << name << " is missing";
    }
    for (const auto& [name, value] : std::map<std::string, json>{{"partition", 65536},
                                                                 {"casHex", "0x1"},
                                                                 {"deleted", 1},
                                                                 {"bySeqno", -1},
                                                                 {"durability", "most"},
                                                                 {"content", 1},
                                                                 {"datatype", {"yaml"}}}) {
        json bad = good;
        bad[name] = value;
        EXPECT_NE(schema.errors(bad), std::vector<std::string>{}) << name;
    }
    json bad = good;
    bad["wire"]["time"] = "2023-11-14 22:13:21";
    EXPECT_NE(schema.errors(bad), std::vector<std::string>{});
    EXPECT_EQ(schema.unknown_members(json{{"event", 1}, {"nonsense", 1}}).count("nonsense"), 1U);
}

}  // namespace
}  // namespace cdcscope
