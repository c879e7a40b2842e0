// Records as whole JSON texts.
#include <snappy.h>

#include "proto/json/base64.h"

#include "tests/analyzer/record/dcp_fixture.h"

namespace cdcscope {
namespace {

using nlohmann::json;
using test::bytes_of;
using test::dcp_record;
using test::message_of;

// Members that the example names, compared one by one: others may be there, too.
void expect_members(const json& record, const char* example) {
    const json wanted = json::parse(example);
    for (const auto& [name, value] : wanted.items())
        EXPECT_EQ(record.value(name, json()), value) << name;
}

// A mutation with collection 8, key "o1", and this value.
std::vector<std::uint8_t> mutation(std::string_view value, std::uint8_t datatype,
                                   std::uint16_t nmeta = 0) {
    std::vector<std::uint8_t> out = bytes_of(
        "80570003 1f00003b 00000000 00001700 17979e5d00030000"
        "0000000000000003 0000000000000001 02000006 00000000 00000000 0000 00 086f31");
    out[5] = datatype;
    store_be16(&out[52], nmeta);
    out.insert(out.end(), value.begin(), value.end());
    store_be32(&out[8], static_cast<std::uint32_t>(out.size() - 24));
    return out;
}

std::string base64_of(const std::string& text) {
    std::string out;
    append_base64(out, as_bytes(text));
    return out;
}

class dcp_mutation : public dcp_record {
  protected:
    dcp_mutation() {
        track.context.collections = dcp::collection_keys::on;
        track.vbucket_uuid = 0x0000a1b2c3d4e5f6;
        names.bucket_name = "travel";
        names.collections[8] = {"", "orders"};
    }
};

TEST_F(dcp_mutation, IsWrittenAsTheReferenceShows) {
    const json got = json_of(mutation(" {\"id\": 1, \"type\":\"order\"}\n", 1));
    expect_members(
        got, R"({"event":"mutation","bucket":"travel","partition":59,"vBucketUuid":177789161760246,
        "vBucketUuidHex":"0x0000a1b2c3d4e5f6","collectionId":8,"collection":"orders","key":"o1","cas":1700001506624995328,
        "casHex":"0x17979e5d00030000","bySeqno":3,"revSeqno":1,"expiration":0,"flags":33554438,"lockTime":0,
        "datatype":["json"],"content":{"id":1,"type":"order"}})");
    EXPECT_EQ(got["wire"]["opaque"], "0x1700");
    EXPECT_EQ(got["wire"]["frames"], json::array({18}));
    EXPECT_FALSE(got.contains("malformed"));
    EXPECT_EQ(key, "dcp.c0001");
}

TEST_F(dcp_mutation, GivesWhatIsNoJsonAsBase64) {
    json got = json_of(mutation("world", 0));
    EXPECT_EQ(got["contentBase64"], base64_of("world"));
    EXPECT_FALSE(got.contains("datatype"));
    EXPECT_FALSE(got.contains("content"));
    got = json_of(mutation("{\"a\":", 1));
    EXPECT_EQ(got["contentBase64"], base64_of("{\"a\":")) << "a broken document is no JSON";
    got = json_of(mutation("", 0));
    EXPECT_FALSE(got.contains("content") || got.contains("contentBase64"));
    EXPECT_EQ(json_of(mutation("17", 0))["contentBase64"], base64_of("17"))
        << "text that happens to be a number stays text";
    EXPECT_EQ(json_of(mutation("[17]", 0))["content"], json::array({17}))
        << "clients that negotiate no JSON datatype";
}

TEST_F(dcp_mutation, InflatesBeforeTheAttributesAreCutOff) {
    const auto pair = bytes_of("0000001a 00000016 5f73796e63 00 7b22726576223a22322d646566227d 00");
    const std::string plain = std::string(as_text(pair)) + "{\"a\":1}";
    std::string packed;
    snappy::Compress(plain.data(), plain.size(), &packed);
    for (const auto& [value, datatype] : {std::pair{plain, 5}, {packed, 7}}) {
        const json got = json_of(mutation(value, static_cast<std::uint8_t>(datatype)));
        EXPECT_EQ(got["xattrs"], json::parse(R"({"_sync":{"rev":"2-def"}})"));
        EXPECT_EQ(got["content"], json::parse(R"({"a":1})"));
        EXPECT_FALSE(got.contains("malformed"));
    }
}

TEST_F(dcp_mutation, SaysWhenAValueDoesNotFitItsDatatype) {
    const json snappy = json_of(mutation("world", 2));
    EXPECT_EQ(snappy["malformed"], "value is no Snappy block");
    EXPECT_EQ(snappy["contentBase64"], base64_of("world"));
    const json xattrs = json_of(mutation("world", 4));
    EXPECT_EQ(xattrs["malformed"], "extended attributes contradict their lengths");
    EXPECT_EQ(xattrs["contentBase64"], base64_of("world"));
    EXPECT_FALSE(json_of(mutation("", 7)).contains("malformed"))
        << "an empty value is never inflated";
}

TEST_F(dcp_mutation, NeverGuessesACutValue) {
    const auto whole = mutation("{\"id\":1}", 1);
    recover::message m = message_of(byte_view(whole).first(whole.size() - 3));
    m.cut = true;
    m.wire_length = whole.size();
    const json got = json_of(m);
    EXPECT_EQ(got["contentBase64"], base64_of("{\"id\""));
    EXPECT_FALSE(got.contains("content") || got.contains("malformed"));
    EXPECT_EQ(got["wire"]["cut"], json({{"captured", whole.size() - 3}, {"of", whole.size()}}));
    EXPECT_EQ(got["datatype"], json::array({"json"}));
}

TEST_F(dcp_mutation, KeepsMetadataOfOldServersApartFromTheDocument) {
    const std::string meta(as_text(bytes_of("01 01 0002 abcd")));
    const json got = json_of(mutation("{}" + meta, 1, 6));
    EXPECT_EQ(got["content"], json::object());
    EXPECT_EQ(got["extendedMetadata"],
              json::parse(R"({"version":1,"entries":[{"id":"adjustedTime","data":"abcd"}]})"));
    EXPECT_EQ(got["nmeta"], 6);
}

TEST_F(dcp_mutation, WritesKeysThatAreNoTextAsBase64) {
    auto bytes = mutation("", 0);
    bytes[bytes.size() - 1] = 0xff;
    const json got = json_of(bytes);
    EXPECT_EQ(got["keyBase64"], base64_of("o\xff"));
    EXPECT_FALSE(got.contains("key"));
}

TEST_F(dcp_mutation, FallsBackToTheWholeKeyWithoutAValidPrefix) {
    auto bytes = mutation("", 0);
    bytes[bytes.size() - 3] = 0x80;
    bytes[bytes.size() - 2] = 0x80;
    bytes[bytes.size() - 1] = 0x80;
    const json got = json_of(bytes);
    EXPECT_EQ(got["malformed"], "no collection id in front of the key");
    EXPECT_FALSE(got.contains("collectionId"));
}

TEST_F(dcp_mutation, RedactsKeysAndValues) {
    options.redact = record::redact_mode::keys;
    json got = json_of(mutation("{\"a\":1}", 1));
    EXPECT_EQ(got["key"], "(redacted, 2 bytes)");
    EXPECT_EQ(got["content"], json({{"a", 1}}));
    EXPECT_EQ(got["collectionId"], 8);
    options.redact = record::redact_mode::values;
    got = json_of(mutation("{\"a\":1}", 1));
    EXPECT_EQ(got["key"], "o1");
    EXPECT_EQ(got["content"], "(redacted, 7 bytes)");
    options.redact = record::redact_mode::all;
    got = json_of(mutation("world", 0));
    EXPECT_EQ(got["key"], "(redacted, 2 bytes)");
    EXPECT_EQ(got["content"], "(redacted, 5 bytes)");
    EXPECT_FALSE(got.contains("contentBase64"));
}

TEST_F(dcp_mutation, RedactsTheRawBytes) {
    options.redact = record::redact_mode::all;
    options.payload = record::payload_mode::raw;
    record::dcp_recorder recorder(options);
    const auto bytes = mutation("world", 0);
    const auto made = recorder.record(message_of(bytes), track, names);
    EXPECT_EQ(as_text(made->payload).substr(55), "\x08*******");
    EXPECT_EQ(as_text(made->payload).substr(0, 55), as_text(bytes).substr(0, 55));
    EXPECT_EQ(made->key, "dcp.c0001.s2c");
}

TEST_F(dcp_mutation, WritesWideNumbersAsTextWhenAsked) {
    options.int64_as_strings = true;
    const json got = json_of(mutation("", 0));
    EXPECT_EQ(got["cas"], "1700001506624995328");
    EXPECT_EQ(got["bySeqno"], "3");
    EXPECT_EQ(got["partition"], 59);
    EXPECT_EQ(got["flags"], 33554438);
}

TEST_F(dcp_record, PrepareOfTheReferenceWithRawBytes) {
    const auto bytes = bytes_of(
        "80600005 1f000210 00000029 00001210 0000000000000000 0000000000000004 0000000000000001"
        "00000000 00000000 00000000 00 00 01 68656c6c6f 776f726c64");
    options.payload = record::payload_mode::both;
    const json got = json_of(bytes);
    expect_members(
        got,
        R"({"event":"prepare","partition":528,"key":"hello","bySeqno":4,"revSeqno":1,"expiration":0,"flags":0,
        "lockTime":0,"durability":"majority","deleted":false,"contentBase64":"d29ybGQ=","cas":0,"casHex":"0x0000000000000000"})");
    EXPECT_EQ(got["raw"], base64_of(std::string(as_text(bytes))));
    EXPECT_EQ(got["wire"]["opaque"], "0x1210");
}

