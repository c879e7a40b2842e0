"""Every message and variant that the server's documentation names, through both doors: fields in tshark, members in JSON lines.

Each case is a connection of its own: what is sent (the last message is the one looked at), what the plugin's fields show,
what the program's JSON says. Captures have many of them, too; here are all.
"""
import json
import os
import struct
import subprocess
import unittest

import wireshark
from made import answer, flat, message, record, snappy, xattrs
from test_beside import between
from test_bytes import pcap

CASES = []


def case(title, last, fields, members, before=(), from_client=True):
    """`before`: [(from the client?, bytes)] in front of `last`."""
    CASES.append((title, [*before, (from_client, last)], fields, members))


def p(form, *numbers):
    return struct.pack(">" + form, *numbers)


COLLECTIONS = [(True, message(0x1F, key=b"agent", value=p("H", 0x12))), (False, answer(0x1F, value=p("H", 0x12)))]
OPEN = [(True, message(0x50, p("II", 0, 1), b"made:1")), (False, answer(0x50))]
FOREVER = 2**64 - 1


# Opening a connection, asking for streams.
case("open", message(0x50, p("II", 0, 0x3FF), b"made:open", b'{"consumer_name":"ns_1@n2"}', datatype=1),
     {"open.flags": "0x000003ff", "open.name": "made:open", "open.consumer_name": "ns_1@n2",
      **{f"open.flags.{n}": "1" for n in ("producer", "notifier", "include_xattrs", "no_value", "collections", "include_delete_times",
         "no_value_with_underlying_datatype", "pitr", "include_deleted_user_xattrs", "skip_deletes_in_initial_backfill")}},
     {"event": "open", "name": "made:open", "flags": 0x3FF, "content.consumer_name": "ns_1@n2",
      "flagNames": ["producer", "notifier", "includeXattrs", "noValue", "collections", "includeDeleteTimes",
                    "noValueWithUnderlyingDatatype", "pitr", "includeDeletedUserXattrs", "skipDeletesInInitialBackfill"]})
case("add stream", message(0x51, p("I", 0x1FF), last=3),
     {"stream.flags": "0x000001ff", "vbucket": "3", **{f"stream.flags.{n}": "1" for n in (
         "takeover", "disk_only", "to_latest", "no_value", "active_vb_only", "strict_vbuuid", "from_latest",
         "ignore_purged_tombstones", "cache_transfer")}},
     {"event": "add_stream", "partition": 3, "flagNames": ["takeover", "diskOnly", "toLatest", "noValue", "activeVbOnly",
                                                          "strictVbUuid", "fromLatest", "ignorePurgedTombstones", "cacheTransfer"]})
case("add stream's answer", answer(0x51, p("I", 0xAB)), {"stream.opaque": "0x000000ab", "partition": "3"},
     {"event": "add_stream", "response": True, "streamOpaque": "0xab", "partition": 3},
     [(True, message(0x51, p("I", 0), last=3))], False)
case("close stream", message(0x52, last=4, magic=0x08, framing=b"\x22\x00\x64"), {"stream.id": "100", "vbucket": "4"},
     {"event": "close_stream", "partition": 4, "streamId": 100})
FILTER = (b'{"uid":"1f","sid":777,"collections":["9","abcdef"],"scope":"8","purge_seqno":"55",'
          b'"cts":{"free_memory":18446744073709551615,"all_keys":true},"more":{"uid":"no"}}')
REQUEST = p("IIQQQQQ", 0x90, 0, 5, FOREVER, 0xA1B2, 4, 6)
case("stream request", message(0x53, REQUEST, b"", FILTER, last=7),
     {"stream.flags": "0x00000090", "stream.flags.active_vb_only": "1", "stream.start_seqno": "5", "stream.end_seqno": str(FOREVER),
      "stream.vbucket_uuid": "0x000000000000a1b2", "stream.snapshot_start_seqno": "4", "stream.snapshot_end_seqno": "6",
      "stream.filter.uid": "1f", "stream.filter.sid": "777", "stream.filter.collection": ["9", "abcdef"], "stream.filter.scope": "8",
      "stream.filter.purge_seqno": "55", "stream.filter.cts.free_memory": str(FOREVER), "stream.filter.cts.all_keys": "1"},
     {"event": "stream_request", "startSeqno": 5, "endSeqno": FOREVER, "filter": json.loads(FILTER),
      "flagNames": ["activeVbOnly", "ignorePurgedTombstones"]}, COLLECTIONS)
ASKED = [*OPEN, (True, message(0x53, REQUEST, last=7))]
case("stream request accepted", answer(0x53, value=p("QQQQ", 0xA1, 9, 0xA0, 0)),
     {"failover.uuid": ["0x00000000000000a1", "0x00000000000000a0"], "failover.seqno": ["9", "0"], "partition": "7"},
     {"event": "stream_request", "status": "Success", "failoverLog": [
         {"vBucketUuid": 0xA1, "vBucketUuidHex": "0x00000000000000a1", "bySeqno": 9},
         {"vBucketUuid": 0xA0, "vBucketUuidHex": "0x00000000000000a0", "bySeqno": 0}]}, ASKED, False)
