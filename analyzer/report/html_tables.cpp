// The tables: connections, streams, batches. Rows beyond the cap stay in the JSON; the worst are on
// the page.
#include <algorithm>

#include "analyzer/report/format.h"
#include "analyzer/report/html_parts.h"

namespace cdcscope::report {
namespace {

// Indices of at most cap::table_rows rows in their own order: if there are more, the worst.
template <typename Rows>
std::vector<std::size_t> chosen(const Rows& rows) {
    std::vector<std::size_t> order(rows.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (order.size() <= cap::table_rows) return order;
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return rows[a].fared > rows[b].fared; });
    order.resize(cap::table_rows);
    return order;
}

void left_out(html_writer& w, std::uint64_t n) {
    if (n > 0)
        w.put("<p class=\"small soft\">The worst are shown; and {} more in the JSON.</p>",
              number(n));
}

markup life_bar(const model& m, const connection& c) {
    html_writer w;
    const auto& span = m.capture.span;
    const auto place = [&](std::int64_t at) {
        return span.length() <= 0 ? 0.0
                                  : std::clamp(static_cast<double>(at - span.from) /
                                                   static_cast<double>(span.length()) * 100,
                                               0.0, 100.0);
    };
    const auto from = place(c.life.from), to = place(c.life.to);
    w.put(
        "<div class=\"life\" aria-hidden=\"true\"><i style=\"left:min({:.2f}%,calc(100% - "
        "4px));width:{:.2f}%\"></i>",
        from, to - from);
    if (c.flow->full_at_end) {
        const auto since = place(c.flow->filled.time_ns);
        w.put("<i class=\"st\" style=\"left:{:.2f}%;width:{:.2f}%\"></i>", since, to - since);
    }
    if (c.fared >= health::warning && !c.cards.empty()) {
        const auto at = std::clamp(place(m.cards[c.cards.front()].last.time_ns), 3.0, 97.0);
        w.put(
            "<svg class=\"{0}\" style=\"left:{1:.1f}%\" viewBox=\"0 0 20 20\"><use "
            "href=\"#i-{0}\"/></svg>",
            std::string(1, letter(c.fared)), at);
    }
    w.raw("</div>");
    return w.take();
}

markup health_cell(const connection& c) {
    html_writer w;
    const auto words = c.condition.empty() ? std::string("no findings") : c.condition;
    w.put("<span class=\"badge {}\">{} {}</span>", std::string(1, letter(c.fared)),
          icon(c.fared, capitalized(word(c.fared))), capitalized(words));
    return w.take();
}

void connection_row(table& t, const model& m, const detailed_connections& details,
                    const connection& c) {
    const auto all = bytes_of(c).stream;
    html_writer name, ends;
    name.put("<span class=\"ph\">{}. </span>{}<br><span class=\"soft small\">{}</span>", c.id,
             details.link(c.id, display_name(c), "nm"), role_and_target(c));
    ends.put("<span class=\"nw\">{}</span><br><span class=\"soft nw\">→ {}</span>", c.client,
             c.server);
    t.row(c.fared);
    t.cell(details.link(c.id, fmt::format("{}", c.id)), c.id, "id");
    t.cell(name.take(), {}, "name");
    t.cell(ends.take());
    t.cell(number(messages_of(c)), static_cast<double>(messages_of(c)));
    t.cell(bytes(all), static_cast<double>(all));
    t.cell(life_bar(m, c), static_cast<double>(c.life.from - m.capture.span.from) / 1e9);
    t.cell(health_cell(c), static_cast<double>(static_cast<int>(c.fared)), "health");
}

std::string stream_name(const stream_row& s) {
    return s.stream_id ? fmt::format("{}, sid {}", s.partition, *s.stream_id)
                       : fmt::format("{}", s.partition);
}

std::string lived(const model& m, const stream_row& s) {
    const auto ns = lifetime_of(m, s);
    return ns < 0 ? std::string(nothing) : duration(ns);
}

void stream_cells(table& t, const model& m, const detailed_connections& details,
                  const stream_row& s) {
    const auto refused = s.state == stream_state::refused || s.state == stream_state::rolled_back;
    const auto unknown = s.state == stream_state::unknown_start;
    html_writer state;
    state.put("<span class=\"nw\">{} {}</span>", icon(s.fared, capitalized(word(s.fared))),
              state_words(s));
    t.row(s.fared);
    t.cell(details.link(s.connection, fmt::format("{}", s.connection)), s.connection);
    t.cell(stream_name(s), s.partition);
    t.cell(state.take());
    t.cell(unknown ? "not captured" : number(s.start), static_cast<double>(s.start));
    t.cell(unknown               ? "not captured"
           : s.end == UINT64_MAX ? "no end"
                                 : number(s.end),
           static_cast<double>(s.end));
    t.cell(number(s.snapshots), static_cast<double>(s.snapshots));
    t.cell(s.items == 0 ? std::string(nothing) : number(s.last_seqno),
           refused ? -1.0 : static_cast<double>(s.last_seqno));
    t.cell(number(s.items), static_cast<double>(s.items));
    t.cell(s.asked.frame == 0 ? "not captured" : time_words(m, s.asked.time_ns),
           static_cast<double>(s.asked.time_ns - m.capture.span.from) / 1e9);
    t.cell(lived(m, s));
}

void batch_cells(table& t, const model& m, const detailed_connections& details,
                 const batch_row& b) {
    html_writer state;
    state.put("<span class=\"nw\">{} {}</span>", icon(b.fared, capitalized(word(b.fared))),
              state_words(b));
    const auto to_ack = held_ns(b);
    const auto acked = b.finished.frame != 0;
    const auto early = acked && b.finished.time_ns < b.delivered.time_ns;
    t.row(b.fared);
    t.cell(details.link(b.connection, fmt::format("{}", b.connection)), b.connection);
    t.cell(b.destination);
    t.cell(number(b.batch), static_cast<double>(b.batch));
    t.cell(state.take());
    t.cell(b.has_lag ? duration(b.lag_ns) : std::string(nothing),
           static_cast<double>(b.lag_ns) / 1e9);
    t.cell(early   ? std::string("on arrival")
           : acked ? duration(to_ack)
                   : std::string(nothing),
           acked ? static_cast<double>(to_ack) / 1e9 : 1e12);
    t.cell(time_words(m, b.delivered.time_ns),
           static_cast<double>(b.delivered.time_ns - m.capture.span.from) / 1e9);
    t.cell(number(b.entries), static_cast<double>(b.entries));
    t.cell(bytes(b.bytes), static_cast<double>(b.bytes));
    t.cell(content_words(b));
}

void positions(html_writer& w, const model& m) {
    if (m.positions.empty()) return;
    table t(
        "", std::string(resume_positions),
        {{"Server"}, {"Destination"}, {"Client"}, {"Position"}, {"Batch", true}, {"Executed at"}},
        table_style::stack, false);
    for (const auto& p : m.positions) {
        t.row();
        t.cell(p.server);
        t.cell(p.destination);
        t.cell(p.client_id);
        t.cell(fmt::format("{}:{}{}", p.journal, p.position, p.gtid.empty() ? "" : ", " + p.gtid));
        t.cell(number(p.batch));
        t.cell(p.executed_ms > 0 ? fmt::format("{} {}", date(p.executed_ms * 1'000'000),
                                               time_of_day_seconds(p.executed_ms * 1'000'000))
                                 : std::string(nothing));
    }
    w.put("<h3>Where to go on</h3>{}", t.done());
}

}  // namespace