TEST_F(dcp_record, CommitTellsItsLatency) {
    const auto bytes = bytes_of(
        "80620005 10000210 00000015 00001210 0000000000000000 0000000000000004 0000000000000005 "
        "68656c6c6f");
    track.prepare = 41;
    track.elapsed_ns = 4000000;
    expect_members(
        json_of(bytes),
        R"({"event":"commit","key":"hello","preparedSeqno":4,"bySeqno":5,"latencyMs":4.0})");
    track.prepare = 0;
    EXPECT_FALSE(json_of(bytes).contains("latencyMs"));
}

TEST_F(dcp_record, BufferAckTellsWhatIsOutstanding) {
    const auto bytes = bytes_of("805d0000 04000000 00000004 00000000 0000000000000000 00000800");
    EXPECT_FALSE(json_of(bytes).contains("outstanding"));
    track.flow_known = true;
    track.outstanding = 1930;
    const json got = json_of(bytes);
    expect_members(got, R"({"event":"buffer_ack","bytes":2048,"outstanding":1930})");
    EXPECT_FALSE(got.contains("partition"));
}

TEST_F(dcp_record, AnswersToStreamRequests) {
    track.has_partition = true;
    track.partition = 14;
    expect_members(
        json_of(bytes_of("81530000 00000023 00000008 00000001 0000000000000000 0000000000000021")),
        R"({"event":"stream_request","response":true,"status":"Rollback","partition":14,"rollbackSeqno":33})");
    expect_members(
        json_of(bytes_of("81530000 00000000 00000010 00000001 0000000000000000 0000a1b2c3d4e5f6 "
                         "0000000000000000")),
        R"({"status":"Success","failoverLog":[{"vBucketUuid":177789161760246,"vBucketUuidHex":"0x0000a1b2c3d4e5f6","bySeqno":0}]})");
    expect_members(
        json_of(bytes_of(
            "81530000 00010007 0000000b 00000001 0000000000000000 7b226e6f646573223a317d")),
        R"({"status":"NotMyVbucket","content":{"nodes":1}})");
    expect_members(json_of(bytes_of("81530000 00000099 00000000 00000001 0000000000000000")),
                   R"({"status":"0x0099"})");
}

