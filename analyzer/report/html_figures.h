// The charts of one connection: each a figure with its caption, or one sentence where there is too
// little to draw.
#pragma once

#include <vector>

#include "analyzer/report/html_writer.h"
#include "analyzer/report/model.h"

namespace cdcscope::report {

// Rows of the tables that belong to one connection.
struct rows_of {
    std::vector<const stream_row*> streams;
    std::vector<const durable_write*> writes;
    std::vector<const operation*> operations;
    std::vector<const batch_row*> batches;
};

struct figure_context {
    const model& m;
    const connection& c;
    time_span axis;  // of all its charts that show the whole of it
    const rows_of& rows;
    std::size_t most_points;   // of one chart
    std::size_t most_samples;  // first items and rows that are listed
    bool zoom = false;         // set if a figure offers zooming
};

inline constexpr std::size_t zoom_from = 500;  // points; below that the drawing shows it all

[[nodiscard]] markup window_figure(figure_context& x);
[[nodiscard]] markup throughput_figure(figure_context& x);
[[nodiscard]] markup holes_figure(const figure_context& x);
[[nodiscard]] markup latency_figure(const figure_context& x);
[[nodiscard]] markup lag_figure(figure_context& x);
[[nodiscard]] markup writes_figure(const figure_context& x);
[[nodiscard]] markup ledger_figure(const figure_context& x);
[[nodiscard]] markup timeline_figure(const figure_context& x);
[[nodiscard]] markup operations_table(const figure_context& x);
[[nodiscard]] markup samples_of(const figure_context& x);

// A figure: bold noun, sentence, grey explanation, drawing.
[[nodiscard]] markup figure_of(std::string_view noun, std::string_view sentence,
                               std::string_view grey, const markup& drawing, bool zoom = false);
// Marks of the findings on the connection, for the last lane.
class lanes;
void findings_lane(lanes& l, const figure_context& x);

}  // namespace cdcscope::report
