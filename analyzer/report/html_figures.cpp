// Charts over values: receive window, throughput, latency, lag.
#include "analyzer/report/html_figures.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "analyzer/report/axis.h"
#include "analyzer/report/format.h"
#include "analyzer/report/html_parts.h"
#include "analyzer/report/plot.h"
#include "analyzer/report/window_span.h"
#include "analyzer/report/words.h"

namespace cdcscope::report {
namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t most_bars = 120;

double share_of(const time_span& span, std::int64_t at) {
    return span.length() <= 0 ? 0
                              : std::clamp(static_cast<double>(at - span.from) /
                                               static_cast<double>(span.length()),
                                           0.0, 1.0);
}

bool enough_values(std::span<const point> values) {
    std::set<std::uint64_t> seen;
    for (const auto& p : values) {
        seen.insert(p.value);
        if (seen.size() >= 3) return true;
    }
    return false;
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
        return fmt::format("Full from {} to the end, for {}{}{}.", time_of_day(since),
                           exact_duration(c.life.to - since),
                           f.filled_by.empty() ? "" : fmt::format(": {} fills it", f.filled_by),
                           f.acknowledgements == 0 ? ", nothing is ever acknowledged" : "");
    }
    if (f.full_times == 1) return fmt::format("Full once, for {}.", duration(f.full_most_ns));
    if (f.full_times > 1) {
        return fmt::format("Full {}, for {}.", count(f.full_times, "time"),
                           durations(f.full_least_ns, f.full_most_ns));
    }
    if (f.acknowledgements == 1 && f.outstanding > 0) {
        const auto prepares = c.durable->prepares;
        return fmt::format(
            "One acknowledgement, {} short{}.", exact_bytes(f.outstanding),
            f.outstanding == 2 * prepares
                ? fmt::format(": 2{}B for each of {}", no_break_space, count(prepares, "prepare"))
                : std::string{});
    }
    return f.window == 0 ? std::string("No window is in force.")
                         : fmt::format("Never more than {} full.", share(f.peak, f.window));
}

// Beside the fall of the line: what the only acknowledgement took, and what it left.
void label_acknowledgement(plot& p, const connection& c, const time_span& span,
                           std::span<const point> values, double top) {
    const auto& f = *c.flow;
    if (f.acknowledgements != 1) return;
    for (std::size_t i = 1; i < values.size(); ++i) {
        if (values[i].value >= values[i - 1].value) continue;
        const auto x = share_of(span, values[i].at);
        const auto before = static_cast<double>(values[i - 1].value) / top,
                   after = static_cast<double>(values[i].value) / top;
        if (x < 0.3) return;  // no room before it
        p.label(x - 0.01, std::min(0.95, before + 0.02),
                fmt::format("acknowledges {}", exact_bytes(f.acknowledged)), label_kind::data,
                anchor::right);
        if (f.outstanding > 0 && x < 0.94)
            p.label(x + 0.005, after + 0.03, fmt::format("{} left", exact_bytes(f.outstanding)),
                    label_kind::data, anchor::left, true);
        return;
    }
}

