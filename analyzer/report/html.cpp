#include "analyzer/report/html.h"

#include <charconv>
#include <vector>

#include "analyzer/report/assets.h"
#include "analyzer/report/format.h"
#include "analyzer/report/html_parts.h"
#include "analyzer/report/markdown.h"
#include "proto/json/base64.h"

namespace cdcscope::report {
namespace {

// "sha256-..." as a Content-Security-Policy names a script.
std::string script_source(std::string_view digest) {
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0; i + 2 <= digest.size(); i += 2) {
        std::uint8_t b = 0;
        std::from_chars(digest.data() + i, digest.data() + i + 2, b, 16);
        bytes.push_back(b);
    }
    std::string out = "'sha256-";
    append_base64(out, bytes);
    return out + "'";
}

void head(html_writer& w, const model& m, bool zoom) {
    auto scripts = script_source(assets::page_js_sha256);
    if (zoom) scripts += " " + script_source(assets::dygraph_js_sha256);
    auto title = m.headline;
    if (title.ends_with('.')) title.pop_back();
    w.raw(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width,initial-scale=1\">\n");
    w.put(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'; script-src {}; img-src data:\">\n",
        markup{scripts});
    w.put(
        "<meta name=\"generator\" content=\"{}\"><title>{}: cdcscope report on {}</title>\n<link "
        "rel=\"icon\" href=\"data:,\"><style>",
        m.program, title, file_list(m));
    w.raw(assets::page_css);
    if (zoom) w.raw(assets::dygraph_css);
    w.raw("</style></head>\n");
}

void top(html_writer& w, const model& m) {
    w.raw("<body><a class=\"skip\" href=\"#verdict\">Skip to the verdict</a>\n")
        .raw(assets::symbols_svg);
    w.put(
        "<header class=\"top\"><div class=\"wrap\"><div class=\"brand\">cdcscope <span>report on "
        "{}</span></div><div class=\"tools\">",
        file_list(m));
    w.raw(
        "<button type=\"button\" id=\"ticket\">Copy for ticket</button><div class=\"seg\" "
        "role=\"radiogroup\" aria-label=\"Colours\">"
        "<label><input type=\"radio\" name=\"theme\" value=\"auto\" checked>Auto</label>"
        "<label><input type=\"radio\" name=\"theme\" value=\"light\">Light</label>"
        "<label><input type=\"radio\" name=\"theme\" "
        "value=\"dark\">Dark</label></div></div></div></header>\n");
}

bool says_little(const model& m) {
    return m.result == verdict_kind::nothing_recovered || m.result == verdict_kind::encrypted;
}

void jump_list(html_writer& w, const model& m) {
    w.raw("<nav class=\"jump\" aria-label=\"Sections\"><div class=\"wrap\">");
    const auto link = [&](std::string_view id, std::string_view label, std::size_t n) {
        w.put("<a href=\"#{}\">{}", id, label);
        if (n > 0) w.put("<b>{}</b>", number(n));
        w.raw("</a>");
    };
    link("verdict", "Verdict", 0);
    link("capture", "Capture", 0);
    if (!says_little(m)) {
        link("connections", "Connections", m.connections.size());
        link("findings", "Findings", m.cards.size());
        link("detail", "Details", 0);
        if (!m.streams.empty()) link("streams", "Streams", m.streams.size() + m.streams_left_out);
        if (!m.batches.empty()) link("batches", "Batches", m.batches.size() + m.batches_left_out);
    }
    link("about", "How computed", 0);
    w.raw("</div></nav>\n");
}

}  // namespace

std::string render_html(const model& m) {
    const auto details = says_little(m) ? details_result{} : details_section(m);
    html_writer w;
    head(w, m, details.zoom);
    top(w, m);
    jump_list(w, m);
    w.put("<main class=\"wrap\">\n{}\n{}\n", verdict_section(m), capture_section(m));
    if (!says_little(m)) {
        w.put("{}\n{}\n{}\n", connections_section(m), findings_section(m), details.html);
        w.put("{}\n{}\n", streams_section(m), batches_section(m));
    }
    w.put(
        "{}\n</main><footer class=\"wrap\">This page is one file: it loads nothing and sends "
        "nothing.</footer>\n",
        about_section(m));
    w.put(
        "<div id=\"live\" class=\"vh\" role=\"status\" aria-live=\"polite\"></div><pre "
        "id=\"ticket-text\" hidden>{}</pre>\n",
        markup{escape_html_lines(render_markdown(m))});
    if (details.zoom) w.raw("<script>").raw(assets::dygraph_js).raw("</script>\n");
    w.raw("<script>").raw(assets::page_js).raw("</script></body></html>\n");
    return w.take().text;
}

}  // namespace cdcscope::report
