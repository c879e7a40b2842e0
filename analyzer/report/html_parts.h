// Components of the HTML report, a function each. All give markup with
// everything from the capture escaped.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/report/html_writer.h"
#include "analyzer/report/model.h"
#include "analyzer/report/words.h"

namespace cdcscope::report {

// e, w, n, o: the letters that style sheet and script know a severity by.
[[nodiscard]] char letter(health h) noexcept;
// The shape of a severity; `label` for those who do not see it, empty where a word stands beside.
[[nodiscard]] markup icon(health h, std::string_view label = {}, bool uncertain = false);
// Shape and word: "Warning", "Note, uncertain".
[[nodiscard]] markup severity_badge(health h, bool uncertain, std::string_view state = {});
[[nodiscard]] markup fact_list(const std::vector<fact>& facts);
[[nodiscard]] markup completeness_bar(const byte_account& b);
[[nodiscard]] markup filter_box(std::string_view label, std::string_view text);
// Connections that have details on the page, by number: others cannot be linked to.
class detailed_connections {
  public:
    explicit detailed_connections(const model& m);
    // `text`, linked to the details of the connection if there are any.
    [[nodiscard]] markup link(std::uint32_t id, std::string_view text,
                              std::string_view css = {}) const;
    // In order of their number.
    [[nodiscard]] const std::vector<const connection*>& all() const noexcept { return all_; }

  private:
    std::vector<const connection*> all_;
};
// "connection 4", linked.
[[nodiscard]] markup connection_link(const model& m, const detailed_connections& details,
                                     std::uint32_t id);

struct column {
    std::string_view label;
    bool right = false;
};

enum class table_style : std::uint8_t {
    stack,
    grid
};  // on narrow screens: rows become cards, or the table scrolls

// A table in a scrolling region. Cells are added row by row, in the order of the columns.
class table {
  public:
    table(std::string_view id, std::string_view caption, std::vector<column> columns,
          table_style style, bool sortable = true);

    void row(health h = health::ok);
    void cell(const markup& content, std::optional<double> sort_by = {}, std::string_view css = {});
    void cell(std::string_view content, std::optional<double> sort_by = {});
    [[nodiscard]] markup done();

  private:
    html_writer w_;
    std::vector<column> columns_;
    table_style style_;
    std::size_t next_ = 0;
    bool in_row_ = false;
};

// Search box and boxes for severities above a list: `id` of the list, `items` as a selector inside
// it.
[[nodiscard]] markup list_filter(std::string_view id, std::string_view items,
                                 std::string_view label, std::string_view hint, bool severities,
                                 std::string_view button = {});
[[nodiscard]] markup no_match(std::string_view id, std::string_view text);

// Sections, in the order of the page.
[[nodiscard]] markup verdict_section(const model& m);
[[nodiscard]] markup capture_section(const model& m);
[[nodiscard]] markup connections_section(const model& m);
[[nodiscard]] markup findings_section(const model& m);
struct details_result {
    markup html;
    bool zoom = false;  // a chart offers zooming
};
[[nodiscard]] details_result details_section(const model& m);
[[nodiscard]] markup streams_section(const model& m);
[[nodiscard]] markup batches_section(const model& m);
[[nodiscard]] markup about_section(const model& m);

}  // namespace cdcscope::report
