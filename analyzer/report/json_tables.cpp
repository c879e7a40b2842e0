// streams[], durableWrites[], operations[], batches[] and resume[] of the JSON report.
#include <fmt/format.h>

#include "analyzer/report/format.h"
#include "analyzer/report/json_parts.h"
#include "analyzer/report/words.h"

namespace cdcscope::report {
namespace {

std::string_view name_of(stream_state s) {
    constexpr std::string_view names[] = {"requested", "refused", "rolled_back",  "open",
                                          "ended",     "closed",  "unknown_start"};
    return names[static_cast<std::size_t>(s)];
}

std::string_view name_of(batch_state s) {
    constexpr std::string_view names[] = {"open", "acknowledged", "rolled_back", "forgotten"};
    return names[static_cast<std::size_t>(s)];
}

std::string_view name_of(durable_write::outcome o) {
    constexpr std::string_view names[] = {"open", "committed", "aborted", "completed_on_disk"};
    return names[static_cast<std::size_t>(o)];
}

void put_hex(json_writer& w, std::string_view key, std::uint64_t value) {
    w.field(key, std::string_view{fmt::format("0x{:x}", value)});
}

void put_request(json_writer& w, const stream_row& s) {
    w.field("startSeqno", s.start);
    w.name("endSeqno");
    s.end == UINT64_MAX ? w.null() : w.number(s.end);
    w.field("snapshotStart", s.snapshot_start).field("snapshotEnd", s.snapshot_end);
    w.field("vbucketUuid", s.vbucket_uuid);
    put_hex(w, "flags", s.flags);
    if (!s.filter.empty()) put_text(w, "filter", s.filter);
}

void put_progress(json_writer& w, const stream_row& s) {
    w.field("snapshots", s.snapshots).field("items", s.items);
    if (s.items > 0) w.field("firstSeqno", s.first_seqno).field("lastSeqno", s.last_seqno);
    w.name("snapshot");
    if (s.snapshot_known) {
        w.begin_object().field("start", s.last_snapshot_start).field("end", s.last_snapshot_end);
        w.field("complete", s.snapshot_complete).end_object();
    } else {
        w.null();
    }
    w.field("mutations", s.mutations)
        .field("deletions", s.deletions)
        .field("expirations", s.expirations);
    if (s.open_prepares > 0) w.field("openPrepares", s.open_prepares);
    if (s.repeated > 0) {
        w.field("repeated", s.repeated).field("repeatedFirst", s.repeated_first);
        w.field("repeatedLast", s.repeated_last);
    }
    if (!s.not_captured.empty()) {
        w.name("notCaptured").begin_array();
        for (const auto& [from, to] : s.not_captured)
            w.begin_array().number(from).number(to).end_array();
        w.end_array();
    }
}

void put_stream(json_writer& w, const model& m, const stream_row& s) {
    w.begin_object();
    w.field("connection", s.connection).field("vbucket", std::uint32_t{s.partition});
    if (s.stream_id) w.field("streamId", std::uint32_t{*s.stream_id});
    put_hex(w, "opaque", s.opaque);
    w.field("state", name_of(s.state)).field("health", word(s.fared)).field("live", s.live);
    put_text(w, "condition", state_words(s));
    if (s.state == stream_state::refused || s.state == stream_state::rolled_back) {
        put_hex(w, "status", s.status);
        put_text(w, "statusName", s.status_name);
        w.field("times", s.times);
    }
    if (s.state == stream_state::rolled_back) w.field("rollbackTo", s.rollback_to);
    if (s.state == stream_state::ended) {
        w.field("endReason", s.end_reason);
        put_text(w, "endName", s.end_name);
    }
    if (s.state != stream_state::unknown_start && s.asked.frame != 0) put_request(w, s);
    put_progress(w, s);
    put_frame(w, m, "asked", s.asked);
    put_frame(w, m, "finished", s.finished);
    if (const auto ns = lifetime_of(m, s); ns >= 0) put_ms(w, "livedMs", ns);
    if (s.last_item_ns != 0) put_time(w, "lastItem", s.last_item_ns);
    w.end_object();
}

}  // namespace

void put_streams(json_writer& w, const model& m) {
    w.name("streams").begin_array();
    for (const auto& s : m.streams) put_stream(w, m, s);
    w.end_array();
}

void put_writes(json_writer& w, const model& m) {
    w.name("durableWrites").begin_array();
    for (const auto& d : m.writes) {
        w.begin_object();
        w.field("connection", d.connection).field("vbucket", std::uint32_t{d.partition});
        put_text(w, "key", d.key);
        put_text(w, "level", d.level);
        w.field("prepareSeqno", d.prepare_seqno).field("outcome", name_of(d.how));
        if (d.how != durable_write::outcome::open) w.field("outcomeSeqno", d.outcome_seqno);
        put_ms(w, d.how == durable_write::outcome::open ? "ageMs" : "latencyMs", d.latency_ns);
        w.field("replicaAck", d.replica_ack_ns >= 0);
        if (d.replica_ack_ns >= 0) put_ms(w, "replicaAckMs", d.replica_ack_ns);
        put_frame(w, m, "prepared", d.prepared);
        put_frame(w, m, "replicaAcked", d.acked);
        put_frame(w, m, "finished", d.finished);
        if (!d.application.empty()) put_text(w, "application", d.application);
        w.end_object();
    }
    w.end_array();
}

void put_operations(json_writer& w, const model& m) {
    w.name("operations").begin_array();
    for (const auto& o : m.operations) {
        w.begin_object();
        w.field("connection", o.connection);
        put_text(w, "opcode", o.opcode);
        put_text(w, "key", o.key);
        if (o.partition) w.field("vbucket", std::uint32_t{*o.partition});
        if (!o.level.empty()) {
            put_text(w, "level", o.level);
            put_text(w, "timeout", o.default_timeout ? "default" : "given");
        }
        w.field("answered", o.has_answer);
        if (o.has_answer) {
            put_hex(w, "status", o.status);
            put_text(w, "statusName", o.status_name);
        }
        put_ms(w, "waitedMs", o.waited_ns);
        if (o.server_us) w.field("serverUs", *o.server_us);
        if (o.token) w.field("vbucketUuid", o.token->first).field("seqno", o.token->second);
        put_frame(w, m, "sent", o.sent);
        put_frame(w, m, "answer", o.answered);
        w.end_object();
    }
    w.end_array();
}

void put_batches(json_writer& w, const model& m) {
    w.name("batches").begin_array();
    for (const auto& b : m.batches) {
        w.begin_object();
        w.field("connection", b.connection);
        put_text(w, "destination", b.destination);
        put_text(w, "clientId", b.client_id);
        w.field("batchId", b.batch).field("state", name_of(b.state)).field("health", word(b.fared));
        put_text(w, "condition", state_words(b));
        if (b.refused) w.field("refused", true);
        if (b.has_lag) put_ms(w, "lagMs", b.lag_ns);
        if (b.finished.frame != 0) put_ms(w, "toAckMs", held_ns(b));
        w.field("entries", b.entries)
            .field("rows", b.rows)
            .field("ddl", b.ddl)
            .field("bytes", b.bytes);
        if (b.repeated > 0) w.field("repeatedEntries", b.repeated);
        w.name("tables").begin_array();
        for (const auto& t : b.tables) put_text(w, t);
        w.end_array();
        put_text(w, "journal", b.journal);
        w.field("firstPosition", b.first_position).field("lastPosition", b.last_position);
        if (!b.transaction.empty()) put_text(w, "transactionId", b.transaction);
        w.field("transactionEnd", b.transaction_end);
        put_frame(w, m, "asked", b.asked);
        put_frame(w, m, "delivered", b.delivered);
        put_frame(w, m, "finished", b.finished);
        w.end_object();
    }
    w.end_array();
}

void put_transactions(json_writer& w, const model& m) {
    w.name("transactions").begin_array();
    for (const auto& t : m.transactions) {
        w.begin_object();
        put_text(w, "destination", t.destination);
        put_text(w, "clientId", t.client_id);
        put_text(w, "transactionId", t.id);
        w.name("batches").begin_array();
        for (const auto n : t.batches) w.number(n);
        w.end_array();
        w.field("rows", t.rows);
        put_frame(w, m, "end", t.at);
        w.end_object();
    }
    w.end_array();
}

void put_positions(json_writer& w, const model& m) {
    w.name("resume").begin_array();
    for (const auto& s : m.streams) {
        if (!s.resumable) continue;
        w.begin_object();
        w.field("connection", s.connection).field("vbucket", std::uint32_t{s.partition});
        if (s.stream_id) w.field("streamId", std::uint32_t{*s.stream_id});
        w.field("vbucketUuid", s.resume_uuid).field("seqno", s.resume_seqno);
        w.field("snapshotStart", s.resume_snapshot_start)
            .field("snapshotEnd", s.resume_snapshot_end);
        w.end_object();
    }
    for (const auto& p : m.positions) {
        w.begin_object();
        put_text(w, "server", p.server);
        put_text(w, "destination", p.destination);
        put_text(w, "clientId", p.client_id);
        put_text(w, "journal", p.journal);
        w.field("position", p.position).field("batchId", p.batch);
        if (!p.gtid.empty()) put_text(w, "gtid", p.gtid);
        if (p.executed_ms > 0) put_time(w, "executed", p.executed_ms * 1'000'000);
        w.end_object();
    }
    w.end_array();
}

}  // namespace cdcscope::report
