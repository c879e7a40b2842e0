// Details by connection: a card each, with facts, charts and links to its findings.
#include <algorithm>

#include "analyzer/report/axis.h"
#include "analyzer/report/format.h"
#include "analyzer/report/html_figures.h"
#include "analyzer/report/html_parts.h"

namespace cdcscope::report {
namespace {

constexpr std::size_t chart_points =
    10'000;  // of one kind of chart on all connections: keeps any page under 2 MB
constexpr std::size_t most_open = 12;  // connections that are unfolded at first

std::vector<rows_of> rows_by_connection(const model& m) {
    std::vector<rows_of> rows(m.connections.size() + 1);
    const auto at = [&](std::uint32_t id) -> rows_of& { return rows[id < rows.size() ? id : 0]; };
    for (const auto& s : m.streams) at(s.connection).streams.push_back(&s);
    for (const auto& d : m.writes) at(d.connection).writes.push_back(&d);
    for (const auto& o : m.operations) at(o.connection).operations.push_back(&o);
    for (const auto& b : m.batches) at(b.connection).batches.push_back(&b);
    return rows;
}

std::string under_title(const model& m, const connection& c) {
    return fmt::format("{} · {} to {} · {} from the client, {} from the server", role_and_target(c),
                       time_words(m, c.life.from), time_words(m, c.life.to),
                       count(c.of[0].messages, "message"), number(c.of[1].messages));
}

void finding_links(html_writer& w, const model& m, const connection& c) {
    if (c.cards.empty()) {
        w.raw("<p class=\"small soft\">No findings.</p>");
        return;
    }
    w.raw("<ul class=\"flinks\"><li class=\"soft\">Findings</li>");
    for (const auto i : c.cards) {
        if (i >= cap::cards) continue;
        const auto& one = m.cards[i];
        const auto h = health_of(one.level);
        w.put("<li>{}<a href=\"#f{}\">{}</a></li>", icon(h, capitalized(word(h)), one.uncertain),
              i + 1, one.code);
    }
    w.raw("</ul>");
}

void connection_card(html_writer& w, const model& m, const connection& c, figure_context& x,
                     bool open) {
    w.put(
        "<article class=\"card conn\" id=\"c{0}\"><details{1}><summary><span "
        "class=\"num\">{0}</span><h3>{2} ",
        c.id, markup{open ? " open" : ""}, display_name(c));
    w.put("<span class=\"badge {}\">{} {}</span>", std::string(1, letter(c.fared)),
          icon(c.fared, capitalized(word(c.fared))),
          capitalized(c.condition.empty() ? "no findings" : c.condition));
    w.put(
        "</h3><span class=\"tog\"></span><span class=\"sub\">{}</span></summary><div "
        "class=\"body\">{}",
        under_title(m, c), fact_list(facts_of(m, c)));
    w.put("{}{}", latency_figure(x), writes_figure(x));
    w.put("{}{}{}", window_figure(x), holes_figure(x), throughput_figure(x));
    w.put("{}{}", lag_figure(x), ledger_figure(x));
    w.put("{}{}{}", timeline_figure(x), operations_table(x), samples_of(x));
    finding_links(w, m, c);
    w.raw("</div></details></article>");
}

}  // namespace

details_result details_section(const model& m) {
    details_result result;
    const detailed_connections details(m);
    const auto& cards = details.all();
    if (cards.empty()) return result;
    html_writer w;
    w.raw(
        "<section id=\"detail\"><div class=\"titled\"><h2>Details by connection</h2><button "
        "type=\"button\" id=\"allc\">Show all</button></div>"
        "<p class=\"soft\">Shapes in the charts are findings. Charts with a crosshair can be read "
        "with the arrow keys.</p>");
    const auto rows = rows_by_connection(m);
    const auto points = std::clamp<std::size_t>(chart_points / cards.size(), 60, 2000);
    const std::size_t samples = cards.size() <= 20 ? cap::items : 3;
    std::size_t open = 0;
    for (const auto* c : cards) {
        figure_context x{m, *c, axis_span(c->life), rows[c->id], points, samples};
        const auto unfold = c->fared >= health::warning && open < most_open;
        open += unfold ? 1 : 0;
        connection_card(w, m, *c, x, unfold);
        result.zoom = result.zoom || x.zoom;
    }
    if (cards.size() < m.connections.size()) {
        const auto rest = m.connections.size() - cards.size();
        w.put("<p class=\"soft\">And {} more, in the table above and in the JSON.</p>",
              count(rest, "connection"));
    }
    w.raw("</section>");
    result.html = w.take();
    return result;
}

}  // namespace cdcscope::report