case("rollback", answer(0x53, value=p("Q", 33), status=0x23), {"rollback_seqno": "33", "status": "0x0023"},
     {"event": "stream_request", "status": "Rollback", "rollbackSeqno": 33, "partition": 7}, ASKED, False)
CONTEXT = b'{"error":{"context":"no \\"such\\" vb","ref":"4b-1"}}'
case("error with context", answer(0x53, value=CONTEXT, status=0x04, datatype=1),
     {"error.context": 'no "such" vb', "error.ref": "4b-1", "status": "0x0004"},
     {"status": "Einval", "content.error.context": 'no "such" vb', "content.error.ref": "4b-1"}, ASKED, False)
case("error without JSON", answer(0x53, value=b"not today", status=0x86), {"error": "not today"},
     {"status": "Etmpfail", "error": "not today"}, ASKED, False)
case("unknown collection", answer(0x53, value=b'{"manifest_uid":"2a"}', status=0x88, datatype=1), {"error.manifest_uid": "2a"},
     {"status": "UnknownCollection", "content.manifest_uid": "2a"}, ASKED, False)
case("not my vbucket", answer(0x53, value=b'{"rev":12}', status=0x07, datatype=1), {"status": "0x0007", "json.member": "rev"},
     {"status": "NotMyVbucket", "content.rev": 12}, ASKED, False)
for opcode, event in ((0x54, "failover_log"), (0x96, "get_failover_log")):
    case(event, message(opcode, last=5), {"vbucket": "5"}, {"event": event, "partition": 5})
    case(event + "'s answer", answer(opcode, value=p("QQ", 1, 2)), {"failover.uuid": "0x0000000000000001", "failover.seqno": "2", "partition": "5"},
         {"event": event, "partition": 5, "failoverLog": [{"vBucketUuid": 1, "vBucketUuidHex": "0x0000000000000001", "bySeqno": 2}]},
         [(True, message(opcode, last=5))], False)
for number, reason in enumerate(("Ok", "Closed", "StateChanged", "Disconnected", "TooSlow", "BackfillFailed", "Rollback", "FilterEmpty",
                                 "LostPrivileges")):
    case("stream end, " + reason, message(0x55, p("I", number), last=7), {"stream.end_reason": str(number)},
         {"event": "stream_end", "reason": reason, "reasonCode": number}, ASKED, False)

# Snapshots.
case("marker 1.0", message(0x56, p("QQI", 1, 9, 0x3F), last=7),
     {"snapshot.start": "1", "snapshot.end": "9", **{f"snapshot.flags.{n}": "1" for n in (
         "memory", "disk", "checkpoint", "ack", "history", "may_contain_duplicates")}},
     {"event": "snapshot_marker", "version": "1.0", "startSeqno": 1, "endSeqno": 9,
      "snapshotType": ["memory", "disk", "checkpoint", "ack", "history", "mayDuplicateKeys"]}, ASKED, False)
MARKER = {"snapshot.start": "1", "snapshot.end": "9", "snapshot.max_visible_seqno": "8", "snapshot.high_completed_seqno": "7"}
MEMBERS = {"startSeqno": 1, "endSeqno": 9, "maxVisibleSeqno": 8, "highCompletedSeqno": 7, "snapshotType": ["disk"]}
case("marker 2.0", message(0x56, p("B", 0), value=p("QQIQQ", 1, 9, 2, 8, 7)), {"snapshot.version": "0", **MARKER},
     {"version": "2.0", **MEMBERS}, ASKED, False)
case("marker 2.1", message(0x56, p("B", 1), value=p("QQIQQQ", 1, 9, 2, 8, 7, 6)),
     {"snapshot.version": "1", "snapshot.timestamp": "6", **MARKER}, {"version": "2.1", "snapshotTimestamp": 6, **MEMBERS}, ASKED, False)
case("marker 2.2", message(0x56, p("B", 2), value=p("QQIQQQQ", 1, 9, 2, 8, 7, 6, 5)),
     {"snapshot.version": "2", "snapshot.purge_seqno": "6", "snapshot.high_prepared_seqno": "5", **MARKER},
     {"version": "2.2", "purgeSeqno": 6, "highPreparedSeqno": 5, **MEMBERS}, ASKED, False)
case("marker's answer", answer(0x56, opaque=0x11), {"magic": "0x81", "partition": "7", "request_in": any, "response_time": any},
     {"event": "snapshot_marker", "response": True, "partition": 7}, [*ASKED, (False, answer(0x53, value=p("QQ", 1, 0))), (False, message(0x56, p("QQI", 1, 9, 8), last=7))])
case("OSO start", message(0x65, p("I", 1)), {"oso.flags": "0x00000001", "oso.flags.start": "1"},
     {"event": "oso_snapshot", "flags": 1, "flagNames": ["start"]}, ASKED, False)
