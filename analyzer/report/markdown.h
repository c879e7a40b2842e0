// The report as Markdown, made to be pasted into a ticket.
#pragma once

#include <string>

#include "analyzer/report/model.h"

namespace cdcscope::report {

struct markdown_options {
    bool all = false;  // every finding in full, not the first three only
};

[[nodiscard]] std::string render_markdown(const model& m, const markdown_options& options = {});

}  // namespace cdcscope::report
