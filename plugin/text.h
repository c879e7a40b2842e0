// Text out of packets, fit for columns and labels: memory of the packet, every string ends with a
// zero byte.
#pragma once

#include <string_view>

#include "plugin/ws_compat.h"
#include "proto/wire/bytes.h"

namespace cdcscope::ws {

// Names in our tables are static and end with a zero byte.
[[nodiscard]] inline const char* c_str(std::string_view static_text) {
    return static_text.data();
}

// As shown to people: what is no UTF-8 or cannot be printed is escaped; at most `most` bytes of it,
// then an ellipsis.
[[nodiscard]] const char* printable(packet_info* pinfo, byte_view bytes, std::size_t most = 200);

// The value of a string field: UTF-8 as it is, wrong bytes replaced, zero bytes as U+2400 (a field
// value ends at a zero byte).
[[nodiscard]] const char* field_text(packet_info* pinfo, tvbuff_t* tvb, std::size_t offset,
                                     std::size_t size);
[[nodiscard]] const char* field_text(packet_info* pinfo, byte_view bytes);

// Whether labels of this tree will be seen by somebody.
[[nodiscard]] inline bool is_visible(proto_tree* tree) {
    return tree != nullptr && PTREE_DATA(tree)->visible != 0;
}
// Whether adding field `id` has any effect.
[[nodiscard]] inline bool is_wanted(proto_tree* tree, int id) {
    return tree != nullptr && proto_field_is_referenced(tree, id) != 0;
}

}  // namespace cdcscope::ws
