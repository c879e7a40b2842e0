// Single messages: keys, framing, events, markers, and what real servers do that their
// documentation does not say.
#include "proto/dcp/decode.h"

#include <gtest/gtest.h>

#include "proto/dcp/flat_table.h"
#include "proto/dcp/names.h"
#include "tests/proto/dcp/bytes_of.h"
#include "tests/proto/dcp/listing.h"

namespace cdcscope::dcp {
namespace {

using test::bytes_of;

constexpr decode_context on{collection_keys::on, false, false};
constexpr decode_context off{};

TEST(CollectionKey, HasThePrefixesOfTheReference) {
    const std::pair<const char*, std::uint32_t> rows[] = {{"00", 0},
                                                          {"01", 1},
                                                          {"7f", 0x7f},
                                                          {"8001", 0x80},
                                                          {"d50a", 0x555},
                                                          {"ff01", 0xff},
                                                          {"ef9b03", 0xcdef},
                                                          {"ef9bbfef0c", 0xcdefcdef},
                                                          {"ffffffff0f", 0xffffffff},
                                                          {"d5aa01", 0x5555}};
    for (const auto& [hex, id] : rows) {
        const auto key = bytes_of(std::string(hex) + "48656c6c6f");
        const key_view got = decode_key(key, 24, on);
        EXPECT_TRUE(got.prefixed);
        EXPECT_EQ(got.collection, id);
        EXPECT_EQ(as_text(got.bytes), "Hello");
        EXPECT_EQ(got.at, 24U + got.prefix_size);
        EXPECT_EQ(decode_key(key, 24, off).bytes.size(), key.size());
    }
    for (const char* bad : {"8000", "ffffffffff01", "ffffffff10", "80", ""}) {
        EXPECT_FALSE(decode_key(bytes_of(bad), 0, on).prefixed) << bad;
    }
}

TEST(CollectionKey, IsInDocumentKeysOnly) {
    const auto control = bytes_of(
        "805e000b 00000000 0000000f 00000001 0000000000000000 656e61626c655f6e6f6f70 74727565");
    const message_view m = decode(control, on);
    EXPECT_FALSE(m.key.prefixed);
    EXPECT_EQ(as_text(m.key.bytes), "enable_noop");
    EXPECT_EQ(m.problem, fault::none);
    ASSERT_NE(find_control(as_text(m.key.bytes)), nullptr);
    EXPECT_EQ(find_control("no_such_setting"), nullptr);
}

TEST(ControlKeys, ValuesMeanSomethingOnlyIfTheSettingHasThem) {
    const auto meaning = [](std::string_view key, std::string_view value) {
        return meaning_of(*find_control(key), value);
    };
    EXPECT_EQ(meaning("enable_noop", "false"), "the producer sends no noops");
    EXPECT_EQ(meaning("enable_noop", "perhaps"), "");
    EXPECT_EQ(meaning("connection_buffer_size", "0"), "no flow control");
    EXPECT_EQ(meaning("connection_buffer_size", "10485760"),
              "flow-control window of the connection in bytes");
    EXPECT_EQ(meaning("enable_sync_writes", "true"), "prepares, commits and aborts are sent");
    EXPECT_EQ(meaning("enable_sync_writes", "false"), "");
}

TEST(PrepareWithoutKey, IsMalformed) {
    const auto bytes = bytes_of(
        "80600000 1f000210 0000001f 00001210 0000000000000000 0000000000000004 0000000000000001"
        "00000000 00000000 00000000 00 00 01");
    EXPECT_EQ(decode(bytes, off).problem, fault::key_missing);
    EXPECT_FALSE(is_candidate(bytes));
}

TEST(SeedZero, AsDrawnIsACleanMutation) {
    auto bytes = bytes_of(
        "80570005 1f000210 00000029 00001210 0000000000000000 0000000000000004 0000000000000001"
        "00000000 00000000 00000000 00 00 01 68656c6c6f 776f726c64");
    const message_view m = decode(bytes, off);
    EXPECT_EQ(m.problem, fault::none);
    EXPECT_EQ(m.number(field_id::nru), 1U);
    EXPECT_EQ(m.number(field_id::nmeta), 0U);
    EXPECT_FALSE(m.number(field_id::durability));
    bytes[1] = 0x60;
    EXPECT_EQ(decode(bytes, off).number(field_id::durability), 1U);
}

TEST(FramingExtras, EscapesOfIdAndLength) {
    // barrier; id 15 + 5 with 2 bytes; length 15 + 1; both escape: id 16, length 17
    const auto framing = bytes_of(
        "00 f205aabb 4f01 00000000000000000000000000000000 ff0102 "
        "0000000000000000000000000000000000");
    std::vector<std::uint8_t> bytes =
        bytes_of("0864 00 00 08000000 00000000 00000001 0000000000000000");
    bytes[2] = static_cast<std::uint8_t>(framing.size());
    bytes.insert(bytes.end(), framing.begin(), framing.end());
    bytes.resize(bytes.size() + 8);
    store_be32(&bytes[8], static_cast<std::uint32_t>(bytes.size() - 24));
    const message_view m = decode(bytes, off);
    EXPECT_EQ(m.problem, fault::none);
    frame_reader frames(m.parts);
    const std::pair<unsigned, unsigned> wanted[] = {{0, 0}, {20, 2}, {4, 16}, {16, 17}};
    std::uint32_t at = 24;
    for (const auto& [id, size] : wanted) {
        frame_view frame;
        ASSERT_TRUE(frames.next(frame));
        EXPECT_EQ(frame.id, id);
        EXPECT_EQ(frame.data.size(), size);
        EXPECT_EQ(frame.at, at);
        at += frame.head_size + size;
    }
    frame_view none;
    EXPECT_FALSE(frames.next(none));
    EXPECT_FALSE(frames.broken());
}

TEST(FramingExtras, MustFillTheirLength) {
    for (const char* framing : {"23aabb", "f2", "0f"}) {
        const auto data = bytes_of(framing);
        auto bytes = bytes_of("0864 00 00 08000000 00000000 00000001 0000000000000000");
        bytes[2] = static_cast<std::uint8_t>(data.size());
        bytes.insert(bytes.end(), data.begin(), data.end());
        bytes.resize(bytes.size() + 8);
        store_be32(&bytes[8], static_cast<std::uint32_t>(bytes.size() - 24));
        EXPECT_EQ(decode(bytes, off).problem, fault::framing_extras) << framing;
    }
}

TEST(FramingExtras, StreamIdAndDuration) {
    const auto bytes =
        bytes_of("08640300 08000000 0000000b 00000001 0000000000000000 220064 0000000000000007");
    EXPECT_EQ(decode(bytes, off).stream_id(), 100);
    EXPECT_FALSE(
        decode(bytes_of("80640000 08000000 00000008 00000001 0000000000000000 0000000000000007"),
               off)
            .stream_id());
    EXPECT_DOUBLE_EQ(frame_microseconds(0), 0.0);
    EXPECT_DOUBLE_EQ(frame_microseconds(1), 0.5);
    EXPECT_NEAR(frame_microseconds(65535), 120125042.1, 1.0);
}

TEST(SnapshotMarker, VersionsTellThemselvesByLength) {
    std::vector<std::uint8_t> v1 = bytes_of("80560000 14000000 00000014 00000001 0000000000000000");
    v1.resize(44);
    v1[43] = 1;
    const message_view first = decode(v1, off);
    EXPECT_EQ(first.problem, fault::none);
    EXPECT_EQ(first.number(field_id::snapshot_flags), 1U);
    EXPECT_FALSE(first.number(field_id::max_visible_seqno));
    for (const auto& [size, last] : {std::pair{36U, field_id::high_completed_seqno},
                                     {44U, field_id::snapshot_timestamp},
                                     {52U, field_id::high_prepared_seqno}}) {
        std::vector<std::uint8_t> v2 =
            bytes_of("80560000 01000000 00000000 00000001 0000000000000000 00");
        v2.resize(25 + size);
        v2.back() = 9;
        store_be32(&v2[8], 1 + size);
        const message_view m = decode(v2, off);
        EXPECT_EQ(m.problem, fault::none);
        EXPECT_EQ(m.number(last), 9U);
        EXPECT_EQ(m.find(last)->at, 25 + size - 8);
        v2.pop_back();
        store_be32(&v2[8], size);
        EXPECT_EQ(decode(v2, off).problem, fault::value_length);
    }
    const auto alone = bytes_of("80560000 01000000 00000001 00000001 0000000000000000 00");
    EXPECT_EQ(decode(alone, off).problem, fault::value_missing);
    v1.resize(44 + 36);
    store_be32(&v1[8], 20 + 36);
    EXPECT_EQ(decode(v1, off).problem, fault::value_unexpected);
}

TEST(SystemEvent, ReadsTheTablesOfARealEncoder) {
    int seen = 0;
    for (const auto& line : test::lines_of("v8_features_ipv6")) {
        if (line.at("opcode") != "0x5f") continue;
        const test::rebuilt message = test::rebuild(line);
        if (!message.whole) continue;
        const message_view m = decode(message.bytes, on);
        ASSERT_EQ(m.problem, fault::none);
        ASSERT_EQ(m.number(field_id::event_version), 2U);
        ASSERT_NE(m.event, nullptr);
        EXPECT_TRUE(m.number(field_id::manifest_uid));
        EXPECT_TRUE(m.number(field_id::scope_id));
        const bool of_collection =
            m.event->event == 0 || m.event->event == 1 || m.event->event == 5;
        EXPECT_EQ(m.number(field_id::collection_id).has_value(), of_collection);
        ++seen;
    }
    EXPECT_GE(seen, 2);
}

TEST(SystemEvent, ValuesOfAnotherLengthAreMalformed) {
    auto bytes = bytes_of(
        "805f0001 0d000000 0000001e 00000001 0000000000000000 0000000000000001 00000000 00 6f"
        "0000000000000002 00000000 00000008");
    EXPECT_EQ(decode(bytes, off).problem, fault::none);
    EXPECT_EQ(decode(bytes, off).number(field_id::collection_id), 8U);
    bytes.pop_back();
    store_be32(&bytes[8], 0x1d);
    EXPECT_EQ(decode(bytes, off).problem, fault::system_event);
    bytes[36] = 2;  // version 2: the same bytes are no table
    EXPECT_EQ(decode(bytes, off).problem, fault::system_event);
    bytes[36] = 9;  // a version of the future is not judged
    EXPECT_EQ(decode(bytes, off).problem, fault::none);
}

TEST(FlatTable, OffsetsOutsideTheBufferAreRefused) {
    // root 8, vtable at 4 (size 6, table size 8, slot 0 at 4), table at 10: back 6
    const auto good = bytes_of("0a000000 0600 0800 0400 06000000 2a000000");
    ASSERT_TRUE(flat_table::open(good));
    EXPECT_EQ(flat_table::open(good)->number(0, 4), 42U);
    EXPECT_FALSE(flat_table::open(good)->number(1, 4)) << "past the vtable: the default";
    EXPECT_FALSE(flat_table::open(good)->number(0, 8)) << "past the buffer";
    EXPECT_FALSE(flat_table::open(good)->string(0));
    EXPECT_TRUE(flat_table::open(good)->fits(1, 4, false));
    EXPECT_FALSE(flat_table::open(good)->fits(0, 8, false));
    for (std::size_t n = 0; n < 14; ++n)
        EXPECT_FALSE(flat_table::open(byte_view(good).first(n))) << n;
    auto far = good;
    far[0] = 0xff;
    EXPECT_FALSE(flat_table::open(far));
    auto back = good;
    back[10] = 0xff;
    EXPECT_FALSE(flat_table::open(back));
    auto long_vtable = good;
    long_vtable[4] = 0xff;
    EXPECT_FALSE(flat_table::open(long_vtable));
}

TEST(FlowControl, CountsWhatTheServerCounts) {
    const auto counted = [](const char* hex) {
        const auto bytes = bytes_of(hex);
        const header h = parse_header(bytes).value;
        return flow_bytes(h, *find_opcode(h.kind, h.opcode));
    };
    EXPECT_EQ(counted("80560000 14000000 00000014 00000001 0000000000000000"), 44U);
    EXPECT_EQ(counted("08560300 14000000 00000017 00000001 0000000000000000"), 47U);
    EXPECT_EQ(counted("80570001 1f000000 00000021 00000001 0000000000000000"), 57U);
    EXPECT_EQ(counted("80600001 1f000000 00000021 00000001 0000000000000000"), 59U);
    EXPECT_EQ(counted("80620001 10000000 00000011 00000001 0000000000000000"), 41U);
    EXPECT_EQ(counted("805b0000 01000000 00000001 00000001 0000000000000000"), 25U);
    EXPECT_EQ(counted("08670300 00000000 00000003 00000001 0000000000000000"), 24U)
        << "the frame does not count";
    EXPECT_EQ(counted("805c0000 00000000 00000000 00000001 0000000000000000"), 0U);
    EXPECT_EQ(counted("805d0000 04000000 00000004 00000001 0000000000000000"), 0U);
    EXPECT_EQ(counted("81570000 00000004 00000000 00000001 0000000000000000"), 0U);
    EXPECT_EQ(counted("80610000 08000000 00000008 00000001 0000000000000000"), 0U);
}

TEST(Table, SaysOfEachDcpOpcodeWhatSectionFiveSays) {
    // opcode, sender, answer, flow controlled, may carry a stream id
    struct line {
        int opcode;
        sender from;
        answer answered;
        bool flow, sid;
    };
    using enum answer;
    const line lines[] = {{0x50, sender::any, always, false, false},
                          {0x51, sender::manager, always, false, false},
                          {0x52, sender::consumer_or_manager, always, false, true},
                          {0x53, sender::consumer, always, false, false},
                          {0x54, sender::consumer, always, false, false},
                          {0x55, sender::producer, on_error, true, true},
                          {0x56, sender::producer, on_error, true, true},
                          {0x57, sender::producer, on_error, true, true},
                          {0x58, sender::producer, on_error, true, true},
                          {0x59, sender::producer, on_error, true, true},
                          {0x5a, sender::producer, on_error, false, false},
                          {0x5b, sender::producer, always, true, false},
                          {0x5c, sender::producer, always, false, false},
                          {0x5d, sender::consumer, never, false, false},
                          {0x5e, sender::consumer, always, false, false},
                          {0x5f, sender::producer, on_error, true, true},
                          {0x60, sender::producer, on_error, true, false},
                          {0x61, sender::consumer, on_error, false, false},
                          {0x62, sender::producer, on_error, true, false},
                          {0x63, sender::producer, on_error, true, false},
                          {0x64, sender::producer, on_error, true, true},
                          {0x65, sender::producer, on_error, true, true},
                          {0x66, sender::producer, on_error, true, true},
                          {0x67, sender::producer, on_error, true, true}};
    for (const line& l : lines) {
        const opcode_row* row = find_opcode(magic::request, static_cast<std::uint8_t>(l.opcode));
        ASSERT_NE(row, nullptr);
        EXPECT_EQ(row->from, l.from) << row->name;
        EXPECT_EQ(row->answered, l.answered) << row->name;
        EXPECT_EQ(row->flow_controlled, l.flow) << row->name;
        EXPECT_EQ(row->stream_id, l.sid) << row->name;
        EXPECT_TRUE(row->described);
    }
    EXPECT_EQ(find_opcode(magic::request, 0x68), nullptr);
    EXPECT_EQ(find_opcode(magic::push, 0x05), nullptr);
    EXPECT_EQ(find_opcode(magic::push, 0x01)->name, "CLUSTERMAP_CHANGE_NOTIFICATION");
    EXPECT_EQ(find_opcode(magic::request, 0x01)->name, "SET");
}

TEST(Table, PrefixedKeysAreThoseOfSectionThree) {
    std::vector<int> prefixed;
    for (const opcode_row& row : client_opcodes()) {
        if (row.request.key.collection_prefix) prefixed.push_back(row.opcode);
    }
    std::vector<int> wanted;
    const std::pair<int, int> ranges[] = {{0x00, 0x06}, {0x09, 0x09}, {0x0c, 0x0f}, {0x11, 0x16},
                                          {0x19, 0x1a}, {0x1c, 0x1e}, {0x49, 0x4b}, {0x57, 0x59},
                                          {0x60, 0x60}, {0x62, 0x63}, {0x83, 0x83}, {0x93, 0x95},
                                          {0xa0, 0xa5}, {0xa8, 0xa9}, {0xb2, 0xb2}, {0xc5, 0xd3}};
    for (const auto& [from, to] : ranges) {
        for (int opcode = from; opcode <= to; ++opcode) wanted.push_back(opcode);
    }
    EXPECT_EQ(prefixed, wanted);
}

TEST(Table, NamesAreUniqueAndInOrder) {
    for (const auto names : {std::span<const named_value>(status_names),
                             std::span<const named_value>(feature_names)}) {
        for (std::size_t i = 1; i < names.size(); ++i)
            EXPECT_LT(names[i - 1].value, names[i].value);
    }
    EXPECT_TRUE(is_known_status(0xff00) && is_known_status(0xffff) && !is_known_status(0xfeff));
    EXPECT_EQ(find_value(status_names, 0x23)->name, "Rollback");
    EXPECT_EQ(bits_of(field_id::snapshot_flags).size(), 6U);
    EXPECT_TRUE(bits_of(field_id::by_seqno).empty());
}

}  // namespace
}  // namespace cdcscope::dcp
