// capture and connections[] of the JSON report.
#include <fmt/format.h>

#include "analyzer/report/format.h"
#include "analyzer/report/json_parts.h"
#include "analyzer/report/window_span.h"
#include "analyzer/report/words.h"

namespace cdcscope::report {
namespace {

std::string_view protocol_name(recover::protocol p) {
    constexpr std::string_view names[] = {"unknown", "dcp", "canal", "canal_admin", "tls", "other"};
    return names[static_cast<std::size_t>(p)];
}

std::string_view end_name(recover::end_kind k) {
    constexpr std::string_view names[] = {"fin", "rst", "reused", "timed_out", "end_of_capture"};
    return names[static_cast<std::size_t>(k)];
}

void put_direction(json_writer& w, std::string_view key, const direction_figures& d) {
    w.name(key).begin_object();
    put_bytes(w, d.bytes);
    w.field("messages", d.messages).field("gaps", d.gaps).field("unparsed", d.unparsed);
    w.field("cutMessages", d.cut_messages).field("snaplenBytes", d.snaplen_bytes);
    w.field("duplicateBytes", d.duplicate_bytes).field("conflictBytes", d.conflict_bytes);
    w.end_object();
}

void put_flow(json_writer& w, const model& m, const flow_figures& f) {
    w.name("flowControl").begin_object();
    w.field("on", f.on);
    if (f.on) {
        w.field("window", f.window)
            .field("counted", f.counted)
            .field("acknowledged", f.acknowledged);
        w.field("acknowledgements", f.acknowledgements)
            .field("peak", f.peak)
            .field("outstanding", f.outstanding);
        w.field("fullTimes", f.full_times).field("fullAtEnd", f.full_at_end);
        if (f.full_times > 0) {
            put_ms(w, "fullLeastMs", f.full_least_ns);
            put_ms(w, "fullMostMs", f.full_most_ns);
        }
        put_frame(w, m, "asked", f.asked);
        put_frame(w, m, "filled", f.filled);
    }
    w.end_object();
}

void put_noop(json_writer& w, const noop_figures& n) {
    w.name("noop").begin_object();
    w.field("enabled", n.enabled);
    if (n.interval_ns > 0) put_ms(w, "intervalMs", n.interval_ns);
    w.field("sent", n.sent).field("answered", n.answered);
    w.end_object();
}

void put_durability(json_writer& w, const connection& c) {
    const auto& d = *c.durable;
    if (d.prepares == 0) return;
    w.name("durability").begin_object();
    w.field("prepares", d.prepares)
        .field("commits", d.committed)
        .field("aborts", d.aborted)
        .field("open", d.open);
    if (d.committed + d.aborted > 0) {
        put_ms(w, "latencyLeastMs", d.least_ns);
        put_ms(w, "latencyMostMs", d.most_ns);
    }
    w.name("latency").begin_array();
    const auto [first, end] = c.latency->used();
    for (auto i = first; i < end; ++i) {
        w.begin_object();
        put_ms(w, "fromMs", duration_histogram::edge(i));
        put_ms(w, "toMs", duration_histogram::edge(i + 1));
        w.field("committed", c.latency->all()[i].committed)
            .field("aborted", c.latency->all()[i].aborted);
        w.end_object();
    }
    w.end_array();
    w.end_object();
}

void put_canal(json_writer& w, const canal_figures& f) {
    w.name("canal").begin_object();
    if (f.filter_sent) put_text(w, "filter", f.filter);
    if (!f.user.empty()) put_text(w, "user", f.user);
    if (!f.password_form.empty()) put_text(w, "password", f.password_form);
    if (f.net_read_timeout_ms >= 0) w.field("netReadTimeoutMs", f.net_read_timeout_ms);
    if (f.net_write_timeout_ms >= 0) w.field("netWriteTimeoutMs", f.net_write_timeout_ms);
    w.field("batches", f.batches)
        .field("acknowledged", f.acknowledged)
        .field("rolledBack", f.rolled_back);
    w.field("open", f.open).field("mostOpen", f.most_open).field("emptyPolls", f.empty_polls);
    w.field("entries", f.entries)
        .field("rows", f.rows)
        .field("ddl", f.ddl)
        .field("errors", f.errors);
    if (f.has_lag) {
        w.name("lag").begin_object();
        put_ms(w, "leastMs", f.lag_least_ns);
        put_ms(w, "averageMs",
               f.lag_batches == 0 ? 0 : f.lag_sum_ns / static_cast<std::int64_t>(f.lag_batches));
        put_ms(w, "mostMs", f.lag_most_ns);
        put_ms(w, "lastMs", f.lag_last_ns);
        w.end_object();
    }
    w.name("tables").begin_array();
    for (const auto& t : f.tables) put_text(w, t);
    w.end_array();
    w.end_object();
}

void put_steps(json_writer& w, const model& m, const dcp_steps& s) {
    if (!s.takeovers.empty()) {
        w.name("takeovers").begin_array();
        for (const auto& t : s.takeovers) {
            w.begin_object().field("vbucket", std::uint32_t{t.partition});
            put_text(w, "state", t.state);
            put_frame(w, m, "at", t.at);
            w.end_object();
        }
        w.end_array();
    }
    if (!s.closes.empty()) {
        w.name("closeRequests").begin_array();
        for (const auto& c : s.closes) {
            w.begin_object().field("vbucket", std::uint32_t{c.partition});
            put_frame(w, m, "asked", c.asked);
            put_frame(w, m, "answered", c.answered);
            if (c.answered.frame != 0)
                w.field("status", std::string_view{fmt::format("0x{:x}", c.status)});
            w.end_object();
        }
        w.end_array();
    }
    if (!s.retries.empty()) {
        w.name("settingsRetried").begin_array();
        for (const auto& r : s.retries) {
            w.begin_object();
            put_text(w, "name", r.name);
            put_text(w, "value", r.value);
            put_frame(w, m, "at", r.at);
            w.end_object();
        }
        w.end_array();
    }
    if (s.maps == 0) return;
    w.name("clusterMaps").begin_object().field("count", s.maps).field("bytes", s.map_bytes);
    put_time(w, "first", s.maps_from_ns);
    w.end_object();
}

void put_strings(json_writer& w, std::string_view key, const std::vector<std::string>& all) {
    w.name(key).begin_array();
    for (const auto& s : all) put_text(w, s);
    w.end_array();
}

void put_item(json_writer& w, const item_sample& s) {
    w.begin_object();
    put_text(w, "event", s.event);
    w.field("vbucket", std::uint32_t{s.partition});
    put_text(w, "key", s.key);
    if (s.collection) w.field("collection", *s.collection);
    w.field("seqno", s.seqno).field("revision", s.revision).field("snapshot", s.snapshot);
    put_strings(w, "datatype", s.datatype);
    w.field("valueBytes", s.value_bytes).field("bodyBytes", s.body_bytes);
    put_strings(w, "xattrs", s.xattrs);
    if (s.cut) w.field("cut", true);
    w.end_object();
}

void put_columns(json_writer& w, std::string_view key,
                 const std::vector<std::pair<std::string, std::string>>& all) {
    w.name(key).begin_object();
    for (const auto& [name, form] : all) put_text(w, printable(name), form);
    w.end_object();
}

void put_row(json_writer& w, const row_sample& s) {
    w.begin_object();
    put_text(w, "table", s.table);
    put_text(w, "type", s.type);
    w.field("isDdl", s.ddl);
    if (!s.gtid.empty()) put_text(w, "gtid", s.gtid);
    if (s.ddl) put_text(w, "sql", s.sql);
    if (!s.keys.empty()) put_strings(w, "pkNames", s.keys);
    put_columns(w, "columns", s.columns);
    put_columns(w, "old", s.old);
    w.end_object();
}

void put_samples(json_writer& w, const connection& c) {
    if (!c.collections.empty()) {
        w.name("collections").begin_array();
        for (const auto& [id, name] : c.collections) {
            w.begin_object().field("id", id);
            put_text(w, "name", name);
            w.end_object();
        }
        w.end_array();
    }
    if (!c.items.empty()) {
        w.name("firstItems").begin_array();
        for (const auto& s : c.items) put_item(w, s);
        w.end_array();
    }
    if (!c.rows.empty()) {
        w.name("firstRows").begin_array();
        for (const auto& s : c.rows) put_row(w, s);
        w.end_array();
    }
}

void put_holes(json_writer& w, const model& m, const connection& c) {
    if (c.holes.empty()) return;
    w.name("holes").begin_array();
    for (const auto& h : c.holes) {
        w.begin_object();
        w.field("kind", h.is_gap ? "gap" : "unparsed").field("dir", name(h.dir));
        w.field("offset", h.offset).field("bytes", h.length).field("why", std::string_view{h.why});
        put_frame(w, m, "at", h.at);
        put_frame(w, m, "before", h.before);
        w.end_object();
    }
    w.end_array();
    w.field("holesLeftOut", c.holes_left_out);
}

void put_closed(json_writer& w, const model& m, const connection& c) {
    if (!c.closed.seen) return;
    w.name("closed").begin_object();
    w.field("by", c.closed.by == direction::c2s ? "client" : "server")
        .field("how", end_name(c.closed.how));
    put_frame(w, m, "at", c.closed.at);
    w.end_object();
}

// How much of its life the charts of the page show, where that is a part of it.
void put_parts(json_writer& w, const model& m, const connection& c) {
    const auto part = [&](std::string_view name, const time_span& span) {
        if (span.length() * 2 < c.life.length()) put_ms(w, name, span.length());
    };
    part("windowChartMs", window_span(c));
    std::vector<const stream_row*> streams;
    for (const auto& s : m.streams) {
        if (s.connection == c.id) streams.push_back(&s);
    }
    part("timelineChartMs", timeline_span(c, streams));
    std::uint64_t here = 0, missing = 0;
    for (const auto* s : streams) {
        here += s->items;
        for (const auto& [from, to] : s->not_captured) missing += to - from + 1;
    }
    if (missing > 0) w.field("itemsCaptured", here).field("itemsSent", here + missing);
    std::vector<const batch_row*> batches;
    for (const auto& b : m.batches) {
        if (b.connection == c.id) batches.push_back(&b);
    }
    part("ledgerChartMs", ledger_span(c, batches));
}

void put_connection(json_writer& w, const model& m, const connection& c) {
    w.begin_object();
    w.field("id", c.id)
        .field("client", std::string_view{c.client})
        .field("server", std::string_view{c.server});
    w.field("protocol", protocol_name(c.carries)).field("role", role_words(c.what));
    put_text(w, "name", c.name);
    put_text(w, "target", c.target);
    if (!c.agent.empty()) put_text(w, "agent", c.agent);
    put_time(w, "from", c.life.from);
    put_time(w, "to", c.life.to);
    put_ms(w, "durationMs", c.life.length());
    w.field("fromStart", c.from_start).field("oneDirection", c.one_direction);
    w.field("health", word(c.fared));
    put_text(w, "condition", c.condition);
    put_direction(w, "c2s", c.of[0]);
    put_direction(w, "s2c", c.of[1]);
    w.name("messages").begin_object();
    for (const auto& t : c.by_type) w.field(t.name, t.count);
    w.end_object();
    put_closed(w, m, c);
    if (c.what == role::canal_client) {
        put_canal(w, *c.canal);
    } else if (c.carries == recover::protocol::dcp) {
        put_flow(w, m, *c.flow);
        put_noop(w, c.noop);
        put_durability(w, c);
        put_steps(w, m, *c.steps);
    }
    if (!c.first_bytes.empty()) put_text(w, "firstBytes", c.first_bytes);
    if (!c.looks_like.empty()) put_text(w, "looksLike", c.looks_like);
    if (c.longest_silence.length() > 0) put_ms(w, "longestSilenceMs", c.longest_silence.length());
    put_parts(w, m, c);
    if (const auto& data = c.ticks[tick_kind::data]; !data.empty()) {
        w.field("dataMessages", data.total());
        put_ms(w, "dataSpanMs", data.last() - data.first());
    }
    put_holes(w, m, c);
    put_samples(w, c);
    w.end_object();
}

}  // namespace

void put_capture(json_writer& w, const model& m) {
    const auto& c = m.capture;
    w.name("capture").begin_object();
    w.name("files").begin_array();
    for (const auto& f : c.files) {
        w.begin_object();
        put_text(w, "name", f.name);
        w.field("packets", f.packets).field("bytes", f.bytes).field("cut", f.cut);
        w.end_object();
    }
    w.end_array();
    put_time(w, "from", c.span.from);
    put_time(w, "to", c.span.to);
    put_ms(w, "durationMs", c.span.length());
    w.name("packets").begin_object();
    w.field("read", c.packets)
        .field("tcp", c.tcp_packets)
        .field("other", c.other_packets)
        .field("cut", c.cut_packets);
    if (!m.filter.empty()) w.field("leftOut", c.left_out_packets);
    w.end_object();
    w.field("messages", c.messages).field("holes", c.holes);
    put_bytes(w, c.bytes);
    w.name("ports").begin_array();
    for (const auto& p : c.ports) {
        w.begin_object();
        w.field("port", std::uint32_t{p.port})
            .field("connections", p.connections)
            .field("bytes", p.bytes);
        if (!p.looks_like.empty()) put_text(w, "looksLike", p.looks_like);
        w.end_object();
    }
    w.end_array();
    w.name("observations").begin_array();
    for (const auto& o : c.observations) {
        w.begin_object();
        w.field("code", std::string_view{o.code}).field("count", o.count).field("bytes", o.bytes);
        if (o.connection != 0) w.field("connection", o.connection);
        put_frame(w, m, "first", o.first);
        put_text(w, "text", o.text);
        w.end_object();
    }
    w.end_array();
    w.end_object();
}

void put_connections(json_writer& w, const model& m) {
    w.name("connections").begin_array();
    for (const auto& c : m.connections) put_connection(w, m, c);
    w.end_array();
}

}  // namespace cdcscope::report