markup connections_section(const model& m) {
    html_writer w;
    const detailed_connections details(m);
    w.raw(
        "<section id=\"connections\"><h2>Connections</h2><p class=\"soft\">Who talks to whom, "
        "when, and how it went.</p><div class=\"card\">");
    const auto rows = chosen(m.connections);
    if (m.connections.size() > 20)
        w.put("{}", list_filter("ctab", "tbody tr", "Filter connections",
                                "Filter: name, address, stalled", false));
    table t(
        "ctab",
        fmt::format(
            "{} Bar: life of the connection between {} and {}, the shape on it its worst finding.",
            rows.size() == m.connections.size() ? "In order of first packet." : "The worst first.",
            time_of_day_seconds(m.capture.span.from), time_of_day_seconds(m.capture.span.to)),
        {{"#"},
         {"Name and role"},
         {"Client → server"},
         {"Messages", true},
         {"TCP bytes", true},
         {"When"},
         {"Health"}},
        table_style::stack);
    for (const auto i : rows) connection_row(t, m, details, m.connections[i]);
    w.put("{}", t.done());
    if (m.connections.size() > 20)
        w.put("{}", no_match("ctab", "No connection matches the filter."));
    left_out(w, m.connections.size() - rows.size());
    w.raw("</div></section>");
    return w.take();
}

