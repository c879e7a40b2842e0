#include "proto/findings/redaction.h"

#include "proto/findings/words.h"

namespace cdcscope::findings {

namespace {

// Sentences name a key as "key NAME", a statement at their end.
void hide(std::string& value, std::string& text, std::string_view in_front) {
    const std::string hidden = hidden_text(value.size());
    const std::string shown = std::string(in_front) + printable(value);
    const std::size_t at = value.empty() ? std::string::npos : text.rfind(shown);
    if (at != std::string::npos)
        text.replace(at + in_front.size(), shown.size() - in_front.size(), hidden);
    value = hidden;
}

void hide_contents(std::vector<figure>& figures, std::string& text, redaction hides) {
    for (figure& each : figures) {
        auto* value = std::get_if<std::string>(&each.value);
        if (value == nullptr) continue;
        if (hides.keys && each.name == "key") hide(*value, text, "key ");
        if (hides.values && each.name == "sql") hide(*value, text, "");
    }
}

}  // namespace

std::string hidden_text(std::size_t bytes) {
    return "(redacted, " + std::to_string(bytes) + (bytes == 1 ? " byte)" : " bytes)");
}

finding redacted(finding f, redaction hides) {
    hide_contents(f.figures, f.text, hides);
    return f;
}

settlement redacted(settlement s, redaction hides) {
    hide_contents(s.figures, s.text, hides);
    return s;
}

}  // namespace cdcscope::findings
