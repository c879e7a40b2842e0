#include "analyzer/report/until_words.h"

#include <fmt/format.h>

#include <utility>

#include "analyzer/report/words.h"

namespace cdcscope::report {
namespace {

// With {} for the time.
constexpr std::pair<std::string_view, std::string_view> endings[] = {
    {"and never resumed", "and had not resumed at {}"},
    {"before the connection or the capture ended", "until {}"},
    {"the capture ended after", "still so at {}, after"},
    {"when the capture ended", "at {}"},
    {"when the capture ends", "at {}"},
    {"at the end of the capture", "at {}"},
    {"until the capture ended", "until {}"},
    {"still at the end", "still so at {}"},
    {"still going on", "still so at {}"},
};

class wording {
  public:
    explicit wording(const std::string& when) {
        for (const auto& [of, in] : endings)
            said_.emplace_back(of, fmt::format(fmt::runtime(in), when));
    }
    void operator()(std::string& text) const {
        for (const auto& [of, in] : said_) {
            for (auto at = text.find(of); at != std::string::npos;
                 at = text.find(of, at + in.size()))
                text.replace(at, of.size(), in);
        }
    }

  private:
    std::vector<std::pair<std::string_view, std::string>> said_;
};

}  // namespace

void say_until(model& m) {
    if (!m.judged_until || *m.judged_until >= m.capture.span.to) return;
    const wording put(time_words(m, *m.judged_until));
    for (auto& c : m.cards) {
        for (auto* text :
             {&c.title, &c.brief, &c.clause, &c.condition, &c.state, &c.text, &c.why, &c.detail})
            put(*text);
        for (auto& e : c.shown) put(e.what);
    }
    for (auto& c : m.connections) put(c.condition);
    for (auto& f : m.findings) {
        for (auto& h : f.hits) put(h.text);
    }
}

}  // namespace cdcscope::report
