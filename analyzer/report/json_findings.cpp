// findings[] and cards[] of the JSON report.
#include <variant>

#include "analyzer/report/format.h"
#include "analyzer/report/json_parts.h"
#include "analyzer/report/words.h"

namespace cdcscope::report {
namespace {

struct figure_writer {
    json_writer& w;
    std::string_view key;
    void operator()(bool v) const { w.field(key, v); }
    void operator()(std::uint64_t v) const { w.field(key, v); }
    void operator()(std::int64_t v) const { w.field(key, v); }
    void operator()(double v) const { w.field(key, v); }
    void operator()(const std::string& v) const { put_text(w, key, v); }
    void operator()(const std::vector<std::uint64_t>& v) const {
        w.name(key).begin_array();
        for (const auto n : v) w.number(n);
        w.end_array();
    }
};

void put_figures(json_writer& w, const std::vector<findings::figure>& figures) {
    w.name("figures").begin_object();
    for (const auto& f : figures) std::visit(figure_writer{w, f.name}, f.value);
    w.end_object();
}

void put_span(json_writer& w, const model& m, const frame_ref& first, const frame_ref& last) {
    w.name("frames").begin_array().number(first.frame).number(last.frame).end_array();
    put_text(w, "file", m.file_name(first.file));
    if (last.file != first.file) put_text(w, "lastFile", m.file_name(last.file));
}

void put_finding(json_writer& w, const model& m, const rule_finding& f) {
    w.begin_object();
    w.field("code", std::string_view{f.code});
    if (!f.rule.empty()) w.field("rule", std::string_view{f.rule});
    w.field("severity", findings::name(f.level));
    if (f.uncertain) w.field("uncertain", true);
    if (f.set_aside) w.field("setAside", true);
    if (f.connection != 0) w.field("connection", f.connection);
    put_span(w, m, f.first, f.last);
    w.field("count", f.count);
    if (f.card != no_card) w.field("card", std::uint64_t{f.card + 1});
    if (!f.hits.empty()) {
        put_time(w, "time", f.hits.front().last.time_ns);
        put_text(w, "text", f.hits.front().text);
        put_figures(w, f.hits.front().figures);
        if (f.hits.front().before) w.field("beganBefore", true);
    }
    if (f.count > 1) {
        w.name("hits").begin_array();
        for (const auto& h : f.hits) {
            w.begin_object();
            put_span(w, m, h.first, h.last);
            put_time(w, "time", h.last.time_ns);
            put_text(w, "text", h.text);
            put_figures(w, h.figures);
            if (h.before) w.field("beganBefore", true);
            w.end_object();
        }
        w.end_array();
    }
    w.end_object();
}

void put_evidence(json_writer& w, const model& m, const card& c) {
    w.name("evidence").begin_array();
    for (const auto& e : c.shown) {
        w.begin_object();
        put_text(w, "file", m.file_name(e.at.file));
        w.field("frame", e.at.frame);
        put_time(w, "time", e.at.time_ns);
        put_text(w, "text", e.what);
        w.end_object();
    }
    w.end_array();
    w.field("evidenceLeftOut", c.evidence_left_out);
}

void put_card(json_writer& w, const model& m, std::size_t i) {
    const auto& c = m.cards[i];
    w.begin_object();
    w.field("card", std::uint64_t{i + 1}).field("code", std::string_view{c.code});
    w.name("rules").begin_array();
    for (const auto& rule : c.rules) w.string(rule);
    w.end_array();
    w.field("severity", findings::name(c.level)).field("uncertain", c.uncertain);
    if (c.connection != 0) w.field("connection", c.connection);
    put_span(w, m, c.first, c.last);
    w.field("count", c.count).field("goingOn", c.going_on);
    if (c.began_before) w.field("beganBefore", true);
    if (c.amount_ns != 0) put_ms(w, "durationMs", c.amount_ns);
    put_text(w, "title", c.title);
    put_text(w, "brief", c.brief);
    put_text(w, "text", c.text);
    put_text(w, "why", c.why);
    put_text(w, "state", c.state);
    put_evidence(w, m, c);
    put_text(w, "meaning", c.meaning);
    w.name("advice").begin_array();
    for (const auto& step : c.advice) put_text(w, step);
    w.end_array();
    w.name("filters").begin_array();
    for (const auto& f : c.filters) {
        w.begin_object();
        put_text(w, "label", f.label);
        put_text(w, "filter", f.expression);
        w.field("plugin", f.needs_plugin);
        w.end_object();
    }
    w.end_array();
    w.end_object();
}

}  // namespace

void put_findings(json_writer& w, const model& m) {
    w.name("findings").begin_array();
    for (const auto& f : m.findings) put_finding(w, m, f);
    w.end_array();
}

void put_cards(json_writer& w, const model& m) {
    w.name("cards").begin_array();
    for (std::size_t i = 0; i < m.cards.size(); ++i) put_card(w, m, i);
    w.end_array();
}

}  // namespace cdcscope::report
