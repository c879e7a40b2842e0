// `cdcscope report`: what the streams did and what went wrong.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analyzer/cli/common_options.h"
#include "analyzer/cli/pipeline.h"
#include "analyzer/report/model.h"

namespace cdcscope::cli {

enum class report_format { text, markdown, json, html };

struct report_options {
    common_options common;
    std::string output = "-";
    std::optional<report_format> format;  // else what the output's name says
    bool all = false;                     // every finding in full
    record::redact_mode redact = record::redact_mode::nothing;
    bool force = false;
    std::optional<findings::severity> fail_on;
};

struct report_reading {
    outcome how = outcome::done;
    std::string error;  // failed: why
    report::model model;
    std::vector<notice> notices;
};
// The captures read from end to end. Throws usage_error for options that cannot be.
[[nodiscard]] report_reading read_report(const report_options& o);

// By the ending of the name; nothing if it has none of .html .json .md .txt. "-" is text.
[[nodiscard]] std::optional<report_format> format_by_name(std::string_view output);

// "2 errors and 20 warnings" if there is something as grave as `least` or graver; else empty.
[[nodiscard]] std::string what_to_fail_on(const report::tally& hits, findings::severity least);

}  // namespace cdcscope::cli
