#!/usr/bin/env python3
"""Writes docs/side-by-side.md: Wireshark's own `couchbase` dissector and this plugin on the same captures, line beside line.

  side_by_side.py PLUGINS [--check]    prints the file; --check: says which rows are not as they should be
"""
import os
import re
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.environ.setdefault("CDCSCOPE_SOURCE", SOURCE)
if __name__ == "__main__":
    os.environ["CDCSCOPE_PLUGINS"] = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.join(SOURCE, "tests", "plugin"))
import wireshark  # noqa: E402

# Topic; capture; what their filter and ours choose; the lines of each tree to quote; what ours must say.
ROWS = [
    ("1 Snapshot marker 2.2", "v8_features_ipv6", "couchbase.opcode == 0x56", "cbdcp.snapshot.version == 2", r"Malformed|Illegal Value",
     r"Purge Seqno|High Prepared Seqno", "High Prepared Seqno"),
    ("2 Marker flags history and duplicates", "v8_features_ipv6", "couchbase.opcode == 0x56", "cbdcp.snapshot.flags.history == 1",
     r"Flags: 0x000000[23]", r"Snapshot Flags", "History"),
    ("3 Stream end's reason", "basic_ipv4", "couchbase.opcode == 0x55", "cbdcp.stream.end_reason == 2", r"Unknown:", r"End Reason", "State changed|state"),
    ("4 vBucket state", "durability_replication_ipv4", "couchbase.opcode == 0x5b", "cbdcp.vbucket_state", r"Unknown:", r"vBucket State", "Pending"),
    ("5 Cache transfer", "v8_features_ipv6", "couchbase.opcode == 0x66 || couchbase.opcode == 0x67", "cbdcp.opcode == 0x66", r"Opcode", r"Opcode|Cache Record|Document Key",
     "Cache Record"),
    ("6 Key without collections", "basic_ipv4", 'couchbase.key contains "vb7_a"', 'cbdcp.document_key == "vb7_a"', r"Collection ID|Logical Key", r"Key: ",
     '"vb7_a"'),
    ("7 Connection name", "basic_ipv4", "couchbase.opcode == 0x50 && couchbase.magic == 0x80", "cbdcp.open.name", r"Collection ID|Logical Key",
     r"Connection Name", "capture-svc"),
    ("8 Snappy and extended attributes", "basic_ipv4", "couchbase.datatype == 7", "cbdcp.datatype == 7", r"XATTR Length|Null byte",
     r"Inflated Length|Extended Attribute: ", "Extended Attribute: _"),
    ("9 Deletion with extended attributes", "basic_ipv4", "couchbase.opcode == 0x58", "cbdcp.opcode == 0x58 && cbdcp.xattr",
     r"shall not have", r"Extended Attribute: ", "Extended Attribute: _"),
    ("10 Drop events", "collections_oso_ipv6", "couchbase.opcode == 0x5f", "cbdcp.event.id == 1", r"must have Key", r"System Event: ", "dropped"),
    ("11 System event's value", "v8_features_ipv6", "couchbase.opcode == 0x5f", "cbdcp.event.id == 5", r"system_event_id|System Event|Unknown \(5\)",
     r"System Event: |Max TTL|Collection Id|Manifest", "modified"),
    ("12 Stream request: flags and filter", "collections_oso_ipv6", "couchbase.opcode == 0x53 && couchbase.magic == 0x80", "cbdcp.stream.filter",
     r"Flags: |Value: ", r"Stream Flags|Filter|Member: ", "Member: "),
    ("13 Flags of DCP_OPEN", "durability_replication_ipv4", "couchbase.opcode == 0x50 && couchbase.magic == 0x80", "cbdcp.open.flags", r"Flags: ",
     r"Flags: 0x", "Include Deleted User"),
    ("15 Rollback seqno", "basic_ipv4", "couchbase.status == 0x23", "cbdcp.status == 0x23", r"Value", r"Rollback Seqno|Status", "Rollback Seqno: "),
    ("16 A status is no undecoded field", "basic_ipv4", "couchbase.status == 0x02", "cbdcp.status == 0x02", r"Expert Info|Unknown opcode|Undecoded",
     r"Status|Expert Info", "Key exists|refused"),
    ("17 Opaque in wire order", "seed0_prepare", "couchbase", "cbdcp", r"Opaque", r"Opaque", "0x00001210"),
    ("18 Flush without extras", "doc_examples", "couchbase.opcode == 0x5a", "cbdcp.opcode == 0x5a", r"must have|Expert Info", r"Opcode|Extras Length",
     "Extras Length: 0"),
    ("19 Seqnos of all vBuckets, by collection", "doc_examples", "couchbase.opcode == 0x48 && couchbase.extras.length == 8",
     "cbdcp.opcode == 0x48 && cbdcp.extras_length == 8", r"Illegal Extras|Expert", r"Wanted State|Collection Id", "Collection Id"),
    ("21 Features of HELLO", "basic_ipv4", "couchbase.opcode == 0x1f && couchbase.magic == 0x80", "cbdcp.hello.feature && cbdcp.magic == 0x80",
     r"Unknown \(0x|OpenTracing", r"Feature: .*\(0x001[3-9a-f]", "0x001c"),
    ("22 One filter for the message's seqno", "durability_replication_ipv4", "couchbase.opcode == 0x63", "cbdcp.seqno == 18", r"seqno|Seqno", r"Seqno",
     "Abort Seqno: 18"),
    ("24 Pairing, latency, flow control", "durability_replication_ipv4", "couchbase.opcode == 0x62", "cbdcp.prepare_in", r"frame|Frame in",
     r"Prepare In|Time since Prepare|Unacknowledged", "Prepare In"),
    ("26 PLAIN password", "basic_ipv4", "couchbase.opcode == 0x21 && couchbase.magic == 0x80", "cbdcp.sasl.mechanism", r"Value", r"Mechanism|Secret",
     "not shown"),
]
COUNTS = [
    ("14 Names of add-stream flags", "the tables", "3 of 9", "`cbdcp.stream.flags.*`: {flags} names, the same of STREAM_REQ and ADD_STREAM"),
    ("20 Framing extras", "the tables", "ids 0 to 5 of requests, 0 of responses", "ids 0, 1, 2, 4 to 7 of requests, 0 to 3 of responses, escapes of both nibbles"),
    ("23 Segments out of order", "messy_tcp_ipv4", "164 of 278 messages with default settings", "{messy} with `tcp.reassemble_out_of_order`, and a hint; `cdcscope` needs no setting"),
    ("25 Other ports", "`tshark -G decodes`", "11210 and TLS 11207", "any port from a DCP_OPEN on"),
    ("27 Start in mid-stream", "source", "any segment that begins with a magic byte", "a segment that begins with a header whose lengths, opcode and status fit"),
]
HEAD = """# Side by side with Wireshark's `couchbase`

Generated by `docs/generate/side_by_side.py`, which runs tshark {version} without and with the plugin on the captures of `captures/dcp`.
The number counts the differences that were found. A line is quoted once; `-` is a tree without any such line.

| topic | capture | `couchbase` says | `cbdcp` says |
|---|---|---|---|
"""