case("OSO end", message(0x65, p("I", 2)), {"oso.flags.end": "1"}, {"flags": 2, "flagNames": ["end"]}, ASKED, False)
case("seqno advanced", message(0x64, p("Q", 12)), {"by_seqno": "12", "seqno": "12"}, {"event": "seqno_advanced", "bySeqno": 12}, ASKED, False)

# Items.
DOCUMENT = b'{"a": 1}'
case("mutation", message(0x57, p("QQIIIHB", 5, 2, 0x02000006, 60, 1, 0, 3), b"k", DOCUMENT, datatype=1, cas=9, last=7),
     {"by_seqno": "5", "rev_seqno": "2", "flags": "0x02000006", "expiration": "60", "lock_time": "1", "nmeta": "0", "nru": "3",
      "document_key": "6b", "content": '{"a": 1}', "json.member": "a", "cas": "0x0000000000000009"},
     {"event": "mutation", "bySeqno": 5, "revSeqno": 2, "flags": 0x02000006, "expiration": 60, "lockTime": 1, "key": "k",
      "content": {"a": 1}, "cas": 9, "datatype": ["json"]}, ASKED, False)
BOTH = snappy(xattrs(_sync='{"rev":1}', user="7") + DOCUMENT)
case("mutation with everything", message(0x57, p("QQIIIHB", 5, 2, 0, 0, 0, 0, 0), b"\xd5\x0ak", BOTH, datatype=7, cas=9, last=7),
     {"collection_id": "0x00000555", "document_key": "6b", "xattr.key": ["_sync", "user"], "xattr.value": ['{"rev":1}', "7"],
      "content": '{"a": 1}', "inflated_length": str(len(xattrs(_sync='{"rev":1}', user="7") + DOCUMENT))},
     {"collectionId": 0x555, "key": "k", "xattrs": {"_sync": {"rev": 1}, "user": 7}, "content": {"a": 1},
      "datatype": ["json", "snappy", "xattr"]}, [*COLLECTIONS, *ASKED], False)
META = bytes([1]) + p("BHQ", 1, 8, 99) + p("BHB", 2, 1, 1)
case("mutation with extended metadata", message(0x57, p("QQIIIHB", 5, 2, 0, 0, 0, len(META), 0), b"k", DOCUMENT + META, datatype=1, last=7),
     {"nmeta": str(len(META)), "content": '{"a": 1}', "extended_metadata.version": "1", "extended_metadata.id": ["1", "2"],
      "extended_metadata.length": ["8", "1"]},
     {"content": {"a": 1}, "extendedMetadata.version": 1, "extendedMetadata.entries": [
         {"id": "adjustedTime", "data": "0000000000000063"}, {"id": "conflictResolutionMode", "data": "01"}]}, ASKED, False)
BOMB = b"\x80\x80\x80\x32" + b"\x04{}"  # says that it is 100 MiB
case("value too large to inflate", message(0x57, p("QQIIIHB", 5, 2, 0, 0, 0, 0, 0), b"k", BOMB, datatype=3, last=7),
     {"inflated_length": str(100 << 20), "body": BOMB.hex(), "content": None},
     {"notInflated": 100 << 20, "content": None, "contentBase64": "gICAMgR7fQ=="}, ASKED, False)
case("cluster config too large to inflate", answer(0xB5, value=BOMB, datatype=3), {"inflated_length": str(100 << 20), "json": None},
     {"notInflated": 100 << 20, "contentBase64": "gICAMgR7fQ=="}, [(True, message(0xB5))], False)
case("binary mutation", message(0x57, p("QQIIIHB", 5, 2, 0, 0, 0, 0, 0), b"\xff\xfe", b"\x00\xff", last=7),
     {"key": "fffe", "body": "00ff"}, {"keyBase64": "//4=", "contentBase64": "AP8="}, ASKED, False)
case("deletion 1", message(0x58, p("QQH", 6, 3, 0), b"k", last=7), {"by_seqno": "6", "rev_seqno": "3", "nmeta": "0"},
     {"event": "deletion", "bySeqno": 6, "revSeqno": 3}, ASKED, False)
case("deletion 2", message(0x58, p("QQIB", 6, 3, 77, 0), b"k", xattrs(_x="1"), datatype=4, last=7),
     {"delete_time": "77", "unused": "0", "xattr.key": "_x"}, {"deleteTime": 77, "xattrs": {"_x": 1}}, ASKED, False)
case("deletion with a stream id", message(0x58, p("QQIB", 6, 3, 77, 0), b"k", magic=0x08, framing=b"\x22\x00\x64", last=7),
     {"stream.id": "100", "delete_time": "77"}, {"streamId": 100, "deleteTime": 77}, ASKED, False)
case("expiration", message(0x59, p("QQI", 6, 3, 77), b"k", last=7), {"by_seqno": "6", "delete_time": "77"},
     {"event": "expiration", "bySeqno": 6, "deleteTime": 77}, ASKED, False)
