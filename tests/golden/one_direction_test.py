#!/usr/bin/env python3
"""Where one direction was not captured, nothing is said of what it held, and everything that the other one shows."""
import json
import pathlib
import re
import tempfile
import unittest

import harness
import json_schema
from classic_pcap import ACK, SYN, packets, segment

BASIC = harness.CAPTURES / "dcp" / "basic_ipv4.pcap"
DURABLE = harness.CAPTURES / "dcp" / "durability_replication_ipv4.pcap"
FAULTS = harness.CAPTURES / "dcp" / "faults.pcap"
LAG = harness.CAPTURES / "canal" / "lag.pcap"
# What compares the two sides, or guesses what the missing one did.
GUESSES = re.compile(r"no open request|unanswered|did not ask|not acknowledged|replica ack none|0 of \d+ answered|to 0;|set by the server"
                     r"|none before the connection ended|negotiated|out of sight")


def half(capture, from_client, to):
    header, records = packets(capture)
    segments = [segment(header, r) for r in records]
    clients = {(sender, receiver) for sender, receiver, flags in segments if flags & (SYN | ACK) == SYN}
    to.write_bytes(header + b"".join(r for r, s in zip(records, segments) if (s[:2] in clients) == from_client))


class OneDirection(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cut = pathlib.Path(folder.name) / "half.pcap"

    def report(self, capture, *options):
        done = harness.run("report", capture, "--no-progress", "--quiet", *options)
        self.assertEqual(0, done.returncode, done.stderr.decode())
        return done.stdout.decode()

    def json(self, capture):
        return json.loads(self.report(capture, "--format", "json"))

    def test_neither_card_nor_row_guesses(self):
        for capture in (BASIC, DURABLE, LAG):
            for from_client in (True, False):
                with self.subTest(capture.stem, from_client=from_client):
                    half(capture, from_client, self.cut)
                    text = self.report(self.cut, "--all")
                    self.assertEqual([], GUESSES.findall(text))
                    which = "client to server" if from_client else "server to client"
                    self.assertIn(f"Only {which} was captured in 1 of 1 connection.", " ".join(text.split()))
                    page = self.report(self.cut, "--format", "html")
                    self.assertIn(f"Only {which} was captured in 1 of 1 connection.", page.replace("\N{NO-BREAK SPACE}", " "))

    def test_every_form_of_the_json_is_that_of_its_schema(self):
        schema = json_schema.Schema(json.loads((harness.ROOT / "docs" / "schema" / "report.json").read_text(encoding="utf-8")))
        for capture in (BASIC, DURABLE, LAG, FAULTS):
            for from_client in (True, False):
                with self.subTest(capture.stem, from_client=from_client):
                    half(capture, from_client, self.cut)
                    self.assertEqual([], schema.errors(self.json(self.cut)))

    def test_a_rule_that_is_off_warns_of_nothing(self):
        """Also the keep-alive that nobody answers for longer than the server's time-out: answers were not captured."""
        for from_client in (True, False):
            half(FAULTS, from_client, self.cut)
            told = self.json(self.cut)
            off = {f["rule"] for f in told["findings"] if f.get("setAside")}
            self.assertTrue(off)
            self.assertEqual([], [f for f in told["findings"] if f.get("rule") in off and not f.get("setAside")])
            self.assertEqual([], [c["code"] for c in told["cards"] if off & set(c["rules"])])

    def test_rules_of_both_sides_are_named_counted_and_kept_in_the_json(self):
        half(BASIC, False, self.cut)
        told = self.json(self.cut)
        aside = [f for f in told["findings"] if f.get("setAside")]
        self.assertIn("D41", {f["rule"] for f in aside})
        self.assertEqual(told["verdict"]["setAside"], sum(f["count"] for f in aside))
        self.assertFalse([f for f in aside if "card" in f])
        self.assertIn("D11 to D19", told["verdict"]["warning"])
        self.assertIn(f'{told["verdict"]["setAside"]} times', told["verdict"]["warning"].replace("\N{NO-BREAK SPACE}", " "))
        whole = self.json(BASIC)
        self.assertEqual(0, whole["verdict"]["setAside"])
        self.assertNotIn("warning", whole["verdict"])

    def test_nothing_is_called_healthy(self):
        for capture in (BASIC, LAG):
            for from_client in (True, False):
                with self.subTest(capture.stem, from_client=from_client):
                    half(capture, from_client, self.cut)
                    told = self.json(self.cut)
                    if told["verdict"]["result"] == "findings":
                        continue
                    verdict = told["verdict"]
                    self.assertNotIn("No errors, no warnings", verdict["headline"])
                    # Of this protocol, those that one side is enough for.
                    self.assertRegex(verdict["text"].replace("\N{NO-BREAK SPACE}", " "), r", \d+ of \d+ (DCP|canal) rules, .*captured TCP")
                    self.assertEqual(["note"], [c["health"] for c in told["connections"]])
                    forms = [self.report(self.cut, "--format", form) for form in ("text", "md", "html")]
                    for form in forms:
                        self.assertIn(verdict["headline"].rstrip("."), " ".join(form.split()))
                    if not told["connections"][0].get("cards"):
                        self.assertIn("i one direction only", forms[0])
                        self.assertIn("One direction only", forms[2])

    def test_who_speaks_dcp_is_no_application(self):
        for from_client in (True, False):
            half(BASIC, from_client, self.cut)
            self.assertEqual("DCP consumer", self.json(self.cut)["connections"][0]["role"])
        alone = self.json(harness.CAPTURES / "travel" / "travel-2.pcap")
        keep_alives = next(c for c in alone["connections"] if c["client"] == "10.0.0.21:40001")
        self.assertEqual({"noop", "noop.response"}, set(keep_alives["types"] if "types" in keep_alives else keep_alives["messages"]))
        self.assertEqual("DCP consumer", keep_alives["role"])

    def test_answers_tell_of_refusals_without_their_requests(self):
        for capture in (BASIC, DURABLE):
            half(capture, False, self.cut)

            def hits(report, rule):
                return sorted(h["figures"].get("statusCode", h["figures"].get("rollbackSeqno"))
                              for f in report["findings"] if f.get("rule") == rule for h in f.get("hits", [f]))
            whole, told = self.json(capture), self.json(self.cut)
            for rule in ("D20", "D23", "D38"):
                self.assertEqual(hits(whole, rule), hits(told, rule), rule)
        half(BASIC, False, self.cut)
        self.assertIn("Reasons: duplicate, out of range (2), not my vbucket (4).", self.report(self.cut, "--all"))

    def test_who_only_acknowledges_was_captured(self):
        """A client that says nothing is no client that was not captured."""
        header, records = packets(LAG)
        keep = []
        for r in records:
            keep.append(r)
            if len(keep) == 4:
                break
        # SYN, SYN ACK, ACK and the server's handshake; then the client's bare acknowledgement.
        keep.append(next(r for r in records[4:] if not segment(header, r)[2] & SYN))
        self.cut.write_bytes(header + b"".join(keep))
        self.assertFalse(self.json(self.cut)["connections"][0]["oneDirection"])


if __name__ == "__main__":
    unittest.main()
