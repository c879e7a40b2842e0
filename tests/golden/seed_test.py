#!/usr/bin/env python3
"""The first promise: the prepare of seed0_prepare.pcap, as JSON and in a .ss file."""
import json
import pathlib
import tempfile
import unittest

import harness

CAPTURE = harness.CAPTURES / "dcp" / "seed0_prepare.pcap"


class SeedPrepare(unittest.TestCase):
    def check(self, record):
        self.assertEqual("prepare", record["event"])
        self.assertEqual((4, 1), (record["bySeqno"], record["revSeqno"]))
        self.assertEqual("majority", record["durability"])
        self.assertEqual("hello", record["key"])
        self.assertEqual("d29ybGQ=", record["contentBase64"])  # world
        self.assertEqual(0x0210, record["partition"])
        self.assertEqual("0x1210", record["wire"]["opaque"])
        self.assertFalse(record["deleted"])

    def test_as_json_lines(self):
        records = [r for r in harness.Extraction(CAPTURE).records if r.get("event") == "prepare"]
        self.assertEqual(1, len(records))
        self.check(records[0])

    def test_in_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "seed.ss"
            self.assertEqual(0, harness.run("extract", CAPTURE, "-o", out, "--quiet").returncode)
            verified = harness.run("ss", "verify", out, "--json")
            self.assertEqual(0, verified.returncode, verified.stdout)
            shown = harness.run("ss", "cat", out, "--key", "dcp.c0001", "--format", "json")
            self.check(json.loads(shown.stdout.splitlines()[0]))


if __name__ == "__main__":
    unittest.main()
