"""Statistics, response times, exported objects and followed streams, against figures of the captures' README and listings."""
import json
import os
import re
import unittest

import wireshark


def capture(kind, name):
    return next(c for c, _ in wireshark.captures(kind) if name in c)


def row(text, label):
    match = re.search(rf"^\s*{re.escape(label)}\s+(\d+)", text, re.M)
    return int(match[1]) if match else None


class Statistics(unittest.TestCase):
    def stats(self, place, name):
        return wireshark.dissect(place, "-q", "-z", name)

    def test_messages_by_type(self):
        shown = self.stats(capture("dcp", "durability"), "dcp,tree")
        self.assertEqual([row(shown, t) for t in ("Messages", "Prepare", "Commit", "Abort", "Mutation", "Buffer Acknowledgement")],
                         [118, 13, 10, 3, 10, 8])

    def test_durability(self):
        shown = self.stats(capture("dcp", "durability"), "dcp_durability,tree")
        self.assertEqual([row(shown, t) for t in ("Prepares by level", "Committed", "Aborted")], [13, 10, 2])

    def test_streams(self):
        shown = self.stats(capture("dcp", "durability"), "dcp_streams,tree")
        self.assertEqual(row(shown, "Stream ends"), 3)
        self.assertRegex(shown, r"Unacknowledged bytes +\d+ +[\d.]+ +\d+ +1240")  # the highest of the README

    def test_canal_rows_and_batches(self):
        place = capture("canal", "batches")
        packets = {}
        for line in wireshark.lines(place.replace(".pcap", ".expected.jsonl")):
            kind = line["packet"]["type"]
            packets[kind] = packets.get(kind, 0) + 1
        shown = self.stats(place, "canal,tree")
        for kind, number in packets.items():
            self.assertEqual(row(shown, kind), number, kind)
        self.assertEqual(row(self.stats(place, "canal_batches,tree"), "Answers to GET"), packets["MESSAGES"])

    def test_response_times(self):
        shown = self.stats(capture("dcp", "durability"), "cbdcp,srt")
        self.assertRegex(shown, r"83 +Stream Request +3 ")
        self.assertRegex(shown, r"0 +Prepare to commit +10 ")
        self.assertRegex(self.stats(capture("canal", "batches"), "canal,srt"), r"6 +GET +13 ")

    def test_followed_streams_hold_messages_and_no_password(self):
        shown = wireshark.dissect(capture("dcp", "basic_ipv4"), "-q", "-z", "follow,cbdcp,hex,0")
        self.assertIn("Filter: tcp.stream eq 0", shown)
        plain = wireshark.dissect(capture("dcp", "basic_ipv4"), "-q", "-z", "follow,cbdcp,ascii,0")
        for line in wireshark.lines(capture("dcp", "basic_ipv4").replace(".pcap", ".expected.jsonl")):
            if line["opcode"] == "0x21" and line["magic"] == "0x80":
                secret = bytes.fromhex(line["value"]).split(b"\0")[-1].decode()
                self.assertNotIn(secret, plain)

    def exported(self, place, protocol):
        folder = os.path.join(wireshark.room.work, f"{protocol}-{os.path.basename(place)}")
        os.mkdir(folder)
        os.chmod(folder, 0o777)
        wireshark.dissect(place, "-q", "--export-objects", f"{protocol},{folder}")
        return {n: open_bytes(os.path.join(folder, n)) for n in os.listdir(folder)}

    def test_documents_are_exported(self):
        files = self.exported(capture("dcp", "seed0"), "cbdcp")
        self.assertEqual(files, {"hello-4.bin": b"world"})
        files = self.exported(capture("dcp", "durability"), "cbdcp")
        for name, data in files.items():
            if name.endswith(".json"):
                json.loads(data)

    def test_row_changes_are_exported(self):
        files = self.exported(capture("canal", "basic"), "canal")
        rows = [json.loads(data) for data in files.values()]
        names = [r["after"]["customer"] for f in rows for r in f["rows"] if r["after"]]
        self.assertIn("alice", names)
        self.assertEqual({(f["schema"], f["table"]) for f in rows}, {("shop", "orders")})


def open_bytes(path):
    with open(path, "rb") as f:
        return f.read()


if __name__ == "__main__":
    unittest.main()
