#!/usr/bin/env python3
"""What the whole program finds in the captures of DCP: every error and warning that another implementation found, and no other."""
import collections
import json
import unittest

import harness

FOLDER = harness.CAPTURES / "dcp"
HEALTHY = ("seed0_prepare", "collections_oso_ipv6", "stream_id_ipv4", "tiny_segments_ipv6", "java_client_ipv4")
SEVERITY = {"E": "error", "W": "warning", "N": "note"}


def found(capture):
    """Findings of the extracted stream as (connection, rule, severity, frame), with how often."""
    done = harness.run("extract", capture, "-o", "-", "--no-progress", "--quiet")
    assert done.returncode == 0, done.stderr.decode()
    records = [json.loads(line) for line in done.stdout.splitlines()]
    return collections.Counter((r["connection"], r["rule"], r["severity"], r["frames"][-1])
                               for r in records if r.get("record") == "finding" and "rule" in r)


class Findings(unittest.TestCase):
    def check(self, name):
        flags = FOLDER / f"{name}.flags.jsonl"
        listed = collections.Counter((f["conn"] + 1, f["id"], SEVERITY[f["severity"]], f["frame"])
                                     for f in (harness.lines(flags) if flags.exists() else []))
        have = found(FOLDER / f"{name}.pcap")
        for what in listed.keys() - have.keys():
            self.fail(f"{name}: {what} is missing")
        loud = {what: count for what, count in have.items() if what[2] in ("error", "warning")}
        self.assertEqual({what: count for what, count in listed.items() if what[2] != "note"}, loud, name)

    def test_faults(self):
        self.check("faults")

    def test_basic(self):
        self.check("basic_ipv4")

    def test_durability(self):
        self.check("durability_replication_ipv4")

    def test_v8_features(self):
        self.check("v8_features_ipv6")

    def test_frames_out_of_order_between_the_directions(self):
        self.check("messy_tcp_ipv4")

    def test_each_broken_example_has_a_finding(self):
        capture = FOLDER / "doc_examples_broken.pcap"
        done = harness.run("report", capture, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        by_code = collections.defaultdict(set)
        for finding in json.loads(done.stdout)["findings"]:
            by_code[finding["code"]].add(finding.get("connection"))
        # Four end inside the message whose length is wrong; the others leave bytes that are no message, or contradict themselves.
        self.assertEqual({1, 3, 9, 13}, by_code["tcp.incomplete_at_end"])
        self.assertEqual(set(range(1, 16)) - {1, 3, 9, 13}, by_code["dcp.malformed"])

    def test_healthy_captures_have_notes_at_most(self):
        for name in HEALTHY:
            with self.subTest(name):
                self.check(name)


if __name__ == "__main__":
    unittest.main()
