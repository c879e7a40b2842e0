// The value of a DCP message as a tree: documents (Snappy, extended attributes, JSON), lists,
// system events, cache records.
#pragma once

#include "plugin/dcp_tree.h"

namespace cdcscope {

void add_dcp_value(const dcp_tree_context& t, proto_tree* tree);

void register_dcp_values(int proto);

}  // namespace cdcscope
