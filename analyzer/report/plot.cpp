#include "analyzer/report/plot.h"

#include <algorithm>

#include "analyzer/report/format.h"

namespace cdcscope::report {
namespace {

double x_of(double x) {
    return std::clamp(x, 0.0, 1.0) * 1000;
}
double y_of(double y) {
    return 100 - std::clamp(y, 0.0, 1.0) * 100;
}

}  // namespace

plot::plot(int height, std::string_view label) : height_(height), label_(label) {}

void plot::value_ticks(const std::vector<tick>& ticks) {
    for (const auto& t : ticks) {
        svg_.put("<path class=\"{}\" d=\"M0 {:.2f}H1000\"/>",
                 std::string_view{t.at == 0 ? "pl-base" : "pl-grid"}, y_of(t.at));
        texts_.put("<span class=\"t ty\" style=\"bottom:{:.1f}%\">{}</span>", t.at * 100, t.label);
    }
}

void plot::time_labels(const std::vector<tick>& ticks) {
    for (const auto& t : ticks) {
        const std::string_view edge = t.at <= 0 ? " first" : t.at >= 1 ? " last" : "";
        texts_.put("<span class=\"t tx{}{}\" style=\"left:{:.1f}%\">{}</span>", edge,
                   std::string_view{t.wide    ? " wide"
                                    : t.tight ? " tight"
                                              : ""},
                   t.at * 100, t.label);
    }
}

void plot::area(double from, double to) {
    svg_.put("<rect class=\"pl-stall\" x=\"{:.2f}\" y=\"0\" width=\"{:.2f}\" height=\"100\"/>",
             x_of(from), std::max(0.5, x_of(to) - x_of(from)));
}

void plot::limit(double y) {
    svg_.put("<path class=\"pl-lim\" d=\"M0 {:.2f}H1000\"/>", y_of(y));
}

void plot::hole(double x) {
    svg_.put("<path class=\"pl-hole\" d=\"M{:.2f} 0V100\"/>", x_of(x));
}

void plot::bar(double x, double width, double from, double to, bool second) {
    auto& path = second ? second_bars_ : bars_;
    fmt::format_to(std::back_inserter(path), "M{:.1f} {:.1f}V{:.1f}H{:.1f}V{:.1f}z", x_of(x),
                   y_of(from), y_of(to), x_of(x + width), y_of(from));
}

void plot::step_line(std::span<const std::pair<double, double>> points) {
    if (points.empty()) return;
    svg_.put("<path class=\"pl-line\" d=\"M{:.1f} {:.1f}", x_of(points.front().first),
             y_of(points.front().second));
    for (const auto& [x, y] : points.subspan(1)) svg_.put("H{:.1f}V{:.1f}", x_of(x), y_of(y));
    svg_.raw("H1000\"/>");
}

void plot::thin_line(std::span<const std::pair<double, double>> points) {
    if (points.size() < 2) return;
    svg_.put("<path class=\"pl-thin\" d=\"M{:.1f} {:.1f}", x_of(points.front().first),
             y_of(points.front().second));
    for (const auto& [x, y] : points.subspan(1)) svg_.put("L{:.1f} {:.1f}", x_of(x), y_of(y));
    svg_.raw("\"/>");
}

void plot::dot(double x, double y) {
    texts_.put("<span class=\"dot\" style=\"left:{:.1f}%;bottom:{:.1f}%\"></span>", x * 100,
               y * 100);
}

void plot::label(double x, double y, std::string_view text, label_kind kind, anchor at,
                 bool wide_only) {
    constexpr std::string_view kinds[] = {"", " dt", " wn", " er"};
    constexpr std::string_view anchors[] = {"", " c", " rr"};
    texts_.put("<span class=\"t lb{}{}{}\" style=\"left:{:.1f}%;bottom:{:.1f}%\">{}</span>",
               kinds[static_cast<std::size_t>(kind)], anchors[static_cast<std::size_t>(at)],
               std::string_view{wide_only ? " wide" : ""}, x * 100, y * 100, text);
}

void plot::readable(const time_span& span, std::span<const point> values, std::string_view unit,
                    double divide_by, std::span<const std::string> labels) {
    html_writer w;
    w.put(" tabindex=\"0\" data-t0=\"{:.6f}\" data-x=\"[0,{}]\" data-u=\"{}\" data-s=\"[",
          static_cast<double>(span.from) / 1e6, span.length() / 1000, unit);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto at = (values[i].at - span.from) / 1000;
        w.raw(i == 0 ? "[" : ",[");
        if (divide_by == 1) {
            w.put("{},{}", at, values[i].value);
        } else {
            w.put("{},{:.3f}", at, static_cast<double>(values[i].value) / divide_by);
        }
        // A string inside JSON inside an attribute: quoted for the first, escaped for the second.
        if (i < labels.size()) w.put(",{}", '"' + labels[i] + '"');
        w.raw("]");
    }
    w.raw("]\"");
    data_ += w.take().text;
}

