// Entries as records where the captures show too little: transactions over batches, blobs, shared
// positions, odd names.
#include <gtest/gtest.h>

#include "proto/json/base64.h"
#include "tests/analyzer/record/canal_pipeline.h"
#include "tests/proto/canal/wire_writer.h"

namespace cdcscope::record {
namespace {

using canal::framed;
using canal::wire_writer;
using nlohmann::json;

constexpr std::int64_t begin = 1, rowdata = 2, end = 3;

wire_writer header(std::int64_t offset, std::string_view schema = "", std::string_view table = "") {
    wire_writer h;
    h.number(1, 1)
        .text(2, "mysql-bin.000007")
        .number(3, offset)
        .number(4, 1)
        .number(6, 1700000000900);
    h.text(8, schema).text(9, table);
    return h;
}

wire_writer entry_of(const wire_writer& head, std::int64_t type, const wire_writer& store) {
    return wire_writer().message(1, head).number(2, type).message(3, store);
}

struct column {
    std::string_view name;
    std::optional<std::string_view> value;
    std::int64_t sql_type = 12;
    bool key = false, updated = false;
};

wire_writer columns(wire_writer row, std::uint32_t side, const std::vector<column>& list) {
    for (const column& c : list) {
        wire_writer w;
        w.number(2, c.sql_type)
            .text(3, c.name)
            .number(4, c.key)
            .number(5, c.updated)
            .number(6, !c.value);
        if (c.value) w.text(8, *c.value);
        row.message(side, w.text(10, "varchar(64)"));
    }
    return row;
}

wire_writer change(std::int64_t type, const std::vector<wire_writer>& rows) {
    wire_writer w;
    w.number(1, 5).number(2, type).number(10, 0);
    for (const wire_writer& row : rows) w.message(12, row);
    return w;
}

// A client that subscribed to `destination` of `server`, and batches for it.
class feed {
  public:
    explicit feed(const options& chosen = {}) : pipeline(chosen) {
        connect("10.0.0.2:11111", "example");
    }

    void connect(const std::string& server, std::string_view destination) {
        destination_ = destination;
        pipeline.connection(++connection_, server, canal::port_kind::data);
        send(framed(1, wire_writer().text(2, "12345678")), direction::s2c);
        send(framed(4, named()), direction::c2s);
        send(framed(3, wire_writer()), direction::s2c);
    }
    void batch(std::int64_t id, const std::vector<wire_writer>& entries) {
        send(framed(6, named().number(3, 1000).number(4, -1).number(5, 2)), direction::c2s);
        wire_writer body;
        body.number(1, id);
        for (const wire_writer& e : entries) body.message(2, e);
        send(framed(7, body), direction::s2c);
    }
    // Records of entries since the last call.
    std::vector<made_record> entries() {
        std::vector<made_record> out;
        for (; seen_ < pipeline.records.all.size(); ++seen_) {
            const made_record& r = pipeline.records.all[seen_];
            if (!r.is_json || !r.json().contains("packet")) out.push_back(r);
        }
        return out;
    }

    canal_pipeline pipeline;

