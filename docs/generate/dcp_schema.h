// JSON Schemas (draft 2020-12) of the records of DCP and key-value messages, made from the same
// tables as the records.
#pragma once

#include <string>
#include <vector>

namespace cdcscope::docs {

struct schema_file {
    std::string name;  // "dcp-mutation.json"
    std::string text;
};

// One a JSON event; key-value commands that are only named share one.
[[nodiscard]] std::vector<schema_file> dcp_schemas();

}  // namespace cdcscope::docs
