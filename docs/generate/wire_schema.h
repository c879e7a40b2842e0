// The schema of `wire`, which every record of a message has.
#pragma once

#include <string_view>

namespace cdcscope::docs {

extern const std::string_view wire_schema;  // JSON

}  // namespace cdcscope::docs
