// Charts over values: receive window, throughput, latency, lag.
#include "analyzer/report/html_figures.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "analyzer/report/axis.h"
#include "analyzer/report/format.h"
#include "analyzer/report/html_parts.h"
#include "analyzer/report/plot.h"

namespace cdcscope::report {
namespace {

constexpr std::int64_t second = 1'000'000'000;

double share_of(const time_span& span, std::int64_t at) {
    return span.length() <= 0
               ? 0
               : static_cast<double>(at - span.from) / static_cast<double>(span.length());
}

bool enough_values(std::span<const point> values) {
    std::set<std::uint64_t> seen;
    for (const auto& p : values) {
        seen.insert(p.value);
        if (seen.size() >= 3) return true;
    }
    return false;
}

// The span with data and a little room, where the life of the connection is much longer.
time_span span_of(std::span<const point> values, const time_span& life) {
    const auto length = std::max<std::int64_t>(values.back().at - values.front().at, 1000);
    return round_span({values.front().at - length / 20, values.back().at + length / 8}, life);
}

// ---- receive window

// The line from the moment on at which something is outstanding; before that it is 0.
std::span<const point> without_idle_start(std::span<const point> all) {
    const auto busy =
        std::find_if(all.begin(), all.end(), [](const point& p) { return p.value > 0; });
    if (busy == all.begin() || busy == all.end()) return all;
    return all.subspan(static_cast<std::size_t>(busy - all.begin()));
}

std::string window_sentence(const connection& c) {
    const auto& f = *c.flow;
    if (f.full_at_end) {
        std::int64_t since = f.filled.time_ns;
        return fmt::format("Full from {} to the end, for {}.", time_of_day(since),
                           exact_duration(c.life.to - since));
    }
    if (f.full_times == 1) return fmt::format("Full once, for {}.", duration(f.full_most_ns));
    if (f.full_times > 1) {
        return fmt::format("Full {}, for {} to {}.", count(f.full_times, "time"),
                           duration(f.full_least_ns), duration(f.full_most_ns));
    }
    return f.window == 0 ? std::string("No window is in force.")
                         : fmt::format("Never more than {} full.", share(f.peak, f.window));
}

markup draw_window(const connection& c, const time_span& span, std::span<const point> values,
                   bool whole, bool compact = false) {
    const auto& f = *c.flow;
    // A window far above all values would press them to the ground.
    const auto limit_shown = f.window > 0 && f.window <= f.peak * 4;
    const auto axis = byte_axis(std::max<std::uint64_t>(f.peak, limit_shown ? f.window : 0));
    const auto y = [&](std::uint64_t v) { return static_cast<double>(v) / axis.top; };
    plot p(180, fmt::format("Unacknowledged bytes between {} and {}: at most {}{}",
                            time_of_day(span.from), time_of_day(span.to), number(f.peak),
                            f.window > 0 ? fmt::format(" of a window of {}", number(f.window))
                                         : std::string{}));
    p.value_ticks(axis.ticks);
    for (const auto& full : f.full) {
        if (full.to >= span.from && full.from <= span.to)
            p.area(share_of(span, full.from), share_of(span, full.to));
    }
    if (limit_shown) p.limit(y(f.window));
    std::vector<std::pair<double, double>> line;
    if (values.empty() || values.front().at > span.from) line.emplace_back(0, 0);
    for (const auto& v : values) {
        if (v.at <= span.to) line.emplace_back(std::max(0.0, share_of(span, v.at)), y(v.value));
    }
    p.step_line(line);
    for (const auto& h : c.holes) {
        if (h.is_gap && h.at.time_ns >= span.from && h.at.time_ns <= span.to)
            p.hole(share_of(span, h.at.time_ns));
    }
    p.time_labels(time_ticks(span, compact));
    if (limit_shown)
        p.label(0.01, std::min(0.95, y(f.window) + 0.02),
                fmt::format("window {}", exact_bytes(f.window)), label_kind::warning, anchor::left);
    if (f.full_at_end && whole && f.full.size() == 1 && share_of(span, f.filled.time_ns) < 0.4) {
        // Away from the line of the window and its name.
        const auto height = std::abs(y(f.window) - 0.4) < 0.25 ? 0.1 : 0.45;
        p.label(0.5 + share_of(span, f.filled.time_ns) / 2, height,
                fmt::format("full for {}", exact_duration(c.life.to - f.filled.time_ns)),
                label_kind::warning, anchor::centre);
    }
    if (f.full_times == 0 && y(f.peak) < 0.75) {
        const auto highest = std::max_element(values.begin(), values.end(),
                                              [](auto& l, auto& r) { return l.value < r.value; });
        const auto x =
            highest == values.end() ? 0.0 : std::clamp(share_of(span, highest->at), 0.08, 0.92);
        p.label(x, y(f.peak) + 0.02, fmt::format("peak {}", exact_bytes(f.peak)), label_kind::data,
                anchor::centre);
    }
    p.readable(span, values, "B unacknowledged");
    if (values.size() >= zoom_from) {
        const auto gap = values.size() < 2
                             ? 1
                             : std::max<std::int64_t>(
                                   1, span.length() / static_cast<std::int64_t>(values.size()));
        p.zoomable(true, limit_shown ? f.window : 0, span.length() / gap > 100);
    }
    return p.done();
}

// ---- latency

std::string latency_sentence(const connection& c) {
    const auto& d = *c.durable;
    const auto outcomes = d.committed + d.aborted;
    return fmt::format("{} took {} to {}.", count(outcomes, "outcome"), duration(d.least_ns),
                       duration(d.most_ns));
}

std::string edge_label(std::int64_t ns, bool with_unit) {
    const auto text = short_duration(ns);
    return with_unit ? text : text.substr(0, text.find(no_break_space));
}

}  // namespace

markup figure_of(std::string_view noun, std::string_view sentence, std::string_view grey,
                 const markup& drawing, bool zoom) {
    html_writer w;
    w.raw("<figure><figcaption>");
    if (zoom) w.raw("<button type=\"button\" class=\"zoom\" hidden>Zoom</button>");
    w.put("<b>{}</b> {}", noun, sentence);
    if (!grey.empty()) w.put("<span class=\"soft\">{}</span>", grey);
    w.put("</figcaption>{}</figure>", drawing);
    return w.take();
}

markup window_figure(figure_context& x) {
    const auto& c = x.c;
    const auto all = c.window.points();
    if (c.one_direction && c.flow->on) {
        return figure_of(
            "Receive window.",
            "Not drawn: acknowledgements go from client to server, and one side was not captured.",
            "", {});
    }
    if (!c.flow->on || all.empty() || c.life.length() <= 0) return {};
    if (!enough_values(all)) {
        return figure_of("Receive window.",
                         fmt::format("{} The most that was unacknowledged is {}.",
                                     window_sentence(c), exact_bytes(c.flow->peak)),
                         "", {});
    }
    const auto busy = without_idle_start(all);
    const auto values = thin(busy, x.most_points);
    std::string grey = "Bytes the server has sent and the client has not acknowledged.";
    if (c.flow->full_times > 0) grey += " Shaded: the server has to wait.";
    if (c.flow->window > c.flow->peak * 4)
        grey += fmt::format(" The window is {}, above the top of this chart.",
                            exact_bytes(c.flow->window));
    if (c.window.thinned() || values.size() < busy.size())
        grey += " Each column shows first, least, largest and last.";
    const auto data = span_of(values, c.life);
    const auto zoom = values.size() >= zoom_from;
    x.zoom = x.zoom || zoom;
    if (data.length() * 33 < c.life.length()) {
        grey += " Left: the time with changes. Right: the whole connection.";
        html_writer both;
        both.put("<div class=\"two\">{}{}</div>", draw_window(c, data, values, false, true),
                 draw_window(c, c.life, values, true));
        return figure_of("Receive window.", window_sentence(c), grey, both.take(), zoom);
    }
    if (data.length() * 5 < c.life.length() * 2) {
        grey += " Zoomed to the time with changes.";
        return figure_of("Receive window.", window_sentence(c), grey,
                         draw_window(c, data, values, true), zoom);
    }
    return figure_of("Receive window.", window_sentence(c), grey,
                     draw_window(c, c.life, values, true), zoom);
}

markup throughput_figure(figure_context& x) {
    const auto view = x.c.received.bars(std::min<std::size_t>(240, x.most_points));
    const auto& life = x.c.life;
    if (view.sums.empty() || life.length() <= 0) return {};
    const auto most = *std::max_element(view.sums.begin(), view.sums.end());
    const auto busy =
        std::count_if(view.sums.begin(), view.sums.end(), [&](auto n) { return n * 20 > most; });
    std::vector<point> values;
    for (std::size_t i = 0; i < view.sums.size(); ++i) {
        values.push_back({view.from + static_cast<std::int64_t>(i) * view.width, view.sums[i]});
    }
    if (busy < 8 || !enough_values(values)) return {};
    const auto each = short_duration(view.width);
    const auto axis = byte_axis(most);
    plot p(110, fmt::format("Bytes from the server in each {}: at most {}", each, bytes(most)));
    p.value_ticks(axis.ticks);
    const auto width = static_cast<double>(view.width) / static_cast<double>(life.length());
    for (const auto& v : values) {
        if (v.value > 0)
            p.bar(share_of(life, v.at) + width * 0.08, width * 0.84, 0,
                  static_cast<double>(v.value) / axis.top);
    }
    p.time_labels(time_ticks(life));
    p.readable(life, values, fmt::format("B in {}", each));
    return figure_of("Throughput.", fmt::format("Bytes from the server in each {}.", each), "",
                     p.done());
}

markup latency_figure(const figure_context& x) {
    const auto& d = *x.c.durable;
    const auto [first, end] = x.c.latency->used();
    if (first == end) return {};
    if (d.least_ns == d.most_ns || end - first < 2) {
        const auto one = d.least_ns == d.most_ns
                             ? duration(d.most_ns)
                             : fmt::format("{} to {}", duration(d.least_ns), duration(d.most_ns));
        return figure_of(
            "Prepare to commit.",
            fmt::format("All {} took {}.", count(d.committed + d.aborted, "outcome"), one), "", {});
    }
    std::uint64_t most = 0;
    for (auto i = first; i < end; ++i) most = std::max(most, x.c.latency->all()[i].all());
    const auto axis = count_axis(most);
    plot p(180, "Histogram of the time from prepare to commit or abort: " + latency_sentence(x.c));
    p.value_ticks(axis.ticks);
    const auto width = 1.0 / static_cast<double>(end - first);
    std::vector<tick> edges;
    for (auto i = first; i <= end; ++i) {
        const auto at = static_cast<double>(i - first) * width;
        const auto edge = i == first || i == end;
        const auto crowded = end - first > 6 && (i - first) % 3 != 0;
        edges.push_back({edge ? (i == first ? 0.0 : 1.0) : at,
                         edge_label(duration_histogram::edge(i), edge || i % 3 == 0),
                         !edge && (crowded || end - first > 3)});
        if (i == end) break;
        const auto& counts = x.c.latency->all()[i];
        if (counts.all() == 0) continue;
        const auto committed = static_cast<double>(counts.committed) / axis.top,
                   all = static_cast<double>(counts.all()) / axis.top;
        if (counts.committed > 0) p.bar(at + width * 0.08, width * 0.84, 0, committed);
        if (counts.aborted > 0) p.bar(at + width * 0.08, width * 0.84, committed, all, true);
        p.label(at + width / 2, std::min(0.93, all + 0.02), number(counts.all()), label_kind::plain,
                anchor::centre);
    }
    p.time_labels(edges);
    std::string grey = "Count by time from prepare to outcome, logarithmic classes.";
    if (d.aborted > 0) grey += fmt::format(" Hatched: {}.", count(d.aborted, "abort"));
    if (d.open > 0)
        grey += fmt::format(" {} without an outcome.", count(d.open, "prepare is", "prepares are"));
    return figure_of("Prepare to commit.", latency_sentence(x.c), grey, p.done());
}

namespace {
// To the millisecond at most, so that whole seconds are short.
std::string label_of(std::uint64_t ns) {
    return short_duration(static_cast<std::int64_t>(ns) / 1'000'000 * 1'000'000);
}
}  // namespace

markup lag_figure(figure_context& x) {
    std::vector<point> values;
    std::vector<std::string> labels;
    std::vector<std::int64_t> loud;
    for (const auto* b : x.rows.batches) {
        if (!b->has_lag || b->lag_ns <= 0) continue;
        values.push_back({b->delivered.time_ns, static_cast<std::uint64_t>(b->lag_ns)});
        labels.push_back(fmt::format("batch {}", b->batch));
    }
    if (values.empty()) return {};
    if (!enough_values(values) || x.c.life.length() <= 0) {
        std::string list;
        for (const auto& v : values)
            list += (list.empty() ? "" : ", ") + duration(static_cast<std::int64_t>(v.value));
        return figure_of(
            "Lag.", fmt::format("{}, {} behind.", count(values.size(), "batch", "batches"), list),
            "Too few for a chart.", {});
    }
    const auto [low, high] = std::minmax_element(
        values.begin(), values.end(), [](auto& a, auto& b) { return a.value < b.value; });
    const auto least = static_cast<std::int64_t>(low->value),
               most = static_cast<std::int64_t>(high->value);
    const auto largest = *high;
    const auto logarithmic = most / 100 > least;
    const auto linear_axis = duration_axis(most);
    const auto logs = duration_log_axis(least, most);
    const auto y = [&](std::uint64_t v) {
        return logarithmic ? logs.place(static_cast<std::int64_t>(v))
                           : static_cast<double>(v) / linear_axis.top;
    };
    const auto last = values.back();
    const auto all = values.size();
    if (values.size() > x.most_points) {
        values = thin(values, x.most_points);
        labels.clear();
    }
    plot p(190, fmt::format("Lag of {}: {} at least, {} at most, {} at the end",
                            count(all, "batch", "batches"), duration(least), duration(most),
                            duration(static_cast<std::int64_t>(last.value))));
    p.value_ticks(logarithmic ? logs.ticks : linear_axis.ticks);
    for (const auto& l : x.m.limits) {
        const auto limit = static_cast<std::uint64_t>(l.value * second);
        if (l.name == "canal.lag.time" && limit < largest.value * 2 && y(limit) > 0)
            p.limit(y(limit));
    }
    std::vector<std::pair<double, double>> line;
    for (const auto& v : values) line.emplace_back(share_of(x.c.life, v.at), y(v.value));
    p.thin_line(line);
    if (line.size() <= 60) {
        for (const auto& [px, py] : line) p.dot(px, py);
    }
    // The largest and the last one have their values beside them, all of them if they are few and
    // apart.
    double before = -1;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto [px, py] = line[i];
        const auto wanted = values.size() <= 6 || values[i] == largest || i + 1 == values.size();
        if (!wanted || (before >= 0 && px - before < 0.14)) continue;
        p.label(px < 0.5 ? px + 0.012 : px - 0.012, std::min(0.92, py + 0.02),
                label_of(values[i].value), label_kind::data,
                px < 0.5 ? anchor::left : anchor::right,
                !(values[i] == largest) && i + 1 != values.size());
        before = px;
    }
    p.time_labels(time_ticks(x.c.life));
    p.readable(x.c.life, values, "s behind", 1e9, labels);
    if (values.size() >= zoom_from) p.zoomable(false, 0, true), x.zoom = true;
    std::string grey = "Packet time minus execute time of the newest entry, at each delivery.";
    if (logarithmic) grey += " Logarithmic scale.";
    const auto sentence = fmt::format("From {} to {} in {}, {} at the end.", duration(least),
                                      duration(most), count(all, "batch", "batches"),
                                      duration(static_cast<std::int64_t>(last.value)));
    return figure_of("Lag.", sentence, grey, p.done(), values.size() >= zoom_from);
}

}  // namespace cdcscope::report
