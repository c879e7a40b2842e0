// What collapsed items of a canal tree say of their content, and the fields that are worked out
// from one message alone.
#pragma once

#include "plugin/canal_walk.h"

namespace cdcscope {

// Milliseconds since 1970, as canal's executeTime.
[[nodiscard]] nstime_t canal_time(std::int64_t milliseconds);

// "INSERT shop.orders, 3 rows", "id = 7, key" ... behind the item's name.
void label_canal_message(const canal_walk& walk, proto_item* item, const canal_use& use,
                         std::size_t from, std::size_t to, std::int64_t type);
void label_canal_number(const canal_walk& walk, proto_item* item, const canal_use& use,
                        const canal::wire_field& f);

// canal.table, canal.lag of an Entry; the bytes of a binary column.
void add_canal_generated(canal_walk& walk, proto_tree* tree, const canal_use& use, std::size_t from,
                         std::size_t to);

// "shop.orders", "shop", or nothing, of an Entry's Header at [from, to).
[[nodiscard]] const char* canal_table_name(const canal_walk& walk, std::size_t from,
                                           std::size_t to);

void register_canal_labels(int proto);

}  // namespace cdcscope
