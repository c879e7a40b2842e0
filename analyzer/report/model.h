// What a report is made of: plain data, filled by the collector, read by the four renderers. Its
// size is bounded by the number of connections and the caps below, never by the length of the
// capture.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/recover/message.h"
#include "analyzer/report/seldom.h"
#include "analyzer/report/series.h"
#include "proto/findings/finding.h"
#include "proto/wire/frame_ref.h"

namespace cdcscope::report {

namespace cap {  // rows kept; what is beyond is counted, and the report says so
inline constexpr std::size_t streams = 100'000, positions = 10'000, transactions = 2000;
// Of these the first half and the last half: a long capture needs no more memory than a short one.
inline constexpr std::size_t batches = 4000, writes = 2000, operations = 2000;
inline constexpr std::size_t hits = 100;   // a finding: times it fired that are listed one by one
inline constexpr std::size_t items = 20;   // a connection: first ones of it
inline constexpr std::size_t holes = 100;  // a connection
inline constexpr std::size_t steps = 100;  // a connection: of each list in dcp_steps
inline constexpr std::size_t partitions = 4096;  // a finding: vbuckets it fired on
inline constexpr std::size_t cards = 200;        // findings in full in text, Markdown and HTML
inline constexpr std::size_t evidence = 5;       // a card: first three and last two
inline constexpr std::size_t table_rows = 500;   // of one table of the page
inline constexpr std::size_t details = 100;      // connections with charts on the page
}  // namespace cap

using findings::severity;

// How a connection fared: the gravest finding on it.
enum class health : std::uint8_t { ok, note, warning, error };

struct time_span {
    std::int64_t from = 0, to = 0;  // ns since 1970
    [[nodiscard]] std::int64_t length() const noexcept { return to - from; }
};

struct capture_file {
    std::string name;  // as given on the command line
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;  // of the file; 0: not known
    bool cut = false;         // ends inside a packet
};

struct byte_account {
    std::uint64_t stream = 0, message = 0, gap = 0, unparsed = 0;
    byte_account& operator+=(const byte_account& o) noexcept {
        stream += o.stream, message += o.message, gap += o.gap, unparsed += o.unparsed;
        return *this;
    }
};

// A warning or note of the layers below the protocols, folded by code.
struct observed {
    std::string code;
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    std::uint32_t connection = 0;
    frame_ref first;
    std::string text;  // of the first
};

struct port_use {  // where nothing was recovered: what was there instead
    std::uint16_t port = 0;
    std::uint64_t connections = 0, bytes = 0;
    std::string looks_like;  // "HTTP", "TLS 1.3"; empty: nothing known
};

struct capture_info {
    std::vector<capture_file> files;
    time_span span;
    std::uint64_t packets = 0, tcp_packets = 0, other_packets = 0, cut_packets = 0;
    std::uint64_t left_out_packets = 0;  // by --filter; among the other ones
    std::uint64_t messages = 0;
    byte_account bytes;
    std::uint64_t holes = 0;
    std::vector<port_use> ports;                    // by bytes, at most ten
    std::vector<recover::foreign_signs> encrypted;  // one for each connection that is
    std::vector<observed> observations;
};

// ---- findings
// -----------------------------------------------------------------------------------------------------

struct evidence {
    frame_ref at;
    std::string what;
    std::vector<std::uint32_t> also = {};  // frames of the same file that say the same
};

// One time a rule fired.
struct hit {
    frame_ref first, last;  // of the evidence
    std::string text;
    std::vector<findings::figure> figures;
    bool running = false;   // tells of a state that lasts ...
    bool going_on = false;  // ... and that had not ended when the connection or the capture did
    frame_ref until;        // end of that state, or of what was seen of it; frame 0: not known
    bool before = false;    // began before --since, and lasted into the part that is judged
};

// A rule on one connection: what findings[] of the JSON holds.
struct rule_finding {
    findings::code what{};
    std::string code, rule;
    severity level{};
    bool uncertain = false;
    std::uint32_t connection = 0;
    frame_ref first, last;  // over all hits
    std::uint64_t count = 0;
    std::vector<hit> hits;  // the first and the last ones, at most cap::hits
    std::vector<std::uint16_t>
        partitions;         // that hits name: each once, in order, at most cap::partitions
    bool going_on = false;  // one of all its hits was
    std::size_t card = 0;   // index into cards; no_card for chats and what is set aside
    // Of a rule that needs both sides, where one was not captured.
    bool set_aside = false;
};
inline constexpr std::size_t no_card = SIZE_MAX;

struct display_filter {
    std::string label;  // "Frames, travel-2.pcap", "Whole connection", "With the plugin"
    std::string expression;
    bool needs_plugin = false;
};

enum class mini_kind : std::uint8_t { none, window, bars, lanes };

// The small chart of a verdict card; all positions from 0 to 1.
struct mini_chart {
    mini_kind kind = mini_kind::none;
    std::vector<std::pair<double, double>>
        points;               // window: step line (x, y); bars: (unused, height); lanes: (from, to)
    double limit = -1;        // window: height of the limit
    double mark = -1;         // window: where it became full; lanes: the faulty moment
    std::string left, right;  // the two labels
};

// What people read: one code on one connection, with the rules that say the same fact.
struct card {
    std::string code;
    severity level{};
    bool uncertain = false;
    std::vector<std::string> rules;
    std::uint32_t connection = 0;
    std::vector<std::uint32_t> others;  // connections that have a part in it
    std::uint64_t count = 0;            // rule hits on it
    frame_ref first, last;
    bool going_on = false;       // still so when the capture ended
    bool began_before = false;   // before --since: a hit of it did
    std::int64_t amount_ns = 0;  // how long, for the rank
    std::uint64_t amount = 0;    // how much, where it is not a time

