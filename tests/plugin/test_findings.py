"""Expert items against the listings of findings: exactly those at warning and above, each at its frame."""
import json
import os
import re
import subprocess
import unittest

import wireshark

SEVERITY = {"8388608": "E", "6291456": "W", "4194304": "N", "2097152": "C"}
GRAVE = {"E", "W"}
# Pieces of traffic, no conversations: no statement about findings.
PIECES = ("doc_examples", "seed0_prepare")


def rules():
    """Expert filter name -> rule, from the program that explains them."""
    names = {}
    for kind in ("dcp_data", "dcp_streams", "dcp_connections", "canal"):
        with open(os.path.join(wireshark.SOURCE, "proto", "findings", f"table_{kind}.cpp"), encoding="utf-8") as f:
            for code, rule in re.findall(r'code::\w+,\s*"([a-z_.]+)",\s*"([DC]\d+)"', f.read()):
                names[re.sub(r"^dcp\.", "cbdcp.", code)] = rule
    return names


RULES = rules()


def findings(capture, *options):
    """(connection from 0, rule, severity, frame) of every expert item that a rule made."""
    found = []
    for packet in wireshark.as_pdml(capture, "-2", "-Y", "cbdcp or canal", *options):
        number = int(packet.find(".//field[@name='num']").get("show"))
        stream = int(packet.find(".//field[@name='tcp.stream']").get("show"))
        for expert in packet.iter("field"):
            if expert.get("name") != "_ws.expert":
                continue
            show = {f.get("name"): f.get("show") for f in expert.findall("field")}
            name = next((n for n in show if n.startswith(("cbdcp.", "canal."))), "")
            rule = RULES.get(re.sub(r"\.expert$", "", name))
            if rule:
                found.append((stream, rule, SEVERITY[show["_ws.expert.severity"]], number))
    return found


class Dcp(unittest.TestCase):
    def flags(self, capture):
        place = capture.replace(".pcap", ".flags.jsonl")
        listed = wireshark.lines(place) if os.path.exists(place) else []
        return [(f["conn"], f["id"], f["severity"], f["frame"]) for f in listed]

    def test_warnings_and_errors_are_those_listed(self):
        for capture, _ in wireshark.captures("dcp"):
            if any(p in capture for p in PIECES) or "messy" in capture:
                continue
            with self.subTest(capture=capture):
                got = findings(capture)
                want = self.flags(capture)
                grave = lambda rows: sorted(r for r in rows if r[2] in GRAVE)
                self.assertEqual(grave(got), grave(want))
                self.assertEqual([w for w in want if w not in got], [])  # notes that are listed

    def test_reordering_gives_no_warning_that_is_not_listed(self):
        capture = next(c for c, _ in wireshark.captures("dcp") if "messy" in c)
        got = {r for r in findings(capture) if r[2] in GRAVE}
        self.assertLessEqual(got, set(self.flags(capture)))

    def test_limits_are_preferences(self):
        capture = next(c for c, _ in wireshark.captures("dcp") if "durability" in c)
        slow = lambda *options: sum(1 for f in findings(capture, *options) if f[1] == "D34")
        self.assertEqual(slow(), 0)
        self.assertGreater(slow("-o", "cbdcp.prepare.slow.time:10 ms"), 5)


class Canal(unittest.TestCase):
    def test_rules_that_fire_are_those_listed(self):
        with open(os.path.join(wireshark.CAPTURES, "canal", "rules.json"), encoding="utf-8") as f:
            listed = json.load(f)
        for capture, _ in wireshark.captures("canal"):
            statement = listed.get(os.path.basename(capture))
            if statement is None:
                continue
            with self.subTest(capture=capture):
                got = findings(capture)
                fired = {int(rule[1:]) for _, rule, _, _ in got}
                grave = {int(rule[1:]) for _, rule, severity, _ in got if severity in GRAVE}
                self.assertLessEqual(set(statement["rules"]), fired)
                self.assertLessEqual(grave, set(statement["rules"]) | set(statement.get("may", [])))


class BothDoors(unittest.TestCase):
    """The plugin and the analyzer say the same of a capture that nothing is wrong with below."""

    PROGRAM = os.environ.get("CDCSCOPE_PROGRAM", "")
    LETTER = {"error": "E", "warning": "W", "note": "N", "chat": "C"}

    def reported(self, capture):
        done = subprocess.run([self.PROGRAM, "extract", "-o", "-", "--no-progress", capture], capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        return [(f["connection"] - 1, f["rule"], self.LETTER[f["severity"]]) for f in rows
                if f.get("record") == "finding" and f.get("rule")]

    def test_same_rules_and_severities(self):
        self.assertTrue(os.path.exists(self.PROGRAM), "the analyzer was not built")
        for kind in ("dcp", "canal"):
            for capture, _ in wireshark.captures(kind):
                if "doc_examples" in capture:
                    continue
                with self.subTest(capture=capture):
                    plugin = {f[:3] for f in findings(capture)}
                    analyzer = set(self.reported(capture))
                    if "messy" in capture:
                        self.assertLessEqual({f for f in plugin if f[2] in GRAVE}, analyzer)
                    else:
                        self.assertEqual(plugin, analyzer)


if __name__ == "__main__":
    unittest.main()