case("expiration before 6.5", message(0x59, p("QQH", 6, 3, 0), b"k", last=7), {"by_seqno": "6", "nmeta": "0"},
     {"event": "expiration", "bySeqno": 6}, ASKED, False)
case("flush", message(0x5A, last=7), {"opcode": "0x5a", "vbucket": "7"}, {"event": "flush", "partition": 7}, ASKED, False)
for level, name in ((1, "majority"), (2, "majorityAndPersistOnActive"), (3, "persistToMajority")):
    case("prepare, " + name, message(0x60, p("QQIIIBBB", 8, 1, 0, 60, 0, 4, level % 2, level), b"k", b"v", last=7, cas=3),
         {"by_seqno": "8", "durability": str(level), "deleted": str(level % 2), "nru": "4", "expiration": "60", "content": "v"},
         {"event": "prepare", "durability": name, "deleted": level % 2 == 1, "bySeqno": 8, "contentBase64": "dg=="}, ASKED, False)
case("seqno acknowledged", message(0x61, p("Q", 8), last=7), {"prepared_seqno": "8"}, {"event": "seqno_acknowledged", "preparedSeqno": 8}, ASKED)
case("commit", message(0x62, p("QQ", 8, 9), b"k", last=7), {"prepared_seqno": "8", "commit_seqno": "9", "seqno": "9"},
     {"event": "commit", "preparedSeqno": 8, "bySeqno": 9, "key": "k"}, ASKED, False)
case("abort", message(0x63, p("QQ", 8, 9), b"k", last=7), {"prepared_seqno": "8", "abort_seqno": "9", "seqno": "9"},
     {"event": "abort", "preparedSeqno": 8, "bySeqno": 9, "key": "k"}, ASKED, False)
case("cache transfer", message(0x66, value=record(b"\x08a", DOCUMENT, 3, 1) + record(b"\x08b", snappy(DOCUMENT), 2, 3) + record(b"\x08c", b"", 1, 3)),
     {"cache.cas": ["0x0000000000000007"] * 3, "by_seqno": ["3", "2", "1"], "document_key": ["61", "62", "63"], "cache.hint": ["9"] * 3,
      "collection_id": ["0x00000008"] * 3, "content": ['{"a": 1}'] * 2},
     {"event": "cache_transfer", "records.0.key": "a", "records.0.content": {"a": 1}, "records.1.content": {"a": 1}, "records.2.key": "c",
      "records.2.bySeqno": 1, "records.0.collectionId": 8}, ASKED, False)
case("cache transfer end", message(0x67, last=7), {"opcode": "0x67", "vbucket": "7"}, {"event": "cache_transfer_end", "partition": 7}, ASKED, False)

# The connection.
for number, name in enumerate(("active", "replica", "pending", "dead"), 1):
    case("state " + name, message(0x5B, p("B", number), last=7), {"vbucket_state": str(number)}, {"event": "set_vbucket_state", "state": name},
         ASKED, False)
case("noop", message(0x5C, opaque=0x81969800), {"opaque": "0x81969800"}, {"event": "noop", "wire.opaque": "0x81969800"}, OPEN, False)
case("buffer ack", message(0x5D, p("I", 2048)), {"buffer_ack.bytes": "2048"}, {"event": "buffer_ack", "bytes": 2048}, OPEN)
SETTINGS = [("connection_buffer_size", "4096"), ("connection_buffer_size", "0"), ("stream_buffer_size", "1"), ("enable_noop", "true"),
            ("enable_noop", "false"), ("set_noop_interval", "1.000000"), ("set_priority", "high"), ("set_priority", "medium"),
            ("set_priority", "low"), ("enable_ext_metadata", "true"), ("force_value_compression", "true"),
            ("force_value_compression", "false"), ("supports_cursor_dropping", "true"), ("supports_cursor_dropping_vulcan", "true"),
            ("supports_hifi_MFU", "true"), ("send_stream_end_on_client_close_stream", "true"), ("enable_expiry_opcode", "true"),
            ("enable_expiry_opcode", "false"), ("enable_stream_id", "true"), ("enable_sync_writes", "true"), ("consumer_name", "ns_1@n2"),
            ("backfill_order", "round-robin"), ("backfill_order", "sequential"), ("include_deleted_user_xattrs", "true"),
            ("v7_dcp_status_codes", "true"), ("enable_out_of_order_snapshots", "true"),
            ("enable_out_of_order_snapshots", "true_with_seqno_advanced"), ("flatbuffers_system_events", "true"), ("change_streams", "true"),
            ("max_marker_version", "2.2"), ("cache_transfer", "true")]
for name, value in SETTINGS:
    case(f"control {name}={value}", message(0x5E, key=name.encode(), value=value.encode()),
         {"control.key": name, "control.value": value, "control.meaning": any}, {"event": "control", "name": name, "value": value, "meaning": any}, OPEN)
