#include "proto/dcp/document.h"

#include <gtest/gtest.h>
#include <snappy.h>

#include <string>

#include "tests/proto/dcp/bytes_of.h"

namespace cdcscope::dcp {
namespace {

using test::bytes_of;

constexpr std::uint8_t xattr = datatype_bit::xattr, packed = datatype_bit::snappy;

std::string compress(std::string_view plain) {
    std::string out;
    snappy::Compress(plain.data(), plain.size(), &out);
    return out;
}

TEST(Document, TakesTheAttributesOfTheReferenceApart) {
    auto value = bytes_of("0000001a 00000016 5f73796e63 00 7b22726576223a22322d646566227d 00");
    value.push_back('1');
    inflate_buffer buffer;
    const document_view doc = open_document(value, xattr, 0, buffer);
    EXPECT_EQ(doc.problem, fault::none);
    EXPECT_EQ(as_text(doc.body), "1");
    EXPECT_EQ(doc.body_at, 30U);
    xattr_reader pairs(doc.xattrs);
    xattr_view pair;
    ASSERT_TRUE(pairs.next(pair));
    EXPECT_EQ(as_text(pair.key), "_sync");
    EXPECT_EQ(as_text(pair.value), "{\"rev\":\"2-def\"}");
    EXPECT_FALSE(pairs.next(pair));
    EXPECT_FALSE(pairs.broken());
}

TEST(Document, SmallestSectionsAndOneByteLess) {
    inflate_buffer buffer;
    EXPECT_EQ(open_document(bytes_of("00000000"), xattr, 0, buffer).problem, fault::none);
    EXPECT_EQ(open_document(bytes_of("000000"), xattr, 0, buffer).problem, fault::xattrs);
    EXPECT_EQ(open_document(bytes_of("00000001"), xattr, 0, buffer).problem, fault::xattrs);
    EXPECT_EQ(open_document({}, xattr, 0, buffer).problem, fault::none)
        << "NO_VALUE keeps the datatype";
    // the empty key and value, then without the second zero
    EXPECT_EQ(open_document(bytes_of("00000006 00000002 0000"), xattr, 0, buffer).problem,
              fault::none);
    EXPECT_EQ(open_document(bytes_of("00000005 00000001 00"), xattr, 0, buffer).problem,
              fault::xattrs);
    EXPECT_EQ(open_document(bytes_of("00000006 00000002 0061"), xattr, 0, buffer).problem,
              fault::xattrs);
    EXPECT_EQ(open_document(bytes_of("00000006 00000002 6161"), xattr, 0, buffer).problem,
              fault::xattrs);
    EXPECT_EQ(open_document(bytes_of("00000006 ffffffff 0000"), xattr, 0, buffer).problem,
              fault::xattrs);
    EXPECT_EQ(open_document(bytes_of("00000004 00000000"), xattr, 0, buffer).problem,
              fault::xattrs);
}

TEST(Document, KeepsWhatCannotBeTakenApartAsTheBody) {
    inflate_buffer buffer;
    const auto value = bytes_of("00000005 00000001 00");
    const document_view doc = open_document(value, xattr, 0, buffer);
    EXPECT_EQ(doc.body.size(), value.size());
    EXPECT_TRUE(doc.xattrs.empty());
}

TEST(Document, InflatesUpToTheCapAndNotOneByteMore) {
    inflate_buffer buffer;
    const std::string value = compress(std::string(1000, 'x'));
    EXPECT_EQ(open_document(as_bytes(value), packed, 0, buffer, 1000).body.size(), 1000U);
    const document_view refused = open_document(as_bytes(value), packed, 0, buffer, 999);
    EXPECT_TRUE(refused.too_large);
    EXPECT_EQ(refused.body.size(), value.size());
    EXPECT_EQ(refused.problem, fault::none);
}

TEST(Document, ChecksTheDeclaredLengthBeforeItTakesMemory) {
    inflate_buffer buffer;
    const auto bomb = bytes_of("ffffffff0f 00");  // claims 4 GiB
    EXPECT_TRUE(open_document(bomb, packed, 0, buffer).too_large);
    EXPECT_GT(open_document(bomb, packed, 0, buffer).claimed, default_inflate_cap);
    EXPECT_EQ(open_document(bytes_of("05 00"), packed, 0, buffer).problem, fault::snappy)
        << "five bytes are promised";
    EXPECT_EQ(open_document(bytes_of("ff"), packed, 0, buffer).problem, fault::snappy);
    EXPECT_EQ(open_document(bytes_of("00"), packed, 0, buffer).problem, fault::none)
        << "an empty block";
}

TEST(Document, UsesItsBufferAgain) {
    inflate_buffer buffer;
    const std::string large = compress(std::string(100, 'a'));
    const std::string small = compress("b");
    const std::uint8_t* const first = open_document(as_bytes(large), packed, 0, buffer).body.data();
    EXPECT_EQ(open_document(as_bytes(small), packed, 0, buffer).body.data(), first);
    buffer.shrink(10);
    EXPECT_EQ(as_text(open_document(as_bytes(small), packed, 0, buffer).body), "b");
}

TEST(Document, MetadataStandsBehindTheCompressedValue) {
    inflate_buffer buffer;
    std::string value = compress("{}");
    const std::size_t at = value.size();
    value += as_text(bytes_of("01 02 0001 07"));
    const document_view doc = open_document(as_bytes(value), packed, 5, buffer);
    EXPECT_EQ(doc.problem, fault::none);
    EXPECT_EQ(as_text(doc.body), "{}");
    EXPECT_EQ(doc.extended_metadata_at, at);
    meta_reader entries(doc.extended_metadata);
    meta_view entry;
    ASSERT_TRUE(entries.next(entry));
    EXPECT_EQ(entry.id, 2);
    EXPECT_EQ(entry.data.size(), 1U);
    EXPECT_FALSE(entries.next(entry));
    EXPECT_EQ(open_document(as_bytes("ab"), 0, 3, buffer).problem, fault::extended_metadata);
    EXPECT_EQ(open_document(bytes_of("01 02 0002 07"), 0, 5, buffer).problem,
              fault::extended_metadata);
}

}  // namespace
}  // namespace cdcscope::dcp
