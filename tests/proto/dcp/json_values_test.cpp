#include "proto/dcp/json_values.h"

#include "proto/dcp/json_members.h"

#include <gtest/gtest.h>

namespace cdcscope::dcp {
namespace {

TEST(StreamFilter, ReadsEveryMember) {
    const stream_filter f = parse_stream_filter(as_bytes(
        R"({"uid":"1f","sid":777,"collections":["9","abcdef"],"purge_seqno":"55","cts":{"sid":1,"scope":"2"},"x":[{"scope":"7"}]})"));
    EXPECT_TRUE(f.valid);
    EXPECT_EQ(f.uid, "1f");
    EXPECT_EQ(f.stream_id, 777);
    EXPECT_EQ(f.collections, (std::vector<std::uint32_t>{9, 0xabcdef}));
    EXPECT_EQ(f.purge_seqno, "55");
    EXPECT_EQ(f.scope, "") << "members of other objects are others";
    EXPECT_EQ(parse_stream_filter(as_bytes(R"({"scope":"8"})")).scope, "8");
}

TEST(StreamFilter, SaysWhenItIsNone) {
    EXPECT_TRUE(parse_stream_filter({}).valid);
    for (const char* bad : {"[1]", "{", "7", "{\"sid\":1} x", "\xff"})
        EXPECT_FALSE(parse_stream_filter(as_bytes(bad)).valid) << bad;
    EXPECT_FALSE(parse_stream_filter(as_bytes(std::string_view("{}\0", 3))).valid);
    EXPECT_FALSE(parse_stream_filter(as_bytes("{\"sid\":65536}")).stream_id);
    EXPECT_FALSE(parse_stream_filter(as_bytes("{\"sid\":-1}")).stream_id);
    EXPECT_FALSE(parse_stream_filter(as_bytes(std::string(100000, '['))).valid);
}

TEST(JsonMembers, StandWhereTheListSays) {
    const std::string_view json =
        R"({ "uid" : "1f","sid":777, "collections":["9", "abcdef"],"cts":{"free_memory":12,"all_keys":true,"uid":"x"}})";
    member_list list;
    ASSERT_TRUE(list.read(field_id::stream_filter, as_bytes(json)));
    std::string seen;
    for (const member_list::item& m : list.items()) {
        EXPECT_EQ(json.substr(m.at, m.size), list.text(m));
        seen += std::string(describe(m.field).json) + "=" + std::string(list.text(m)) + " ";
    }
    EXPECT_EQ(seen,
              "uid=1f sid=777 collections=9 collections=abcdef free_memory=12 all_keys=true ");
}

TEST(JsonMembers, TextWithEscapesIsResolvedAndTheWholeValueIsItsPlace) {
    const std::string_view json = R"({"error":{"context":"a \"b\"","ref":"r"}})";
    member_list list;
    ASSERT_TRUE(list.read(field_id::error_text, as_bytes(json)));
    ASSERT_EQ(list.items().size(), 2U);
    EXPECT_EQ(list.text(list.items()[0]), R"(a "b")");
    EXPECT_EQ(list.items()[0].at, 0U);
    EXPECT_EQ(list.items()[0].size, json.size());
    EXPECT_EQ(list.items()[1].at, json.find(R"("r")") + 1);
}

TEST(JsonMembers, OfOtherPathsOrTooManyAreNotTaken) {
    member_list list;
    ASSERT_TRUE(list.read(field_id::hello_agent, as_bytes(R"({"b":{"a":"no"},"c":[{"a":"no"}]})")));
    EXPECT_TRUE(list.items().empty());
    std::string many = R"({"collections":["0")";
    for (int i = 0; i < 10000; ++i) many += R"(,"1")";
    EXPECT_TRUE(list.read(field_id::stream_filter, as_bytes(many + "]}")));
    EXPECT_EQ(list.items().size(), 4096U);
    EXPECT_FALSE(list.read(field_id::stream_filter, as_bytes("[1]")));
}

TEST(Manifest, CallsBackForEachCollection) {
    std::string seen;
    EXPECT_TRUE(read_manifest(
        as_bytes(R"({"uid":"7","scopes":[{"name":"_default","uid":"0","collections":[
        {"name":"_default","uid":"0"},{"uid":"9","maxTTL":5,"name":"route"}]},
        {"collections":[{"name":"c","uid":"81"}],"name":"late","uid":"8"},{"name":"empty","uid":"a","collections":[]}]})"),
        [&](const manifest_entry& e) {
            seen += std::string(e.scope) + ":" + std::to_string(e.scope_id);
            if (e.has_collection)
                seen += "." + std::string(e.collection) + ":" + std::to_string(e.collection_id);
            seen += " ";
        }));
    EXPECT_EQ(seen, "_default:0._default:0 _default:0.route:9 late:8.c:129 empty:10 ");
}

TEST(Manifest, OtherJsonIsNone) {
    int calls = 0;
    const auto count = [&](const manifest_entry&) { ++calls; };
    EXPECT_FALSE(read_manifest(as_bytes(R"({"error":{"context":"no access"}})"), count));
    EXPECT_FALSE(read_manifest(as_bytes(R"({"scopes":[{"name":"a"}]})"), count));
    EXPECT_FALSE(read_manifest(as_bytes("nonsense"), count));
    EXPECT_EQ(calls, 0);
}

TEST(OpenValue, HoldsTheConsumersName) {
    EXPECT_EQ(open_consumer_name(as_bytes(R"({"consumer_name":"ns_1@node2"})")), "ns_1@node2");
    EXPECT_EQ(open_consumer_name(as_bytes(R"({"a":{"consumer_name":"x"}})")), "");
    EXPECT_EQ(open_consumer_name({}), "");
}

TEST(LooksLikeJson, LooksAtTheFirstCharacter) {
    for (const char* good : {"{", " [1]", "\"a\"", "-1", "true", "null"})
        EXPECT_TRUE(looks_like_json(as_bytes(good))) << good;
    for (const char* bad : {"", "  ", "world", "\x01"})
        EXPECT_FALSE(looks_like_json(as_bytes(bad))) << bad;
}

}  // namespace
}  // namespace cdcscope::dcp
