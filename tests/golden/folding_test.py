#!/usr/bin/env python3
"""What happened to many vbuckets at once is one sentence with their number and names, not a sentence for each."""
import json
import pathlib
import struct
import sys
import tempfile
import unittest

import harness

sys.path.insert(0, str(harness.ROOT / "tests" / "support"))
import dcp_traffic  # noqa: E402

VBUCKETS = 300
NO_END = 2**64 - 1
STATE_CHANGED, CLOSED, TOO_SLOW = 2, 1, 4
ROLLBACK, NOT_MY_VBUCKET = 0x23, 0x07


def ask(capture, vbucket, status, value=b"", start=0):
    position = struct.pack("!IIQQQQQ", 0, 0, start, NO_END, 0xABC, start, start)
    capture.send(True, 0x53, partition=vbucket, opaque=vbucket + 1, extras=position)
    capture.send(False, 0x53, answer=True, partition=status, opaque=vbucket + 1, value=value)


class Folding(unittest.TestCase):
    def report(self, capture, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "many.pcap"
            capture.write(path)
            done = harness.run("report", path, "--no-progress", "--quiet", *options)
            self.assertEqual(0, done.returncode, done.stderr.decode())
            return done.stdout.decode()

    def check(self, make, title, words):
        capture = dcp_traffic.Capture()
        capture.hello(b"many")
        make(capture)
        text = " ".join(self.report(capture, "--all").split())
        told = json.loads(self.report(capture, "--format", "json"))
        card = told["cards"][0]
        self.assertEqual((title, VBUCKETS), (card["title"], card["count"]))
        for part in (title, *words):
            self.assertIn(part, text)
            self.assertIn(part, self.report(capture, "--format", "html").replace("\N{NO-BREAK SPACE}", " "))
        return told

    def test_rollbacks(self):
        def make(c):
            for vbucket in range(VBUCKETS):
                ask(c, vbucket, ROLLBACK, struct.pack("!Q", 0), start=1000)
                c.stream(vbucket, vbucket + 1000, 1)
        told = self.check(make, "300 vbuckets were rolled back to 0",
                          ["Vb 0..299. The client asked from 1,000. The stream of each opened afterwards.", "vb 299: ROLLBACK to 0",
                           "and 295 more, 95 of them in the JSON"])
        finding = told["findings"][0]
        self.assertEqual((VBUCKETS, 100), (finding["count"], len(finding["hits"])))
        self.assertEqual([0, 299], [finding["hits"][i]["figures"]["partition"] for i in (0, -1)])
        self.assertEqual(200, told["leftOut"]["hits"])

    def test_rollbacks_without_a_stream_afterwards(self):
        def make(c):
            for vbucket in range(VBUCKETS):
                ask(c, vbucket, ROLLBACK, struct.pack("!Q", 0), start=vbucket + 1)
                if vbucket < 3:
                    c.stream(vbucket, vbucket + 1000, 1)
        self.check(make, "300 vbuckets were rolled back to 0", ["The client asked from 1..300. 3 streams opened afterwards."])

    def test_ends(self):
        def make(c):
            for vbucket in range(VBUCKETS):
                c.stream(vbucket, vbucket + 1, 1)
            for vbucket in range(VBUCKETS):
                c.end(vbucket, vbucket + 1, STATE_CHANGED)
        self.check(make, "300 streams were ended by the server: state changed",
                   ["Vb 0..299. None opened again on this connection."])

    def test_ends_of_different_reasons_name_their_vbuckets(self):
        def make(c):
            for vbucket in range(VBUCKETS):
                c.stream(vbucket, vbucket + 1, 1)
            for vbucket in range(VBUCKETS):
                c.end(vbucket, vbucket + 1, STATE_CHANGED if vbucket % 2 else TOO_SLOW)
        self.check(make, "stream vb 0 ended at seqno 0: Too slow, and 299 more like it",
                   ["300 times in all. All of them: vb 0..299.", "and 295 more, 95 of them in the JSON"])

    def test_refusals(self):
        def make(c):
            for vbucket in range(VBUCKETS):
                ask(c, vbucket, NOT_MY_VBUCKET)
        self.check(make, "300 of 300 stream requests were refused", ["Not my vbucket (300): vb 0..299."])


    def test_more_refusals_than_rows(self):
        capture = dcp_traffic.Capture()
        capture.hello(b"many")
        for n in range(4200):
            ask(capture, n % 1024, NOT_MY_VBUCKET if n % 2 else 0x02)
        told = json.loads(self.report(capture, "--format", "json"))
        card = next(c for c in told["cards"] if "D20" in c["rules"])
        self.assertEqual("4,200 of 4,200 stream requests were refused", card["title"])
        self.assertEqual(104, told["leftOut"]["streams"])

    def test_loops(self):
        capture = dcp_traffic.Capture()
        capture.hello(b"many")
        for vbucket in (1000, 1001, 1002):
            for _ in range(5):
                ask(capture, vbucket, ROLLBACK, struct.pack("!Q", 0), start=1000)
        card = json.loads(self.report(capture, "--format", "json"))["cards"][0]
        self.assertEqual("3 vbuckets were rolled back again and again, and their streams never opened", card["title"])
        self.assertIn("Vb 1000..1002.", card["text"])
        self.assertNotIn("vb 1,000", json.dumps(card))


if __name__ == "__main__":
    unittest.main()
