// docs/canal-fields.md: every message and field of canal's .proto files, as the tables have them.
#pragma once

#include <string>

namespace cdcscope::docs {

[[nodiscard]] std::string canal_fields_markdown();

}  // namespace cdcscope::docs