markup draw_window(const connection& c, const time_span& span, std::span<const point> values,
                   bool whole, bool compact = false) {
    const auto& f = *c.flow;
    // A window far above all values would press them to the ground.
    const auto limit_shown = f.window > 0 && f.window <= f.peak * 4;
    const auto axis = byte_axis(std::max<std::uint64_t>(f.peak, limit_shown ? f.window : 0));
    const auto y = [&](std::uint64_t v) { return static_cast<double>(v) / axis.top; };
    plot p(180, fmt::format("Unacknowledged bytes between {} and {}: at most {}{}. {}",
                            time_of_day(span.from), time_of_day(span.to), number(f.peak),
                            f.window > 0 ? fmt::format(" of a window of {}", number(f.window))
                                         : std::string{},
                            window_sentence(c)));
    p.value_ticks(axis.ticks);
    for (const auto& full : f.full) {
        if (full.to >= span.from && full.from <= span.to)
            p.area(share_of(span, full.from), share_of(span, full.to));
    }
    if (limit_shown) p.limit(y(f.window));
    // At the left edge stands what was outstanding before.
    std::vector<std::pair<double, double>> line{{0, 0}};
    for (const auto& v : values) {
        if (v.at < span.from) line.front().second = y(v.value);
        if (v.at >= span.from && v.at <= span.to)
            line.emplace_back(share_of(span, v.at), y(v.value));
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
        const auto middle = 0.5 + share_of(span, f.filled.time_ns) / 2;
        p.label(middle, height,
                fmt::format("full for {}", exact_duration(c.life.to - f.filled.time_ns)),
                label_kind::warning, anchor::centre);
        if (f.acknowledgements == 0)
            p.label(middle, height - 0.1, "0 acknowledgements", label_kind::warning, anchor::centre,
                    true);
    }
    label_acknowledgement(p, c, span, values, axis.top);
    if (f.full_times > 1 && !compact && limit_shown && f.peak > f.window) {
        const auto highest = std::max_element(values.begin(), values.end(),
                                              [](auto& l, auto& r) { return l.value < r.value; });
        const auto x = share_of(span, highest->at);
        if (x > 0.3)
            p.label(std::min(0.93, x), std::min(0.97, y(f.peak) + 0.02),
                    fmt::format("peak {}", exact_bytes(f.peak)), label_kind::data, anchor::centre,
                    true);
    }
    if (f.full_times == 0 && f.acknowledgements != 1 && y(f.peak) < 0.75) {
        const auto highest = std::max_element(values.begin(), values.end(),
                                              [](auto& l, auto& r) { return l.value < r.value; });
        const auto x =
            highest == values.end() ? 0.0 : std::clamp(share_of(span, highest->at), 0.08, 0.92);
        p.label(x, y(f.peak) + 0.02, fmt::format("peak {}", exact_bytes(f.peak)), label_kind::data,
                anchor::centre);
    }
    std::vector<point> inside;
    for (const auto& v : values) {
        if (v.at >= span.from && v.at <= span.to) inside.push_back(v);
    }
    p.readable(span, inside, "B unacknowledged");
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
    for (std::size_t i = 0; i < duration_histogram::classes; ++i) {
        const auto in_it = c.latency->all()[i].all();
        if (in_it * 3 < outcomes * 2 || in_it == outcomes) continue;
        return fmt::format("{} of {} outcomes took {} to {}.", number(in_it), number(outcomes),
                           short_duration(duration_histogram::edge(i)),
                           short_duration(duration_histogram::edge(i + 1)));
    }
    return fmt::format("{} took {} to {}.", count(outcomes, "outcome"), duration(d.least_ns),
                       duration(d.most_ns));
}

// " 1 in 100 µs to 200 µs, 10 in 50 ms to 100 ms (2 aborted).": of few classes each.
std::string class_list(const connection& c) {
    std::string out;
    std::size_t n = 0;
    for (std::size_t i = 0; i < duration_histogram::classes; ++i) {
        const auto& counts = c.latency->all()[i];
        if (counts.all() == 0) continue;
        if (++n > 5) return {};
        out += fmt::format("{} {} in {} to {}", n == 1 ? "" : ",", number(counts.all()),
                           short_duration(duration_histogram::edge(i)),
                           short_duration(duration_histogram::edge(i + 1)));
        if (counts.aborted > 0) out += fmt::format(" ({} aborted)", number(counts.aborted));
    }
    return out + ".";
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
    const auto shown = window_span(c);
    const auto zoom = values.size() >= zoom_from;
    x.zoom = x.zoom || zoom;
    const auto sentence = window_sentence(c);
    if (shown.length() * 2 > c.life.length())
        return figure_of("Receive window.", sentence, grey, draw_window(c, x.axis, values, true),
                         zoom);
    const auto part = short_duration(shown.length()), all_of_it = duration(c.life.length());
    if (shown.length() * 33 < c.life.length()) {
        grey +=
            fmt::format(" Left: the {} of {} with nearly all changes. Right: the whole connection.",
                        part, all_of_it);
        html_writer both;
        both.put("<div class=\"two\">{}{}</div>", draw_window(c, shown, values, false, true),
                 draw_window(c, x.axis, values, true));
        return figure_of("Receive window.", sentence, grey, both.take(), zoom);
    }
    grey += fmt::format(" Zoomed to the {} of {} with nearly all changes.", part, all_of_it);
    html_writer both;
    both.put("{}<details class=\"more\"><summary>The whole connection, {}</summary>{}</details>",
             draw_window(c, shown, values, true), all_of_it, draw_window(c, x.axis, values, true));
    return figure_of("Receive window.", sentence, grey, both.take(), zoom);
}

