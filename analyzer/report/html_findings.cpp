// The findings: those of the verdict open, the others folded to a line.
#include <algorithm>

#include "analyzer/report/format.h"
#include "analyzer/report/html_parts.h"

namespace cdcscope::report {
namespace {

void evidence_list(html_writer& w, const model& m, const card& c) {
    w.raw("<h4>Evidence</h4>");
    std::uint32_t file = UINT32_MAX;
    for (const auto& e : c.shown) {
        if (e.at.file != file) {
            if (file != UINT32_MAX) w.raw("</ul>");
            file = e.at.file;
            w.put("<p class=\"evf\">{}</p><ul class=\"ev\">", m.file_name(file));
        }
        w.put(
            "<li><span class=\"fr mono\">#{}</span><span class=\"soft nw\">{}</span><span "
            "class=\"wh\">{}</span></li>",
            e.at.frame, time_words(m, e.at.time_ns), e.what);
    }
    if (!c.shown.empty()) w.raw("</ul>");
    if (c.evidence_left_out > 0)
        w.put("<p class=\"small soft\">and {}</p>",
              beyond_words(c.evidence_left_out, c.evidence_unlisted));
}

void meaning_and_advice(html_writer& w, const card& c) {
    if (!c.meaning.empty()) w.put("<h4>What it usually means</h4><p>{}</p>", c.meaning);
    if (c.advice.empty()) return;
    w.raw("<h4>What to do</h4>");
    if (c.advice.size() == 1) {
        w.put("<p>{}</p>", c.advice.front());
        return;
    }
    w.raw("<ol>");
    for (const auto& step : c.advice) w.put("<li>{}</li>", step);
    w.raw("</ol>");
}

void body(html_writer& w, const model& m, const card& c) {
    if (!c.text.empty()) w.put("<p>{}</p>", c.text);
    w.raw("<div class=\"cols\"><div>");
    evidence_list(w, m, c);
    w.raw("</div><div>");
    meaning_and_advice(w, c);
    w.raw("</div></div><div class=\"dfs\">");
    for (const auto& f : c.filters) w.put("{}", filter_box(f.label, f.expression));
    w.raw("</div>");
}

void facts_line(html_writer& w, const model& m, const detailed_connections& details,
                const card& c) {
    w.put("<span class=\"mono\">{}</span>", c.code);
    if (const auto rules = rules_words(c); !rules.empty()) w.put("<span>{}</span>", rules);
    if (c.count > 1 && c.rules.size() <= 1) w.put("<span>{}</span>", count(c.count, "time"));
    w.put("<span>{}</span>", connection_link(m, details, c.connection));
    if (!c.state.empty())
        w.put("<span>{}{}{}</span>", c.state, c.going_on ? " " : "",
              !c.going_on       ? std::string_view{}
              : c.as_of.empty() ? std::string_view{"at the end of the capture"}
                                : std::string_view{c.as_of});
}

void open_card(html_writer& w, const model& m, const detailed_connections& details, std::size_t i) {
    const auto& c = m.cards[i];
    const auto h = health_of(c.level);
    const auto l = std::string(1, letter(h));
    w.put(
        "<article class=\"card find f{0}\" id=\"f{1}\" data-sev=\"{0}\" "
        "aria-labelledby=\"f{1}t\"><header>{2}",
        l, i + 1, severity_badge(h, c.uncertain));
    facts_line(w, m, details, c);
    w.put("</header><h3 id=\"f{}t\">{}</h3>", i + 1, title_words(m, c));
    body(w, m, c);
    w.raw("</article>");
}

void folded_card(html_writer& w, const model& m, const detailed_connections& details,
                 std::size_t i) {
    const auto& c = m.cards[i];
    const auto h = health_of(c.level);
    const auto l = std::string(1, letter(h));
    w.put(
        "<details class=\"card find fold f{0}\" id=\"f{1}\" "
        "data-sev=\"{0}\"><summary>{2}<h3>{3}</h3><span class=\"soft small wide\">",
        l, i + 1, severity_badge(h, c.uncertain), title_words(m, c));
    if (c.connection != 0) w.put("connection {}", c.connection);
    w.raw("</span><span class=\"tog\"></span></summary><div class=\"meta\">");
    facts_line(w, m, details, c);
    w.raw("</div>");
    body(w, m, c);
    w.raw("</details>");
}

}  // namespace

markup findings_section(const model& m) {
    html_writer w;
    w.raw("<section id=\"findings\"><h2>Findings</h2>");
    if (m.cards.empty()) {
        w.put("<p class=\"none\">None of {} applies to this capture.</p></section>",
              count(m.rules, "rule"));
        return w.take();
    }
    w.raw(
        "<p class=\"soft\">Those still going on first, then by severity. The first three are "
        "open.</p>");
    w.put("{}<div id=\"flist\">", list_filter("flist", ".find", "Filter findings",
                                              "Filter: word, vb, key, #frame", true, "allf"));
    const auto shown = std::min(m.cards.size(), cap::cards);
    const detailed_connections details(m);
    for (std::size_t i = 0; i < shown; ++i)
        i < 3 ? open_card(w, m, details, i) : folded_card(w, m, details, i);
    w.put("</div>{}",
          no_match("flist", "No finding matches. Clear the filter or tick more severities."));
    if (shown < m.cards.size())
        w.put("<p class=\"soft\">And {} more in the JSON.</p>", number(m.cards.size() - shown));
    w.raw("</section>");
    return w.take();
}

}  // namespace cdcscope::report
