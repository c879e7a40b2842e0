// Every line of the listings, written by a decoder that shares no code with ours.
#include "tests/proto/dcp/listing.h"

#include <gtest/gtest.h>

#include "proto/dcp/decode.h"

namespace cdcscope::dcp {
namespace {

using test::bytes_of;
using test::number_of;

class Listing : public testing::TestWithParam<std::string> {};

TEST_P(Listing, IsMetFieldByField) {
    const auto lines = test::lines_of(GetParam());
    ASSERT_FALSE(lines.empty());
    for (const auto& line : lines) {
        SCOPED_TRACE(line.dump().substr(0, 200));
        const test::rebuilt message = test::rebuild(line);
        const header_outcome out = parse_header(message.bytes);
        ASSERT_EQ(out.state, parse_state::complete);
        const header& h = out.value;
        EXPECT_EQ(static_cast<std::uint64_t>(h.kind), number_of(line, "magic"));
        EXPECT_EQ(h.opcode, number_of(line, "opcode"));
        EXPECT_EQ(h.datatype, number_of(line, "datatype"));
        EXPECT_EQ(h.opaque, number_of(line, "opaque"));
        EXPECT_EQ(h.cas, number_of(line, "cas"));
        EXPECT_EQ(h.is_response(), line.contains("status"));
        if (h.is_response()) {
            EXPECT_EQ(h.status(), number_of(line, "status"));
        } else {
            EXPECT_EQ(h.vbucket(), line.at("vbucket").get<unsigned>());
        }
        const body_parts parts = split(h, message.bytes, {});
        EXPECT_EQ(parts.value_length, line.at("vlen").get<unsigned>());
        EXPECT_EQ(h.value_length(), line.at("vlen").get<unsigned>());
        for (const auto& [name, part] :
             {std::pair{"framing", parts.framing}, {"extras", parts.extras}, {"key", parts.key}}) {
            const auto wanted = bytes_of(line.value(name, ""));
            EXPECT_TRUE(std::equal(part.begin(), part.end(), wanted.begin(), wanted.end())) << name;
        }
        EXPECT_NE(find_opcode(h.kind, h.opcode), nullptr)
            << "every opcode of the captures has a name";
    }
}

// Healthy captures have no broken layout: neither a rule too strict nor one that is missing.
TEST_P(Listing, LayoutsAreBrokenOnlyWhereTheListingSaysSo) {
    const bool examples = GetParam().find("doc_examples") == 0;
    for (const auto& line : test::lines_of(GetParam())) {
        const test::rebuilt message = test::rebuild(line);
        if (!message.whole || examples) continue;
        SCOPED_TRACE(line.dump().substr(0, 300));
        EXPECT_EQ(describe(decode(message.bytes, {}).problem), "");
        EXPECT_TRUE(is_candidate(message.bytes));
    }
}

TEST_P(Listing, SeqnosOfItemsStandInFrontOfTheExtras) {
    for (const auto& line : test::lines_of(GetParam())) {
        const std::uint64_t opcode = number_of(line, "opcode");
        const std::string extras = line.at("extras");
        const bool item = (opcode >= 0x57 && opcode <= 0x59) || opcode == 0x5f || opcode == 0x60 ||
                          opcode == 0x64;
        if (!item || extras.size() < 16 || line.contains("status")) continue;
        const test::rebuilt message = test::rebuild(line);
        const message_view m = decode(message.bytes, {});
        EXPECT_EQ(m.number(field_id::by_seqno), std::stoull(extras.substr(0, 16), nullptr, 16));
        EXPECT_EQ(m.own_seqno(), m.number(field_id::by_seqno));
    }
}

INSTANTIATE_TEST_SUITE_P(Captures, Listing, testing::ValuesIn(test::listings()),
                         [](const auto& one) { return one.param; });

// Of the documentation's diagrams, these contradict the protocol; whatever else is in the listings
// decodes clean.
TEST(DocumentationExamples, OnlyTheKnownOnesAreMalformed) {
    std::vector<std::string> malformed;
    for (const char* name : {"doc_examples", "doc_examples_broken"}) {
        for (const auto& line : test::lines_of(name)) {
            const test::rebuilt message = test::rebuild(line);
            if (decode(message.bytes, {}).problem == fault::none) continue;
            malformed.push_back(std::string(name) + " " + std::to_string(line.at("n").get<int>()) +
                                " " + line.at("opcode").get<std::string>());
        }
    }
    // 0x5d has its number in the value; 0x5e, 0x00 have extras or a key of others; 0x65, 0x56 have
    // no body.
    EXPECT_EQ(malformed,
              (std::vector<std::string>{"doc_examples 4 0x5d", "doc_examples_broken 1 0x5e",
                                        "doc_examples_broken 5 0x65", "doc_examples_broken 7 0x65",
                                        "doc_examples_broken 8 0x56", "doc_examples_broken 9 0x56",
                                        "doc_examples_broken 10 0x00"}));
}

}  // namespace
}  // namespace cdcscope::dcp
