// Verdict, what was captured, how the figures are computed.
#include <algorithm>

#include "analyzer/report/format.h"
#include "analyzer/report/html_parts.h"
#include "analyzer/report/plot.h"

namespace cdcscope::report {
namespace {

// The headline's shape: a check mark where nothing is wrong, none where the cards below show what
// is.
bool all_well(const model& m) {
    return m.result == verdict_kind::clean || m.result == verdict_kind::notes_only;
}

void verdict_card(html_writer& w, const model& m, std::size_t i) {
    const auto& c = m.cards[i];
    const auto h = health_of(c.level);
    w.put("<li class=\"v {}\">{}<h2>{}</h2>", std::string(1, letter(h)),
          severity_badge(h, c.uncertain, c.state), title_words(m, c));
    if (!c.why.empty()) w.put("<p>{}</p>", c.why);
    w.put("{}<a class=\"go\" href=\"#f{}\">Evidence and what to do</a></li>", draw_mini(c.chart),
          i + 1);
}

void tally_list(html_writer& w, const model& m) {
    w.raw("<ul class=\"tally\">");
    const auto entry = [&](health h, std::uint64_t n, std::string_view noun) {
        if (n > 0) w.put("<li>{} {}</li>", icon(h), count(n, noun));
    };
    entry(health::error, m.hits.errors, "error");
    entry(health::warning, m.hits.warnings, "warning");
    entry(health::note, m.hits.notes, "note");
    if (!m.cards.empty())
        w.put("<li><span><a class=\"nw\" href=\"#findings\">in {}</a>{}</span></li>",
              count(m.cards.size(), "finding"), folded_words(m));
    if (m.capture.bytes.stream > 0) {
        w.put("<li class=\"soft\">{} of the TCP bytes were read as messages</li>",
              share(m.capture.bytes.message, m.capture.bytes.stream));
    }
    w.raw("</ul>");
}

std::string first_packet(const model& m) {
    return fmt::format("{} {} UTC", date(m.capture.span.from), time_of_day(m.capture.span.from));
}

markup last_packet(const model& m) {
    const auto& s = m.capture.span;
    html_writer w;
    w.put("{}{} UTC<br>{} later", same_date(s.from, s.to) ? "" : date(s.to) + " ",
          time_of_day(s.to), length_words(m));
    return w.take();
}

std::string packets_words(const model& m) {
    const auto& c = m.capture;
    const auto not_tcp = c.other_packets - c.left_out_packets;
    auto rest = not_tcp == 0 ? std::string("all TCP") : fmt::format("{} not TCP", number(not_tcp));
    if (!m.filter.empty())
        rest = fmt::format("{} left out by --filter, of the others {}", number(c.left_out_packets),
                           rest);
    return fmt::format("{} read, {}, {} cut short", number(c.packets), rest, number(c.cut_packets));
}

void files_fact(html_writer& w, const model& m) {
    w.raw("<div class=\"x2 files\"><dt>Files</dt><dd>");
    for (const auto& f : m.capture.files) {
        // The name may be long; the figures stay together.
        w.put("{}: <span class=\"nw\">{}", f.name, count(f.packets, "packet"));
        if (f.bytes > 0) w.put(", {}", bytes(f.bytes));
        if (f.cut) w.raw(", cut off");
        w.raw("</span><br>");
    }
    w.raw("</dd></div>");
}

// "1 hole", which leads to its finding.
markup holes_link(const model& m) {
    html_writer w;
    const auto words = count(m.capture.holes, "hole");
    const auto found = std::find_if(m.cards.begin(), m.cards.end(),
                                    [](const card& c) { return c.code == "tcp.gap"; });
    const auto at = static_cast<std::size_t>(found - m.cards.begin());
    if (found == m.cards.end() || at >= cap::cards) {
        w.put("{}", words);
    } else {
        w.put("<a href=\"#f{}\">{}</a>", at + 1, words);
    }
    return w.take();
}

void completeness(html_writer& w, const model& m) {
    const auto& b = m.capture.bytes;
    w.put(
        "<h3 class=\"sub\">Completeness</h3>{}<ul class=\"key\"><li class=\"soft\">{} of TCP "
        "streams:</li>",
        completeness_bar(b), exact_bytes(b.stream));
    w.put("<li><i class=\"m\"></i><b>{}</b> in messages ({})</li>", exact_bytes(b.message),
          share(b.message, b.stream));
    if (b.gap > 0)
        w.put("<li><i class=\"g\"></i><b>{}</b> never captured: {}</li>", exact_bytes(b.gap),
              holes_link(m));
    if (b.unparsed > 0)
        w.put("<li><i class=\"u\"></i><b>{}</b> unparsed: {}</li>", exact_bytes(b.unparsed),
              unparsed_words(m));
    if (b.gap == 0 && b.unparsed == 0) w.raw("<li>no gap, nothing unparsed</li>");
    w.raw("</ul>");
}

void by_connection(html_writer& w, const model& m) {
    table t("", "Both directions; messages + gap + unparsed = TCP bytes.",
            {{"#", true},
             {"Name"},
             {"TCP bytes", true},
             {"Messages", true},
             {"Gap", true},
             {"Unparsed", true},
             {"Read", true}},
            table_style::stack);
    std::vector<const connection*> order;
    for (const auto& c : m.connections) order.push_back(&c);
    const auto read_share = [](const connection* c) {
        const auto b = bytes_of(*c);
        return b.stream == 0 ? 1.0 : static_cast<double>(b.message) / static_cast<double>(b.stream);
    };
    constexpr std::size_t most = 100;
    if (order.size() > most) {
        std::stable_sort(order.begin(), order.end(),
                         [&](auto* a, auto* b) { return read_share(a) < read_share(b); });
        order.resize(most);
    }
    for (const auto* c : order) {
        const auto b = bytes_of(*c);
        t.row(c->fared);
        t.cell(number(std::uint64_t{c->id}), c->id);
        t.cell(display_name(*c));
        t.cell(exact_bytes(b.stream), static_cast<double>(b.stream));
        t.cell(number(b.message), static_cast<double>(b.message));
        t.cell(number(b.gap), static_cast<double>(b.gap));
        t.cell(number(b.unparsed), static_cast<double>(b.unparsed));
        t.cell(share(b.message, b.stream), read_share(c));
    }
    w.put("<details class=\"more\"><summary>By connection</summary>{}", t.done());
    if (order.size() < m.connections.size()) {
        w.put("<p class=\"small soft\">The {} least complete; and {} more in the JSON.</p>",
              order.size(), number(m.connections.size() - order.size()));
    }
    w.raw("</details>");
}

void observations(html_writer& w, const model& m) {
    if (m.capture.observations.empty()) return;
    table t("", "What was noticed below the protocols; each code once.",
            {{"Code"}, {"Times", true}, {"First"}}, table_style::stack, false);
    for (const auto& o : m.capture.observations) {
        t.row();
        t.cell(o.code);
        t.cell(number(o.count));
        t.cell(o.text);
    }
    w.put("<details class=\"more\"><summary>Notices on packets and TCP</summary>{}</details>",
          t.done());
}

void ports(html_writer& w, const model& m) {
    if (m.capture.ports.empty()) return;
    table t("", "By bytes of TCP payload.",
            {{"Port", true}, {"Connections", true}, {"Bytes", true}, {"Looks like"}},
            table_style::stack);
    for (const auto& p : m.capture.ports) {
        t.row();
        t.cell(fmt::format("{}", p.port), p.port);
        t.cell(number(p.connections), static_cast<double>(p.connections));
        t.cell(bytes(p.bytes), static_cast<double>(p.bytes));
        t.cell(p.looks_like.empty() ? std::string_view{"nothing known"}
                                    : std::string_view{p.looks_like});
    }
    w.put("<div class=\"card\"><h3>Ports in this capture</h3>{}</div>", t.done());
}

std::string limit_words(const model& m, std::string_view name) {
    for (const auto& l : m.limits) {
        if (l.name == name)
            return fmt::format("{:g}{}{}", l.value, l.unit.empty() ? "" : no_break_space, l.unit);
    }
    return {};
}

}  // namespace

markup verdict_section(const model& m) {
    html_writer w;
    w.raw("<section id=\"verdict\">");
    if (!m.strip.empty())
        w.put("<div class=\"strip\">{}<span>{}</span></div>", icon(health::warning), m.strip);
    w.put("<h1>{}{}</h1>", all_well(m) ? icon(health::ok) : markup{}, m.headline);
    w.put("<p class=\"soft\">{}</p>", m.second_line);
    if (!m.guess.empty()) w.put("<div class=\"dfs\">{}</div>", filter_box(m.guess_label, m.guess));
    if (m.result == verdict_kind::findings) {
        w.raw("<ol class=\"top3\">");
        for (std::size_t i = 0; i < std::min<std::size_t>(3, m.cards.size()); ++i)
            verdict_card(w, m, i);
        w.raw("</ol>");
    }
    if (m.result != verdict_kind::nothing_recovered && m.result != verdict_kind::encrypted)
        tally_list(w, m);
    w.raw("</section>");
    return w.take();
}

markup capture_section(const model& m) {
    html_writer w;
    w.raw(
        "<section id=\"capture\"><h2>What was captured</h2><div class=\"card\"><dl "
        "class=\"facts\">");
    files_fact(w, m);
    const auto fact_of = [&](std::string_view label, std::string_view value) {
        w.put("<div><dt>{}</dt><dd>{}</dd></div>", label, value);
    };
    fact_of("First packet", first_packet(m));
    w.put("<div><dt>Last packet</dt><dd>{}</dd></div>", last_packet(m));
    fact_of("Packets", packets_words(m));
    fact_of("Protocols", protocols_sentence(m));
    fact_of("Messages", number(m.capture.messages));
    w.raw("</dl>");
    completeness(w, m);
    if (!m.connections.empty()) by_connection(w, m);
    observations(w, m);
    w.raw("</div>");
    ports(w, m);
    w.raw("</section>");
    return w.take();
}

markup about_section(const model& m) {
    html_writer w;
    w.raw(
        "<section id=\"about\"><h2>How the figures are computed</h2><div class=\"card\"><dl "
        "class=\"facts long\">");
    const auto say = [&](std::string_view label, std::string_view text) {
        w.put("<div><dt>{}</dt><dd>{}</dd></div>", label, text);
    };
    say("Time",
        "Packet time of the packet that completed the message, UTC. Frame numbers are those of the "
        "named file.");
    say("Unacknowledged bytes",
        "Every flow-controlled message of the server adds its size on the wire (a prepare 2 B "
        "more, as the server counts it); each acknowledgement subtracts. Full: at or above the "
        "window.");
    say("Stall", fmt::format("From full to the acknowledgement that frees it, or to the end. Note "
                             "above {}, warning above {}.",
                             limit_words(m, "dcp.flow.stalled.note"),
                             limit_words(m, "dcp.flow.stalled.warning")));
    say("Prepare to commit",
        "COMMIT or ABORT minus PREPARE, paired by vbucket, key and prepare seqno.");
    say("Lag", fmt::format("Time of delivery minus execute time of the newest entry. Contains up "
                           "to 1 s of rounding and the difference of the clocks of database and "
                           "capture host. Warning above {}.",
                           limit_words(m, "canal.lag.time")));
    say("Completeness",
        "Messages + gaps + unparsed bytes = bytes of all TCP streams, duplicates removed. The bar "
        "shows no share thinner than it can be seen.");
    w.raw("</dl><p class=\"small\">");
    w.put("{}", m.program);
    if (m.made_ns != 0)
        w.put(", made {} {} UTC", date(m.made_ns), time_of_day_seconds(m.made_ns).substr(0, 5));
    if (!m.command.empty()) w.put(" with <code>{} -o report.html</code>", m.command);
    if (!m.settings.empty()) w.put("; {}", m.settings);
    const auto changed = std::any_of(m.limits.begin(), m.limits.end(),
                                     [](const limit_value& l) { return l.changed; });
    w.raw(changed ? "; thresholds:" : "; thresholds as shipped");
    for (const auto& l : m.limits) {
        if (l.changed) w.put(" <code>{}={:g}{}</code>", l.name, l.value, l.unit);
    }
    w.raw(". ");
    if (m.hits.chats > 0) w.put("{} ", chats_sentence(m));
    w.raw("Document values and credentials are not part of this page.</p></div></section>");
    return w.take();
}

}  // namespace cdcscope::report
