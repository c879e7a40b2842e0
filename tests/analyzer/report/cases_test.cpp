// What a report on each of the troubles in tests/data/reports must tell: a line names a field of
// the JSON and the figure in it.
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <string_view>

#include "analyzer/cli/report_command.h"
#include "analyzer/report/format.h"
#include "analyzer/report/html.h"
#include "analyzer/report/json.h"
#include "analyzer/report/text.h"

namespace cdcscope::report {
namespace {

using nlohmann::json;

constexpr std::string_view absent = "absent";

struct line {
    std::string_view file;      // without .pcap
    std::string_view field;     // names with dots between; [n], [name=value] choose of an array
    std::string_view expected;  // JSON, or `absent`; numbers with a decimal point within one of the
                                // unit (a millisecond)
};

constexpr line lines[] = {
    // A window of 4,096 bytes fills and nothing is ever acknowledged.
    {"dcp-flow-control-stall", "connections[0].flowControl.on", "true"},
    {"dcp-flow-control-stall", "connections[0].flowControl.window", "4096"},
    {"dcp-flow-control-stall", "connections[0].flowControl.peak", "4235"},
    {"dcp-flow-control-stall", "connections[0].flowControl.outstanding", "4235"},
    {"dcp-flow-control-stall", "connections[0].flowControl.acknowledgements", "0"},
    {"dcp-flow-control-stall", "connections[0].flowControl.fullMostMs", "138985.0"},
    {"dcp-flow-control-stall", "findings[rule=D13].figures.stalledMs", "138985.0"},
    {"dcp-flow-control-stall", "cards[0].durationMs", "138985.0"},
    {"dcp-flow-control-stall", "cards[0].goingOn", "true"},
    {"dcp-flow-control-stall", "connections[0].noop.sent", "6"},
    {"dcp-flow-control-stall", "connections[0].noop.answered", "6"},
    {"dcp-flow-control-stall", "streams[vbucket=100].lastSeqno", "14"},
    {"dcp-flow-control-stall", "streams[vbucket=100].snapshot",
     R"({"start":0,"end":60,"complete":false})"},
    // Five requests alike, each rolled back to 0.
    {"dcp-rollback-loop", "streams[state=rolled_back].vbucket", "1"},
    {"dcp-rollback-loop", "streams[state=rolled_back].startSeqno", "4"},
    {"dcp-rollback-loop", "streams[state=rolled_back].vbucketUuid", "1"},
    {"dcp-rollback-loop", "streams[state=rolled_back].rollbackTo", "0"},
    {"dcp-rollback-loop", "streams[state=rolled_back].times", "5"},
    {"dcp-rollback-loop", "findings[rule=D23].count", "5"},
    {"dcp-rollback-loop", "findings[rule=D24].count", "4"},
    {"dcp-rollback-loop", "streams[state=open]", absent},
    {"dcp-rollback-loop", "connections[0].messages.mutation", absent},
    // Two positions outside their own snapshot.
    {"dcp-stream-request-out-of-range", "streams[vbucket=723].status", R"("0x22")"},
    {"dcp-stream-request-out-of-range", "streams[vbucket=723].startSeqno", "110208"},
    {"dcp-stream-request-out-of-range", "streams[vbucket=723].snapshotStart", "110209"},
    {"dcp-stream-request-out-of-range", "streams[vbucket=723].snapshotEnd", "110209"},
    {"dcp-stream-request-out-of-range", "streams[vbucket=723].live", "false"},
    {"dcp-stream-request-out-of-range", "streams[vbucket=239].status", R"("0x22")"},
    {"dcp-stream-request-out-of-range", "streams[vbucket=239].startSeqno", "1893"},
    {"dcp-stream-request-out-of-range", "streams[vbucket=239].snapshotStart", "1894"},
    {"dcp-stream-request-out-of-range", "streams[vbucket=239].snapshotEnd", "1894"},
    {"dcp-stream-request-out-of-range", "streams[vbucket=239].live", "false"},
    {"dcp-stream-request-out-of-range", "findings[rule=D22].count", "2"},
    {"dcp-stream-request-out-of-range", "streams[vbucket=5].live", "true"},
    // One stream ends and nobody asks again.
    {"dcp-stream-ended-not-reopened", "streams[vbucket=11].endReason", "5"},
    {"dcp-stream-ended-not-reopened", "streams[vbucket=11].endName", R"("backfill failed")"},
    {"dcp-stream-ended-not-reopened", "streams[vbucket=11].lastSeqno", "8"},
    {"dcp-stream-ended-not-reopened", "streams[vbucket=11].snapshot.end", "500"},
    {"dcp-stream-ended-not-reopened", "findings[rule=D51].figures.idleMs", "115441.0"},
    {"dcp-stream-ended-not-reopened", "streams[vbucket=10].lastSeqno", "30"},
    {"dcp-stream-ended-not-reopened", "streams[vbucket=12].lastSeqno", "30"},
    // Asked for twice: the first one stays.
    {"dcp-stream-already-exists", "streams[state=refused].status", R"("0x2")"},
    {"dcp-stream-already-exists", "streams[state=refused].vbucket", "197"},
    {"dcp-stream-already-exists", "streams[state=refused].opaque", R"("0x501")"},
    {"dcp-stream-already-exists", "streams[state=open].opaque", R"("0x500")"},
    {"dcp-stream-already-exists", "streams[state=open].lastSeqno", "2"},
    {"dcp-stream-already-exists", "streams[state=open].live", "true"},
    {"dcp-stream-already-exists", "findings[rule=D51]", absent},
    {"dcp-stream-already-exists", "streams[state=ended]", absent},
    {"dcp-stream-already-exists", "cards[0].code", R"("dcp.stream.refused")"},
    {"dcp-stream-already-exists", "cards[0].state", R"("")"},
    {"dcp-stream-already-exists", "cards[1]", absent},
    // Silent without keep-alives, then reset.
    {"dcp-idle-without-noop", "connections[0].noop.enabled", "false"},
    {"dcp-idle-without-noop", "findings[rule=D53].figures.silentMs", "1263000.0"},
    {"dcp-idle-without-noop", "connections[0].longestSilenceMs", "1263000.0"},
    {"dcp-idle-without-noop", "connections[0].closed.how", R"("rst")"},
    {"dcp-idle-without-noop", "connections[0].closed.by", R"("client")"},
    {"dcp-idle-without-noop", "streams[0].lastSeqno", "2"},
    // Two bytes for each prepare are never acknowledged.
    {"dcp-prepare-ack-two-bytes-short", "connections[0].durability.prepares", "20"},
    {"dcp-prepare-ack-two-bytes-short", "connections[0].durability.commits", "20"},
    {"dcp-prepare-ack-two-bytes-short", "connections[0].durability.aborts", "0"},
    {"dcp-prepare-ack-two-bytes-short", "connections[0].durability.open", "0"},
    {"dcp-prepare-ack-two-bytes-short", "connections[0].flowControl.acknowledged", "2324"},
    {"dcp-prepare-ack-two-bytes-short", "connections[0].flowControl.counted", "2364"},
    {"dcp-prepare-ack-two-bytes-short", "connections[0].flowControl.outstanding", "40"},
    {"dcp-prepare-ack-two-bytes-short", "findings[rule=D56].figures.shortfallBytes", "40"},
    // Durable writes: one finished, one given up, one open.
    {"dcp-durable-writes-stuck", "durableWrites[key=order::1].prepareSeqno", "1"},
    {"dcp-durable-writes-stuck", "durableWrites[key=order::1].outcomeSeqno", "2"},
    {"dcp-durable-writes-stuck", "durableWrites[key=order::1].level", R"("Majority")"},
    {"dcp-durable-writes-stuck", "durableWrites[key=order::1].latencyMs", "4.0"},
    {"dcp-durable-writes-stuck", "durableWrites[key=order::2].outcome", R"("aborted")"},
    {"dcp-durable-writes-stuck", "durableWrites[key=order::2].outcomeSeqno", "4"},
    {"dcp-durable-writes-stuck", "durableWrites[key=order::2].level",
     R"("Majority and persist on active")"},
    {"dcp-durable-writes-stuck", "durableWrites[key=order::2].latencyMs", "2500.0"},
    {"dcp-durable-writes-stuck", "durableWrites[key=order::2].replicaAck", "false"},
    {"dcp-durable-writes-stuck", "durableWrites[key=order::3].outcome", R"("open")"},
    {"dcp-durable-writes-stuck", "durableWrites[key=order::3].level", R"("Persist to majority")"},
    {"dcp-durable-writes-stuck", "durableWrites[key=order::3].ageMs", "13999.0"},
    {"dcp-durable-writes-stuck", "durableWrites[key=order::3].replicaAck", "true"},
    {"dcp-durable-writes-stuck", "durableWrites[3]", absent},
    {"dcp-durable-writes-stuck", "cards[code=dcp.prepare.unresolved].goingOn", "false"},
    {"dcp-durable-writes-stuck", "cards[code=dcp.prepare.unresolved].state",
     R"("the connection closed first")"},
    {"dcp-durable-writes-stuck", "operations[status=0xa2].key", R"("order::2")"},
    {"dcp-durable-writes-stuck", "operations[status=0xa3].key", R"("order::2")"},
    // Everything of a snapshot comes twice.
    {"dcp-restart-repeats-snapshot", "streams[connection=1].vbucket", "8"},
    {"dcp-restart-repeats-snapshot", "streams[connection=1].lastSeqno", "57"},
    {"dcp-restart-repeats-snapshot", "streams[connection=1].snapshot",
     R"({"start":0,"end":100,"complete":false})"},
    {"dcp-restart-repeats-snapshot", "resume[connection=1].seqno", "57"},
    {"dcp-restart-repeats-snapshot", "resume[connection=1].snapshotStart", "0"},
    {"dcp-restart-repeats-snapshot", "resume[connection=1].snapshotEnd", "100"},
    {"dcp-restart-repeats-snapshot", "streams[connection=2].startSeqno", "0"},
    {"dcp-restart-repeats-snapshot", "streams[connection=2].repeated", "57"},
    {"dcp-restart-repeats-snapshot", "streams[connection=2].repeatedFirst", "1"},
    {"dcp-restart-repeats-snapshot", "streams[connection=2].repeatedLast", "57"},
    // All documents, but no end of stream.
    {"dcp-finite-stream-without-end", "streams[vbucket=20].endSeqno", "50"},
    {"dcp-finite-stream-without-end", "streams[vbucket=20].lastSeqno", "50"},
    {"dcp-finite-stream-without-end", "streams[vbucket=20].live", "true"},
    {"dcp-finite-stream-without-end", "findings[rule=D50].figures.waitedMs", "73942.0"},
    {"dcp-finite-stream-without-end", "streams[vbucket=21].endReason", "0"},
    {"dcp-finite-stream-without-end", "streams[vbucket=21].lastSeqno", "3"},
    // Many messages in a segment, one message in many.
    {"dcp-pipelined-and-split", "connections[0].messages.mutation", "29"},
    {"dcp-pipelined-and-split", "connections[0].messages.deletion", "1"},
    {"dcp-pipelined-and-split", "connections[0].messages.snapshot_marker", "1"},
    {"dcp-pipelined-and-split", "connections[0].firstItems[key=big].valueBytes", "6002"},
    // Headers with framing extras.
    {"kv-flexible-framing", "operations[opcode=SET].level", R"("Majority")"},
    {"kv-flexible-framing", "operations[opcode=SET].timeout", R"("default")"},
    {"kv-flexible-framing", "operations[opcode=SET].serverUs", "2043.7"},
    {"kv-flexible-framing", "operations[opcode=SET].key", R"("a")"},
    {"kv-flexible-framing", "operations[opcode=SET].vbucketUuid", "177789161760246"},
    {"kv-flexible-framing", "operations[opcode=SET].seqno", "77"},
    {"kv-flexible-framing", "operations[opcode=GET].serverUs", "306.6"},
    // A start in the middle of a message.
    {"dcp-capture-starts-mid-message", "connections[0].s2c.unparsedBytes", "2060"},
    {"dcp-capture-starts-mid-message", "connections[0].fromStart", "false"},
    {"dcp-capture-starts-mid-message", "streams[vbucket=33].mutations", "20"},
    {"dcp-capture-starts-mid-message", "streams[vbucket=33].firstSeqno", "501"},
    {"dcp-capture-starts-mid-message", "streams[vbucket=33].lastSeqno", "520"},
    {"dcp-capture-starts-mid-message", "streams[vbucket=33].state", R"("unknown_start")"},
    {"dcp-capture-starts-mid-message", "streams[vbucket=33].snapshot", "null"},
    {"dcp-capture-starts-mid-message", "streams[vbucket=33].notCaptured", absent},
    {"dcp-capture-starts-mid-message", "findings[rule=D03]", absent},
    {"dcp-capture-starts-mid-message", "findings[rule=D02]", absent},
    {"dcp-capture-starts-mid-message", "findings[severity=warning]", absent},
    // TCP: disorder that loses nothing.
    {"tcp-fin-before-last-data", "streams[0].mutations", "3"},
    {"tcp-fin-before-last-data", "connections[0].messages.stream_end", "1"},
    {"tcp-fin-before-last-data", "capture.gapBytes", "0"},
    {"tcp-late-segment-after-reply", "streams[vbucket=51].mutations", "20"},
    {"tcp-late-segment-after-reply", "streams[vbucket=51].firstSeqno", "1"},
    {"tcp-late-segment-after-reply", "streams[vbucket=51].lastSeqno", "20"},
    {"tcp-late-segment-after-reply", "capture.gapBytes", "0"},
    {"tcp-sequence-wrap", "streams[vbucket=52].mutations", "40"},
    {"tcp-sequence-wrap", "streams[vbucket=52].firstSeqno", "1"},
    {"tcp-sequence-wrap", "streams[vbucket=52].lastSeqno", "40"},
    {"tcp-sequence-wrap", "capture.gapBytes", "0"},
    {"tcp-ack-before-data", "streams[vbucket=53].mutations", "10"},
    {"tcp-ack-before-data", "streams[vbucket=53].firstSeqno", "1"},
    {"tcp-ack-before-data", "streams[vbucket=53].lastSeqno", "10"},
    {"tcp-ack-before-data", "capture.gapBytes", "0"},
    {"tcp-overlapping-retransmission", "streams[vbucket=57].mutations", "8"},
    {"tcp-overlapping-retransmission", "streams[vbucket=57].firstSeqno", "1"},
    {"tcp-overlapping-retransmission", "streams[vbucket=57].lastSeqno", "8"},
    {"tcp-overlapping-retransmission", "capture.gapBytes", "0"},
    // One segment that the capture lost.
    {"tcp-lost-segment-resync", "connections[0].s2c.gapBytes", "1460"},
    {"tcp-lost-segment-resync", "connections[0].s2c.gaps", "1"},
    {"tcp-lost-segment-resync", "streams[0].mutations", "53"},
    {"tcp-lost-segment-resync", "streams[0].notCaptured", "[[19,25]]"},
    {"tcp-lost-segment-resync", "connections[0].holes[bytes=51].kind", R"("unparsed")"},
    {"tcp-lost-segment-resync", "connections[0].holes[bytes=176].kind", R"("unparsed")"},
    {"tcp-lost-segment-resync", "connections[0].s2c.unparsedBytes", "227"},
    {"tcp-lost-segment-resync", "connections[0].s2c.streamBytes", "14641"},
    {"tcp-lost-segment-resync", "connections[0].s2c.messageBytes", "12954"},
    {"tcp-lost-segment-resync", "findings[rule=D09]", absent},
    {"tcp-lost-segment-resync", "findings[severity=warning]", absent},
    // Documents cut off by the snapshot length.
    {"pcap-snaplen-128", "connections[0].s2c.cutMessages", "12"},
    {"pcap-snaplen-128", "streams[vbucket=55].mutations", "12"},
    {"pcap-snaplen-128", "streams[vbucket=55].firstSeqno", "1"},
    {"pcap-snaplen-128", "streams[vbucket=55].lastSeqno", "12"},
    {"pcap-snaplen-128", "streams[vbucket=55].snapshot", "null"},
    {"pcap-snaplen-128", "connections[0].c2s.snaplenBytes", "21"},
    {"pcap-snaplen-128", "connections[0].s2c.snaplenBytes", "3805"},
    {"pcap-snaplen-128", "connections[0].firstItems[seqno=1].cut", "true"},
    {"pcap-snaplen-128", "connections[0].firstItems[seqno=1].bodyBytes", "0"},
    {"pcap-snaplen-128", "connections[0].c2s.unparsedBytes", "74"},
    {"pcap-snaplen-128", "connections[0].s2c.unparsedBytes", "34"},
    {"pcap-snaplen-128", "connections[0].messages.snapshot_marker", absent},
    {"pcap-snaplen-128", "connections[0].messages.hello", absent},
    {"pcap-snaplen-128", "connections[0].s2c.gaps", "13"},
    {"pcap-snaplen-128", "streams[vbucket=55].live", "true"},
    {"pcap-snaplen-128", "findings[code=tcp.acked_unseen]", absent},
    {"pcap-snaplen-128", "findings[rule=D02]", absent},
    {"pcap-snaplen-128", "findings[rule=D03]", absent},
    {"pcap-snaplen-128", "findings[rule=D41]", absent},
    // Every packet twice.
    {"sll2-every-packet-twice", "streams[0].mutations", "15"},
    {"sll2-every-packet-twice", "capture.observations[code=tcp.duplicates].count", "52"},
    {"sll2-every-packet-twice", "capture.observations[code=tcp.retransmission]", absent},
    {"sll2-every-packet-twice", "findings[severity=warning]", absent},
    // Values: compressed, with extended attributes, or both.
    {"dcp-xattr-and-snappy-values", "connections[0].firstItems[seqno=1].bodyBytes", "112"},
    {"dcp-xattr-and-snappy-values", "connections[0].firstItems[seqno=2].bodyBytes", "112"},
    {"dcp-xattr-and-snappy-values", "connections[0].firstItems[seqno=3].bodyBytes", "112"},
    {"dcp-xattr-and-snappy-values", "connections[0].firstItems[seqno=4].bodyBytes", "112"},
    {"dcp-xattr-and-snappy-values", "connections[0].firstItems[seqno=1].datatype", R"(["json"])"},
    {"dcp-xattr-and-snappy-values", "connections[0].firstItems[seqno=2].datatype",
     R"(["json","xattr"])"},
    {"dcp-xattr-and-snappy-values", "connections[0].firstItems[seqno=3].datatype",
     R"(["json","snappy"])"},
    {"dcp-xattr-and-snappy-values", "connections[0].firstItems[seqno=4].datatype",
     R"(["json","snappy","xattr"])"},
    {"dcp-xattr-and-snappy-values", "connections[0].firstItems[seqno=2].xattrs",
     R"(["_sync","txn"])"},
    {"dcp-xattr-and-snappy-values", "connections[0].firstItems[seqno=4].xattrs",
     R"(["_sync","txn"])"},
    {"dcp-xattr-and-snappy-values", "connections[0].firstItems[seqno=2].key", R"("plain")"},
    {"dcp-xattr-and-snappy-values", "connections[0].firstItems[seqno=2].revision", "2"},
    {"dcp-xattr-and-snappy-values", "connections[0].firstItems[seqno=1].snapshot", "1"},
    {"dcp-xattr-and-snappy-values", "connections[0].firstItems[seqno=2].snapshot", "2"},
    // A filtered stream.
    {"dcp-collections-filtered", "connections[0].firstItems[key=o1].collection", "8"},
    {"dcp-collections-filtered", "connections[0].firstItems[key=a1].collection", "9"},
    {"dcp-collections-filtered", "connections[0].firstItems[key=o2].collection", "8"},
    {"dcp-collections-filtered", "connections[0].firstItems[key=late].collection", "300"},
    {"dcp-collections-filtered", "connections[0].collections[id=8].name", R"("orders")"},
    {"dcp-collections-filtered", "connections[0].collections[id=9].name", R"("audit")"},
    {"dcp-collections-filtered", "connections[0].collections[id=300].name", R"("")"},
    {"dcp-collections-filtered", "streams[0].snapshots", "2"},
    {"dcp-collections-filtered", "streams[0].snapshot", R"({"start":13,"end":20,"complete":true})"},
    {"dcp-collections-filtered", "streams[0].lastSeqno", "20"},
    {"dcp-collections-filtered", "findings[rule=D09]", absent},
    {"dcp-collections-filtered", "findings[severity=warning]", absent},
    {"dcp-collections-filtered", "streams[0].notCaptured", absent},
    // Acknowledgements that the server refuses.
    {"canal-ack-unknown-batch", "findings[rule=C4].figures.batchId", "36171"},
    {"canal-ack-unknown-batch", "findings[rule=C4].figures.lastDelivered", "36170"},
    {"canal-ack-unknown-batch", "findings[rule=C3].figures.answers", R"("CLIENTACK")"},
    {"canal-ack-unknown-batch", "findings[rule=C3].figures.errorCode", "400"},
    {"canal-ack-unknown-batch", "batches[batchId=36171].connection", "1"},
    {"canal-ack-unknown-batch", "batches[batchId=36170].state", R"("rolled_back")"},
    {"canal-ack-out-of-order", "findings[rule=C5].figures.batchId", "73"},
    {"canal-ack-out-of-order", "findings[rule=C5].figures.oldestOpen", "72"},
    {"canal-ack-out-of-order", "findings[rule=C3].figures.errorCode", "400"},
    {"canal-ack-out-of-order", "connections[0].canal.acknowledged", "2"},
    {"canal-ack-out-of-order", "connections[0].canal.open", "0"},
    {"canal-ack-out-of-order", "batches[batchId=73].refused", "true"},
    {"canal-ack-out-of-order", "batches[batchId=72].state", R"("acknowledged")"},
    {"canal-ack-out-of-order", "batches[batchId=73].state", R"("acknowledged")"},
    // Errors from the start.
    {"canal-not-subscribed-not-started", "findings[rule=C16].count", "2"},
    {"canal-not-subscribed-not-started", "findings[rule=C16].hits[0].figures.destination",
     R"("example")"},
    {"canal-not-subscribed-not-started", "findings[rule=C16].hits[0].figures.clientId",
     R"("1001")"},
    {"canal-not-subscribed-not-started", "findings[rule=C16].hits[1].figures.destination",
     R"("orders_db")"},
    {"canal-not-subscribed-not-started", "findings[rule=C3].count", "2"},
    {"canal-not-subscribed-not-started", "findings[rule=C3].figures.errorCode", "400"},
    {"canal-auth-failed", "findings[rule=C7].figures.errorCode", "400"},
    {"canal-auth-failed", "connections[0].canal.user", R"("canal")"},
    {"canal-auth-failed", "connections[0].canal.password", R"("40 hex digits")"},
    {"canal-auth-failed", "connections[0].messages.SUBSCRIPTION", absent},
    // Idle for longer than the client itself allows.
    {"canal-idle-close-redelivers", "connections[0].canal.netReadTimeoutMs", "60000"},
    {"canal-idle-close-redelivers", "findings[rule=C22].figures.idleMs", "60010.0"},
    {"canal-idle-close-redelivers", "connections[0].canal.acknowledged", "0"},
    {"canal-idle-close-redelivers", "batches[batchId=5].state", R"("rolled_back")"},
    {"canal-idle-close-redelivers", "batches[batchId=6].connection", "2"},
    {"canal-idle-close-redelivers", "batches[batchId=6].repeatedEntries", "3"},
    {"canal-idle-close-redelivers", "batches[batchId=6].journal", R"("mysql-bin.000007")"},
    {"canal-idle-close-redelivers", "batches[batchId=6].firstPosition", "1000"},
    // The client's filter.
    {"canal-client-filter-overrides", "connections[0].canal.filter", R"(".*\\..*")"},
    {"canal-client-filter-overrides", "connections[0].canal.tables",
     R"(["shop.orders","mysql.audit_log"])"},
    // A transaction in pieces.
    {"canal-transaction-over-three-batches", "transactions[0].batches", "[1,2,3]"},
    {"canal-transaction-over-three-batches", "transactions[0].rows", "7"},
    {"canal-transaction-over-three-batches", "transactions[0].transactionId", R"("900")"},
    {"canal-transaction-over-three-batches", "batches[batchId=1].transactionEnd", "false"},
    {"canal-transaction-over-three-batches", "batches[batchId=2].transactionEnd", "false"},
    {"canal-transaction-over-three-batches", "batches[batchId=3].transactionEnd", "true"},
    // Further behind with every batch.
    {"canal-growing-lag", "batches[0].lagMs", "2000.0"},
    {"canal-growing-lag", "batches[1].lagMs", "30000.0"},
    {"canal-growing-lag", "batches[2].lagMs", "300000.0"},
    {"canal-growing-lag", "batches[3].lagMs", "1800000.0"},
    {"canal-growing-lag", "batches[4].lagMs", "5400000.0"},
    {"canal-growing-lag", "batches[0].toAckMs", "350.0"},
    {"canal-growing-lag", "batches[1].toAckMs", "350.0"},
    {"canal-growing-lag", "batches[2].toAckMs", "350.0"},
    {"canal-growing-lag", "batches[3].toAckMs", "350.0"},
    {"canal-growing-lag", "batches[4].toAckMs", "350.0"},
    {"canal-growing-lag", "cards[code=canal.lag].state", R"("growing")"},
    // Null is not empty is not binary.
    {"canal-null-empty-and-blob", "connections[0].firstRows[type=UPDATE].table",
     R"("shop.orders")"},
    {"canal-null-empty-and-blob", "connections[0].firstRows[type=UPDATE].columns.note",
     R"("empty")"},
    {"canal-null-empty-and-blob", "connections[0].firstRows[type=UPDATE].columns.pic",
     R"("8 bytes")"},
    {"canal-null-empty-and-blob", "connections[0].firstRows[type=UPDATE].old",
     R"({"amount":"4 bytes","note":"null"})"},
    {"canal-null-empty-and-blob", "connections[0].firstRows[type=UPDATE].gtid",
     R"("3e11fa47-71ca-11e1-9e33-c80aa9429562:23")"},
    {"canal-null-empty-and-blob", "connections[0].firstRows[type=UPDATE].columns.id",
     R"("1 byte")"},
    {"canal-null-empty-and-blob", "connections[0].firstRows[type=UPDATE].columns.amount",
     R"("5 bytes")"},
    {"canal-null-empty-and-blob", "connections[0].firstRows[type=UPDATE].pkNames", R"(["id"])"},
    {"canal-null-empty-and-blob", "connections[0].firstRows[type=DELETE].columns.id",
     R"("1 byte")"},
    {"canal-null-empty-and-blob", "connections[0].firstRows[type=DELETE].old", "{}"},
    {"canal-null-empty-and-blob", "connections[0].firstRows[type=ALTER].isDdl", "true"},
    {"canal-null-empty-and-blob", "connections[0].firstRows[type=ALTER].sql",
     R"("ALTER TABLE orders ADD COLUMN x INT")"},
    // Other protocols on the port.
    {"canal-port-other-protocols", "connections[0].messages", R"({"HANDSHAKE":1})"},
    {"canal-port-other-protocols", "connections[0].firstBytes", R"("GET /metrics HTTP/1.")"},
    {"canal-port-other-protocols", "connections[0].looksLike", R"("HTTP")"},
    {"canal-port-other-protocols", "connections[1].canal.emptyPolls", "1"},
    {"canal-port-other-protocols", "connections[1].health", R"("healthy")"},
    {"canal-port-other-protocols", "connections[2].protocol", R"("other")"},
    {"canal-port-other-protocols", "connections[2].looksLike", R"("MySQL")"},
    {"canal-port-other-protocols", "capture.gapBytes", "0"},
};

// The same figures in the words of the text report (--all) and of the page.
struct told {
    std::string_view file, phrase;
};

constexpr told phrases[] = {
    {"dcp-flow-control-stall", "4,096 B, full to the end"},
    {"dcp-flow-control-stall", "4,235 B / 0 B"},
    {"dcp-flow-control-stall", "acknowledged 0 B in the 138.985 s"},
    {"dcp-flow-control-stall", "6 of 6 answered"},
    {"dcp-flow-control-stall", "at 14 of snapshot 0..60"},
    {"dcp-rollback-loop", "rolled back to 0 5 \u00d7"},
    {"dcp-rollback-loop", "vb 1 was rolled back 5 times and its stream never opened"},
    {"dcp-rollback-loop", "asked from 4 with uuid 0x1 and was told 0; it asked the same 5 times"},
    {"dcp-stream-request-out-of-range",
     "vb 723: out of range (0x22), start 110,208 lies outside the requested snapshot "
     "110,209..110,209"},
    {"dcp-stream-request-out-of-range",
     "vb 239: out of range (0x22), start 1,893 lies outside the requested snapshot "
     "1,894..1,894"},
    {"dcp-stream-request-out-of-range", "not resolved on this connection"},
    {"dcp-stream-ended-not-reopened", "8 items, seqno 1..8; at 8 of snapshot 0..500"},
    {"dcp-stream-ended-not-reopened", "not asked for again in 115.44"},
    {"dcp-stream-ended-not-reopened", "30 items, seqno 1..30"},
    {"dcp-stream-already-exists", "vb 197: duplicate (0x02)"},
    {"dcp-stream-already-exists", "2 items, seqno 1..2"},
    {"dcp-idle-without-noop", "1,262.999 s from"},
    {"dcp-idle-without-noop", "client, RST at"},
    {"dcp-prepare-ack-two-bytes-short", "20 committed, each in 2.0 ms"},
    {"dcp-prepare-ack-two-bytes-short", "2,364 B / 2,324 B"},
    {"dcp-prepare-ack-two-bytes-short", "40 B short, 2 B for each of 20 prepares"},
    {"dcp-durable-writes-stuck", "commit 2"},
    {"dcp-durable-writes-stuck", "abort 4"},
    {"dcp-durable-writes-stuck", "13.999 s +"},
    {"dcp-durable-writes-stuck", "Sync write ambiguous (0xa3) after 2.502 s"},
    {"dcp-durable-writes-stuck", "Sync write in progress (0xa2)"},
    {"dcp-restart-repeats-snapshot", "at 57 of snapshot 0..100"},
    {"dcp-restart-repeats-snapshot", "57 items delivered before, seqno 1..57"},
    {"dcp-finite-stream-without-end", "from seqno 0, to 50; 50 items, seqno 1..50"},
    {"dcp-finite-stream-without-end", "no STREAM_END in 73.94"},
    {"dcp-finite-stream-without-end", "3 items, seqno 1..3"},
    {"dcp-pipelined-and-split", "29 mutation, "},
    {"dcp-pipelined-and-split", "1 deletion"},
    {"dcp-pipelined-and-split", "1 snapshot marker"},
    {"dcp-pipelined-and-split", "value 6,002 B"},
    {"kv-flexible-framing", "SET, Majority, time-out of the server"},
    {"kv-flexible-framing", "seqno 77, vb uuid 0xa1b2c3d4e5f6, 2043.7 \u00b5s in the server"},
    {"kv-flexible-framing", "306.6 \u00b5s in the server"},
    {"dcp-capture-starts-mid-message", "2,060 B"},
    {"dcp-capture-starts-mid-message", "20 items, seqno 501..520"},
    {"tcp-fin-before-last-data", "3 items, seqno 1..3"},
    {"tcp-late-segment-after-reply", "20 items, seqno 1..20"},
    {"tcp-sequence-wrap", "40 items, seqno 1..40"},
    {"tcp-ack-before-data", "10 items, seqno 1..10"},
    {"tcp-overlapping-retransmission", "8 items, seqno 1..8"},
    {"tcp-lost-segment-resync", "53 items, seqno 1..60"},
    {"tcp-lost-segment-resync", "1,460 B, vb 54 seqno 19..25"},
    {"tcp-lost-segment-resync", "227 B: 51 B before the hole, 176 B after it"},
    {"tcp-lost-segment-resync", "(51 B before the hole, 176 B after it)"},
    {"pcap-snaplen-128", "21 B from the client cut off by the snapshot length"},
    {"pcap-snaplen-128", "3,805 B from the server cut off by the snapshot length"},
    {"pcap-snaplen-128", "12 messages without all of its value"},
    {"pcap-snaplen-128", "12 items, seqno 1..12"},
    {"sll2-every-packet-twice", "15 items, seqno 1..15"},
    {"dcp-xattr-and-snappy-values", "xattrs _sync, txn"},
    {"dcp-xattr-and-snappy-values", "document 112 B"},
    {"dcp-xattr-and-snappy-values", "json + snappy + xattr"},
    {"dcp-xattr-and-snappy-values", "seqno 2, rev 2"},
    {"dcp-collections-filtered", "0x8 orders, 0x9 audit, 0x12c (no name captured)"},
    {"dcp-collections-filtered", "snapshot 13..20 complete"},
    {"canal-ack-unknown-batch", "acknowledged batch 36171 before it was handed out (30 ms later)"},
    {"canal-ack-unknown-batch", "refused with code 400"},
    {"canal-ack-out-of-order", "CLIENTACK 73 while 72 is open"},
    {"canal-ack-out-of-order", "refused, then acknowledged"},
    {"canal-ack-out-of-order", "Nothing stays open"},
    {"canal-not-subscribed-not-started", "orders_db"},
    {"canal-not-subscribed-not-started",
     "GET came before a subscription: example; SUBSCRIPTION names a destination that is not "
     "running: orders_db"},
    {"canal-auth-failed", "canal, password: 40 hex digits"},
    {"canal-idle-close-redelivers", "the login asked for 60,000 ms"},
    {"canal-idle-close-redelivers", "3 entries delivered before, from mysql-bin.000007:1000 on"},
    {"canal-client-filter-overrides", ".*\\..*"},
    {"canal-client-filter-overrides", "shop.orders, mysql.audit_log"},
    {"canal-transaction-over-three-batches", "900 in batches 1, 2, 3 with 7 rows"},
    {"canal-growing-lag", "2 s, 30 s, 5 min, 30 min, 1 h 30 min behind"},
    {"canal-growing-lag",
     "acknowledges each batch after 350 ms and asks again 600 ms later; the "
     "server answers within 50 ms"},
    {"canal-null-empty-and-blob",
     "amount 5 bytes, note empty, pic 8 bytes; before: amount 4 bytes, note null; key id; gtid "
     "3e11fa47-71ca-11e1-9e33-c80aa9429562:23"},
    {"canal-null-empty-and-blob", "ALTER TABLE orders ADD COLUMN x INT"},
    {"canal-port-other-protocols", "GET /metrics HTTP/1."},
    {"canal-port-other-protocols", "1 empty poll"},
    {"canal-port-other-protocols", "MySQL"},
};

cli::report_reading read(std::string_view file) {
    cli::report_options o;
    o.common.captures = {std::string(CDCSCOPE_SOURCE_DIR "/tests/data/reports/") +
                         std::string(file) + ".pcap"};
    o.common.quiet = o.common.no_progress = true;
    return cli::read_report(o);
}

// The member, or the element, that a step of a field names; null if there is none.
const json* step(const json* at, std::string_view name) {
    if (!at->is_object() || !at->contains(std::string(name))) return nullptr;
    return &(*at)[std::string(name)];
}
const json* choose(const json* at, std::string_view which) {
    if (!at->is_array()) return nullptr;
    const auto equals = which.find('=');
    if (equals == std::string_view::npos) {
        std::size_t n = 0;
        std::from_chars(which.data(), which.data() + which.size(), n);
        return n < at->size() ? &(*at)[n] : nullptr;
    }
    for (const auto& element : *at) {
        const auto* value = step(&element, which.substr(0, equals));
        if (value == nullptr) continue;
        if ((value->is_string() ? value->get<std::string>() : value->dump()) ==
            which.substr(equals + 1))
            return &element;
    }
    return nullptr;
}

const json* find(const json& report, std::string_view field) {
    const json* at = &report;
    while (!field.empty() && at != nullptr) {
        if (field.front() == '[') {
            const auto end = field.find(']');
            at = choose(at, field.substr(1, end - 1));
            field.remove_prefix(end + 1);
        } else {
            field.remove_prefix(field.front() == '.' ? 1 : 0);
            const auto end = std::min(field.find_first_of(".["), field.size());
            at = step(at, field.substr(0, end));
            field.remove_prefix(end);
        }
    }
    return at;
}

TEST(Cases, EachReportTellsWhatItMust) {
    std::string_view file;
    json report;
    for (const auto& one : lines) {
        if (one.file != file) {
            file = one.file;
            report = json::parse(render_json(read(file).model));
        }
        SCOPED_TRACE(std::string(one.file) + ": " + std::string(one.field));
        const json* got = find(report, one.field);
        if (one.expected == absent) {
            EXPECT_EQ(got, nullptr) << *got;
            continue;
        }
        const auto expected = json::parse(one.expected);
        if (got == nullptr) {
            ADD_FAILURE() << "is absent, expected " << expected;
        } else if (expected.is_number_float() && got->is_number()) {
            EXPECT_NEAR(got->get<double>(), expected.get<double>(),
                        expected.get<double>() < 1000 ? 0.1 : 1.05);
        } else {
            EXPECT_EQ(*got, expected);
        }
    }
}

// Words of a report on one line: without markup, line breaks and no-break spaces.
std::string words_of(std::string text) {
    for (const auto* cut :
         {"<style>[\\s\\S]*?</style>", "<script>[\\s\\S]*?</script>", "<pre [\\s\\S]*?</pre>"})
        text = std::regex_replace(text, std::regex(cut, std::regex::optimize), " ");
    text = std::regex_replace(text, std::regex("</(td|li|dt|dd|p|h3|span)>"), " ");
    text = std::regex_replace(text, std::regex("<[^>]*>"), "");
    constexpr std::pair<std::string_view, std::string_view> entities[] = {
        {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}};
    for (const auto& [entity, sign] : entities) {
        for (auto at = text.find(entity); at != std::string::npos; at = text.find(entity, at))
            text.replace(at, entity.size(), sign);
    }
    return std::regex_replace(plain_spaces(text), std::regex("\\s+"), " ");
}

TEST(Cases, TextAndPageShowTheFigures) {
    std::string_view file;
    std::string text, page;
    for (const auto& one : phrases) {
        if (one.file != file) {
            file = one.file;
            const auto m = read(file).model;
            text = words_of(render_text(m, {400, false, true}));
            page = words_of(render_html(m));
        }
        SCOPED_TRACE(std::string(one.file) + ": " + std::string(one.phrase));
        EXPECT_NE(text.find(one.phrase), std::string::npos) << "not in the text";
        EXPECT_NE(page.find(one.phrase), std::string::npos) << "not on the page";
    }
}

// All cases are held: those of the list beside the captures.
TEST(Cases, NoneIsLeftOut) {
    std::ifstream in(CDCSCOPE_SOURCE_DIR "/tests/data/reports/cases.json");
    const auto all = json::parse(in);
    for (const auto& one : all["cases"]) {
        const auto name = one["file"].get<std::string>();
        const auto dot = name.rfind('.');
        if (name.substr(dot) != ".pcap") continue;  // .ss: golden/report_test.py
        const auto stem = name.substr(0, dot);
        EXPECT_TRUE(std::any_of(std::begin(lines), std::end(lines), [&](auto& l) {
            return l.file == stem;
        })) << stem;
        EXPECT_TRUE(std::any_of(std::begin(phrases), std::end(phrases), [&](auto& p) {
            return p.file == stem;
        })) << stem;
    }
}

TEST(Cases, NoTokenIsPrinted) {
    const auto m = read("canal-auth-failed").model;
    for (const auto& text : {render_json(m), render_html(m), render_text(m, {100, false, true})}) {
        // The script's own digest has 64 digits of Base64, the frames none of 40.
        EXPECT_FALSE(std::regex_search(text, std::regex("[^0-9a-f][0-9a-f]{40}[^0-9a-f]")));
    }
}

}  // namespace
}  // namespace cdcscope::report
