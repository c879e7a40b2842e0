#!/usr/bin/env python3
"""The table of `streams`: whose connection is whose, told as `extract` tells it."""
import json
import re
import unittest

import harness


def roles(capture):
    done = harness.run("streams", capture, "--json", "--quiet", "--no-progress")
    assert done.returncode == 0, done.stderr.decode()
    return [c["role"] for c in json.loads(done.stdout)["connections"]]


class Role(unittest.TestCase):
    def test_tells_key_value_requests_from_dcp(self):
        reports = harness.DATA / "reports"
        self.assertEqual(["KV"], roles(reports / "kv-flexible-framing.pcap"))
        self.assertEqual({"DCP", "KV"}, set(roles(reports / "dcp-durable-writes-stuck.pcap")))
        self.assertEqual(["DCP"], roles(harness.CAPTURES / "dcp" / "basic_ipv4.pcap"))

    def test_finds_dcp_behind_a_late_start(self):
        for name in ("r05-no-syn-aligned.pcap", "r06-no-syn-mid-message.pcap"):
            self.assertEqual(["DCP"], roles(harness.DATA / "reassembly" / name), name)

    def test_is_the_one_that_extract_tells(self):
        captures = [*(harness.DATA / "reports").glob("*.pcap"), *(harness.CAPTURES / "dcp").glob("*.pcap"),
                    *(harness.DATA / "reassembly").glob("r*.pcap")]
        self.assertGreater(len(captures), 40)
        for capture in captures:
            done = harness.run("extract", capture, "-o", "/dev/null", "--no-progress", "--color", "never")
            ours = set(re.findall(r"^  c\d+ +(DCP|KV) ", done.stdout.decode(), re.M))
            self.assertEqual({role for role in roles(capture) if role in ("DCP", "KV")}, ours, capture.name)

    def test_stands_in_the_table(self):
        table = harness.run("streams", harness.DATA / "reports" / "dcp-durable-writes-stuck.pcap", "--quiet").stdout.decode()
        self.assertTrue(re.search(r":11210 +KV ", table), table)
        self.assertTrue(re.search(r":11210 +DCP ", table), table)


class Codes(unittest.TestCase):
    def test_of_every_warning_and_note_can_be_explained(self):
        told = set()
        for capture in [*(harness.DATA / "reassembly").glob("*.pcap*"), *(harness.DATA / "reports").glob("*.pcap*")]:
            summary = harness.Extraction(capture).summary
            told |= {each["code"] for kind in ("warnings", "notes") for each in summary[kind]}
        self.assertGreater(len(told), 15)
        for code in told:
            with self.subTest(code):
                self.assertEqual(0, harness.run("explain", code).returncode)


if __name__ == "__main__":
    unittest.main()