TEST_F(dcp_record, BlanksSecretsEverywhereUnlessTold) {
    const auto bytes = bytes_of(
        "80210005 00000000 00000012 00000004 0000000000000000 504c41494e "
        "006170700070617373776f7264");
    options.payload = record::payload_mode::both;
    json got = json_of(bytes);
    EXPECT_EQ(got["event"], "sasl_auth");
    EXPECT_EQ(got["mechanism"], "PLAIN");
    EXPECT_EQ(got.dump().find("password"), std::string::npos);
    std::string blanked(as_text(bytes).substr(0, 29));
    blanked += "*************";
    EXPECT_EQ(got["raw"], base64_of(blanked));
    options.keep_secrets = true;
    got = json_of(bytes);
    EXPECT_EQ(got["raw"], base64_of(std::string(as_text(bytes))));
    EXPECT_EQ(got["payload"], std::string("\0app\0password", 13));
}

TEST_F(dcp_record, UnknownOpcodesKeepTheirBytes) {
    const json got =
        json_of(bytes_of("80680001 01000007 00000003 00000001 0000000000000000 aa 6b 76"));
    expect_members(
        got,
        R"({"event":"opcode_0x68","partition":7,"extras":"aa","key":"k","contentBase64":"dg=="})");
}

TEST_F(dcp_record, FramingExtrasOfEveryKind) {
    // durability 2 with 1000 ms, stream id 100, preserve TTL, user "joe", unknown id 20 (escaped)
    const auto bytes = bytes_of(
        "0801 0f 00 08000000 00000017 00000001 0000000000000000"
        "13 02 03e8  22 0064  50  43 6a6f65  f1 05 99"
        "0000000000000000");
    const json got = json_of(bytes);
    EXPECT_EQ(got["durability"], "majorityAndPersistOnActive");
    EXPECT_EQ(got["durabilityTimeout"], 1000);
    EXPECT_EQ(got["streamId"], 100);
    EXPECT_EQ(got["preserveTtl"], true);
    EXPECT_EQ(got["frames"], json::parse(R"([{"id":20,"data":"99"}])"));
}

