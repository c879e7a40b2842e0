// Lanes: things that last or happen, one lane a thing, over the time of a connection. Drawn without
// script.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/report/html_writer.h"
#include "analyzer/report/model.h"
#include "analyzer/report/series.h"

namespace cdcscope::report {

enum class bar_style : std::uint8_t {
    solid,
    dashed,
    hatched
};  // over; goes on; waiting or without an outcome

class lanes {
  public:
    // `label` says in words what is drawn.
    lanes(const time_span& span, std::string_view label);

    void lane(std::string_view name);  // what follows is drawn in it
    void bar(std::int64_t from, std::int64_t to, bar_style style);
    // A tick for each of at most `most` slots of time that has something; its opacity in four steps
    // by how much.
    // `text` stands before the first or behind the last, if there is room.
    void ticks(const time_sums& sums, std::size_t most, bool soft = false,
               std::string_view text = {});
    // One tick.
    void tick(std::int64_t at, bool soft = false);
    // Behind (or, near the right edge, before) what is at [from, to].
    void text(std::int64_t from, std::int64_t to, std::string_view text);
    void mark(std::int64_t at, const markup& shape, std::string_view href);

    // An axis may end a little before what it shows (axis_span).
    [[nodiscard]] bool covers(std::int64_t at) const noexcept {
        const auto just = span_.length() / 200;
        return at >= span_.from - just && at <= span_.to + just;
    }
    [[nodiscard]] const time_span& span() const noexcept { return span_; }
    [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
    [[nodiscard]] markup done();

  private:
    [[nodiscard]] double place(std::int64_t at) const;

    time_span span_;
    std::string label_;
    html_writer w_;
    std::size_t count_ = 0;
};

}  // namespace cdcscope::report