// What of the server's bytes a hole took.
markup holes_figure(const figure_context& x) {
    const auto& b = x.c.of[index(direction::s2c)].bytes;
    if (b.gap == 0 || messages_of(x.c) == 0) return {};
    auto sentence = fmt::format("{}: {} in messages, {} never captured", exact_bytes(b.stream),
                                exact_bytes(b.message), exact_bytes(b.gap));
    if (b.unparsed > 0) {
        sentence += fmt::format(", {} unparsed", exact_bytes(b.unparsed));
        if (x.c.of[index(direction::c2s)].bytes.unparsed == 0) {
            if (const auto pieces = pieces_words(x.c); !pieces.empty())
                sentence += fmt::format(" ({})", pieces);
        }
    }
    return figure_of("Bytes from the server.", sentence + ".", "", completeness_bar(b));
}

markup throughput_figure(figure_context& x) {
    const auto& life = x.axis;
    if (x.c.received.empty() || life.length() <= 0) return {};
    // A bar takes as much as can be seen, also where data fill a part of the chart only.
    const auto data = std::max<std::int64_t>(1, x.c.received.last() - x.c.received.first());
    const auto part = std::min(1.0, static_cast<double>(data) / static_cast<double>(life.length()));
    const auto most_of_them = static_cast<std::size_t>(part * most_bars) + 1;
    const auto view = x.c.received.bars(std::min<std::size_t>(most_of_them, x.most_points));
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
    auto sentence = fmt::format("Bytes from the server in each {}.", each);
    const auto& maps = *x.c.steps;
    if (maps.maps > 0)
        sentence += fmt::format(" From {} on {}, {} in all, came with refused requests.",
                                time_of_day(maps.maps_from_ns), count(maps.maps, "cluster map"),
                                bytes(maps.map_bytes));
    return figure_of("Throughput.", sentence, "", p.done());
}

markup latency_figure(const figure_context& x) {
    const auto& d = *x.c.durable;
    const auto [first, end] = x.c.latency->used();
    if (first == end) return {};
    if (d.committed + d.aborted == 2 && d.least_ns != d.most_ns) {
        return figure_of("Prepare to commit.",
                         fmt::format("Two outcomes, after {} and {}.", duration(d.least_ns),
                                     duration(d.most_ns)),
                         "", {});
    }
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
    plot p(180, fmt::format("Histogram of the time from prepare to commit or abort: {}{}",
                            latency_sentence(x.c), class_list(x.c)));
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
    const auto open = std::find_if(x.rows.writes.begin(), x.rows.writes.end(), [](auto* one) {
        return one->how == durable_write::outcome::open;
    });
    if (d.open == 1 && open != x.rows.writes.end()) {
        grey += fmt::format(" 1 prepare, {} (seqno {}), is without an outcome.", (*open)->key,
                            number((*open)->prepare_seqno));
    } else if (d.open > 0) {
        grey += fmt::format(" {} without an outcome.", count(d.open, "prepare is", "prepares are"));
    }
    return figure_of("Prepare to commit.", latency_sentence(x.c), grey, p.done());
}