    std::string title;   // a sentence without full stop
    std::string clause;  // for the sentence on top: "one connector has received nothing for 139 s"
    std::string detail;  // what a table says behind the title: figures, reasons; may be empty
    std::string brief;   // one line in lists: "vb 1: state changed, not asked for again"
    std::string why;     // one line under the title of a verdict card
    std::string text;    // a paragraph with the figures
    std::string state;   // "still going on", "growing", "over after 19 ms"; may be empty
    std::string as_of;   // of what goes on: when that was seen, if not at the end of the capture
    std::string condition;        // for the table of connections: "stalled 139 s, still at the end"
    std::vector<evidence> shown;  // at most cap::evidence
    std::uint64_t evidence_left_out = 0,
                  evidence_unlisted = 0;  // the latter: not in the JSON either
    std::string meaning;
    std::vector<std::string> advice;
    std::vector<display_filter> filters;
    mini_chart chart;
};

// ---- connections
// --------------------------------------------------------------------------------------------------

enum class role : std::uint8_t {
    unknown,
    dcp_consumer,
    dcp_replica,
    dcp_producer,
    kv_application,
    canal_client,
    canal_admin,
    tls,
    other,
};

struct direction_figures {
    std::uint64_t messages = 0;
    byte_account bytes;
    std::uint64_t gaps = 0, unparsed = 0, cut_messages = 0, duplicate_bytes = 0, conflict_bytes = 0;
    std::uint64_t snaplen_bytes = 0;  // of gap: cut off by the snapshot length
};

struct hole {  // a gap, or an unparsed run beside one
    direction dir{};
    bool is_gap = true;
    std::uint64_t offset = 0, length = 0;
    std::string why;
    frame_ref at;
    frame_ref before = {};  // of a gap: what brought the bytes in front of it; frame 0: not known
};

struct close_info {
    bool seen = false;
    direction by{};
    recover::end_kind how{};
    frame_ref at;
};

struct flow_figures {
    bool on = false;
    std::uint64_t window = 0;                     // connection_buffer_size in force at the end
    std::uint64_t counted = 0, acknowledged = 0;  // bytes, in the server's account
    std::uint64_t acknowledgements = 0;
    std::uint64_t peak = 0, outstanding = 0;  // largest, and at the end
    frame_ref asked, filled, last_ack;        // control request; last time it became full
    std::string filled_by;                    // the message that did it: "mutation seqno 14"
    std::uint64_t filled_from = 0, filled_to = 0;
    std::uint64_t full_times = 0;
    std::int64_t full_least_ns = 0, full_most_ns = 0;
    bool full_at_end = false;
    std::vector<time_span> full;  // spans, at most 500; later ones join the last
};

struct noop_figures {
    bool enabled = false;
    std::int64_t interval_ns = 0;
    std::uint64_t sent = 0, answered = 0;
    frame_ref last_answered;
};

struct durability_figures {
    std::uint64_t prepares = 0, committed = 0, aborted = 0, open = 0;
    std::int64_t least_ns = 0, most_ns = 0;  // prepare to outcome
};

// What few connections do and a report tells one by one.
struct dcp_steps {
    struct takeover {  // SET_VBUCKET_STATE
        std::uint16_t partition = 0;
        std::string state;  // "pending"
        frame_ref at;
    };
    struct close {  // CLOSE_STREAM
        std::uint16_t partition = 0;
        std::uint32_t opaque = 0;
        frame_ref asked, answered;
        std::uint16_t status = 0;  // of the answer
    };
    struct retry {  // of a setting that was refused: the next that was accepted
        std::string name, value;
        frame_ref at;
    };
    std::vector<takeover> takeovers;
    std::vector<close> closes;
    std::vector<retry> retries;
    // Cluster maps that came with "not my vbucket".
    std::uint64_t maps = 0, map_bytes = 0;
    std::int64_t maps_from_ns = 0;
};

struct canal_figures {
    std::string filter;  // as subscribed; empty: the server's
    bool filter_sent = false;
    std::string user, password_form;  // "40 hex digits", "clear text", "empty"
    std::int64_t net_read_timeout_ms = -1, net_write_timeout_ms = -1;
    std::uint64_t batches = 0, acknowledged = 0, rolled_back = 0, open = 0, empty_polls = 0,
                  most_open = 0;
    std::uint64_t entries = 0, rows = 0, ddl = 0, errors = 0;
    bool has_lag = false;
    std::int64_t lag_least_ns = 0, lag_most_ns = 0, lag_last_ns = 0, lag_sum_ns = 0;
    std::uint64_t lag_batches = 0;
    std::vector<std::string> tables;  // in order of appearance, at most 100
};

struct type_count {
    std::string name;
    std::uint64_t count = 0;
};

// One of the first items of a connection, without its content.
struct item_sample {
    std::string key, event;
    std::uint16_t partition = 0;
    std::optional<std::uint32_t> collection;
    std::uint64_t seqno = 0, revision = 0, snapshot = 0;
    std::vector<std::string> datatype;
    std::uint64_t value_bytes = 0,
                  body_bytes = 0;  // on the wire; without extended attributes, uncompressed
    bool cut = false;
    std::vector<std::string> xattrs;
};

struct row_sample {  // a row change without its values
    std::string table, type, gtid;
    bool ddl = false;
    std::string sql;
    std::vector<std::string> keys;  // columns of the primary key
    std::vector<std::pair<std::string, std::string>> columns,
        old;  // name; "null", "empty", "5 characters"
};

struct connection {
    std::uint32_t id = 0;
    std::string client, server;  // address:port
    recover::protocol carries{};
    role what = role::unknown;
    std::string name, target, agent;  // connection name or client id; bucket or destination
    std::string short_name;           // of a name that is JSON: its agent and id; else empty
    time_span life;
    bool from_start = true;
    bool one_direction = false;
    direction_figures of[2];
    std::vector<type_count> by_type;  // "mutation", "mutation.response", "GET"
    health fared = health::ok;
    std::string condition;           // in words: "stalled, still at the end"
    std::vector<std::size_t> cards;  // in order of rank
    close_info closed;
    seldom<flow_figures> flow;
    noop_figures noop;
    seldom<durability_figures> durable;
    seldom<dcp_steps> steps;
    seldom<canal_figures> canal;
    std::vector<std::pair<std::uint32_t, std::string>> collections;  // id and name
    std::vector<hole> holes;
    std::uint64_t holes_left_out = 0;
    std::vector<item_sample> items;  // the first, and the largest one last if it is not among them
    std::vector<row_sample> rows;
    time_span longest_silence;  // between two messages
    std::string first_bytes;    // of what is not the protocol: readable form
    std::string looks_like;     // what they give away: "HTTP", "TLS 1.3", "MySQL"

