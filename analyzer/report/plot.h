// A chart of the page: a drawing that needs no script. Lines and areas are SVG that stretches,
// texts are HTML at per cent positions, so that they keep their size. Positions are from 0 to 1, y
// upwards.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/report/axis.h"
#include "analyzer/report/html_writer.h"
#include "analyzer/report/series.h"

namespace cdcscope::report {

enum class label_kind : std::uint8_t { plain, data, warning, error };
enum class anchor : std::uint8_t { left, centre, right };

class plot {
  public:
    // `label` says in words what the chart shows.
    plot(int height, std::string_view label);

    void value_ticks(const std::vector<tick>& ticks);
    void time_labels(const std::vector<tick>& ticks);
    void area(double from, double to);  // waiting, stalled
    void limit(double y);
    void hole(double x);
    void bar(double x, double width, double from, double to, bool second = false);
    // A step line goes on level to the end of the chart.
    void step_line(std::span<const std::pair<double, double>> points);
    void thin_line(std::span<const std::pair<double, double>> points);
    void dot(double x, double y);
    void label(double x, double y, std::string_view text, label_kind kind, anchor at,
               bool wide_only = false);

    // What the crosshair reads, and what zooming draws: values by time in [span], their unit;
    // labels instead of times if given.
    void readable(const time_span& span, std::span<const point> values, std::string_view unit,
                  double divide_by = 1, std::span<const std::string> labels = {});
    void zoomable(bool steps, std::uint64_t limit_value, bool range_selector);

    [[nodiscard]] markup done();

  private:
    int height_;
    std::string label_, data_, bars_, second_bars_;
    html_writer svg_, texts_;
};

// The small chart of a verdict card.
[[nodiscard]] markup draw_mini(const mini_chart& c);

// `values` in at most `most` points: by column first, least, largest and last, so that no peak is
// lost.
[[nodiscard]] std::vector<point> thin(std::span<const point> values, std::size_t most);

}  // namespace cdcscope::report
