// Wireshark's fields of DCP, made of the field table: the ids epan gives out stand in an array
// beside it.
#pragma once

#include "plugin/ws_compat.h"
#include "proto/dcp/fields.h"

namespace cdcscope {

[[nodiscard]] int dcp_field(dcp::field_id id);
// Tree of a group, or of a field that has bits.
[[nodiscard]] int dcp_tree(dcp::field_id id);

void register_dcp_fields(int proto);

}  // namespace cdcscope
