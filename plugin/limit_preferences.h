// The limits of the rules as preferences, one a row of the findings table's limits.
#pragma once

#include "plugin/ws_compat.h"
#include "proto/findings/thresholds.h"

namespace cdcscope {

// Registers the limits of protocol `of`; `apply_limits` puts what users set into `into`, for the
// next capture or redissection.
void register_limits(module_t* module, findings::protocol of);
void apply_limits(findings::protocol of, findings::thresholds& into);

}  // namespace cdcscope
