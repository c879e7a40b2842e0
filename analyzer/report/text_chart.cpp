#include "analyzer/report/text_chart.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/report/format.h"
#include "analyzer/report/layout.h"

namespace cdcscope::report {

std::string window_chart(const connection& c, std::size_t width) {
    const auto points = c.window.points();
    if (points.empty() || c.flow->window == 0 || c.flow->peak < c.flow->window ||
        c.life.length() <= 0)
        return {};
    const auto top = number(c.flow->peak), limit = number(c.flow->window);
    const auto label = std::max(top.size(), limit.size());
    const auto columns = width - std::min(width - 20, label + 5);

    // Full in a column if it was so at any moment of it.
    std::vector<bool> full(columns, false);
    const auto column = [&](std::int64_t at) {
        const auto share =
            static_cast<double>(at - c.life.from) / static_cast<double>(c.life.length());
        return std::min(columns - 1, static_cast<std::size_t>(std::max(0.0, share) *
                                                              static_cast<double>(columns)));
    };
    for (const auto& span : c.flow->full) {
        // The first column stays below it: the line has to rise somewhere.
        for (auto i = std::max<std::size_t>(1, column(span.from)); i <= column(span.to); ++i)
            full[i] = true;
    }
    std::string above, at, below;
    constexpr std::string_view name = " window ";
    for (std::size_t i = 0; i < columns; ++i) {
        const auto rises = full[i] && (i == 0 || !full[i - 1]);
        const auto falls = !full[i] && i > 0 && full[i - 1];
        above += full[i] ? (rises ? '.' : '-') : ' ';
        at += rises || falls ? (rises ? ':' : '\'') : (i % 2 == 0 ? '-' : ' ');
        below += full[i] ? (rises ? '|' : ' ') : '_';
    }
    const auto place = std::min<std::size_t>(columns / 8, columns - std::min(columns, name.size()));
    at.replace(place, name.size(), name);

    std::int64_t longest = 0;
    for (const auto& span : c.flow->full) longest = std::max(longest, span.length());
    // To the end of the connection, as the words beside it count.
    if (c.flow->full_at_end) longest = std::max(longest, c.life.to - c.flow->filled.time_ns);
    std::string out = "  unacknowledged bytes";
    const auto right = fmt::format("full for {}", plain_spaces(exact_duration(longest)));
    out += width < 80 ? ", " + right : pad_left(right, width - out.size());
    const auto row = [&](std::string_view what, std::string_view line) {
        out += fmt::format("\n  {} |{}", pad_left(what, label), line);
        while (out.back() == ' ') out.pop_back();
    };
    row(top, above);
    row(limit, at);
    row("0", below);
    return out + "\n";
}

}  // namespace cdcscope::report