namespace {
// From where a consumer can go on: what it has to ask for.
void resume_table(html_writer& w, const model& m, const detailed_connections& details) {
    std::vector<const stream_row*> rows;
    for (const auto& s : m.streams) {
        if (s.resumable && s.items > 0) rows.push_back(&s);
    }
    if (rows.empty()) return;
    const auto shown = std::min(rows.size(), cap::table_rows);
    table t(
        "", std::string(resume_streams),
        {{"Conn"}, {"vb", true}, {"vbucket UUID", true}, {"Start seqno", true}, {"Snapshot", true}},
        table_style::grid);
    for (std::size_t i = 0; i < shown; ++i) {
        const auto& s = *rows[i];
        t.row(s.fared);
        t.cell(details.link(s.connection, fmt::format("{}", s.connection)), s.connection);
        t.cell(stream_name(s), s.partition);
        t.cell(s.resume_uuid == 0 ? std::string("not captured")
                                  : fmt::format("0x{:x}", s.resume_uuid));
        t.cell(number(s.resume_seqno), static_cast<double>(s.resume_seqno));
        const auto remark = resume_remark(m, s);
        t.cell(fmt::format("{}{}{}", range(s.resume_snapshot_start, s.resume_snapshot_end),
                           remark.empty() ? "" : "; ", remark));
    }
    w.put("<details class=\"more\"><summary>Where to resume</summary>{}</details>", t.done());
    if (shown < rows.size())
        w.put("<p class=\"small soft\">And {} more in the JSON.</p>", number(rows.size() - shown));
}
}  // namespace

markup streams_section(const model& m) {
    html_writer w;
    const detailed_connections details(m);
    if (m.streams.empty()) return w.take();
    w.put("<section id=\"streams\"><h2>Streams</h2><div class=\"card\">{}",
          list_filter("stab", "tbody tr", "Filter streams", "Filter: refused, open, 1023", false));
    table t("stab",
            "Requested and refused streams of all connections. Times are those of the request.",
            {{"Conn"},
             {"vb", true},
             {"State"},
             {"From", true},
             {"To", true},
             {"Snapshots", true},
             {"Last seqno", true},
             {"Items", true},
             {"Asked at", true},
             {"Lived", true}},
            table_style::grid);
    const auto rows = chosen(m.streams);
    for (const auto i : rows) stream_cells(t, m, details, m.streams[i]);
    w.put("{}{}", t.done(), no_match("stab", "No stream matches the filter."));
    left_out(w, m.streams.size() - rows.size() + m.streams_left_out);
    resume_table(w, m, details);
    w.raw("</div></section>");
    return w.take();
}

markup batches_section(const model& m) {
    html_writer w;
    const detailed_connections details(m);
    if (m.batches.empty() && m.positions.empty()) return w.take();
    std::uint64_t polls = 0;
    for (const auto& c : m.connections) polls += c.canal->empty_polls;
    w.put("<section id=\"batches\"><h2>Batches</h2><div class=\"card\">{}",
          list_filter("btab", "tbody tr", "Filter batches", "Filter: destination, lag, refused",
                      false));
    const auto without =
        polls == 0 ? std::string{}
                   : fmt::format(" {} left out.", count(polls, "empty poll is", "empty polls are"));
    table t("btab", "Batches of all canal connections." + without,
            {{"Conn"},
             {"Destination"},
             {"Batch", true},
             {"State"},
             {"Lag", true},
             {"To ack", true},
             {"Delivered", true},
             {"Entries", true},
             {"Bytes", true},
             {"What"}},
            table_style::grid);
    const auto rows = chosen(m.batches);
    for (const auto i : rows) batch_cells(t, m, details, m.batches[i]);
    w.put("{}{}", t.done(), no_match("btab", "No batch matches the filter."));
    left_out(w, m.batches.size() - rows.size() + m.batches_left_out);
    positions(w, m);
    w.raw("</div></section>");
    return w.take();
}

}  // namespace cdcscope::report
