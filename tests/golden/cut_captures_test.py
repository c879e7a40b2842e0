#!/usr/bin/env python3
"""A capture that starts late or lost packets gives no error and no warning that the whole one has not: what is not known is no trouble."""
import json
import pathlib
import random
import tempfile
import unittest

import harness
from classic_pcap import ACK, SYN, packets, segment

SEEDS = range(12)
ONE_IN = (10, 30)
LATE_STARTS = 12
LONGEST_BURST = 20

def troubles(path):
    """Rules with their severity; where there is an error of a rule a warning of it is none the less."""
    done = harness.run("report", path, "--format", "json", "--no-progress", "--quiet")
    assert done.returncode == 0, done.stderr.decode()
    found = set()
    for f in json.loads(done.stdout)["findings"]:
        if f["severity"] in ("warning", "error") and "rule" in f:
            found.update({(f["rule"], "warning"), (f["rule"], f["severity"])})
    return found


def late_starts(_, records):
    for first in sorted({1, 2, 3, 5, *(len(records) * n // LATE_STARTS for n in range(1, LATE_STARTS))}):
        if 0 < first < len(records):
            yield f"from {first}", records[first:]


def losses(_, records):
    for one_in in ONE_IN:
        for seed in SEEDS:
            chance = random.Random(one_in * 1000 + seed)
            yield f"1 in {one_in}, {seed}", [r for r in records if chance.random() >= 1 / one_in]


def bursts(_, records):
    for seed in SEEDS:
        chance = random.Random(seed)
        first, count = chance.randrange(len(records)), chance.randint(5, LONGEST_BURST)
        yield f"burst {seed}", records[:first] + records[first + count:]


def one_direction(header, records):
    """Without the packets of the clients or of the servers: all, all but the handshake, all from the middle on."""
    segments = [segment(header, r) for r in records]
    clients = {(sender, receiver) for sender, receiver, flags in segments if flags & (SYN | ACK) == SYN}
    half = len(records) // 2
    for name, lost in (("clients", True), ("servers", False)):
        gone = [((sender, receiver) in clients) == lost for sender, receiver, _ in segments]
        yield f"no {name}", [r for r, g in zip(records, gone) if not g]
        yield f"handshakes, no {name}", [r for r, g, s in zip(records, gone, segments) if not g or s[2] & SYN]
        yield f"no {name} from the middle on", records[:half] + [r for r, g in zip(records[half:], gone[half:]) if not g]


class Cut(unittest.TestCase):
    def check(self, captures, *ways):
        runs = 0
        for capture in captures:
            header, records = packets(capture)
            whole = troubles(capture)
            for name, some in (cut for way in ways for cut in way(header, records)):
                with self.subTest(f"{capture.stem} {name}"), tempfile.TemporaryDirectory() as folder:
                    cut = pathlib.Path(folder) / "cut.pcap"
                    cut.write_bytes(header + b"".join(some))
                    extra = {rule for rule, _ in troubles(cut) - whole}
                    self.assertEqual(set(), extra)
                    runs += 1
        self.assertGreater(runs, len(captures))

    def canal(self):
        found = sorted((harness.CAPTURES / "canal").glob("*.pcap"))
        self.assertGreater(len(found), 10)
        return found

    def dcp(self):
        # Byte diagrams are no conversations.
        found = [p for p in sorted((harness.CAPTURES / "dcp").glob("*.pcap")) if not p.stem.startswith("doc_")]
        self.assertGreater(len(found), 5)
        return found

    def test_canal_that_starts_late(self):
        self.check(self.canal(), late_starts)

    def test_canal_that_lost_packets(self):
        self.check(self.canal(), losses, bursts)

    def test_canal_of_which_one_direction_is_missing(self):
        self.check(self.canal(), one_direction)

    def test_dcp_that_starts_late(self):
        self.check(self.dcp(), late_starts)

    def test_dcp_that_lost_packets(self):
        self.check(self.dcp(), losses, bursts)

    def test_dcp_of_which_one_direction_is_missing(self):
        self.check(self.dcp(), one_direction)


if __name__ == "__main__":
    unittest.main()
