#!/usr/bin/env python3
"""Every message of captures/dcp as an independent decoder listed it: bytes, place, and each number of the extras in the JSON."""
import struct
import unittest
import zlib

import harness

# JSON names of the extras of requests, by opcode and extras length: what the wire has, read here a second time.
EXTRAS = {
    (0x50, 8): (">4xI", ["flags"]),
    (0x53, 48): (">I4xQQQQQ", ["flags", "startSeqno", "endSeqno", "vBucketUuid", "snapshotStartSeqno", "snapshotEndSeqno"]),
    (0x55, 4): (">I", ["reasonCode"]),
    (0x57, 31): (">QQIII3x", ["bySeqno", "revSeqno", "flags", "expiration", "lockTime"]),
    (0x58, 18): (">QQ2x", ["bySeqno", "revSeqno"]),
    (0x58, 21): (">QQIx", ["bySeqno", "revSeqno", "deleteTime"]),
    (0x59, 20): (">QQI", ["bySeqno", "revSeqno", "deleteTime"]),
    (0x5d, 4): (">I", ["bytes"]),
    (0x60, 31): (">QQIII3x", ["bySeqno", "revSeqno", "flags", "expiration", "lockTime"]),
    (0x61, 8): (">Q", ["preparedSeqno"]),
    (0x62, 16): (">QQ", ["preparedSeqno", "bySeqno"]),
    (0x63, 16): (">QQ", ["preparedSeqno", "bySeqno"]),
    (0x64, 8): (">Q", ["bySeqno"]),
    (0x56, 20): (">QQ4x", ["startSeqno", "endSeqno"]),
}
DURABILITY = {1: "majority", 2: "majorityAndPersistOnActive", 3: "persistToMajority"}


def split(raw):
    """Header and parts of a message, as the listing names them."""
    magic, opcode, key_length, extras_length, datatype, vbucket, body = struct.unpack(">BBHBBHI", raw[:12])
    framing_length = 0
    if magic in (0x08, 0x18):
        framing_length, key_length = key_length >> 8, key_length & 0xFF
    rest = raw[24:]
    framing, rest = rest[:framing_length], rest[framing_length:]
    extras, rest = rest[:extras_length], rest[extras_length:]
    key, value = rest[:key_length], rest[key_length:]
    return {"magic": f"0x{magic:02x}", "opcode": f"0x{opcode:02x}", "datatype": f"0x{datatype:02x}", "vbs": vbucket,
            "opaque": raw[12:16].hex(), "cas": raw[16:24].hex(), "framing": framing.hex(), "extras": extras.hex(),
            "key": key.hex(), "vlen": len(value), "vcrc32": f"{zlib.crc32(value):08x}", "body": body}


class DcpListings(unittest.TestCase):
    maxDiff = None

    def check_line(self, line, record, raw):
        got, wire = split(raw), record["wire"]
        for name in ("magic", "opcode", "datatype", "opaque", "cas", "extras", "key", "vlen", "vcrc32"):
            self.assertEqual(line[name], got[name], name)
        self.assertEqual(line.get("framing", ""), got["framing"])
        self.assertEqual(int(line["status"], 16) if "status" in line else line["vbucket"], got["vbs"])
        self.assertEqual(line["off"], wire["offset"])
        self.assertEqual(len(raw), wire["bytes"])
        self.assertLessEqual(wire["frames"][0], line["last"])
        self.assertEqual(line["opaque"].lstrip("0"), wire["opaque"][2:].lstrip("0"))
        self.assertEqual("status" in line, record.get("response", False))
        if line.get("malformed"):
            self.assertIn("malformed", record)
        if line.get("malformed") or "status" in line:
            return
        if line["magic"] == "0x08" and not line.get("framing") and line["opcode"] in ("0x58", "0x59"):
            return  # a stream id that the length byte does not count: the fields of the listing are off by its 3 bytes
        layout = EXTRAS.get((int(line["opcode"], 16), len(line["extras"]) // 2))
        if layout and line["magic"] in ("0x80", "0x08"):
            for name, value in zip(layout[1], struct.unpack(layout[0], bytes.fromhex(line["extras"]))):
                self.assertEqual(value, record[name], name)
        if line["opcode"] == "0x60" and not line.get("malformed"):
            extras = bytes.fromhex(line["extras"])
            self.assertEqual(DURABILITY.get(extras[30]), record["durability"])
            self.assertEqual(extras[29] == 1, record["deleted"])
        if line["opcode"] in ("0x57", "0x58", "0x59", "0x60", "0x62", "0x63"):
            self.assertEqual(line["vbucket"], record["partition"])
            if int(line["cas"], 16):
                self.assertEqual(int(line["cas"], 16), record["cas"])
            key = bytes.fromhex(line["key"])
            shown = record["key"].encode() if "key" in record else None
            if shown is not None:
                self.assertTrue(key.endswith(shown))
                self.assertLessEqual(len(key) - len(shown), 5)

    def check_capture(self, name):
        listing = harness.lines(harness.CAPTURES / "dcp" / f"{name}.expected.jsonl")
        found = harness.Extraction(harness.CAPTURES / "dcp" / f"{name}.pcap")
        found.check_accounting(self)
        got = found.messages()
        wanted = {}
        for line in listing:
            wanted.setdefault((line["conn"] + 1, line["dir"]), []).append(line)
        self.assertEqual(sorted(wanted), sorted(got))
        for where, some in wanted.items():
            self.assertEqual(len(some), len(got[where]), where)
            for line, (record, raw) in zip(sorted(some, key=lambda l: l["off"]), got[where]):
                with self.subTest(capture=name, line=line["n"]):
                    self.check_line(line, record, raw)
        totals = found.summary["totals"]
        self.assertEqual(len(listing), totals["messages"])


def add(name):
    setattr(DcpListings, f"test_{name}", lambda self: self.check_capture(name))


for path in sorted((harness.CAPTURES / "dcp").glob("*.expected.jsonl")):
    add(path.name.split(".")[0])

if __name__ == "__main__":
    unittest.main()
