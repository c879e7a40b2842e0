// Row changes of every capture against the listing: the FlatMessage of docs/canal.md, built again
// from the decoded entries.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/analyzer/record/canal_pipeline.h"
#include "tests/support/sha256.h"

namespace cdcscope::record {
namespace {

using nlohmann::json;

// Strings over 400 bytes are listed by length and digest only.
json plain(const json& listed) {
    if (!listed.is_object()) return listed;
    return {{"utf8_len", listed["utf8_len"]}, {"sha256", listed["sha256"]}};
}
json plain_ours(const json& value) {
    if (!value.is_string() || value.get<std::string>().size() <= 400) return value;
    const std::string text = value.get<std::string>();

    return {{"utf8_len", text.size()}, {"sha256", support::sha256_of(text)}};
}

json value_of(const json& column) {
    if (column.value("isNull", false)) return nullptr;
    return column.contains("value") ? plain(column["value"]) : json("");
}

json or_null(const json& value) {
    return value.empty() ? json(nullptr) : value;
}

// What the connector makes of an entry.
json flat_message(const json& entry, std::int64_t batch, std::int64_t ts) {
    const json& header = entry["header"];
    const json& store = entry["store"];
    const std::string type = store.value("eventType", "UPDATE");
    const bool ddl = store.value("isDdl", false);
    json data = json::array(), old = json::array(), keys = json::array();
    json sql_type = json::object(), mysql_type = json::object();
    std::set<std::string> updated;
    const bool has_rows = !ddl && (type == "INSERT" || type == "UPDATE" || type == "DELETE");
    const json rows = has_rows ? store.value("rowDatas", json::array()) : json::array();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        json row = json::object(), before = json::object();
        for (const json& c :
             rows[i].value(type == "DELETE" ? "beforeColumns" : "afterColumns", json::array())) {
            const std::string name = c["name"];
            if (i == 0 && c.value("isKey", false)) keys.push_back(name);
            sql_type[name] = c.value("sqlType", 0);
            mysql_type[name] = c.value("mysqlType", "");
            row[name] = value_of(c);
            if (c.value("updated", false)) updated.insert(name);
        }
        if (!row.empty()) data.push_back(row);
        if (type != "UPDATE") continue;
        for (const json& c : rows[i].value("beforeColumns", json::array())) {
            if (updated.contains(c["name"])) before[c["name"].get<std::string>()] = value_of(c);
        }
        old.push_back(before);
    }
    return {{"id", batch},
            {"database", header.value("schemaName", "")},
            {"table", header.value("tableName", "")},
            {"pkNames", or_null(keys)},
            {"isDdl", ddl},
            {"type", type},
            {"es", header.value("executeTime", std::int64_t{0})},
            {"ts", ts},
            {"sql", plain(store.value("sql", json("")))},
            {"sqlType", or_null(sql_type)},
            {"mysqlType", or_null(mysql_type)},
            {"data", or_null(data)},
            {"old", or_null(old)},
            {"gtid", header.value("gtid", "")},
            {"position",
             {{"journalName", header["logfileName"]},
              {"position", header["logfileOffset"]},
              {"serverId", header["serverId"]}}}};
}

std::string key_of(const json& entry, const std::string& destination) {
    const std::string schema = entry["header"].value("schemaName", "");
    const std::string table = entry["header"].value("tableName", "");
    if (schema.empty()) return "canal." + destination + ".statements";
    return "canal." + destination + "." + schema + (table.empty() ? "" : "." + table);
}

TEST(CanalRows, AreTheFlatMessagesOfTheListing) {
    std::size_t rows = 0;
    for (const std::string& name : canal::canal_captures()) {
        SCOPED_TRACE(name);
        canal_pipeline pipeline{options{}};
        play(name, pipeline);
        std::vector<made_record> ours;
        for (const made_record& r : pipeline.records.all) {
            if (r.payload.find("\"isDdl\"") != std::string::npos) ours.push_back(r);
        }
        std::ifstream in(CDCSCOPE_SOURCE_DIR "/captures/canal/" + name + ".expected.jsonl");
        std::size_t next = 0;
        for (std::string line; std::getline(in, line);) {
            const json expected = json::parse(line);
            if (!expected.contains("body") || expected["body_type"] != "Messages") continue;
            for (const json& entry : expected["body"]["messages"]) {
                if (entry.value("store_type", "") != "RowChange") continue;
                ASSERT_LT(next, ours.size());
                json have = ours[next].json();
                for (const char* side : {"data", "old"}) {
                    if (have[side].is_null()) continue;
                    for (json& row : have[side]) {
                        for (json& value : row) value = plain_ours(value);
                    }
                }
                have["sql"] = plain_ours(have["sql"]);
                have.erase("rowOffset");
                const std::int64_t ts = ours[next].time_ns / 1'000'000;
                const json want =
                    flat_message(entry, expected["body"].value("batch_id", std::int64_t{0}), ts);
                ASSERT_EQ(have, want) << json::diff(want, have).dump();
                const std::string destination =
                    ours[next].key.substr(6, ours[next].key.find('.', 6) - 6);
                EXPECT_EQ(ours[next].key, key_of(entry, destination));
                ++next;
                ++rows;
            }
        }
        EXPECT_EQ(next, ours.size());
    }
    EXPECT_GT(rows, 570U);
}

}  // namespace
}  // namespace cdcscope::record