namespace {
// To the millisecond at most, so that whole seconds are short.
std::string label_of(std::uint64_t ns) {
    return short_duration(static_cast<std::int64_t>(ns) / 1'000'000 * 1'000'000);
}

// What gathered before the first batch, where it is most of all lag and the rest is alike.
std::string backlog_words(const std::vector<const batch_row*>& batches) {
    const batch_row* first = nullptr;
    std::int64_t least = INT64_MAX, most = -1;
    for (const auto* b : batches) {
        if (!b->has_lag || b->lag_ns <= 0) continue;
        if (first == nullptr) {
            first = b;
            continue;
        }
        least = std::min(least, b->lag_ns);
        most = std::max(most, b->lag_ns);
    }
    if (most < 0 || first->lag_ns < 2 * most) return {};
    return fmt::format("A backlog of {} in one batch of {}, then {} behind.",
                       duration(first->lag_ns), bytes(first->bytes), durations(least, most));
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
    std::string each;
    for (std::size_t i = 0; i < values.size() && all <= 6; ++i)
        each += (i == 0 ? ": " : ", ") + label_of(values[i].value);
    plot p(190, fmt::format("Lag of {}{}; {} at least, {} at most, {} at the end",
                            count(all, "batch", "batches"), each, duration(least), duration(most),
                            duration(static_cast<std::int64_t>(last.value))));
    p.value_ticks(logarithmic ? logs.ticks : linear_axis.ticks);
    double limit_at = 0;
    std::string limit_words;
    for (const auto& l : x.m.limits) {
        const auto limit = static_cast<std::uint64_t>(l.value * second);
        if (l.name != "canal.lag.time" || limit >= largest.value * 2 || y(limit) <= 0) continue;
        p.limit(y(limit));
        limit_at = y(limit);
        limit_words = fmt::format("warning above {}", label_of(limit));
    }
    std::vector<std::pair<double, double>> line;
    for (const auto& v : values) line.emplace_back(share_of(x.axis, v.at), y(v.value));
    if (limit_at > 0) {
        // Where the line and its values are farthest from it.
        const auto clear = [&](double at) {
            return std::all_of(line.begin(), line.end(), [&](const auto& one) {
                return std::abs(one.first - at) > 0.15 || std::abs(one.second - limit_at) > 0.3;
            });
        };
        for (const auto at : {0.6, 0.3, 0.8, 0.45}) {
            if (!clear(at)) continue;
            p.label(at, limit_at + 0.02, limit_words, label_kind::warning, anchor::centre, true);
            break;
        }
    }
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
        if (!wanted || (before >= 0 && px - before < 0.1)) continue;
        // On the side where the line leaves most room above the point.
        const auto rise = [&](std::size_t from, std::size_t to) {
            return (line[to].second - line[from].second) /
                   std::max(0.001, std::abs(line[to].first - line[from].first));
        };
        const auto to_left = i == 0 ? 0.0 : rise(i, i - 1),
                   to_right = i + 1 == line.size() ? 0.0 : rise(i, i + 1);
        const auto right = px < 0.08 || (to_right < to_left && px < 0.93);
        const auto above = !right && to_left > 0.3;  // no room on either side
        p.label(above   ? std::min(px, 0.97)
                : right ? px + 0.012
                        : px - 0.012,
                std::min(0.92, py + (above ? 0.07 : 0.03)), label_of(values[i].value),
                label_kind::data,
                above   ? anchor::centre
                : right ? anchor::left
                        : anchor::right,
                !(values[i] == largest) && i + 1 != values.size());
        before = px;
    }
    p.time_labels(time_ticks(x.axis));
    p.readable(x.axis, values, "s behind", 1e9, labels);
    if (values.size() >= zoom_from) p.zoomable(false, 0, true), x.zoom = true;
    std::string grey = "Packet time minus execute time of the newest entry, at each delivery.";
    if (logarithmic) grey += " Logarithmic scale.";
    const auto grows = all == values.size() &&
                       std::adjacent_find(values.begin(), values.end(), [](auto& a, auto& b) {
                           return b.value <= a.value;
                       }) == values.end();
    const auto batches = count(all, "batch", "batches");
    auto sentence =
        fmt::format("From {} to {} in {}, {} at the end.", duration(least), duration(most), batches,
                    duration(static_cast<std::int64_t>(last.value)));
    if (grows) {
        sentence =
            fmt::format("Grows with every batch: from {} to {} in {} and {}.", duration(least),
                        duration(most), batches, duration(last.at - values.front().at));
    } else if (const auto backlog = backlog_words(x.rows.batches); !backlog.empty()) {
        sentence = backlog;
    }
    return figure_of("Lag.", sentence, grey, p.done(), values.size() >= zoom_from);
}

}  // namespace cdcscope::report
