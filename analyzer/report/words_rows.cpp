// Rows of the tables in words: what the text report lists and the page says in lanes and lists, so
// that both show the same figures.
#include <fmt/format.h>

#include <algorithm>

#include "analyzer/report/format.h"
#include "analyzer/report/words.h"

namespace cdcscope::report {
namespace {

std::string underscores_out(std::string_view name) {
    std::string out(name);
    std::replace(out.begin(), out.end(), '_', ' ');
    return out;
}

std::string snapshot_words(const stream_row& s) {
    if (!s.snapshot_known) return {};
    const auto snapshot = range(s.last_snapshot_start, s.last_snapshot_end);
    if (s.snapshot_complete) return fmt::format("; snapshot {} complete", snapshot);
    return fmt::format("; at {} of snapshot {}", number(s.last_seqno), snapshot);
}

std::string columns_words(const std::vector<std::pair<std::string, std::string>>& columns) {
    std::string out;
    for (const auto& [name, form] : columns)
        out += fmt::format("{}{} {}", out.empty() ? "" : ", ", printable(name), form);
    return out;
}

}  // namespace

std::string type_list(const connection& c) {
    std::string out;
    std::size_t n = 0;
    for (const auto& t : c.by_type) {
        if (n++ == 12) return fmt::format("{} and {} more types", out, c.by_type.size() - 12);
        auto name = underscores_out(t.name);
        if (const auto dot = name.find(".response"); dot != std::string::npos)
            name = name.substr(0, dot) + " answer";
        out +=
            fmt::format("{}{}{}{}", out.empty() ? "" : ", ", number(t.count), no_break_space, name);
    }
    return out;
}

std::string stream_words(const stream_row& s, bool holes) {
    if (s.state == stream_state::refused || s.state == stream_state::rolled_back) {
        auto out = fmt::format("start {}, snapshot {}", number(s.start),
                               range(s.snapshot_start, s.snapshot_end));
        if (s.end != UINT64_MAX) out += fmt::format(", end {}", number(s.end));
        if (s.vbucket_uuid != 0) out += fmt::format(", uuid 0x{:x}", s.vbucket_uuid);
        return out;
    }
    std::string out;
    if (s.state != stream_state::unknown_start && s.asked.frame == 0) {
        out = "request not captured";
    } else if (s.state != stream_state::unknown_start) {
        out = fmt::format("from seqno {}, {}", number(s.start),
                          s.end == UINT64_MAX ? std::string("no end asked")
                                              : fmt::format("to {}", number(s.end)));
    }
    if (s.items > 0) {
        out += fmt::format("{}{}, seqno {}", out.empty() ? "" : "; ", count(s.items, "item"),
                           range(s.first_seqno, s.last_seqno));
    }
    out += snapshot_words(s);
    if (s.repeated > 0)
        out += fmt::format("; {} delivered before, seqno {}", count(s.repeated, "item"),
                           range(s.repeated_first, s.repeated_last));
    if (!holes) return out;
    for (const auto& [from, to] : s.not_captured)
        out += fmt::format("; seqno {} not captured", range(from, to));
    return out;
}

std::string answer_words(const operation& o) {
    if (o.answer_unseen) return "answer not captured";
    if (!o.has_answer) return "none before the connection ended";
    auto out = o.status_name;
    if (o.status != 0) out += fmt::format(" (0x{:02x})", o.status);
    if (o.token)
        out += fmt::format(", mutation token{} seqno {}, vb uuid 0x{:x}",
                           o.partition ? fmt::format(" vb {}", *o.partition) : std::string{},
                           number(o.token->second), o.token->first);
    if (o.server_us) out += fmt::format(", {:.1f}{}µs in the server", *o.server_us, no_break_space);
    return out;
}

std::string request_words(const operation& o) {
    if (o.level.empty()) return o.opcode;
    return fmt::format("{}, {}{}", o.opcode, o.level,
                       o.default_timeout ? ", time-out of the server" : "");
}

std::string waited_words(const operation& o) {
    return o.has_answer ? duration(o.waited_ns) : exact_duration(o.waited_ns) + " +";
}

std::string latency_words(const durable_write& d) {
    return d.how == durable_write::outcome::open ? exact_duration(d.latency_ns) + " +"
                                                 : duration(d.latency_ns);
}

std::string replica_words(const durable_write& d) {
    if (d.replica_unseen) return "not captured";
    return d.replica_ack_ns < 0 ? std::string("none") : "after " + duration(d.replica_ack_ns);
}

std::string item_words(const item_sample& s) {
    auto out = fmt::format("{} {} (vb {}, seqno {}, rev {})", underscores_out(s.event),
                           printable(s.key), s.partition, number(s.seqno), number(s.revision));
    if (s.collection) out += fmt::format(", collection 0x{:x}", *s.collection);
    if (!s.datatype.empty()) out += fmt::format(", {}", fmt::join(s.datatype, " + "));
    out += fmt::format(", value {}", exact_bytes(s.value_bytes));
    if (s.body_bytes > 0 && s.body_bytes != s.value_bytes)
        out += fmt::format(", document {}", exact_bytes(s.body_bytes));
    if (!s.xattrs.empty()) {
        std::string names;
        for (const auto& x : s.xattrs) names += (names.empty() ? "" : ", ") + printable(x);
        out += fmt::format(", xattrs {}", names);
    }
    if (s.snapshot > 0) out += fmt::format(", snapshot {} of its stream", s.snapshot);
    if (s.cut) out += ", cut by the capture";
    return out;
}

std::string row_words(const row_sample& s) {
    auto out = fmt::format("{} {}", s.type.empty() ? "change of" : s.type, printable(s.table));
    if (s.ddl) return fmt::format("{}: {}", out, printable(s.sql));
    if (!s.columns.empty()) out += fmt::format(": {}", columns_words(s.columns));
    if (!s.old.empty()) out += fmt::format("; before: {}", columns_words(s.old));
    if (!s.keys.empty()) {
        std::string names;
        for (const auto& k : s.keys) names += (names.empty() ? "" : ", ") + printable(k);
        out += fmt::format("; key {}", names);
    }
    if (!s.gtid.empty()) out += fmt::format("; gtid {}", printable(s.gtid));
    return out;
}

// canal works off requests in order: what waits behind a GET is done once that is answered, also
// to the batch it brought.
std::string after_words(const batch_row& b) {
    if (b.finished.frame == 0) return {};
    const auto took = b.finished.time_ns - b.delivered.time_ns;
    if (took >= 0) return " after " + duration(took);
    return fmt::format(" on arrival, by a request sent {} before", duration(-took));
}

std::int64_t held_ns(const batch_row& b) noexcept {
    return std::max<std::int64_t>(0, b.finished.time_ns - b.delivered.time_ns);
}

std::string batch_words(const batch_row& b) {
    auto out = fate_words(b) + after_words(b);
    if (b.has_lag) out += fmt::format(", {} behind", duration(b.lag_ns));
    return fmt::format("{}, {}, {}, {}", out, count(b.entries, "entry", "entries"), bytes(b.bytes),
                       content_words(b));
}

std::string transaction_words(const split_transaction& t) {
    return fmt::format("{} in batches {} with {}", printable(t.id), fmt::join(t.batches, ", "),
                       count(t.rows, "row"));
}

std::string resume_remark(const model& m, const stream_row& s) {
    const auto* c = m.find(s.connection);
    if (c == nullptr || c->one_direction || !c->flow->on || c->flow->counted == 0) return {};
    if (c->flow->acknowledgements == 0) return "sent, not acknowledged";
    // The window counts the whole connection: which streams wait in it, it does not say.
    const auto stalled = c->flow->full_at_end && s.last_item_ns > c->flow->last_ack.time_ns;
    return stalled ? "the last ones sent, not acknowledged" : "";
}

}  // namespace cdcscope::report
