// JSON inside DCP messages: as text, its members that have fields of their own, and Wireshark's
// tree of all of it.
#pragma once

#include "plugin/dcp_tree.h"

namespace cdcscope {

// `bytes` stand at `at` of `tvb` and are shown as field `id`.
void add_dcp_json(const dcp_tree_context& t, proto_tree* tree, tvbuff_t* tvb, dcp::field_id id,
                  std::size_t at, byte_view bytes);

}  // namespace cdcscope
