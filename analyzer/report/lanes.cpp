#include "analyzer/report/lanes.h"

#include <algorithm>
#include <array>

#include "analyzer/report/axis.h"

namespace cdcscope::report {

namespace {
// About what a text takes on a wide page, in per cent; narrow ones put it on a line of its own.
double width_of(std::string_view text) {
    return 0.8 * static_cast<double>(text.size()) + 2;
}
}  // namespace

lanes::lanes(const time_span& span, std::string_view label) : span_(span), label_(label) {}

double lanes::place(std::int64_t at) const {
    if (span_.length() <= 0) return 0;
    return std::clamp(
        static_cast<double>(at - span_.from) / static_cast<double>(span_.length()) * 100, 0.0,
        100.0);
}

void lanes::lane(std::string_view name) {
    if (count_++ > 0) w_.raw("</div>");
    w_.put("<div class=\"ln\">{}</div><div class=\"tr\">", name);
}

void lanes::bar(std::int64_t from, std::int64_t to, bar_style style) {
    constexpr std::string_view styles[] = {"", " h", " q"};
    if (to < span_.from || from > span_.to) return;
    const auto left = place(from), width = place(to) - left;
    // A bar of no length is 4 px wide and must not leave the chart.
    w_.put(
        "<span class=\"bar{}\" style=\"left:min({:.2f}%,calc(100% - 4px));width:{:.2f}%\"></span>",
        styles[static_cast<std::size_t>(style)], left, width);
}

void lanes::ticks(const time_sums& sums, std::size_t most, bool soft, std::string_view text) {
    const auto view = sums.bars(most);
    if (view.sums.empty()) return;
    const auto largest = *std::max_element(view.sums.begin(), view.sums.end());
    std::array<std::string, 4> paths;
    for (std::size_t i = 0; i < view.sums.size(); ++i) {
        const auto at = view.from + static_cast<std::int64_t>(i) * view.width;
        if (view.sums[i] == 0 || !covers(at)) continue;
        const auto step =
            largest <= 1 ? 3 : std::min<std::uint64_t>(3, (view.sums[i] - 1) * 4 / largest);
        fmt::format_to(std::back_inserter(paths[step]), "M{:.1f} 0V1", place(at) * 10);
    }
    w_.put(
        "<svg class=\"tk{}\" viewBox=\"0 0 1000 1\" preserveAspectRatio=\"none\" "
        "aria-hidden=\"true\">",
        std::string_view{soft ? " s" : ""});
    for (std::size_t step = 0; step < paths.size(); ++step) {
        if (!paths[step].empty()) w_.put("<path class=\"d{}\" d=\"{}\"/>", step + 1, paths[step]);
    }
    w_.raw("</svg>");
    if (text.empty()) return;
    // Where no tick is: before the first one, else behind the last one, else below them.
    const auto first = place(view.from),
               last = place(view.from + static_cast<std::int64_t>(view.sums.size()) * view.width);
    const auto width = width_of(text);
    if (first > width) {
        w_.put("<span class=\"tx\" style=\"left:.5rem\">{}</span>", text);
    } else if (last + width < 100) {
        w_.put("<span class=\"tx\" style=\"left:calc({:.2f}% + .5rem)\">{}</span>", last, text);
    } else {
        w_.put("<span class=\"tx below\">{}</span>", text);
    }
}

void lanes::tick(std::int64_t at, bool soft) {
    if (!covers(at)) return;
    w_.put(
        "<svg class=\"tk{}\" viewBox=\"0 0 1000 1\" preserveAspectRatio=\"none\" "
        "aria-hidden=\"true\"><path class=\"d4\" d=\"M{:.1f} 0V1\"/></svg>",
        std::string_view{soft ? " s" : ""}, place(at) * 10);
}

void lanes::text(std::int64_t from, std::int64_t to, std::string_view text) {
    const auto left = place(from), right = place(to);
    const auto width = width_of(text);
    if (right <= 70 && width <= 100 - right) {
        w_.put("<span class=\"tx\" style=\"left:calc({:.2f}% + .5rem)\">{}</span>", right, text);
    } else if (left >= 30 && width <= left) {
        w_.put("<span class=\"tx rr\" style=\"left:calc({:.2f}% - .5rem)\">{}</span>", left, text);
    } else {
        const auto at = std::min(left, std::max(0.0, 98 - width));
        w_.put("<span class=\"tx\" style=\"left:calc({:.2f}% + 1rem)\">{}</span>", at, text);
    }
}

void lanes::mark(std::int64_t at, const markup& shape, std::string_view href) {
    w_.put("<a class=\"mk\" href=\"{}\" style=\"left:{:.2f}%\">{}</a>", href,
           std::clamp(place(at), 1.0, 99.0), shape);
}

markup lanes::done() {
    if (count_ > 0) w_.raw("</div>");
    w_.raw("<div class=\"ln axr lnx\"></div><div class=\"tr axr\">");
    for (const auto& t : time_ticks(span_)) {
        w_.put("<span class=\"axl{}{}\" style=\"left:{:.1f}%\">{}</span>",
               std::string_view{t.at <= 0   ? " first"
                                : t.at >= 1 ? " last"
                                            : ""},
               std::string_view{t.wide    ? " wide"
                                : t.tight ? " tight"
                                          : ""},
               t.at * 100, t.label);
    }
    html_writer w;
    w.put("<div class=\"lanes\" role=\"group\" aria-label=\"{}\">{}</div></div>", label_,
          w_.take());
    return w.take();
}

}  // namespace cdcscope::report
