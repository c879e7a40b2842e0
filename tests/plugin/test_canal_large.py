"""A MESSAGES packet of more than a mebibyte over hundreds of segments, through both doors."""
import base64
import json
import os
import subprocess
import sys
import unittest

import wireshark

sys.path.insert(0, os.path.join(wireshark.SOURCE, "tests", "support"))
import protobuf  # noqa: E402
import sequence_capture  # noqa: E402

BLOB = bytes(range(256)) * 4096  # half of it takes two bytes a byte
SQL_TYPE_BLOB = 2004


def column(index, name, value, sql_type, key):
    return protobuf.message([(1, index), (2, sql_type), (3, name), (4, key), (5, 1), (6, 0), (8, value), (10, "longblob")])


def row(number, blob):
    return protobuf.message([(2, column(0, "id", str(number), -5, 1)), (2, column(1, "data", blob.decode("latin-1"), SQL_TYPE_BLOB, 0))])


def packet(kind, body):
    return protobuf.message([(3, kind), (5, body)]).hex()


def sequence():
    blobs = [BLOB[:100], BLOB, b""]
    change = protobuf.message([(1, 18), (2, 1), (10, 0), *((12, row(n, b)) for n, b in enumerate(blobs))])
    header = protobuf.message([(1, 1), (2, "mysql-bin.000007"), (3, 1000), (4, 1), (6, 1_700_000_000_000), (8, "shop"), (9, "files"), (11, 1)])
    entry = protobuf.message([(1, header), (2, 2), (3, change)])
    name = [(1, "example"), (2, "1001")]
    talk = [("s2c", 1, protobuf.message([(2, b"12345678")])), ("c2s", 4, protobuf.message(name)), ("s2c", 3, b""),
            ("c2s", 6, protobuf.message([*name, (3, 1000), (4, -1), (5, 2), (6, 0)])), ("s2c", 7, protobuf.message([(1, 1), (2, entry)])),
            ("c2s", 8, protobuf.message([*name, (3, 1)]))]
    return blobs, {"protocol": "canal",
                   "connections": [{"conn": 0, "client": "10.0.0.1:40000", "server": "10.0.0.2:11111", "from_start": True}],
                   "events": [{"at": 0.001 * n, "conn": 0, "dir": way, "raw": packet(kind, body)} for n, (way, kind, body) in enumerate(talk, 1)]}


def swapped(pcap):
    """Every second segment of the server overtakes the one before it."""
    packets, at = [], 24
    while at < len(pcap):
        size = int.from_bytes(pcap[at + 8:at + 12], "little")
        packets.append((pcap[at:at + 8], pcap[at + 8:at + 16 + size]))
        at += 16 + size
    full = [n for n, (_, p) in enumerate(packets) if len(p) == 8 + 54 + sequence_capture.LONGEST_SEGMENT]
    for one, other in zip(full[::2], full[1::2]):
        (t1, p1), (t2, p2) = packets[one], packets[other]
        packets[one], packets[other] = (t1, p2), (t2, p1)
    return pcap[:24] + b"".join(t + p for t, p in packets)


class Large(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.blobs, made = sequence()
        pcap = sequence_capture.Capture(made).pcap
        cls.captures = {name: wireshark.room.write(name + ".pcap", data) for name, data in
                        {"large_in_order": pcap, "large_overtaking": swapped(pcap)}.items()}

    def test_in_the_command(self):
        for name, capture in self.captures.items():
            with self.subTest(name):
                done = subprocess.run([os.environ["CDCSCOPE_PROGRAM"], "extract", capture, "-o", "-", "--no-progress", "--quiet",
                                       "--blob", "base64"], capture_output=True, check=True, timeout=120)
                records = [json.loads(line) for line in done.stdout.splitlines()]
                batch = next(r for r in records if r.get("packet") == "MESSAGES")
                self.assertGreater(batch["wire"]["bytes"], 1 << 20)
                self.assertGreater(batch["wire"]["frames"][1] - batch["wire"]["frames"][0], 500)
                change = next(r for r in records if "isDdl" in r)
                self.assertEqual([(str(n), b) for n, b in enumerate(self.blobs)],
                                 [(r["id"], base64.b64decode(r["data"]["base64"])) for r in change["data"]])

    def test_in_wireshark(self):
        for name, capture in self.captures.items():
            with self.subTest(name):
                rows = wireshark.fields(capture, ["tcp.segment.count", "canal.table", "canal.row.after.column.value_bytes"],
                                        "-Y", "canal.packet.type == 7")
                self.assertEqual(1, len(rows))
                (count,), tables, values = rows[0]
                self.assertGreater(int(count), 500)
                self.assertEqual(["shop.files"], tables)
                self.assertTrue([b.hex() for b in self.blobs if b] == values)
                acked = wireshark.fields(capture, ["canal.acked_batch_in"], "-Y", "canal.packet.type == 8")
                self.assertEqual(1, len(acked[0][0]))


if __name__ == "__main__":
    unittest.main()
