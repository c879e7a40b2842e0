"""Wireshark opens .ss files: every record of the samples against their listings, and the programs that read captures."""
import glob
import os
import unittest

import wireshark

SAMPLES = os.path.join(wireshark.SOURCE, "tests", "data", "ss")
NAMES = ["frame.len", "seastreamer.stream_key", "seastreamer.shard", "seastreamer.sequence", "seastreamer.size",
         "seastreamer.checksum", "seastreamer.remaining", "seastreamer.markers", "seastreamer.interval", "seastreamer.offset"]
PSEUDO_HEADER = 16


def listings():
    for listing in sorted(glob.glob(os.path.join(SAMPLES, "valid", "*.expected.jsonl"))):
        place = listing.replace(".expected.jsonl", ".ss")
        if os.path.exists(place):  # the largest samples are not kept
            yield place, wireshark.lines(listing)


def contents(place):
    with open(place, "rb") as f:
        return f.read()


def records(place, *options):
    rows = wireshark.fields(place, NAMES, *options)
    return [dict(zip(NAMES, row)) for row in rows]


class Files(unittest.TestCase):
    def compare(self, line, row):
        kind = line["type"]
        if kind == "header":
            self.assertEqual(int(row["seastreamer.interval"][0]), line["beacon_interval"])
        elif kind == "beacon":
            self.assertEqual(int(row["seastreamer.remaining"][0]), line["remaining"], line)
            self.assertEqual(int(row["seastreamer.markers"][0]), len(line["items"]), line)
            self.assertEqual(int(row["seastreamer.offset"][0]), line["offset"], line)
        else:
            self.assertEqual(row["seastreamer.stream_key"], [line["key"]], line)
            self.assertEqual(int(row["seastreamer.shard"][0]), line["shard"], line)
            self.assertEqual(int(row["seastreamer.sequence"][0]), line["seq"], line)
            self.assertEqual(int(row["seastreamer.size"][0]), line["size"], line)
            self.assertEqual(int(row["seastreamer.offset"][0]), line["offset"], line)

    def test_every_record_equals_the_listing(self):
        for place, expected in listings():
            with self.subTest(file=place):
                # A beacon inside a message comes before it, as it does in the file.
                rows = records(place)
                frames = [line for line in expected if line["type"] in ("header", "message", "beacon", "eos")]
                by_offset = {int(r["seastreamer.offset"][0]): r for r in rows}
                self.assertEqual(len(rows), len(frames))
                for line in frames:
                    self.compare(line, by_offset[line.get("offset", 0)])

    def test_records_read_again_are_the_same_and_whole(self):
        for place, _ in listings():
            with self.subTest(file=place):
                shown = wireshark.dissect(place, "-V", "-O", "seastreamer")
                self.assertNotIn("Malformed", shown)
                self.assertEqual(shown, wireshark.dissect(place, "-V", "-O", "seastreamer", "-2"))

    def test_capinfos_counts_the_records(self):
        place, expected = next(listings())
        done = wireshark.run("capinfos", "-T", "-c", wireshark.room.copy(place))
        self.assertEqual(done.returncode, 0, done.stderr)
        count = int(done.stdout.decode().splitlines()[1].split("\t")[1])
        self.assertEqual(count, len([line for line in expected if line["type"] in ("header", "message", "beacon", "eos")]))

    def test_a_bad_checksum_is_an_error(self):
        place, expected = next((p, e) for p, e in listings() if any(x["type"] == "message" and x["size"] > 3 for x in e))
        data = bytearray(contents(place))
        line = next(x for x in expected if x["type"] == "message" and x["size"] > 3)
        at = line["offset"] + 1 + len(line["key"]) + 28
        data[at] ^= 1
        shown = wireshark.tshark("-r", wireshark.room.write("flipped.ss", bytes(data)), "-Y", "seastreamer.checksum.bad", may_warn=True)
        self.assertEqual(len(shown.splitlines()), 1)

    def test_other_files_are_not_taken_for_ss(self):
        for name, data in (("short.ss", b"Ss\x01"), ("text.ss", b"hello " * 100)):
            done = wireshark.run("tshark", "-r", wireshark.room.write(name, data))
            self.assertNotIn(b"SeaStreamer", done.stdout + done.stderr)

    def test_cut_files_give_what_came_before(self):
        place, _ = max(listings(), key=lambda x: len(x[1]))
        data = contents(place)
        whole = len(records(place))
        for size in range(128, len(data), max(1, len(data) // 20)):
            done = wireshark.run("tshark", "-r", wireshark.room.write("cut.ss", data[:size]))
            self.assertIn(done.returncode, (0, 2))
            self.assertLessEqual(len(done.stdout.splitlines()), whole)
            self.assertGreaterEqual(len(done.stdout.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
