// JSON Schemas (draft 2020-12) of canal's records: packets from the tables, row changes and the
// other entries.
#pragma once

#include <string>
#include <vector>

namespace cdcscope::docs {

struct canal_schema_file {
    std::string name;  // "canal-get.json", "canal-admin-log.json", "canal-row.json"
    std::string text;
};

[[nodiscard]] std::vector<canal_schema_file> canal_schemas();

}  // namespace cdcscope::docs