void plot::zoomable(bool steps, std::uint64_t limit_value, bool range_selector) {
    html_writer w;
    w.put(" data-step=\"{}\" data-limit=\"{}\" data-range=\"{}\"", int{steps}, limit_value,
          int{range_selector});
    data_ += w.take().text;
}

markup plot::done() {
    html_writer w;
    const auto interactive = !data_.empty();
    if (!bars_.empty()) svg_.put("<path class=\"pl-bar\" d=\"{}\"/>", bars_);
    if (!second_bars_.empty()) svg_.put("<path class=\"pl-bar2\" d=\"{}\"/>", second_bars_);
    w.put("<div class=\"plot\" style=\"height:{}px\" role=\"{}\"{} aria-label=\"{}\"{}>", height_,
          std::string_view{interactive ? "group" : "img"},
          markup{interactive ? " aria-roledescription=\"chart; arrow keys read values\"" : ""},
          label_, markup{data_});
    w.put(
        "<svg viewBox=\"0 0 1000 100\" preserveAspectRatio=\"none\" "
        "aria-hidden=\"true\">{}</svg>{}</div>",
        svg_.take(), texts_.take());
    return w.take();
}

markup draw_mini(const mini_chart& c) {
    constexpr double width = 300, height = 56;
    if (c.kind == mini_kind::none) return {};
    html_writer w;
    w.put(
        "<div class=\"chart\"><div class=\"mini\"><svg viewBox=\"0 0 {} {}\" "
        "preserveAspectRatio=\"none\" aria-hidden=\"true\">",
        width, height);
    const auto y = [](double v) { return height - std::clamp(v, 0.0, 1.0) * (height - 4); };
    if (c.kind == mini_kind::window) {
        if (c.mark >= 0)
            w.put("<rect class=\"pl-stall\" x=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\"/>",
                  c.mark * width, (1 - c.mark) * width, height);
        if (c.limit >= 0) w.put("<path class=\"pl-lim\" d=\"M0 {:.1f}H{}\"/>", y(c.limit), width);
        w.put("<path class=\"pl-line\" d=\"M0 {}", height);
        for (const auto& [px, py] : c.points) w.put("H{:.1f}V{:.1f}", px * width, y(py));
        w.put("H{}\"/>", width);
    } else if (c.kind == mini_kind::bars) {
        w.put("<path class=\"pl-base\" d=\"M0 {}H{}\"/>", height, width);
        const auto slot = width / static_cast<double>(std::max<std::size_t>(c.points.size(), 1));
        double x = 0;
        for (const auto& bar : c.points) {
            const auto h = std::max(1.5, bar.second * (height - 2));
            w.put(
                "<rect class=\"pl-bar\" x=\"{:.1f}\" width=\"{:.1f}\" y=\"{:.1f}\" "
                "height=\"{:.1f}\"/>",
                x, slot * 0.75, height - h, h);
            x += slot;
        }
    } else {
        const auto lane = height / static_cast<double>(std::max<std::size_t>(c.points.size(), 1));
        double top = 0;
        for (const auto& [from, to] : c.points) {
            w.put(
                "<rect class=\"pl-lane\" x=\"{:.1f}\" width=\"{:.1f}\" y=\"{:.1f}\" "
                "height=\"{:.1f}\"/>",
                from * width, std::max(2.0, (to - from) * width), top + lane * 0.2, lane * 0.6);
            top += lane;
        }
        if (c.mark >= 0)
            w.put("<path class=\"pl-fault\" d=\"M{:.1f} 0V{}\"/>", c.mark * width, height);
    }
    w.put("</svg></div><div class=\"minilab\"><span>{}</span><span>{}</span></div></div>", c.left,
          c.right);
    return w.take();
}

std::vector<point> thin(std::span<const point> values, std::size_t most) {
    if (values.size() <= most) return {values.begin(), values.end()};
    const auto span = values.back().at - values.front().at;
    std::vector<point> out;
    const auto columns = std::max<std::int64_t>(1, static_cast<std::int64_t>(most / 4));
    const auto width = std::max<std::int64_t>(1, span / columns + 1);
    for (std::size_t i = 0; i < values.size();) {
        const auto column = (values[i].at - values.front().at) / width;
        auto least = i, largest = i, last = i;
        const auto first = i;
        for (; i < values.size() && (values[i].at - values.front().at) / width == column; ++i) {
            if (values[i].value < values[least].value) least = i;
            if (values[i].value > values[largest].value) largest = i;
            last = i;
        }
        std::size_t four[] = {first, least, largest, last};
        std::sort(std::begin(four), std::end(four));
        for (std::size_t k = 0; k < 4; ++k) {
            if (k == 0 || four[k] != four[k - 1]) out.push_back(values[four[k]]);
        }
    }
    return out;
}

}  // namespace cdcscope::report