for name, value in (("no_such_setting", "true"), ("enable_noop", "maybe"), ("set_priority", "")):
    case(f"control {name}={value}", message(0x5E, key=name.encode(), value=value.encode()), {"control.key": name, "control.meaning": None},
         {"event": "control", "name": name, "meaning": None}, OPEN)

# System events.
COLLECTION = {0: ("Q", 0x2A), 1: ("I", 8), 2: ("I", 9), 3: ("?", True), 4: ("I", 60), 5: "orders", 6: ("?", True), 7: ("Q", 5), 8: ("?", True),
              9: ("Q", 0x1F)}
SHOWN = {"manifest_uid": "0x000000000000002a", "scope_id": "0x00000008"}
SAID = {"event": "system_event", "manifestUid": "2a", "scopeId": 8, "bySeqno": 4}


def event(number, version, key, value, fields, members):
    case(f"system event {number} version {version}", message(0x5F, p("QIB", 4, number, version), key, value, last=7),
         {"event.id": str(number), "event.version": str(version), "by_seqno": "4", **SHOWN, **fields}, {**SAID, "version": version, **members},
         ASKED, False)


event(0, 0, b"orders", p("QII", 0x2A, 8, 9), {"collection": "orders", "collection_id": "0x00000009"},
      {"systemEvent": "collectionCreated", "collection": "orders", "collectionId": 9})
event(0, 1, b"orders", p("QIII", 0x2A, 8, 9, 60), {"collection": "orders", "max_ttl": "60"}, {"systemEvent": "collectionCreated", "maxTtl": 60})
for number, name in ((0, "collectionCreated"), (5, "collectionModified")):
    event(number, 2, b"orders", flat(COLLECTION),
          {"collection": ["orders", "orders"], "collection_id": "0x00000009", "ttl_valid": "1", "max_ttl": "60", "history": "1",
           "default_collection_mvs": "5", "metered": "1", "flush_uid": "0x000000000000001f"},
          {"systemEvent": name, "collection": "orders", "collectionId": 9, "ttlValid": True, "maxTtl": 60, "history": True,
           "defaultCollectionMVS": 5, "metered": True, "flushUid": "1f"})
event(1, 0, b"", p("QII", 0x2A, 8, 9), {"collection_id": "0x00000009"}, {"systemEvent": "collectionDropped", "collectionId": 9})
event(1, 2, b"", flat({0: ("Q", 0x2A), 1: ("I", 8), 2: ("I", 9), 3: ("?", True)}), {"collection_id": "0x00000009", "system_collection": "1"},
      {"systemEvent": "collectionDropped", "systemCollection": True})
event(3, 0, b"inventory", p("QI", 0x2A, 8), {"scope": "inventory"}, {"systemEvent": "scopeCreated", "scope": "inventory"})
event(3, 2, b"", flat({0: ("Q", 0x2A), 1: ("I", 8), 2: "inventory"}), {"scope": "inventory"}, {"systemEvent": "scopeCreated", "scope": "inventory"})
event(4, 0, b"", p("QI", 0x2A, 8), {}, {"systemEvent": "scopeDropped"})
event(4, 2, b"", flat({0: ("Q", 0x2A), 1: ("I", 8), 2: ("?", True)}), {"system_scope": "1"}, {"systemEvent": "scopeDropped", "systemScope": True})

# Other commands on such a connection.
AGENT = b'{"a":"java/3.4","i":"66388CF5BFCF7522/18CC"}'
FEATURES = list(range(1, 0x27))
case("HELLO", message(0x1F, key=AGENT, value=b"".join(p("H", n) for n in FEATURES)),
     {"hello.agent.name": "java/3.4", "hello.agent.connection": "66388CF5BFCF7522/18CC", "hello.feature": [f"0x{n:04x}" for n in FEATURES]},
     {"event": "hello", "agentName": "java/3.4", "connectionId": "66388CF5BFCF7522/18CC", "features.17": "COLLECTIONS",
      "features.37": "DCP_SKIP_DELETES_IN_INITIAL_BACKFILL"})
case("plain agent", message(0x1F, key=b"gocbcore", value=p("H", 0x12)), {"hello.agent": "gocbcore", "hello.agent.name": None},
     {"agent": "gocbcore", "agentName": None, "features": ["COLLECTIONS"]})
case("SASL mechanisms", answer(0x20, value=b"SCRAM-SHA512 PLAIN"), {"sasl.mechanisms": "SCRAM-SHA512 PLAIN"},
     {"event": "sasl_list_mechs", "mechanisms": "SCRAM-SHA512 PLAIN"}, [(True, message(0x20))], False)
case("SASL auth", message(0x21, key=b"PLAIN", value=b"\0user\0pa55word"), {"sasl.mechanism": "PLAIN", "secret_length": "14", "value": None},
     {"event": "sasl_auth", "mechanism": "PLAIN", "payload": "(redacted, 14 bytes)"})