    step_series window;                  // outstanding bytes
    time_sums received;                  // bytes from the server
    seldom<duration_histogram> latency;  // prepare to commit or abort
    tick_courses ticks;
};

// ---- tables
// -------------------------------------------------------------------------------------------------------

enum class stream_state : std::uint8_t {
    requested,
    refused,
    rolled_back,
    open,
    ended,
    closed,
    unknown_start
};

struct stream_row {
    std::uint32_t connection = 0;
    std::uint16_t partition = 0;
    std::optional<std::uint16_t> stream_id;
    std::uint32_t opaque = 0;  // wire order, as a big-endian number
    stream_state state{};
    std::uint16_t status = 0;  // of the answer
    std::string status_name;   // "duplicate", "out of range", "not my vbucket"
    std::uint32_t end_reason = 0;
    std::string end_name;     // "ok", "state changed"
    std::uint64_t times = 1;  // refused or rolled back alike one after the other
    std::uint64_t start = 0, end = UINT64_MAX, snapshot_start = 0, snapshot_end = 0,
                  vbucket_uuid = 0;
    std::uint64_t rollback_to = 0;
    std::uint32_t flags = 0;
    frame_ref asked, answered, finished;
    bool live = false;  // open when its connection or the capture ended
    std::uint64_t snapshots = 0, items = 0, first_seqno = 0, last_seqno = 0;
    bool snapshot_known = false, snapshot_complete = false;  // of the last one
    std::uint64_t last_snapshot_start = 0, last_snapshot_end = 0;
    std::int64_t last_item_ns = 0;
    std::uint64_t mutations = 0, deletions = 0, expirations = 0;
    std::uint64_t repeated = 0, repeated_first = 0,
                  repeated_last = 0;  // items an earlier connection had got
    std::uint64_t open_prepares = 0;
    std::string filter;                                                 // of collections, as sent
    std::vector<std::pair<std::uint64_t, std::uint64_t>> not_captured;  // seqnos in holes
    // From where a consumer can go on: uuid of the branch, seqno, snapshot.
    bool resumable = false;
    std::uint64_t resume_uuid = 0, resume_seqno = 0, resume_snapshot_start = 0,
                  resume_snapshot_end = 0;
    health fared = health::ok;
};

// It had an answer, and that was no refusal.
[[nodiscard]] bool opened(const stream_row& s) noexcept;

struct durable_write {
    std::uint32_t connection = 0;
    std::uint16_t partition = 0;
    std::string key, level;
    std::uint64_t prepare_seqno = 0, outcome_seqno = 0;
    enum class outcome : std::uint8_t { open, committed, aborted, superseded } how = outcome::open;
    frame_ref prepared, finished, acked;       // acked: by the replica
    std::int64_t latency_ns = -1;              // open: its age
    std::int64_t replica_ack_ns = -1;          // -1: none
    std::string application;                   // what the application saw, where the capture has it
    std::uint32_t application_connection = 0;  // of it; 0: none, or several
    bool replica_unseen = false;               // what it acknowledged was not captured
};

// A request of an application to the key-value service, with its answer.
struct operation {
    std::uint32_t connection = 0;
    std::string opcode, key, level;
    bool default_timeout = false;  // a durable write that leaves its time-out to the server
    frame_ref sent, answered;
    bool has_answer = false;
    bool answer_unseen = false;  // answers were not captured
    std::uint16_t status = 0;
    std::string status_name;
    std::int64_t waited_ns = 0;
    std::optional<double> server_us;
    std::optional<std::pair<std::uint64_t, std::uint64_t>> token;  // vbucket uuid and seqno
    std::optional<std::uint16_t> partition;
};

enum class batch_state : std::uint8_t { open, acknowledged, rolled_back, forgotten };

struct batch_row {
    std::uint32_t connection = 0;
    std::string destination, client_id;
    std::uint64_t batch = 0;
    batch_state state{};
    bool refused = false;                  // an acknowledgement of it was refused before
    bool client_unseen = false;            // what became of it was not captured
    frame_ref asked, delivered, finished;  // asked: the GET that it answers
    bool has_lag = false;
    std::int64_t lag_ns = 0;
    std::uint64_t entries = 0, rows = 0, ddl = 0, bytes = 0;
    std::uint64_t repeated = 0;       // entries delivered before
    std::vector<std::string> tables;  // at most 8
    std::string journal;
    std::uint64_t first_position = 0, last_position = 0;
    std::string transaction;  // id of one that begins, goes on or ends in it and spans batches
    bool transaction_end = false;
    health fared = health::ok;
    std::string remark;  // "lag", "refused, then acknowledged"
};

// A canal transaction that was handed out in more than one batch.
struct split_transaction {
    std::string destination, client_id, id;
    std::vector<std::int64_t> batches;  // at most 64
    std::uint64_t rows = 0;
    frame_ref at;  // its end
};

// From where a canal destination goes on: the last entry of the last batch that was acknowledged.
struct canal_position {
    std::string server, destination, client_id;
    std::string journal, gtid;
    std::uint64_t position = 0, batch = 0;
    std::int64_t executed_ms = 0;
};

// ---- the whole
// ----------------------------------------------------------------------------------------------------

struct limit_value {
    std::string name;  // "dcp.flow.stalled.warning"
    double value = 0;
    std::string unit;
    bool changed = false;  // by --threshold
};

struct tally {
    // Rule hits; those set aside are none of the others.
    std::uint64_t errors = 0, warnings = 0, notes = 0, chats = 0, set_aside = 0;
};

enum class verdict_kind : std::uint8_t {
    findings,  // errors or warnings
    notes_only,
    clean,
    encrypted,
    nothing_recovered,  // no message recovered
    outside,            // the capture has no packet of the time asked for
};

struct model {
    std::string program = "cdcscope " CDCSCOPE_VERSION;
    std::string command;                                     // as one would type it again
    std::int64_t made_ns = 0;                                // 0: not said
    std::string settings;                                    // ports and protocol, as given
    std::string filter;                                      // of packets, as given
    std::optional<std::int64_t> judged_since, judged_until;  // findings outside are left out
    std::vector<limit_value> limits;                         // of the rules, in force
    std::uint64_t rules = 0;                                 // how many were applied

