// What a user wants hidden of findings, too: --redact.
#pragma once

#include "proto/findings/finding.h"

namespace cdcscope::findings {

struct redaction {
    bool keys = false;    // document keys
    bool values = false;  // statements and other contents
    [[nodiscard]] bool any() const noexcept { return keys || values; }
};

// "(redacted, 12 bytes)".
[[nodiscard]] std::string hidden_text(std::size_t bytes);

// The same without what is to be hidden, in figures and text: where it stood, the text says how
// many bytes are not shown.
[[nodiscard]] finding redacted(finding f, redaction hides);
[[nodiscard]] settlement redacted(settlement s, redaction hides);

}  // namespace cdcscope::findings
