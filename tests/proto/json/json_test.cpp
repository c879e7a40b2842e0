#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "proto/json/base64.h"
#include "proto/json/json_document.h"
#include "proto/json/json_writer.h"

namespace cdcscope {
namespace {

std::string compact(std::string_view text, std::size_t depth = 1024) {
    std::string out = "<";
    return append_compact_json(out, as_bytes(text), depth) ? out.substr(1) : "refused " + out;
}

TEST(JsonWriter, WritesNestedDocumentsAndStartsAgain) {
    json_writer w;
    w.begin_object().field("a", 1).name("b").begin_array().number(2).string("x\n\"").end_array();
    w.field("c", 4.0).end_object();
    EXPECT_EQ(w.text(), R"({"a":1,"b":[2,"x\n\""],"c":4.0})");
    w.clear();
    w.begin_object().name("n").int64(std::uint64_t{18446744073709551615ULL}).end_object();
    EXPECT_EQ(w.text(), R"({"n":18446744073709551615})");
    w.clear();
    w.int64_as_strings(true);
    w.begin_object().name("n").int64(std::int64_t{-1}).end_object();
    EXPECT_EQ(w.text(), R"({"n":"-1"})");
}

TEST(JsonWriter, HandsALongDocumentOverInPieces) {
    std::string whole;
    std::size_t pieces = 0, longest = 0;
    json_writer w([&](std::string_view piece) {
        whole += piece;
        ++pieces;
        longest = std::max(longest, piece.size());
    });
    w.begin_object().name("rows").begin_array();
    for (std::uint32_t i = 0; i < 20'000; ++i)
        w.begin_object().field("number", i).field("text", "sixteen letters.").end_object();
    w.end_array().field("last", true).end_object();
    w.flush();
    w.flush();
    const auto document = nlohmann::json::parse(whole);
    EXPECT_EQ(document["rows"].size(), 20'000U);
    EXPECT_EQ(document["rows"][19'999]["number"], 19'999);
    EXPECT_EQ(document["last"], true);
    EXPECT_GT(pieces, 5U);
    EXPECT_LT(longest, 70'000U);
}

TEST(JsonWriter, WritesNoBytesThatAreNoUtf8) {
    json_writer w;
    w.begin_object().field("a\xff", "b\xc3\xed\xa0\x80").field("c", "\u2028ß").end_object();
    EXPECT_EQ(w.text(), R"({"a\\xff":"b\\xc3\\xed\\xa0\\x80","c":")"
                        "\u2028ß\"}");
}

TEST(JsonWriter, GivesBytesThatAreNoTextAsBase64) {
    json_writer w;
    w.begin_object().text_or_base64("key", as_bytes("k")).end_object();
    EXPECT_EQ(w.text(), R"({"key":"k"})");
    w.clear();
    w.begin_object().text_or_base64("key", as_bytes("\xff\xfe")).end_object();
    EXPECT_EQ(w.text(), R"({"keyBase64":"//4="})");
}

TEST(JsonDocument, LosesWhiteSpaceOutsideStringsOnly) {
    EXPECT_EQ(compact(" { \"a b\" : [ 1.50 , \"x  \\\" y\" ] }\n"), R"({"a b":[1.50,"x  \" y"]})");
    EXPECT_EQ(compact("123456789012345678901234567890"), "123456789012345678901234567890");
    EXPECT_EQ(compact("\"\\u00e9\""), "\"\\u00e9\"");
}

TEST(JsonDocument, TakesEveryFormOfTheGrammar) {
    for (const char* good :
         {"0", "-0", "10", "-1.5", "1e5", "1E+5", "1.25e-10", "true", "false", "null", "\"\"", "[]",
          "{}", "[[],{}]", R"("\"\\\/\b\f\n\r\t\u00E9\ud83d\ude00")",
          R"({"a":{"b":[1,"c",{"d":null}]},"e":""})"}) {
        EXPECT_EQ(compact(good), good);
    }
    for (const char* bad : {"-",
                            "+1",
                            ".5",
                            "1.",
                            "1e",
                            "1e+",
                            "00",
                            "-01",
                            "0x1",
                            "tru",
                            "truefalse",
                            "nul",
                            "\"",
                            "\"\\",
                            "\"\\x\"",
                            "\"\\u12\"",
                            "\"\\u12g4\"",
                            "\"\\ud800\"",
                            "\"\\ud800x\"",
                            "\"\\udc00\"",
                            "\"\\ud800\\u0041\"",
                            "\"a\nb\"",
                            "[",
                            "]",
                            "[1",
                            "[1,]",
                            "[,1]",
                            "{\"a\"}",
                            "{\"a\":}",
                            "{\"a\":1",
                            "{\"a\" 1}",
                            "{1:2}",
                            "{\"a\":1 \"b\":2}",
                            "[1}",
                            "{]",
                            "1 1",
                            ",",
                            ":"}) {
        EXPECT_EQ(compact(bad), "refused <") << bad;
    }
}

// Every prefix, and every single changed byte, of a document: the same answer as an independent
// parser gives.
TEST(JsonDocument, AgreesWithAnotherParserOnEveryDamage) {
    const std::string document =
        R"({"id": 17, "t\u00e9xt": "a\nb \\ \"q\"", "n": [-1.5e3, true, null, {"x": []}], "u": "\u20ac\ud83d\ude00 gr\u00fc\u00df"} )";
    const auto agree = [](const std::string& text) {
        std::string out;
        const bool ours = append_compact_json(out, as_bytes(text));
        const bool theirs = nlohmann::json::accept(text);
        EXPECT_EQ(ours, theirs) << text;
        if (!ours || !theirs) return;
        EXPECT_EQ(nlohmann::json::parse(out), nlohmann::json::parse(text));
    };
    for (std::size_t n = 0; n <= document.size(); ++n) agree(document.substr(0, n));
    for (std::size_t at = 0; at < document.size(); ++at) {
        for (int byte = 1; byte < 256; ++byte) {  // the other parser takes 0 for the end
            std::string changed = document;
            changed[at] = static_cast<char>(byte);
            agree(changed);
        }
    }
}

TEST(JsonDocument, RefusesWhatIsNoJsonAndLeavesTheBufferAlone) {
    for (const char* bad :
         {"", "{", "{\"a\":1,}", "[1 2]", "01", "tru", "1 2", "\"\xff\"", "{a:1}"}) {
        EXPECT_EQ(compact(bad), "refused <") << bad;
    }
    EXPECT_EQ(compact(std::string_view("{}\0x", 4)), "refused <");
    EXPECT_EQ(compact(std::string_view("{}\0", 3)), "refused <");
    EXPECT_EQ(compact("[[[1]]]", 3), "[[[1]]]");
    EXPECT_EQ(compact("[[[1]]]", 2), "refused <");
    EXPECT_EQ(compact(std::string(200000, '['), 1000), "refused <");
}

TEST(Base64, GoesBothWays) {
    for (const auto& [plain, coded] : {std::pair{"", ""},
                                       {"f", "Zg=="},
                                       {"fo", "Zm8="},
                                       {"foo", "Zm9v"},
                                       {"foobar", "Zm9vYmFy"}}) {
        std::string out;
        append_base64(out, as_bytes(plain));
        EXPECT_EQ(out, coded);
        EXPECT_EQ(as_text(decode_base64(coded).value()), plain);
    }
    EXPECT_FALSE(decode_base64("Zg="));
    EXPECT_FALSE(decode_base64("Z!=="));
    EXPECT_FALSE(decode_base64("Zg==Zg=="));
}

}  // namespace
}  // namespace cdcscope
