#!/usr/bin/env python3
"""Every rule just met and just missed, through the whole program: each sequence of tests/data/rules as a capture, and what
`report` says of it. What is tried and what must come of it stands in the data, nothing of it here."""
import collections
import json
import pathlib
import re
import sys
import tempfile
import unittest

import harness

sys.path.insert(0, str(harness.ROOT / "tests" / "support"))
import sequence_capture  # noqa: E402

# Rules that no capture can show, and why.
UNSEEN = {}
LOUD = ("warning", "error")


def sequences():
    for file in sorted((harness.DATA / "rules").glob("*.jsonl")):
        yield from harness.lines(file)


def report(pcap, options):
    with tempfile.TemporaryDirectory() as folder:
        capture = pathlib.Path(folder) / "sequence.pcap"
        capture.write_bytes(pcap)
        done = harness.run("report", capture, "--format", "json", "--no-progress", "--quiet", *options)
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout)


def told(report_json):
    """{(rule, severity, connection, last frame): times} of the findings of rules."""
    found = collections.Counter()
    for finding in report_json["findings"]:
        if "rule" in finding:
            for hit in finding.get("hits", [finding]):
                found[finding["rule"], finding["severity"], finding["connection"], hit["frames"][-1]] += 1
    return found


class Rules(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.runs = []
        for sequence in sequences():
            capture = sequence_capture.Capture(sequence)
            options = [o for name, value in sequence.get("thresholds", {}).items() for o in ("--threshold", f"{name}={value}")]
            cls.runs.append((sequence, capture, told(report(capture.pcap, options))))

    def listed(self, capture, findings):
        return collections.Counter((f["rule"], f["severity"], capture.numbers[f["conn"]], capture.frame_of(f["conn"], f["event"]))
                                   for f in findings)

    def named(self, sequence):
        return self.subTest(f"{sequence['protocol']} {sequence['n']} {sequence['rule']} {sequence['kind']}: {sequence['what']}")

    def test_errors_and_warnings_are_those_of_the_sequence_at_its_frames(self):
        for sequence, capture, found in self.runs:
            with self.named(sequence):
                loud = collections.Counter({line: times for line, times in found.items() if line[1] in LOUD})
                self.assertEqual(self.listed(capture, sequence["expect"]), loud)

    def test_notes_of_the_sequence_are_there(self):
        for sequence, capture, found in self.runs:
            with self.named(sequence):
                self.assertEqual({}, dict(self.listed(capture, sequence["notes"]) - found))

    def test_a_rule_that_is_just_missed_says_no_more_than_listed(self):
        for sequence, capture, found in self.runs:
            if sequence["kind"] == "silent":
                with self.named(sequence):
                    more = found - self.listed(capture, [*sequence["expect"], *sequence["notes"]])
                    self.assertEqual([], [line for line in more if line[0] == sequence["rule"]])

    def test_every_rule_is_seen_met_and_missed(self):
        rules = set(re.findall(r"  ([CD]\d+)  ", harness.run("explain").stdout.decode()))
        self.assertGreaterEqual(len(rules), 80)
        met = {sequence["rule"] for sequence, _, found in self.runs
               if sequence["kind"] == "fires" and any(line[0] == sequence["rule"] for line in found)}
        missed = {sequence["rule"] for sequence, _, _ in self.runs if sequence["kind"] == "silent"}
        self.assertEqual(rules - set(UNSEEN), met)
        self.assertEqual(rules - set(UNSEEN), missed)


if __name__ == "__main__":
    unittest.main()