def capture(name):
    return os.path.join(wireshark.CAPTURES, "dcp", name + ".pcap")


def lines(text, pattern):
    found = []
    for line in text.splitlines():
        line = line.strip()
        if re.search(pattern, line) and line not in found and not line.startswith("Frame"):
            found.append(line)
    return found[:4]


def theirs(name, expression):
    return wireshark.dissect(capture(name), "-V", "-O", "couchbase", "-Y", expression, may_warn=True,
                             WIRESHARK_PLUGIN_DIR=wireshark.room.home)


def ours(name, expression):
    return wireshark.dissect(capture(name), "-2", "-V", "-O", "cbdcp,json", "-Y", expression)


def quoted(found):
    return "<br>".join("`" + f.replace("|", "\\|").replace("`", "'")[:110] + "`" for f in found) or "-"


def compare():
    for topic, name, their_filter, our_filter, their_lines, our_lines, must in ROWS:
        shown = ours(name, our_filter)
        yield (topic, name, quoted(lines(theirs(name, their_filter), their_lines)), quoted(lines(shown, our_lines)),
               re.search(must, shown) is not None)


def counted():
    names = wireshark.tshark("-G", "fields")
    flags = len(re.findall(r"\tcbdcp\.stream\.flags\.\w+\t", names))
    messy = sum(len(row[0]) for row in wireshark.fields(capture("messy_tcp_ipv4"), ["cbdcp.opcode"], "-Y", "cbdcp"))
    for topic, where, their, our in COUNTS:
        yield topic, where, their, our.format(flags=flags, messy=messy), True


def document():
    version = wireshark.tshark("--version").splitlines()[0].split()[2]
    rows = sorted([*compare(), *counted()], key=lambda row: int(row[0].split()[0]))
    return HEAD.format(version=version) + "".join(f"| {t} | {c} | {a} | {b} |\n" for t, c, a, b, _ in rows)


if __name__ == "__main__":
    if "--check" in sys.argv:
        wrong = [row[0] for row in compare() if not row[4]]
        sys.exit(f"not as it should be: {wrong}" if wrong else 0)
    sys.stdout.write(document())
