// What collapsed items of a canal tree say of their content, and the fields that are worked out
// from one message alone.
#pragma once

#include "plugin/canal_walk.h"

namespace cdcscope {

// Milliseconds since 1970, as canal's executeTime.
[[nodiscard]] nstime_t canal_time(std::int64_t milliseconds);

// "INSERT shop.orders, 3 rows", "id = 7, key" ... behind the item's name.
void label_canal_message(const canal_walk& walk, proto_item* item, const canal_use& use,
                         const canal::message_field& f);
void label_canal_number(proto_item* item, const canal_use& use, const canal::message_field& f);

// canal.table, canal.lag of an Entry; the bytes of a binary column.
void add_canal_generated(canal_walk& walk, proto_tree* tree, const canal_use& use,
                         const canal::message_field& f);

// "shop.orders", "shop", or nothing: the table of an Entry.
[[nodiscard]] const char* canal_table_name(packet_info* pinfo, byte_view entry);

void register_canal_labels(int proto);

}  // namespace cdcscope
