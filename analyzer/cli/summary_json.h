// `--summary FILE`: the totals of a run as one JSON object.
#pragma once

#include <string>
#include <vector>

#include "analyzer/capture/reader.h"
#include "analyzer/track/figures.h"

namespace cdcscope::cli {

[[nodiscard]] std::string summary_json(const std::vector<std::string>& captures,
                                       const capture::packet_totals& packets,
                                       const track::figures& figures);

[[nodiscard]] std::string_view protocol_name(recover::protocol p);

}  // namespace cdcscope::cli