case("SASL continue", answer(0x21, value=b"r=abc", status=0x21), {"status": "0x0021", "secret_length": "5"},
     {"status": "AuthContinue", "payload": "(redacted, 5 bytes)"}, [(True, message(0x21, key=b"SCRAM-SHA1", value=b"n,,n=u"))], False)
case("select bucket", message(0x89, key=b"travel"), {"bucket": "travel"}, {"event": "select_bucket", "bucket": "travel"})
case("KV noop", message(0x0A), {"opcode": "0x0a"}, {"event": "noop"})
case("version", answer(0x0B, value=b"7.6.2-1234"), {"version": "7.6.2-1234"}, {"event": "version", "version": "7.6.2-1234"},
     [(True, message(0x0B))], False)
case("quit", message(0x07), {"opcode": "0x07"}, {"event": "quit"})
case("cluster config asked for with a known version", message(0xB5, p("qq", -1, 1234)), {"config.epoch": "-1", "config.revision": "1234"},
     {"event": "get_cluster_config", "epoch": -1, "revision": 1234})
case("cluster config", answer(0xB5, value=snappy(b'{"rev":1234}'), datatype=3), {"json": '{"rev":1234}', "json.member": "rev"},
     {"event": "get_cluster_config", "content": {"rev": 1234}}, [(True, message(0xB5))], False)
case("error map asked for", message(0xFE, value=p("H", 2)), {"error_map.version": "2"}, {"event": "get_error_map", "version": 2})
case("error map", answer(0xFE, value=b'{"version":2}', datatype=1), {"json": '{"version":2}'}, {"content": {"version": 2}},
     [(True, message(0xFE, value=p("H", 2)))], False)
case("stat", message(0x10, key=b"vbucket-seqno 3"), {"stat.group": "vbucket-seqno 3"}, {"event": "stat", "group": "vbucket-seqno 3"})
case("stat line", answer(0x10, key=b"vb_3:high_seqno", value=b"17"), {"stat.name": "vb_3:high_seqno", "stat.value": "17"},
     {"event": "stat", "name": "vb_3:high_seqno", "value": "17"}, [(True, message(0x10, key=b"vbucket-seqno 3"))], False)
case("seqnos of all", message(0x48), {"extras_length": "0"}, {"event": "get_all_vb_seqnos"})
for number, name in enumerate(("alive", "active", "replica", "pending", "dead")):
    case("seqnos of " + name, message(0x48, p("I", number)), {"seqnos.state": str(number)}, {"event": "get_all_vb_seqnos", "state": name})
case("seqnos of a collection", message(0x48, p("II", 1, 0xCAFE)), {"seqnos.state": "1", "collection_id": "0x0000cafe"},
     {"state": "active", "collectionId": 0xCAFE})
case("seqnos", answer(0x48, value=p("HQHQ", 1, 55, 1023, 66)), {"observe.vbucket": ["1", "1023"], "seqnos.seqno": ["55", "66"]},
     {"seqnos": [{"partition": 1, "bySeqno": 55}, {"partition": 1023, "bySeqno": 66}]}, [(True, message(0x48))], False)
OBSERVE = [(True, message(0x91, value=p("Q", 0xA1), last=5))]
case("observe seqno", OBSERVE[0][1], {"observe.uuid": "0x00000000000000a1", "vbucket": "5"},
     {"event": "observe_seqno", "partition": 5, "vBucketUuid": 0xA1})
case("observed", answer(0x91, value=p("BHQQQ", 0, 5, 0xA1, 7, 9)),
     {"observe.format": "0", "observe.vbucket": "5", "observe.uuid": "0x00000000000000a1", "observe.last_persisted_seqno": "7",
      "observe.current_seqno": "9"}, {"format": "current", "partition": 5, "lastPersistedSeqno": 7, "currentSeqno": 9}, OBSERVE, False)
case("observed after a failover", answer(0x91, value=p("BHQQQQQ", 1, 5, 0xA2, 7, 9, 0xA1, 8)),
     {"observe.format": "1", "observe.old_uuid": "0x00000000000000a1", "observe.last_received_seqno": "8"},
     {"format": "failedOver", "oldVBucketUuid": 0xA1, "lastReceivedSeqno": 8}, OBSERVE, False)
case("seqno persistence", message(0xB7, p("Q", 77), last=5), {"persistence.seqno": "77", "vbucket": "5"},
     {"event": "seqno_persistence", "partition": 5, "bySeqno": 77})
MANIFEST = b'{"uid":"2a","scopes":[{"name":"s","uid":"8","collections":[{"name":"orders","uid":"9"}]}]}'
case("manifest", answer(0xBA, value=MANIFEST, datatype=1), {"json": MANIFEST.decode()}, {"content": json.loads(MANIFEST)}, [(True, message(0xBA))], False)
case("collection id asked for", message(0xBB, value=b"s.orders"), {"collection_path": "s.orders"}, {"event": "collections_get_id", "path": "s.orders"})
case("collection id", answer(0xBB, p("QI", 0x2A, 9)), {"manifest_uid": "0x000000000000002a", "collection_id": "0x00000009"},
     {"manifestUid": "2a", "collectionId": 9}, [(True, message(0xBB, value=b"s.orders"))], False)
