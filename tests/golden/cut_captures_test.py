#!/usr/bin/env python3
"""A capture that starts late or lost packets gives no error and no warning that the whole one has not: what is not known is no trouble."""
import json
import pathlib
import random
import struct
import tempfile
import unittest

import harness

# Healthy conversations; what else is wrong in the others would only hide what a cut adds.
DCP = ("seed0_prepare", "collections_oso_ipv6", "stream_id_ipv4", "tiny_segments_ipv6", "java_client_ipv4")
SEEDS = range(3)
ONE_IN = 10

# What is left, and what it comes from. A row that no longer holds fails the test.
LEFT_OVER = {
    # A GET is lost: the rollback behind it takes effect at once.
    ("auth_fail_server118", "loss 1"): {"C10"},
    # Likewise; and what was lost before the RST of the first connection hides when that ended.
    ("batches", "loss 1"): {"C11", "C12", "C17"},
    # Two answers are lost in one hole, and the second request was sent between them.
    ("longpoll_idle_close", "loss 0"): {"C1", "C13"},
    # A hole in each direction at the same time: which came first is not known.
    ("mysql55_types", "loss 1"): {"C4"},
    # A CLIENTACK behind a hole is heard of two seconds after what another connection says.
    ("two_clients", "loss 0"): {"C10"},
    ("two_clients", "loss 1"): {"C10", "C13"},
}


def packets(path):
    """The header of a classic little-endian pcap file, and its records."""
    data = path.read_bytes()
    assert data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1"), path
    records, at = [], 24
    while at < len(data):
        end = at + 16 + struct.unpack_from("<I", data, at + 8)[0]
        records.append(data[at:end])
        at = end
    return data[:24], records


def troubles(path):
    done = harness.run("report", path, "--format", "json", "--no-progress", "--quiet")
    assert done.returncode == 0, done.stderr.decode()
    return {f["rule"] for f in json.loads(done.stdout)["findings"] if f["severity"] in ("warning", "error") and "rule" in f}


def late_starts(records):
    for first in sorted({1, 2, 3, 5, len(records) // 4, len(records) // 2}):
        if 0 < first < len(records):
            yield f"from {first}", records[first:]


def losses(records):
    for seed in SEEDS:
        chance = random.Random(seed)
        yield f"loss {seed}", [r for r in records if chance.random() >= 1 / ONE_IN]


class Cut(unittest.TestCase):
    def check(self, captures, cuts):
        runs = 0
        for capture in captures:
            header, records = packets(capture)
            whole = troubles(capture)
            for name, some in cuts(records):
                with self.subTest(f"{capture.stem} {name}"), tempfile.TemporaryDirectory() as folder:
                    cut = pathlib.Path(folder) / "cut.pcap"
                    cut.write_bytes(header + b"".join(some))
                    self.assertEqual(LEFT_OVER.get((capture.stem, name), set()), troubles(cut) - whole)
                    runs += 1
        self.assertGreater(runs, len(captures))

    def canal(self):
        found = sorted((harness.CAPTURES / "canal").glob("*.pcap"))
        self.assertGreater(len(found), 10)
        return found

    def dcp(self):
        return [harness.CAPTURES / "dcp" / f"{name}.pcap" for name in DCP]

    def test_canal_that_starts_late(self):
        self.check(self.canal(), late_starts)

    def test_canal_that_lost_packets(self):
        self.check(self.canal(), losses)

    def test_dcp_that_starts_late(self):
        self.check(self.dcp(), late_starts)

    def test_dcp_that_lost_packets(self):
        self.check(self.dcp(), losses)


if __name__ == "__main__":
    unittest.main()
