// Packets as records: names, keys, secrets.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "proto/json/base64.h"
#include "tests/analyzer/record/canal_pipeline.h"
#include "tests/proto/canal/wire_writer.h"

namespace cdcscope::record {
namespace {

using canal::framed;
using canal::wire_writer;
using nlohmann::json;

std::vector<made_record> records_of(const std::string& capture, const options& chosen) {
    canal_pipeline pipeline{chosen};
    play(capture, pipeline);
    return pipeline.records.all;
}

json without_wire(const made_record& r) {
    json out = r.json();
    out.erase("wire");
    return out;
}

std::map<std::string, std::size_t> keys_of(const std::vector<made_record>& records) {
    std::map<std::string, std::size_t> out;
    for (const made_record& r : records) ++out[r.key];
    return out;
}

TEST(CanalPackets, HaveTheNamesOfTheProtoFilesAndSayWhatTheyAnswer) {
    const auto records = records_of("basic", options{});
    ASSERT_GT(records.size(), 12U);
    EXPECT_EQ(without_wire(records[0]), json({{"packet", "HANDSHAKE"}, {"seeds", "vwhn+IHmODQ="}}));
    EXPECT_EQ(without_wire(records[1]), json({{"packet", "CLIENTAUTHENTICATION"},
                                              {"username", "canal"},
                                              {"password", "(redacted, 40 bytes)"},
                                              {"netReadTimeout", 3600000},
                                              {"netWriteTimeout", 3600000}}));
    json ack = without_wire(records[2]);
    EXPECT_GT(ack["waitedMs"].get<double>(), 0);
    ack.erase("waitedMs");
    EXPECT_EQ(ack, json({{"packet", "ACK"},
                         {"answers", {{"packet", "CLIENTAUTHENTICATION"}, {"frame", 8}}}}));
    EXPECT_EQ(without_wire(records[3]), json({{"packet", "CLIENTROLLBACK"},
                                              {"destination", "example"},
                                              {"clientId", "1001"},
                                              {"batchId", 0}}));
    bool poll = false;
    for (const made_record& r : records) {
        const json packet = r.json();
        if (packet.value("packet", "") == "GET") {
            EXPECT_EQ(packet["unit"], "MILLISECONDS");
            EXPECT_EQ(packet["autoAck"], false);
        }
        if (packet.value("packet", "") == "MESSAGES" && packet["batchId"] == -1) {
            poll = true;
            EXPECT_FALSE(packet.contains("entries"));
            EXPECT_EQ(packet["answers"]["packet"], "GET");
        }
    }
    EXPECT_TRUE(poll);
}

TEST(CanalPackets, GiveALateErrorToTheAcknowledgement) {
    std::set<std::string> answered;
    for (const made_record& r : records_of("batches", options{})) {
        const json packet = r.json();
        if (packet.value("errorCode", 0) != 0) answered.insert(packet["answers"]["packet"]);
    }
    EXPECT_EQ(answered, (std::set<std::string>{"CLIENTACK", "CLIENTROLLBACK"}));
}

TEST(CanalPackets, WaitForTheirDestination) {
    const auto basic = keys_of(records_of("basic", options{}));
    EXPECT_FALSE(basic.contains("canal.c0001.packets"));
    EXPECT_GT(basic.at("canal.example.packets"), 10U);
    const auto failed = keys_of(records_of("auth_fail_server117", options{}));
    EXPECT_EQ(failed, (std::map<std::string, std::size_t>{{"canal.c0001.packets", 4},
                                                          {"canal.c0002.packets", 4},
                                                          {"canal.c0003.packets", 4},
                                                          {"canal.c0004.packets", 4}}));
}

TEST(CanalPackets, WaitSixteenAtMost) {
    canal_pipeline pipeline{options{}};
    pipeline.connection(1, "10.0.0.2:11111", canal::port_kind::data);
    std::uint32_t frame = 0;
    const auto send = [&](const std::vector<std::uint8_t>& bytes, direction dir) {
        ++frame;
        pipeline.message(1, dir, bytes, {frame, frame, {frame * 1'000'000, frame, 0}});
    };
    send(framed(1, wire_writer().text(2, "12345678")), direction::s2c);
    for (int i = 0; i < 15; ++i) send(framed(2, wire_writer().text(1, "canal")), direction::c2s);
    EXPECT_TRUE(pipeline.records.all.empty());
    send(framed(2, wire_writer().text(1, "canal")), direction::c2s);
    EXPECT_EQ(keys_of(pipeline.records.all),
              (std::map<std::string, std::size_t>{{"canal.c0001.packets", 17}}));
    send(framed(4, wire_writer().text(1, "example").text(2, "1001")), direction::c2s);
    send(framed(3, wire_writer()), direction::s2c);
    EXPECT_EQ(pipeline.records.all[17].key, "canal.example.packets");
}

TEST(CanalPackets, OfTheAdminPortAreNamedByTheirOwnTypes) {
    const auto records = records_of("admin_11110", options{});
    std::set<std::string> names;
    for (const made_record& r : records) {
        EXPECT_TRUE(r.key == "canal.c0001.admin" || r.key == "canal.c0002.admin") << r.key;
        EXPECT_EQ(r.json()["admin"], true);
        names.insert(r.json()["packet"]);
    }
    EXPECT_EQ(names, (std::set<std::string>{"HANDSHAKE", "CLIENTAUTHENTICATION", "ACK", "SERVER",
                                            "INSTANCE", "LOG", "TYPE_9"}));
}

bool holds_secret(const std::vector<made_record>& records) {
    constexpr std::string_view token = "97e6e6c52074b2be2b3ee287053d4e47c1b6be59";
    for (const made_record& r : records) {
        if (r.payload.find(token) != std::string::npos) return true;
        const json packet = r.is_json ? r.json() : json();
        if (!packet.contains("raw")) continue;
        const auto raw = decode_base64(packet["raw"].get<std::string>());
        if (as_text(*raw).find(token) != std::string_view::npos) return true;
    }
    return false;
}

TEST(CanalPackets, BlankTheScrambleOfThePasswordEverywhere) {
    for (const payload_mode payload : {payload_mode::json, payload_mode::raw, payload_mode::both}) {
        options chosen;
        chosen.payload = payload;
        EXPECT_FALSE(holds_secret(records_of("basic", chosen)));
        chosen.keep_secrets = true;
        EXPECT_TRUE(holds_secret(records_of("basic", chosen)));
    }
}

TEST(CanalPackets, CarryTheirExactBytesInRawMode) {
    options chosen;
    chosen.payload = payload_mode::raw;
    chosen.keep_secrets = true;
    const auto records = records_of("basic", chosen);
    EXPECT_EQ(keys_of(records).size(), 2U);
    const canal::captured capture = canal::read_canal_capture("basic");
    std::size_t next = 0;
    for (const auto& e : capture.events) {
        if (e.kind != canal::captured_event::what::message) continue;
        EXPECT_EQ(records[next].payload, as_text(e.payload));
        EXPECT_EQ(records[next].key,
                  std::string("canal.example.packets.") + std::string(name(e.dir)));
        EXPECT_FALSE(records[next].is_json);
        ++next;
    }
    EXPECT_EQ(next, records.size());
}

TEST(CanalPackets, CarryBothOnRequestButNotOnRows) {
    options chosen;
    chosen.payload = payload_mode::both;
    for (const made_record& r : records_of("basic", chosen)) {
        EXPECT_EQ(r.json().contains("raw"), r.json().contains("packet")) << r.key;
    }
}

TEST(CanalPackets, SayWhatIsBrokenInThem) {
    std::map<std::string, int> broken;
    for (const made_record& r : records_of("odd_requests", options{})) {
        const json packet = r.json();
        if (packet.contains("malformed")) ++broken[packet["malformed"]];
    }
    EXPECT_EQ(broken, (std::map<std::string, int>{{"Packet: a field's tag is not valid", 1},
                                                  {"body: the message ends inside a field", 1}}));
}

// What a packet of the client gives, JSON and raw bytes.
made_record record_of(const std::vector<std::uint8_t>& bytes, const options& chosen) {
    canal_pipeline pipeline{chosen};
    pipeline.connection(1, "10.0.0.2:11111", canal::port_kind::data);
    pipeline.message(1, direction::s2c, framed(1, wire_writer().text(2, "12345678")), {1, 1, {}});
    pipeline.message(1, direction::c2s, bytes, {2, 2, {}});
    pipeline.finish();
    return pipeline.records.all.at(1);
}

TEST(CanalPackets, KeepFieldsWithoutANameOrOfAnotherWireType) {
    const auto get = wire_writer()
                         .text(1, "example")
                         .text(2, "1001")
                         .text(3, "1000")  // fetchSize is a number
                         .number(9, -1)
                         .text(10, "new");
    const json packet =
        record_of(framed(wire_writer().number(3, 6).message(5, get).text(7, "x")), {}).json();
    EXPECT_EQ(packet["unknownFields"],
              json({{{"message", "Packet"}, {"number", 7}, {"base64", "eA=="}},
                    {{"message", "Get"}, {"number", 3}, {"base64", "MTAwMA=="}},
                    {{"message", "Get"}, {"number", 9}, {"varint", 18446744073709551615U}},
                    {{"message", "Get"}, {"number", 10}, {"base64", "bmV3"}}}));
    EXPECT_FALSE(packet.contains("fetchSize"));
    EXPECT_EQ(packet["destination"], "example");
}

TEST(CanalPackets, HideFieldsWithoutANameInALogin) {
    const auto login = wire_writer().text(1, "canal").text(11, "my token");
    options chosen;
    chosen.payload = payload_mode::both;
    const made_record hidden = record_of(framed(2, login), chosen);
    EXPECT_EQ(
        hidden.json()["unknownFields"],
        json({{{"message", "ClientAuth"}, {"number", 11}, {"base64", "(redacted, 8 bytes)"}}}));
    const auto raw = decode_base64(hidden.json()["raw"].get<std::string>());
    EXPECT_EQ(as_text(*raw).find("my token"), std::string_view::npos);
    chosen.keep_secrets = true;
    const made_record kept = record_of(framed(2, login), chosen);
    EXPECT_EQ(kept.json()["unknownFields"][0]["base64"], "bXkgdG9rZW4=");
}

TEST(CanalPackets, HideGroupsInALoginWhateverTheLengthOfTheirTags) {
    using namespace std::string_view_literals;
    options chosen;
    chosen.payload = payload_mode::both;
    for (const std::string_view begin : {"\xa3\x01"sv, "\xa3\x81\x80\x80\x00"sv}) {
        for (const std::string_view end : {"\xa4\x01"sv, "\xa4\x81\x80\x80\x00"sv}) {
            for (const std::string_view inside : {"\x0a\x08my token"sv, ""sv}) {
                std::string login =
                    "\x0a\x05"
                    "canal";
                login.append(begin).append(inside).append(end);
                const made_record hidden =
                    record_of(framed(wire_writer().number(3, 2).text(5, login)), chosen);
                EXPECT_FALSE(hidden.json().contains("malformed"));
                EXPECT_EQ(hidden.json()["unknownFields"][0]["number"], 20);
                const auto raw = decode_base64(hidden.json()["raw"].get<std::string>());
                EXPECT_EQ(as_text(*raw).find("token"), std::string_view::npos);
            }
        }
    }
}

TEST(CanalPackets, LeaveOnlyRowsToTheLayoutOfChanges) {
    options chosen;
    chosen.streams = layout::changes;
    for (const made_record& r : records_of("mysql55_types", chosen))
        EXPECT_TRUE(r.json().contains("isDdl")) << r.key;
    chosen.payload = payload_mode::raw;
    const auto raw = records_of("mysql55_types", chosen);
    EXPECT_FALSE(raw.empty());
    for (const made_record& r : raw) EXPECT_EQ(r.key, "canal.mysql55.packets.s2c");
}

}  // namespace
}  // namespace cdcscope::record