case("scope id", answer(0xBC, p("QI", 0x2A, 8)), {"manifest_uid": "0x000000000000002a", "scope_id": "0x00000008"},
     {"event": "collections_get_scope_id", "scopeId": 8}, [(True, message(0xBC, value=b"s"))], False)
case("push with a short revision", message(0x01, p("I", 12), b"travel", b'{"rev":12}', magic=0x82, datatype=1),
     {"config.revision_short": "12", "bucket": "travel", "json": '{"rev":12}'},
     {"event": "server_push", "push": "CLUSTERMAP_CHANGE_NOTIFICATION", "bucket": "travel", "revision": 12, "content.rev": 12}, OPEN, False)
case("brief push", message(0x01, p("qq", 3, 12), b"travel", magic=0x82), {"config.epoch": "3", "config.revision": "12"},
     {"event": "server_push", "epoch": 3, "revision": 12}, OPEN, False)

# Framing extras.
FRAMES = (b"\x00" + b"\x13\x02" + p("H", 500) + b"\x22\x00\x64" + b"\x44user" + b"\x50" + b"\x63abc" + b"\x63def" + b"\x72\x00\x07"
          + b"\xf1\x05\xaa" + b"\x4f\x03" + b"eighteen bytes usr" + b"\xff\x02\x01" + bytes(16))
case("framing extras of requests", message(0x57, p("QQIIIHB", 5, 2, 0, 0, 0, 0, 0), b"k", b"v", magic=0x08, framing=FRAMES, last=7),
     {"framing.id": ["0", "1", "2", "4", "5", "6", "6", "7", "20", "4", "17"], "framing.info_length": ["0", "3", "2", "4", "0", "3", "3", "2", "1", "18", "16"],
      "durability": "2", "durability.timeout": "500", "stream.id": "100", "framing.user": ["user", "eighteen bytes usr"],
      "framing.privilege": ["abc", "def"], "framing.auth_token_id": "7", "framing.data": ["aa", "00" * 16], "by_seqno": "5"},
     {"barrier": True, "durability": "majorityAndPersistOnActive", "durabilityTimeout": 500, "streamId": 100, "preserveTtl": True,
      "privilege": "abc", "authTokenId": 7, "impersonatedUser": "user",
      "frames": [{"id": 6, "data": "646566"}, {"id": 20, "data": "aa"}, {"id": 4, "data": b"eighteen bytes usr".hex()}, {"id": 17, "data": "00" * 16}], "bySeqno": 5}, ASKED, False)
case("framing extras of responses", answer(0x53, value=p("QQ", 1, 0), magic=0x18,
                                           framing=b"\x02\x03\xe8" + b"\x12\x00\x05" + b"\x22\x00\x06" + b"\x32\x00\x0a"),
     {"framing.id": ["0", "1", "2", "3"], "framing.server_duration": "1000", "framing.read_units": "5", "framing.write_units": "6",
      "framing.throttle_duration": "10", "failover.uuid": "0x0000000000000001"},
     {"serverDurationUs": 82979.3, "readUnits": 5, "writeUnits": 6, "throttleDurationUs": 27.5}, ASKED, False)
case("durable write", message(0x01, p("II", 0, 0), b"k", b"v", magic=0x08, framing=b"\x13\x01" + p("H", 1000), last=5),
     {"durability": "1", "durability.timeout": "1000", "flags": "0x00000000", "document_key": "6b", "content": "v"},
     {"event": "set", "durability": "majority", "durabilityTimeout": 1000, "key": "k", "partition": 5})


# Layouts that are broken: what is sent behind `before`, and the reason both doors give.
BROKEN = [
    ("prepare without key", ASKED, message(0x60, p("QQIIIBBB", 8, 1, 0, 60, 0, 4, 0, 1), b"", b"v", cas=3), "key is missing"),
    ("prepare with a collection but no key", [*COLLECTIONS, *ASKED],
     message(0x60, p("QQIIIBBB", 8, 1, 0, 60, 0, 4, 0, 1), b"\x08", b"v", cas=3), "key is missing"),
    ("mutation of 30 bytes", ASKED, message(0x57, bytes(30), b"k"), "extras of a length that this opcode does not have"),
    ("deletion without key", ASKED, message(0x58, p("QQH", 6, 3, 0)), "key is missing"),
    ("stream end of 8 bytes", ASKED, message(0x55, bytes(8)), "extras of a length that this opcode does not have"),
    ("marker of 40 bytes", ASKED, message(0x56, p("B", 2), value=bytes(40)), "value of a length that this message does not have"),
    ("marker 2.0 without value", ASKED, message(0x56, p("B", 0)), "value is missing"),
    ("system event of 15 bytes", ASKED, message(0x5F, p("QIB", 4, 0, 0), b"c", bytes(15)), "value does not fit the system event"),
    ("collection created without a name", ASKED, message(0x5F, p("QIB", 4, 0, 0), b"", bytes(16)), "key is missing"),
    ("table that leads outside", ASKED, message(0x5F, p("QIB", 4, 1, 2), b"", b"\xff\xff\xff\x7f" + bytes(20)),
     "value does not fit the system event"),
    ("record longer than the value", ASKED, message(0x66, value=record(b"\x08a", DOCUMENT, 3)[:-1]),
     "record of the cache transfer exceeds the value"),
    ("framing extras that overrun", ASKED, message(0x55, p("I", 0), magic=0x08, framing=b"\x24\x00\x64"),
     "framing extras do not fill their length"),
    ("parts longer than the body", ASKED, message(0x55, p("I", 0))[:11] + b"\x02" + message(0x55, p("I", 0))[12:26],
     "framing extras, extras and key are longer than the body"),
]