  private:
    [[nodiscard]] wire_writer named() const {
        return wire_writer().text(1, destination_).text(2, "1001");
    }
    void send(const std::vector<std::uint8_t>& bytes, direction dir) {
        ++frame_;
        pipeline.message(connection_, dir, bytes,
                         {frame_, frame_, {1'700'000'001'000'000'000 + frame_, frame_, 0}});
    }
    std::string destination_;
    std::uint32_t connection_ = 0;
    std::uint32_t frame_ = 0;
    std::size_t seen_ = 0;
};

wire_writer insert_row(std::int64_t offset, std::string_view id) {
    return entry_of(header(offset, "shop", "orders"), rowdata,
                    change(1, {columns({}, 2, {{"id", id, -5, true, true}})}));
}

TEST(CanalEntries, PutATransactionTogetherOverItsBatches) {
    feed f;
    f.batch(1, {entry_of(header(1000), begin, wire_writer().number(4, 12)), insert_row(1100, "1"),
                insert_row(1200, "2")});
    f.batch(2, {insert_row(1300, "3")});
    f.batch(3, {insert_row(1400, "4"), entry_of(header(1900), end, wire_writer().text(2, "900"))});
    const auto records = f.entries();
    ASSERT_EQ(records.size(), 6U);
    const json position{{"journalName", "mysql-bin.000007"}, {"position", 1000}, {"serverId", 1}};
    EXPECT_EQ(records[0].key, "canal.example.transactions");
    EXPECT_EQ(records[0].json(), json({{"event", "transaction_begin"},
                                       {"id", 1},
                                       {"es", 1700000000900},
                                       {"ts", 1700000001000},
                                       {"threadId", 12},
                                       {"position", position}}));
    EXPECT_EQ(records[1].key, "canal.example.shop.orders");
    const json last = records[5].json();
    EXPECT_EQ(last["event"], "transaction_end");
    EXPECT_EQ(last["transactionId"], "900");
    EXPECT_EQ(last["batches"], json({1, 2, 3}));
    EXPECT_EQ(last["rows"], 4);
}

TEST(CanalEntries, CountNoStatementOfTheSchemaToTheTransactionBehindIt) {
    const auto ddl = wire_writer().number(2, 4).number(10, 1).text(11, "create table t(a int)");
    feed f;  // a source that sends no beginnings
    f.batch(1, {entry_of(header(1000, "shop", "t"), rowdata, ddl)});
    f.batch(2, {insert_row(1100, "1"), entry_of(header(1900), end, wire_writer().text(2, "900"))});
    const json last = f.entries().back().json();
    EXPECT_EQ(last["batches"], json({2}));
    EXPECT_EQ(last["rows"], 1);
}

TEST(CanalEntries, TellNullFromEmptyAndKeepBinaryBytes) {
    const std::string pic("\0\x01\xc3\xa9\xc3\xbf\xc2\x80",
                          8);  // 00 01 e9 ff 80 as ISO-8859-1 in UTF-8
    const auto row =
        columns(columns({}, 1, {{"id", "7", -5, true}, {"note", std::nullopt}, {"pic", pic, 2004}}),
                2, {{"id", "7", -5, true}, {"note", "", 12, false, true}, {"pic", pic, 2004}});
    const auto update = entry_of(header(1100, "shop", "orders"), rowdata, change(2, {row}));
    feed text;
    text.batch(1, {update});
    const json as_text_mode = text.entries().at(0).json();
    EXPECT_EQ(as_text_mode["data"], json::array({{{"id", "7"}, {"note", ""}, {"pic", pic}}}));
    EXPECT_EQ(as_text_mode["old"], json::array({{{"note", nullptr}}}));
    EXPECT_EQ(as_text_mode["pkNames"], json::array({"id"}));

    options chosen;
    chosen.blob = blob_mode::base64;
    feed base64{chosen};
    base64.batch(1, {update});
    EXPECT_EQ(base64.entries().at(0).json()["data"][0]["pic"], json({{"base64", "AAHp/4A="}}));
}

TEST(CanalEntries, WriteWhatIsNoUtf8AsBase64) {
    feed f;
    f.batch(
        1,
        {entry_of(
            header(1100, "shop", "orders"), rowdata,
            change(1, {columns({}, 2, {{"a", "\xff\x00x", 12, false, true}, {"b\xff", "y"}})}))});
    const json row = f.entries().at(0).json();
    EXPECT_EQ(row["data"][0]["a"], json({{"base64", "/w=="}}));
    EXPECT_EQ(row["data"][0]["b\xef\xbf\xbd"], "y");
}

TEST(CanalEntries, ShowInOldWhatAnEarlierRowOfTheEntryChanged) {
    const auto first = columns(columns({}, 1, {{"id", "1"}, {"a", "x"}}), 2,
                               {{"id", "1"}, {"a", "y", 12, false, true}});
    const auto second =
        columns(columns({}, 1, {{"id", "2"}, {"a", "z"}}), 2, {{"id", "2"}, {"a", "z"}});
    feed f;
    f.batch(1, {entry_of(header(1100, "shop", "orders"), rowdata, change(2, {first, second}))});
    EXPECT_EQ(f.entries().at(0).json()["old"], json::array({{{"a", "x"}}, {{"a", "z"}}}));
}

TEST(CanalEntries, ShowTheRowsOfAnEventTypeWithoutAName) {
    const auto row = columns(columns({}, 1, {{"a", "x"}}), 2, {{"a", "y", 12, false, true}});
    feed f;
    f.batch(1, {entry_of(header(1100, "shop", "orders"), rowdata, change(99, {row}))});
    const json shown = f.entries().at(0).json();
    EXPECT_EQ(shown["type"], "EVENT_99");
    EXPECT_EQ(shown["data"], json::array({{{"a", "y"}}}));
    EXPECT_EQ(shown["old"], json::array({{{"a", "x"}}}));
}

TEST(CanalEntries, KeepTheLastTypeOfAColumnOverTheRows) {
    feed f;
    f.batch(1, {entry_of(header(1100, "shop", "orders"), rowdata,
                         change(1, {columns({}, 2, {{"tags", std::nullopt, 2004}}),
                                    columns({}, 2, {{"tags", "3", -7}})}))});
    EXPECT_EQ(f.entries().at(0).json()["sqlType"], json({{"tags", -7}}));
}

TEST(CanalEntries, CountEntriesThatShareAPosition) {
    feed f;
    f.batch(1, {insert_row(1000, "1"), insert_row(1000, "2"), insert_row(1000, "3"),
                insert_row(1100, "4")});
    std::vector<int> offsets;
    for (const made_record& r : f.entries()) offsets.push_back(r.json().value("rowOffset", 0));
    EXPECT_EQ(offsets, (std::vector<int>{0, 1, 2, 0}));
}

TEST(CanalEntries, HaveKeysThatNoTwoNamesShare) {
    feed f;
    const auto statement = wire_writer().number(2, 7).number(10, 0).text(11, "x");
    f.batch(1, {entry_of(header(1, "shop", "orders$2023"), rowdata, statement),
                entry_of(header(2, "shop", "orders_2023"), rowdata, statement),
                entry_of(header(3, "shop"), rowdata, statement),
                entry_of(header(4), rowdata, statement),
                entry_of(header(5, "packets"), rowdata, statement)});
    std::vector<std::string> keys;
    for (const made_record& r : f.entries()) keys.push_back(r.key);
    EXPECT_EQ(keys, (std::vector<std::string>{"canal.example.shop.orders_2023-2d7a2fb4",
                                              "canal.example.shop.orders_2023",
                                              "canal.example.shop", "canal.example.statements",
                                              "canal.example.packets-4c5a3b8a"}));
    for (const made_record& r : f.entries()) {
        EXPECT_EQ(r.of.key, r.key);
        EXPECT_EQ(r.of.kind, "canal.rows");
    }
    const auto& streams = f.pipeline.recorder.streams();
    EXPECT_EQ(streams[1].name, "shop.orders$2023");
    EXPECT_EQ(streams[1].kind, "canal.rows");
}

TEST(CanalEntries, TellServersApartThatServeTheSameDestination) {
    feed f;
    f.batch(1, {insert_row(1000, "1")});
    f.connect("10.0.0.3:11111", "example");
    f.batch(1, {insert_row(1000, "1")});
    const auto records = f.entries();
    EXPECT_EQ(records[0].key, "canal.example.shop.orders");
    EXPECT_EQ(records[1].key, "canal.example-f0beecdc.shop.orders");
}

TEST(CanalEntries, HideWhatTheUserWantsHidden) {
    for (const auto& [mode, id, note] :
         {std::tuple(redact_mode::keys, "(redacted, 1 byte)", "secret"),
          std::tuple(redact_mode::values, "7", "(redacted, 6 bytes)"),
          std::tuple(redact_mode::all, "(redacted, 1 byte)", "(redacted, 6 bytes)")}) {
        options chosen;
        chosen.redact = mode;
        chosen.payload = payload_mode::both;
        feed f{chosen};
        f.batch(1, {entry_of(
                       header(1, "shop", "orders"), rowdata,
                       change(1, {columns({}, 2, {{"id", "7", -5, true}, {"note", "secret"}})}))});
        EXPECT_EQ(f.entries().at(0).json()["data"], json::array({{{"id", id}, {"note", note}}}));
        for (const made_record& r : f.pipeline.records.all) {
            if (!r.json().contains("raw")) continue;
            const auto raw = decode_base64(r.json()["raw"].get<std::string>());
            EXPECT_EQ(as_text(*raw).find("secret") != std::string_view::npos,
                      mode == redact_mode::keys && r.json()["packet"] == "MESSAGES");
        }
    }
}

// Everything that a batch gives, raw bytes undone from Base64.
std::string all_text(const options& chosen, const wire_writer& entry) {
    feed f{chosen};
    f.batch(1, {entry});
    std::string out;
    for (const made_record& r : f.pipeline.records.all) {
        json record = r.json();
        if (record.contains("raw"))
            out += as_text(*decode_base64(record["raw"].get<std::string>()));
        record.erase("raw");
        for (const json& each : record.flatten()) {
            out += each.dump() + "\n";
            if (const auto bytes =
                    each.is_string() ? decode_base64(each.get<std::string>()) : std::nullopt)
                out += as_text(*bytes);
        }
    }
    return out;
}

TEST(CanalEntries, HideWhatIsBrokenOrHasNoNameAsWell) {
    const std::string cut = columns({}, 2, {{"id", "7"}}).bytes() + "\x12\x7fsecret";
    const auto value = wire_writer().text(3, "note").text(8, "secret");
    const std::string cut_column = value.bytes() + "\x42\x7fsecret";
    const std::vector<wire_writer> stores{
        wire_writer().number(2, 1).text(12, cut),
        wire_writer().number(2, 1).message(12, wire_writer().text(2, cut_column)),
        wire_writer().number(2, 1).message(
            12, wire_writer().message(2, wire_writer().text(77, "secret"))),
        wire_writer().number(2, 7).text(99, "secret")};
    options chosen;
    chosen.payload = payload_mode::both;
    std::vector<wire_writer> entries{entry_of(header(1), 9, wire_writer().text(1, "secret"))};
    for (const wire_writer& store : stores)
        entries.push_back(entry_of(header(1, "shop", "orders"), rowdata, store));
    for (const wire_writer& entry : entries) {
        chosen.redact = redact_mode::nothing;
        EXPECT_NE(all_text(chosen, entry).find("secret"), std::string::npos);
        chosen.redact = redact_mode::values;
        EXPECT_EQ(all_text(chosen, entry).find("secret"), std::string::npos)
            << &entry - entries.data();
    }
}

TEST(CanalEntries, StayLinearWithVeryManyColumns) {
    std::vector<std::string> names;
    std::vector<column> list;
    for (int i = 0; i < 5000; ++i) names.push_back("c" + std::to_string(i));
    for (const std::string& n : names) list.push_back({n, "1"});
    std::vector<column> reversed(list.rbegin(), list.rend());
    feed f;
    f.batch(1, {entry_of(header(1, "shop", "wide"), rowdata,
                         change(1, {columns({}, 2, list), columns({}, 2, reversed)}))});
    EXPECT_EQ(f.entries().at(0).json()["sqlType"].size(), 5000U);
}

}  // namespace
}  // namespace cdcscope::record
