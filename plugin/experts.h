// Expert items, one for each code of the findings table and severity it can have.

#pragma once

#include "plugin/ws_compat.h"
#include "proto/findings/table.h"

namespace cdcscope {

// All codes of `of`, under the filter names of the findings reference; where that has none, the
// code with `own_prefix` for its first part ("cap." -> "cbkv.cap.").
void register_experts(int proto, findings::protocol of, std::string_view own_prefix = {});

// Puts a finding on an item (null: on the frame only).
void add_expert(packet_info* pinfo, proto_item* item, findings::code what, findings::severity level,
                const char* text);

}  // namespace cdcscope
