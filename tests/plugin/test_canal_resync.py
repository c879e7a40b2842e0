"""Behind a length that cannot be, both doors find the next packet again, lose nothing behind it and say the same."""
import json
import os
import subprocess
import sys
import unittest

import wireshark

sys.path.insert(0, os.path.join(wireshark.SOURCE, "tests", "support"))
import protobuf  # noqa: E402
import sequence_capture  # noqa: E402

NAMED = [(1, "example"), (2, "1001")]
CAP = 128 << 20
WARNING = 0x600000  # epan's PI_WARN
GARBAGE = b"nothing that begins like a packet, for a while " * 3
# Length field, what follows it, severity and beginning of the finding.
CASES = {
    "negative": (0xFFFFFFFF, GARBAGE, "Error", "the length of a packet is malformed: it is negative"),
    "too_large": (0x7FFFFFFF, GARBAGE, "Error", "the length of a packet is malformed: it is 2,147,483,647"),
    "above_the_cap": (CAP + 1, b"\x18\x07\x2a" + protobuf.varint(CAP + 1 - 7) + b"\x08\x01" + b"\x12\x03\x0a\x01\x41" * 20, "Warning",
                      "a packet of 128.0 MiB is beyond the cap"),
}


def frame(kind, body, *more):
    data = protobuf.message([*more, (3, kind), *([(5, body)] if body else [])])
    return len(data).to_bytes(4, "big") + data


def poll():
    get = protobuf.message([*NAMED, (3, 10), (4, -1), (5, 2)])
    return [("c2s", frame(6, get)), ("s2c", frame(7, protobuf.message([(1, -1)]), (2, 1)))]


def capture(name, length, behind):
    talk = [("s2c", frame(1, protobuf.message([(2, b"12345678")]), (2, 1))), ("c2s", frame(2, protobuf.message([(1, "canal"), (2, b"a" * 40)]))),
            ("s2c", frame(3, b"", (2, 1))), ("c2s", frame(4, protobuf.message(NAMED))), ("s2c", frame(3, b"", (2, 1))), *poll(),
            ("c2s", length.to_bytes(4, "big") + behind), *poll(), *poll(), *poll()]
    made = {"protocol": "canal", "connections": [{"conn": 0, "client": "10.0.0.1:40000", "server": "10.0.0.2:11111", "from_start": True}],
            "events": [{"at": 0.001 * n, "conn": 0, "dir": way, "pieces": [[0, data.hex()]]} for n, (way, data) in enumerate(talk, 1)]}
    return wireshark.room.write(name + ".pcap", sequence_capture.Capture(made).pcap), len(talk) - 1


class Resync(unittest.TestCase):
    def test_in_both_doors(self):
        for name, (length, behind, severity, text) in CASES.items():
            with self.subTest(name):
                place, packets = capture(name, length, behind)
                done = subprocess.run([os.environ["CDCSCOPE_PROGRAM"], "extract", place, "-o", "-", "--no-progress", "--quiet"],
                                      capture_output=True, check=True, timeout=60)
                records = [json.loads(line) for line in done.stdout.split(b"\n") if line]
                messages = [(r["wire"]["frames"][-1], r["packet"]) for r in records if "packet" in r]
                self.assertEqual(packets, len(messages))
                loud = [r for r in records if r.get("record") == "finding" and r["severity"] in ("error", "warning")]
                self.assertEqual([severity.lower()], [r["severity"] for r in loud])
                self.assertTrue(loud[0]["text"].startswith(text), loud[0]["text"])
                shown = wireshark.fields(place, ["frame.number"], "-Y", "canal.packet.type")
                self.assertEqual(sorted(n for n, _ in messages), [int(row[0][0]) for row in shown])
                told = wireshark.fields(place, ["_ws.expert.message"], "-Y", f"_ws.expert.severity >= {WARNING} && canal")
                self.assertEqual([loud[0]["text"]], [m for row in told for m in row[0]])


if __name__ == "__main__":
    unittest.main()