    capture_info capture;
    std::deque<connection> connections;  // by id; they are large, and may be very many
    std::vector<rule_finding> findings;  // most severe first
    std::vector<card> cards;             // by rank
    std::uint64_t chats_not_shown = 0;
    tally hits;
    std::vector<stream_row> streams;
    std::vector<durable_write> writes;
    std::vector<operation> operations;
    std::vector<batch_row> batches;
    std::vector<canal_position> positions;
    std::vector<split_transaction> transactions;
    std::uint64_t streams_left_out = 0, writes_left_out = 0, operations_left_out = 0,
                  batches_left_out = 0, transactions_left_out = 0, positions_left_out = 0;

    verdict_kind result = verdict_kind::clean;
    std::string headline;  // one sentence, with its full stop
    std::string second_line;
    std::string strip;  // above the verdict: one direction only
    std::string guess;  // nothing recovered: the command to try
    std::string guess_label;

    [[nodiscard]] const connection* find(std::uint32_t id) const noexcept {
        return id == 0 || id > connections.size() ? nullptr : &connections[id - 1];
    }
    [[nodiscard]] std::string_view file_name(std::uint32_t file) const noexcept {
        return file < capture.files.size() ? std::string_view{capture.files[file].name}
                                           : std::string_view{};
    }
};

}  // namespace cdcscope::report