def member(record, path):
    for name in path.split("."):
        if isinstance(record, list):
            record = record[int(name)] if int(name) < len(record) else None
        elif isinstance(record, dict):
            record = record.get(name)
    return record


class Messages(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        frames = []
        for n, (_, pieces, _, _) in enumerate(CASES):
            frames += between(30000 + n, 11210, pieces)
        cls.capture = wireshark.room.write("made.pcap", pcap(frames))
        frames = []
        for n, (_, before, sent, _) in enumerate(BROKEN):
            frames += between(30000 + n, 11210, [*before, (False, sent)])
        cls.broken = wireshark.room.write("broken.pcap", pcap(frames))

    def test_fields_in_wireshark(self):
        shown = {}
        for packet in wireshark.as_pdml(self.capture, "-2", "-o", "cbdcp.non_dcp:Short summary by this plugin", "-Y", "cbdcp"):
            stream = int(packet.find(".//field[@name='tcp.stream']").get("show"))
            for proto in packet.findall("proto"):
                if proto.get("name") == "cbdcp":
                    shown[stream] = proto  # the last one stays
        for n, (title, _, fields, _) in enumerate(CASES):
            with self.subTest(title):
                for name, want in fields.items():
                    filter_name = name if name.startswith("json.member") else f"cbdcp.{name}"
                    got = [f.get("show") for f in shown[n].iter("field") if f.get("name") == filter_name]
                    got = [v.replace(":", "") if name in ("key", "document_key", "body", "framing.data") else v for v in got]
                    got = [{"True": "1", "False": "0"}.get(v, v) for v in got]
                    if want is None:
                        self.assertEqual(got, [], name)
                    elif want is any:
                        self.assertTrue(got and got[0], name)
                    else:
                        self.assertEqual(got, wireshark.listed(want), name)
                malformed = [f for f in shown[n].iter("field") if f.get("name") in ("cbdcp.malformed", "cbdcp.undecoded")]
                self.assertEqual(malformed, [])

    def extract(self, capture, *options):
        done = subprocess.run([os.environ["CDCSCOPE_PROGRAM"], "extract", "-o", "-", "--no-progress", *options, capture], capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_nobody_is_named_where_all_is_redacted(self):
        said = self.extract(self.capture, "--redact", "all")
        for user in (b"user", b"eighteen bytes usr"):
            self.assertNotIn(b'"impersonatedUser":"%s' % user, said)
            self.assertNotIn(user.hex().encode(), said)

    def last_records(self, capture):
        """The last message of each connection, and what was found on it."""
        said, found = {}, {}
        for line in self.extract(capture).splitlines():
            record = json.loads(line)
            if "wire" in record:
                said[record["wire"]["conn"] - 1] = record
            elif record.get("record") == "finding":
                found.setdefault(record["connection"] - 1, []).append((record["code"], record["severity"]))
        return said, found

    def test_broken_layouts_are_named_by_both_doors(self):
        said, found = self.last_records(self.broken)
        rows = wireshark.fields(self.broken, ["tcp.stream", "_ws.expert.message"], "-Y", "cbdcp.malformed")
        shown = {int(stream[0]): texts for stream, texts in rows}
        for n, (title, _, _, reason) in enumerate(BROKEN):
            with self.subTest(title):
                self.assertEqual(said[n]["malformed"], reason)
                self.assertIn(("dcp.malformed", "error"), found[n])
                self.assertTrue(any(t.endswith(f" is malformed: {reason}") for t in shown[n]), shown[n])

    def test_members_of_the_json(self):
        said, _ = self.last_records(self.capture)
        for n, (title, _, _, members) in enumerate(CASES):
            with self.subTest(title):
                self.assertNotIn("malformed", said[n])
                for path, want in members.items():
                    got = member(said[n], path)
                    self.assertTrue(got) if want is any else self.assertEqual(got, want, path)


if __name__ == "__main__":
    unittest.main()
