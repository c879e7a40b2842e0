#include "analyzer/report/hide_contents.h"

namespace cdcscope::report {
namespace {

void hide(std::string& text) {
    if (!text.empty()) text = findings::hidden_text(text.size());
}

}  // namespace

void hide_contents(model& m, findings::redaction hides) {
    for (auto& c : m.connections) {
        if (hides.any()) hide(c.first_bytes);
        for (auto& item : c.items) {
            if (hides.keys) hide(item.key);
            if (hides.values) {
                for (auto& name : item.xattrs) hide(name);
            }
        }
        for (auto& row : c.rows) {
            if (hides.values) hide(row.sql);
        }
    }
    if (!hides.keys) return;
    for (auto& w : m.writes) hide(w.key);
    for (auto& o : m.operations) hide(o.key);
}

}  // namespace cdcscope::report
