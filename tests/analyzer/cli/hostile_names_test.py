#!/usr/bin/env python3
"""Names that are no text, or that would move the cursor or turn a line, leave every output valid and harmless."""
import json
import os
import pathlib
import shutil
import sys
import tempfile
import unicodedata
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "golden"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import dcp_traffic  # noqa: E402
import harness  # noqa: E402

EVIL = "e\x1b[31m\x9b1m\u202e\u2066\u200b\u200f\u2028\ufeff\U000e0001".encode() + b"\xff\xc2"


def hidden(text):
    return [c for c in text if c != "\n" and (ord(c) < 32 or 0x7F <= ord(c) < 0xA0
                                              or unicodedata.category(c) in ("Cf", "Zl", "Zp", "Cs"))]


class HostileNames(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.capture = EVIL + b".pcap"
        traffic = dcp_traffic.Capture()
        traffic.send(True, 0x89, key=b"b\xff\xfe")  # select bucket
        traffic.send(False, 0x89, answer=True)
        traffic.hello(EVIL, EVIL)
        traffic.stream(7, 1, 100)
        for seqno in range(1, 6):
            traffic.mutation(7, 1, seqno, EVIL + str(seqno).encode(), EVIL)
        traffic.mutation(7, 1, 3, EVIL)  # a seqno that goes back: a finding names its key
        traffic.write(os.path.join(os.fsencode(folder.name), self.capture))

    def run_in(self, *arguments, status=0):
        done = harness.run(*map(os.fsdecode, arguments), cwd=self.folder)
        self.assertEqual(status, done.returncode, done.stderr)
        return done

    def harmless(self, what, data):
        text = data.decode(errors="replace")
        self.assertNotIn("\ufffd", text, what)
        self.assertEqual([], hidden(text), (what, text))
        return text

    def lines(self, data):
        return [json.loads(line) for line in data.decode().split("\n") if line]

    def test_records_are_valid_json(self):
        records = self.lines(self.run_in("extract", self.capture, "-o", "-", "--quiet").stdout)
        mutations = [r for r in records if r.get("event") == "mutation"]
        self.assertEqual(6, len(mutations))
        self.assertEqual({"Yv/+"}, {r["bucketBase64"] for r in mutations})
        self.assertFalse(any("bucket" in r for r in mutations))
        self.assertIn("\\xff\\xc2.pcap", records[0]["file"])
        self.run_in("extract", self.capture, "-o", "x.ss", "--quiet")
        cat = self.run_in("ss", "cat", "--all", "--format", "json", "x.ss").stdout
        self.assertEqual(len(records) + 1, len(self.lines(cat)))  # and the end of the stream

    def test_summaries_and_other_json_are_valid(self):
        other = EVIL + b"2.pcap"
        folder = os.fsencode(self.folder)
        shutil.copy(os.path.join(folder, self.capture), os.path.join(folder, other))
        self.run_in("extract", self.capture, other, "-o", "x.jsonl", "--summary", "s.json", "--quiet")
        said = json.loads((self.folder / "s.json").read_bytes())
        self.assertTrue(said["captures"][0].endswith("\\xff\\xc2.pcap"), said["captures"])
        self.lines((self.folder / "x.jsonl").read_bytes())
        json.loads(self.run_in("streams", self.capture, "--json").stdout)
        json.loads(self.run_in("report", self.capture, "--format", "json").stdout)

    def test_nothing_hidden_reaches_the_terminal(self):
        out = EVIL + b".ss"
        done = self.run_in("extract", self.capture, "-o", out)
        self.harmless("notes", done.stderr)
        table = self.harmless("table", done.stdout)
        self.assertIn("\\xff\\xc2.pcap\n", table)  # What went wrong: cdcscope report ...
        for command in (("ss", "info", out), ("ss", "verify", out), ("ss", "cat", "--all", out), ("streams", self.capture),
                        ("report", self.capture, "--all"), ("report", self.capture, "--format", "md"),
                        ("report", self.capture, "--format", "html"), ("extract", self.capture, "-o", out),
                        ("extract", EVIL), ("ss", "info", EVIL), ("ss", "cat", "--key", EVIL, out)):
            done = harness.run(*map(os.fsdecode, command), cwd=self.folder)
            self.harmless(command, done.stdout)
            self.harmless(command, done.stderr)


if __name__ == "__main__":
    unittest.main()
