#include "analyzer/report/html_parts.h"

#include <algorithm>
#include <array>

#include "analyzer/report/format.h"

namespace cdcscope::report {

char letter(health h) noexcept {
    constexpr std::array<char, 4> letters{'o', 'n', 'w', 'e'};
    return letters[static_cast<std::size_t>(h)];
}

markup icon(health h, std::string_view label, bool uncertain) {
    const auto c = std::string(1, letter(h));
    html_writer w;
    w.put("<svg class=\"ic {}\" viewBox=\"0 0 20 20\" ", c);
    label.empty() ? w.raw("aria-hidden=\"true\"") : w.put("role=\"img\" aria-label=\"{}\"", label);
    w.put("><use href=\"#i-{}\"/></svg>", uncertain ? std::string("u") : c);
    return w.take();
}

markup severity_badge(health h, bool uncertain, std::string_view state) {
    html_writer w;
    w.put("<span class=\"sev {}\">{}<b>{}</b>", std::string(1, letter(h)), icon(h, {}, uncertain),
          capitalized(word(h)) + (uncertain ? ", uncertain" : ""));
    if (!state.empty()) w.put(" <span class=\"st\">{}</span>", state);
    w.raw("</span>");
    return w.take();
}

markup fact_list(const std::vector<fact>& facts) {
    html_writer w;
    w.raw("<dl class=\"facts\">");
    for (const auto& f : facts) w.put("<div><dt>{}</dt><dd>{}</dd></div>", f.label, f.value);
    w.raw("</dl>");
    return w.take();
}

markup completeness_bar(const byte_account& b) {
    html_writer w;
    w.put(
        "<div class=\"comp\" role=\"img\" aria-label=\"{} in messages, {} never captured, {} "
        "unparsed\">",
        exact_bytes(b.message), exact_bytes(b.gap), exact_bytes(b.unparsed));
    if (b.message > 0) w.put("<i class=\"m\" style=\"flex:{} 1 0\"></i>", b.message);
    if (b.gap > 0) w.put("<i class=\"g\" style=\"flex:{} 1 0\"></i>", b.gap);
    if (b.unparsed > 0) w.put("<i class=\"u\" style=\"flex:{} 1 0\"></i>", b.unparsed);
    w.raw("</div>");
    return w.take();
}

markup filter_box(std::string_view label, std::string_view text) {
    html_writer w;
    w.put(
        "<div class=\"df\"><span class=\"small\">{0}</span><code>{1}</code>"
        "<button type=\"button\" aria-label=\"Copy: {0}\">Copy</button></div>",
        label, text);
    return w.take();
}

detailed_connections::detailed_connections(const model& m) {
    for (const auto& c : m.connections) {
        if (messages_of(c) > 0 || !c.cards.empty()) all_.push_back(&c);
    }
    if (all_.size() <= cap::details) return;
    std::stable_sort(all_.begin(), all_.end(), [](auto* a, auto* b) {
        return a->fared != b->fared ? a->fared > b->fared : messages_of(*a) > messages_of(*b);
    });
    all_.resize(cap::details);
    std::stable_sort(all_.begin(), all_.end(), [](auto* a, auto* b) { return a->id < b->id; });
}

markup detailed_connections::link(std::uint32_t id, std::string_view text,
                                  std::string_view css) const {
    html_writer w;
    const auto at =
        std::lower_bound(all_.begin(), all_.end(), id,
                         [](const connection* c, std::uint32_t n) { return c->id < n; });
    const auto there = at != all_.end() && (*at)->id == id;
    const auto style = css.empty() ? std::string{} : fmt::format(" class=\"{}\"", css);
    if (there) {
        w.put("<a href=\"#c{}\"{}>{}</a>", id, markup{style}, text);
    } else {
        w.put("<span{}>{}</span>", markup{style}, text);
    }
    return w.take();
}

markup connection_link(const model& m, const detailed_connections& details, std::uint32_t id) {
    html_writer w;
    if (m.find(id) == nullptr) {
        w.raw("the capture as a whole");
        return w.take();
    }
    return details.link(id, fmt::format("connection {}", id));
}

table::table(std::string_view id, std::string_view caption, std::vector<column> columns,
             table_style style, bool sortable)
    : columns_(std::move(columns)), style_(style) {
    w_.put(
        "<div class=\"tw\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table class=\"{}{}\"",
        caption, std::string_view{sortable ? "sort " : ""},
        std::string_view{style == table_style::grid ? "grid" : "stack"});
    if (!id.empty()) w_.put(" id=\"{}\"", id);
    w_.put("><caption>{}</caption><thead><tr>", caption);
    for (const auto& c : columns_) {
        w_.put("<th scope=\"col\"{}>{}</th>", markup{c.right ? " class=\"r\"" : ""}, c.label);
    }
    w_.raw("</tr></thead><tbody>");
}

void table::row(health h) {
    if (in_row_) w_.raw("</tr>");
    w_.put("<tr data-sev=\"{}\">", std::string(1, letter(h)));
    in_row_ = true;
    next_ = 0;
}

void table::cell(const markup& content, std::optional<double> sort_by, std::string_view css) {
    const auto& c = columns_[next_++];
    w_.raw("<td");
    const auto classes =
        std::string(c.right ? "r" : "") + (c.right && !css.empty() ? " " : "") + std::string(css);
    if (!classes.empty()) w_.put(" class=\"{}\"", classes);
    if (sort_by) w_.put(" data-v=\"{}\"", *sort_by);
    // Only rows that become cards need the label in each cell.
    if (style_ == table_style::stack) w_.put(" data-l=\"{}\"", c.label);
    w_.put(">{}</td>", content);
}

void table::cell(std::string_view content, std::optional<double> sort_by) {
    cell(markup{escape_html(content)}, sort_by);
}

markup table::done() {
    if (in_row_) w_.raw("</tr>");
    w_.raw("</tbody></table></div>");
    return w_.take();
}

markup list_filter(std::string_view id, std::string_view items, std::string_view label,
                   std::string_view hint, bool severities, std::string_view button) {
    html_writer w;
    w.put(
        "<div class=\"filter\" data-for=\"{0}\" data-items=\"{1}\"><label class=\"vh\" "
        "for=\"{0}-q\">{2}</label>"
        "<input id=\"{0}-q\" type=\"search\" placeholder=\"{3}\">",
        id, items, label, hint);
    if (severities) {
        const auto box = [&](health h, std::string_view words) {
            w.put("<label><input type=\"checkbox\" value=\"{}\" checked>{} {}</label>",
                  std::string(1, letter(h)), icon(h), words);
        };
        box(health::error, "Errors");
        box(health::warning, "Warnings");
        box(health::note, "Notes");
    }
    w.raw("<output class=\"hint\" aria-live=\"polite\"></output>");
    if (!button.empty()) w.put("<button type=\"button\" id=\"{}\">Show all</button>", button);
    w.raw("</div>");
    return w.take();
}

markup no_match(std::string_view id, std::string_view text) {
    html_writer w;
    w.put("<p class=\"none\" id=\"{}-none\" hidden>{}</p>", id, text);
    return w.take();
}

}  // namespace cdcscope::report
