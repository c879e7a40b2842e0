#!/usr/bin/env python3
"""What --redact hides is in no output: not in findings' figures and sentences, not in any form of the report."""
import json
import pathlib
import sys
import tempfile
import unittest

import harness

sys.path.insert(0, str(harness.ROOT / "tests" / "support"))
import sequence_capture  # noqa: E402

FORMATS = ("text", "md", "json", "html")
HIDDEN = {"keys": {"key", "keyBase64"}, "values": {"sql", "xattrs"}}
HIDDEN["all"] = HIDDEN["keys"] | HIDDEN["values"]


def captures():
    return sorted([*harness.CAPTURES.glob("*/*.pcap*"), *(harness.DATA / "reports").glob("*.pcap")])


def output(*arguments):
    done = harness.run(*arguments, "--no-progress", "--quiet")
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def is_telling(content):
    """Not part of words that a report has anyhow."""
    return len(content) >= 5 and not content.isalpha()


def findings(capture, *options):
    records = map(json.loads, output("extract", capture, "-o", "-", *options).split("\n")[:-1])
    return [r for r in records if r.get("record") == "finding"]


def texts_named(names, value, under=""):
    """Strings of members with one of these names, at any depth."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from texts_named(names, inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_named(names, inner, under)
    elif isinstance(value, str) and under in names:
        yield value


class Findings(unittest.TestCase):
    def compare(self, capture):
        shown = findings(capture)
        hidden_ones = 0
        for mode, names in HIDDEN.items():
            hidden = findings(capture, "--redact", mode)
            self.assertEqual(len(shown), len(hidden))
            for before, after in zip(shown, hidden):
                for name in names & before.keys():
                    self.assertRegex(after[name], r"^\(redacted, (1 byte|\d+ bytes)\)$")
                    self.assertNotIn(f"key {before[name]}" if name == "key" else before[name], after["text"])
                    hidden_ones += 1
                rest = before.keys() - names - {"text"}
                self.assertEqual({n: before[n] for n in rest}, {n: after[n] for n in rest})
                if not names & before.keys():
                    self.assertEqual(before["text"], after["text"])
        return hidden_ones

    def test_of_captures(self):
        self.assertGreater(sum(self.compare(capture) for capture in captures()), 50)

    def test_of_every_rule(self):
        hidden = 0
        with tempfile.TemporaryDirectory() as folder:
            capture = pathlib.Path(folder) / "sequence.pcap"
            for file in sorted((harness.DATA / "rules").glob("*.jsonl")):
                for sequence in harness.lines(file):
                    if sequence["kind"] == "fires":
                        capture.write_bytes(sequence_capture.Capture(sequence).pcap)
                        hidden += self.compare(capture)
        self.assertGreater(hidden, 50)


class Reports(unittest.TestCase):
    def test_in_none_of_their_forms(self):
        found = {mode: 0 for mode in HIDDEN}
        for capture in captures():
            with self.subTest(capture.name):
                made = json.loads(output("report", capture, "--format", "json"))
                for mode, names in HIDDEN.items():
                    contents = {text for text in texts_named(names, made) if is_telling(text)}
                    found[mode] += len(contents)
                    if not contents:
                        continue
                    for form in FORMATS:
                        text = output("report", capture, "--all", "--format", form, "--redact", mode)
                        self.assertEqual([], [c for c in contents if c in text], f"{mode} {form}")
        self.assertGreater(min(found.values()), 10)


if __name__ == "__main__":
    unittest.main()
