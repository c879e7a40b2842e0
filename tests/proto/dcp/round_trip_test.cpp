// What the table encodes, the table decodes; and no message is read past its end, wherever it is
// cut.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "proto/dcp/decode.h"
#include "proto/dcp/document.h"
#include "tests/proto/dcp/random_message.h"

namespace cdcscope::dcp {
namespace {

using test::made_message;
using test::maker;
using test::recipe;

constexpr decode_context with_collections{collection_keys::on, false, true};

std::string title(const recipe& r) {
    return std::string(r.row->name) + " magic " + std::to_string(static_cast<int>(r.kind)) +
           " extras " + std::to_string(r.extras == nullptr ? 0 : r.extras->size) + " status " +
           std::to_string(r.status);
}

// A copy of exactly the first n bytes, so that the sanitizer sees every read behind them.
class exact {
  public:
    exact(byte_view bytes, std::size_t n) : bytes_(std::make_unique<std::uint8_t[]>(n)), size_(n) {
        std::copy_n(bytes.begin(), n, bytes_.get());
    }
    [[nodiscard]] byte_view view() const { return {bytes_.get(), size_}; }

  private:
    std::unique_ptr<std::uint8_t[]> bytes_;
    std::size_t size_;
};

void expect_numbers(const message_view& got, const made_message& made) {
    for (const auto& [id, value] : made.numbers) {
        const std::optional<number_view> found = got.find(id);
        ASSERT_TRUE(found) << describe(id).abbreviation;
        EXPECT_EQ(found->value, value) << describe(id).abbreviation;
        EXPECT_LE(found->at + found->size, made.bytes.size());
        EXPECT_EQ(found->size, width(describe(id).type));
    }
}

void expect_records(const message_view& got, const made_message& made) {
    if (got.kind() == value_kind::list) {
        ASSERT_EQ(got.parts.value.size(), made.records.size() * got.value_layout->size);
        for (std::size_t i = 0; i < made.records.size(); ++i) {
            for (const field_at& where : got.value_layout->fields) {
                EXPECT_EQ(number_at(got.parts.value.subspan(i * got.value_layout->size), where),
                          made.records[i].at(where.field));
            }
        }
    }
    if (got.kind() != value_kind::cache_transfer) return;
    cache_record_reader reader(got, {});
    cache_record_view record;
    for (const auto& wanted : made.records) {
        ASSERT_TRUE(reader.next(record));
        for (const field_at& where : cache_record_layout().fields) {
            EXPECT_EQ(number_at(record.fixed, where), wanted.at(where.field));
        }
        EXPECT_EQ(record.key.bytes.size() + record.key.prefix_size,
                  wanted.at(field_id::cache_key_length));
    }
    EXPECT_FALSE(reader.next(record));
    EXPECT_FALSE(reader.broken());
}

// Everything a reader may touch.
void touch_all(const message_view& m) {
    frame_reader frames(m.parts);
    for (frame_view f; frames.next(f);) {
    }
    for (std::size_t i = 0; i < field_count; ++i) (void)m.find(static_cast<field_id>(i));
    (void)m.stream_id();
    (void)m.own_seqno();
    cache_record_reader records(m, with_collections);
    for (cache_record_view r; records.next(r);) {
    }
    inflate_buffer buffer;
    const document_view doc = open_document(m.parts.value, m.head.datatype, 0, buffer);
    xattr_reader pairs(doc.xattrs);
    for (xattr_view p; pairs.next(p);) {
    }
}

TEST(RoundTrip, EveryRowGivesBackWhatWasPutIn) {
    maker random(20231114);
    const std::vector<recipe> recipes = test::all_recipes();
    ASSERT_GT(recipes.size(), 600U);
    for (const recipe& r : recipes) {
        for (int i = 0; i < 8; ++i) {
            const made_message made = random.make(r);
            const message_view got =
                decode(exact(made.bytes, made.bytes.size()).view(), with_collections);
            SCOPED_TRACE(title(r));
            ASSERT_EQ(describe(got.problem), "");
            EXPECT_EQ(got.row, r.row);
            EXPECT_EQ(got.parts.framing.size(), made.framing.size());
            EXPECT_EQ(got.parts.extras.size(), made.extras.size());
            EXPECT_EQ(got.parts.key.size(), made.key.size());
            EXPECT_EQ(got.parts.value.size(), made.value.size());
            EXPECT_EQ(got.key.prefix_size, made.prefix_size);
            EXPECT_EQ(got.key.collection, made.collection);
            EXPECT_EQ(got.key.at + got.key.bytes.size(), got.parts.value_at);
            EXPECT_EQ(got.parts.value_at + got.parts.value.size(), made.bytes.size());
            EXPECT_TRUE(is_candidate(made.bytes));
            const exact again(made.bytes, made.bytes.size());
            const message_view kept = decode(again.view(), with_collections);
            expect_numbers(kept, made);
            expect_records(kept, made);
        }
    }
}

TEST(RoundTrip, CutAnywhereAMessageIsTruncatedAndNothingBehindItIsRead) {
    maker random(7);
    for (const recipe& r : test::all_recipes()) {
        const made_message made = random.make(r);
        SCOPED_TRACE(title(r));
        for (std::size_t n = 0; n < made.bytes.size(); ++n) {
            const exact cut(made.bytes, n);
            const header_outcome head = parse_header(cut.view());
            if (n < header_size) {
                ASSERT_EQ(head.state, parse_state::need_more);
                ASSERT_EQ(head.need, n == 0 ? header_size : header_size - n);
                continue;
            }
            const message_view got = decode(cut.view(), with_collections);
            ASSERT_TRUE(got.parts.cut);
            ASSERT_EQ(got.parts.value_length, made.value.size());
            touch_all(got);
        }
    }
}

TEST(RoundTrip, RandomLengthsNeverLeadOutside) {
    maker random(99);
    const std::vector<recipe> recipes = test::all_recipes();
    for (int i = 0; i < 20000; ++i) {
        made_message made =
            random.make(recipes[random.below(static_cast<unsigned>(recipes.size()))]);
        for (unsigned k = 0; k <= random.below(4);
             ++k) {  // header bytes but the magic and the top of the body length
            const std::size_t at = 1 + random.below(11);
            if (at != 8) made.bytes[at] = static_cast<std::uint8_t>(random.number(1));
        }
        if (made.bytes.size() > header_size && random.below(2) == 0) {
            made.bytes[header_size +
                       random.below(static_cast<unsigned>(made.bytes.size() - header_size))] =
                static_cast<std::uint8_t>(random.number(1));
        }
        const exact copy(made.bytes, made.bytes.size());
        const message_view got = decode(copy.view(), with_collections);
        touch_all(got);
        ASSERT_LE(got.parts.value_at + got.parts.value.size(), made.bytes.size());
    }
}

}  // namespace
}  // namespace cdcscope::dcp
