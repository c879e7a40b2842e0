// The tables that the generator makes of the .proto files.
#include <gtest/gtest.h>

#include "proto/canal/packet_types.h"
#include "proto/canal/tables.h"

namespace cdcscope::canal {
namespace {

static_assert(row_of(message_id::get).find(fields::get::timeout)->default_number == -1);
static_assert(fields::sub::filter == 7);
static_assert(static_cast<int>(packet_type::heartbeats) == 11);

TEST(CanalTables, HoldNamesNumbersAndKinds) {
    const field_row* timeout = row_of(message_id::client_auth).find(3);
    ASSERT_NE(timeout, nullptr);
    EXPECT_EQ(timeout->name, "net_read_timeout");
    EXPECT_EQ(timeout->json_name, "netReadTimeout");
    EXPECT_EQ(timeout->kind, field_kind::int32);
    EXPECT_TRUE(timeout->presence);
    EXPECT_TRUE(timeout->has_default);
    EXPECT_FALSE(timeout->repeated);
    EXPECT_TRUE(row_of(message_id::client_auth).find(fields::client_auth::password)->secret);
    EXPECT_FALSE(row_of(message_id::handshake).find(fields::handshake::seeds)->secret);
    EXPECT_EQ(row_of(message_id::handshake).find(1)->default_text, "utf8");
}

TEST(CanalTables, LinkMessagesToTheirParts) {
    EXPECT_EQ(row_of(message_id::packet).find(5)->holds, content::by_packet_type);
    EXPECT_EQ(row_of(message_id::admin_packet).find(4)->holds, content::by_packet_type);
    EXPECT_EQ(row_of(message_id::messages).find(2)->holds, content::one_message);
    EXPECT_EQ(row_of(message_id::messages).find(2)->message, message_id::entry);
    EXPECT_EQ(row_of(message_id::entry).find(3)->holds, content::by_entry_type);
    EXPECT_EQ(row_of(message_id::row_change).find(12)->message, message_id::row_data);
    EXPECT_EQ(row_of(message_id::header).find(11)->enumeration, enum_id::event_type);
    EXPECT_EQ(row_of(message_id::header).find(11)->default_number,
              static_cast<int>(event_type::update));
}

TEST(CanalTables, KnowEveryMessageAndField) {
    std::size_t data = 0;
    std::size_t admin = 0;
    std::uint16_t next_field = 0;
    for (const message_row& m : message_rows) {
        (m.admin ? admin : data) += 1;
        EXPECT_EQ(m.first_field, next_field) << m.name;
        next_field = static_cast<std::uint16_t>(next_field + m.fields.size());
        std::uint32_t last = 0;
        for (const field_row& f : m.fields) {
            EXPECT_GT(f.number, last) << m.name << "." << f.name;
            last = f.number;
        }
    }
    EXPECT_EQ(next_field, std::size(field_rows));
    EXPECT_EQ(data, 20U);
    EXPECT_EQ(admin, 7U);
}

TEST(CanalTables, AreOpenForUnknownTypes) {
    EXPECT_EQ(packet_type_name(port_kind::data, 6), "GET");
    EXPECT_EQ(packet_type_name(port_kind::data, 11), "HEARTBEATS");
    EXPECT_EQ(packet_type_name(port_kind::admin, 6), "LOG");
    EXPECT_EQ(packet_type_name(port_kind::data, 99), "");
    EXPECT_EQ(packet_type_name(port_kind::data, -1), "");
    EXPECT_EQ(row_of_type(port_kind::data, 99).body, message_id::none);
    EXPECT_EQ(row_of_type(port_kind::data, 12).body, message_id::client_rollback);
    EXPECT_EQ(row_of_type(port_kind::admin, 7).how, answered::unsupported);
    EXPECT_EQ(stored_message(2), message_id::row_change);
    EXPECT_EQ(stored_message(4), message_id::none);
}

TEST(CanalTables, GiveARowToEveryNamedPacketType) {
    for (const enum_value& v : row_of(enum_id::packet_type).values) {
        EXPECT_EQ(row_of_type(port_kind::data, v.number).type, v.number) << v.name;
    }
    for (const enum_value& v : row_of(enum_id::admin_packet_type).values) {
        EXPECT_EQ(row_of_type(port_kind::admin, v.number).type, v.number) << v.name;
    }
}

}  // namespace
}  // namespace cdcscope::canal
