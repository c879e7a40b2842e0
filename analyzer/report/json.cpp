#include "analyzer/report/json.h"

#include "analyzer/report/format.h"
#include "analyzer/report/json_parts.h"
#include "analyzer/report/words.h"
#include "proto/wire/utf8.h"

namespace cdcscope::report {
namespace {

std::string_view name_of(verdict_kind o) {
    constexpr std::string_view names[] = {"findings",  "notes",   "clean",
                                          "encrypted", "nothing", "outside"};
    return names[static_cast<std::size_t>(o)];
}

void put_verdict(json_writer& w, const model& m) {
    w.name("verdict").begin_object();
    w.field("result", name_of(m.result));
    put_text(w, "headline", m.headline);
    put_text(w, "text", m.second_line);
    if (!m.strip.empty()) put_text(w, "warning", m.strip);
    if (!m.guess.empty()) put_text(w, "try", m.guess);
    w.field("errors", m.hits.errors).field("warnings", m.hits.warnings);
    w.field("notes", m.hits.notes).field("chats", m.hits.chats);
    w.field("setAside", m.hits.set_aside);
    w.field("findings", std::uint64_t{m.cards.size()});
    w.field("rules", m.rules);
    w.end_object();
}

void put_limits(json_writer& w, const model& m) {
    w.name("thresholds").begin_object();
    for (const auto& l : m.limits) {
        w.name(l.name).begin_object();
        w.field("value", l.value).field("unit", std::string_view{l.unit}).end_object();
    }
    w.end_object();
}

void put_left_out(json_writer& w, const model& m) {
    w.name("leftOut").begin_object();
    w.field("streams", m.streams_left_out).field("durableWrites", m.writes_left_out);
    w.field("operations", m.operations_left_out).field("batches", m.batches_left_out);
    w.field("transactions", m.transactions_left_out).field("resume", m.positions_left_out);
    std::uint64_t hits = 0;
    for (const auto& f : m.findings) hits += f.count - f.hits.size();
    w.field("hits", hits);
    w.end_object();
}

}  // namespace

void put_text(json_writer& w, std::string_view text) {
    if (is_utf8(as_bytes(text))) {
        w.string(plain_spaces(text));
    } else {
        w.string(plain_spaces(printable(text)));
    }
}

void put_text(json_writer& w, std::string_view key, std::string_view text) {
    w.name(key);
    put_text(w, text);
}

void put_time(json_writer& w, std::string_view key, std::int64_t ns) {
    w.field(key, std::string_view{rfc3339(ns)});
}

void put_ms(json_writer& w, std::string_view key, std::int64_t ns) {
    w.field(key, static_cast<double>(ns / 1000) / 1000.0);
}

void put_frame(json_writer& w, const model& m, std::string_view key, const frame_ref& at) {
    if (at.frame == 0) return;
    w.name(key).begin_object();
    put_text(w, "file", m.file_name(at.file));
    w.field("frame", at.frame);
    put_time(w, "time", at.time_ns);
    w.end_object();
}

void put_bytes(json_writer& w, const byte_account& b) {
    w.field("streamBytes", b.stream).field("messageBytes", b.message);
    w.field("gapBytes", b.gap).field("unparsedBytes", b.unparsed);
}

std::string render_json(const model& m) {
    std::string out;
    write_json(m, [&](std::string_view piece) { out += piece; });
    return out;
}

void write_json(const model& m, const std::function<void(std::string_view)>& take) {
    json_writer w(take);
    w.begin_object();
    w.field("format", 1);
    w.field("program", std::string_view{m.program});
    if (!m.command.empty()) put_text(w, "command", m.command);
    if (!m.settings.empty()) put_text(w, "settings", m.settings);
    if (m.made_ns != 0) put_time(w, "made", m.made_ns);
    put_verdict(w, m);
    put_capture(w, m);
    put_findings(w, m);
    put_cards(w, m);
    put_connections(w, m);
    put_streams(w, m);
    put_writes(w, m);
    put_operations(w, m);
    put_batches(w, m);
    put_transactions(w, m);
    put_positions(w, m);
    put_limits(w, m);
    put_left_out(w, m);
    w.end_object();
    w.flush();
}

}  // namespace cdcscope::report