TEST_F(dcp_record, FramingExtrasThatComeAgainAreListed) {
    // privileges "abc" and "def"
    const auto bytes = bytes_of(
        "0801 08 00 08000000 00000010 00000001 0000000000000000"
        "63 616263  63 646566  0000000000000000");
    const json got = json_of(bytes);
    EXPECT_EQ(got["privilege"], "abc");
    EXPECT_EQ(got["frames"], json::parse(R"([{"id":6,"data":"646566"}])"));
    options.redact = record::redact_mode::all;
    EXPECT_EQ(json_of(bytes)["frames"][0]["data"], "(redacted, 3 bytes)");
}

TEST_F(dcp_record, LayoutChangesKeepsChangesOnly) {
    options.streams = record::layout::changes;
    names.bucket_name = "travel";
    names.collections[8] = {"inventory", "orders"};
    track.context.collections = dcp::collection_keys::on;
    EXPECT_EQ(json_of(mutation("{}", 1))["event"], "mutation");
    EXPECT_EQ(key, "couchbase.travel.inventory.orders");
    names.collections.clear();
    EXPECT_EQ(json_of(mutation("{}", 1))["event"], "mutation");
    EXPECT_EQ(key, "couchbase.travel.cid-8");
    track.context.collections = dcp::collection_keys::off;
    EXPECT_EQ(json_of(mutation("{}", 1))["event"], "mutation");
    EXPECT_EQ(key, "couchbase.travel");
    EXPECT_TRUE(
        json_of(bytes_of("805c0000 00000000 00000000 81969800 0000000000000000")).is_null());
    EXPECT_TRUE(json_of(bytes_of("81570000 00000004 00000000 00001700 0000000000000000")).is_null())
        << "a refusal";
}

TEST_F(dcp_record, LayoutVbucketSplitsStreamsOnly) {
    options.streams = record::layout::vbucket;
    (void)json_of(mutation("{}", 1));
    EXPECT_EQ(key, "dcp.c0001.vb0059");
    (void)json_of(bytes_of("805c0000 00000000 00000000 81969800 0000000000000000"));
    EXPECT_EQ(key, "dcp.c0001");
    (void)json_of(bytes_of("81530000 00000022 00000000 00000001 0000000000000000"));
    EXPECT_EQ(key, "dcp.c0001") << "an answer whose request was not seen";
    track.has_partition = true;
    track.partition = 60;
    (void)json_of(bytes_of("81530000 00000022 00000000 00000001 0000000000000000"));
    EXPECT_EQ(key, "dcp.c0001.vb0060");
}

TEST_F(dcp_record, RecorderListsTheKeysItUsed) {
    record::dcp_recorder recorder(options);
    const auto bytes = mutation("{}", 1);
    recover::message m = message_of(bytes);
    (void)recorder.record(m, track, names);
    (void)recorder.record(m, track, names);
    m.connection = 12345;
    (void)recorder.record(m, track, names);
    ASSERT_EQ(recorder.streams().size(), 2U);
    EXPECT_EQ(recorder.streams()[0].key, "dcp.c0001");
    EXPECT_EQ(recorder.streams()[1].key, "dcp.c12345");
    EXPECT_EQ(recorder.streams()[1].connection, 12345U);
}

}  // namespace
}  // namespace cdcscope
