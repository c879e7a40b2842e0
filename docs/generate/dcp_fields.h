// The reference of DCP's fields and messages, as Markdown.
#pragma once

#include <string>

namespace cdcscope::docs {

[[nodiscard]] std::string dcp_fields_markdown();

}  // namespace cdcscope::docs
