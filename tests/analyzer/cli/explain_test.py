#!/usr/bin/env python3
"""`explain` says what a finding means, finds it by code or rule, and helps with a mistyped one."""
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "golden"))
import harness  # noqa: E402


class Explain(unittest.TestCase):
    def text(self, *arguments):
        done = harness.run("explain", *arguments)
        self.assertEqual((0, b""), (done.returncode, done.stderr))
        return done.stdout.decode()

    def test_one_finding_in_full(self):
        text = self.text("dcp.flow.stalled")
        for part in ("D13", "note to warning", "couchbase/kv_engine docs/dcp/documentation/flow-control.md", "means ", "do       1 Take a thread dump",
                     "--threshold dcp.flow.stalled.warning=10", "cbdcp.flow.stalled"):
            self.assertIn(part, text)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_of_a_durable_write_with_and_without_its_majority(self):
        text = " ".join(self.text("D30").split())
        self.assertIn("not enough of them", text)
        self.assertIn("Where the majority was reached: the active node does not commit", text)

    def test_one_direction_is_never_a_warning(self):
        self.assertIn("\nseverity note\n", self.text("tcp.one_direction"))

    def test_one_size_of_the_capture_buffer(self):
        guide = (harness.ROOT / "docs/guide.md").read_text()
        sizes = [re.findall(r"tcpdump -B (\d+)", text) for text in (guide, self.text("tcp.gap"))]
        self.assertEqual([["65536"], ["65536"]], sizes)

    def test_by_its_rule(self):
        self.assertEqual(self.text("dcp.flow.stalled"), self.text("D13"))
        self.assertEqual(self.text("canal.lag"), self.text("c14"))

    def test_all_of_them(self):
        lines = self.text().splitlines()
        for number in range(1, 57):
            self.assertEqual(1, sum(f"  D{number:02}  " in line for line in lines), number)
        for code in ("canal.ddl", "tcp.gap", "ip.fragment_overlap", "capture.snaplen", "cap.memory"):
            self.assertTrue(any(line.startswith(code + " ") for line in lines), code)

    def test_the_list_ends_with_all_limits(self):
        text = self.text()
        listed = re.findall(r"^([a-z_.]+)=([0-9.]+)  +\S", text.split("--threshold NAME=VALUE")[1], re.MULTILINE)
        reference = re.findall(r"^\| `([a-z_.]+)` \| ", self.text("--markdown"), re.MULTILINE)
        self.assertEqual(reference, [name for name, _ in listed])
        self.assertIn(("dcp.flow.stalled.warning", "10"), listed)
        for name, value in listed:
            done = harness.run("report", str(harness.ROOT / "captures/dcp/seed0_prepare.pcap"), "--threshold", f"{name}={value}")
            self.assertEqual(0, done.returncode, name)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_what_a_severity_is(self):
        self.assertIn("\nchat       everyday detail, no fault\n", self.text())
        self.assertIn("severity chat: everyday detail, no fault\n", self.text("canal.write.delayed"))
        self.assertIn("severity chat to warning (chat: everyday detail, no fault)\n", self.text("canal.ack.no_batch"))

    def test_a_mistyped_one(self):
        done = harness.run("explain", "dcp.flow.stalld")
        self.assertEqual(1, done.returncode)
        self.assertEqual(b"", done.stdout)
        self.assertEqual("cdcscope: explain: no finding dcp.flow.stalld; nearest: dcp.flow.stalled (D13). cdcscope explain lists all\n",
                         done.stderr.decode())

    def refused(self, asked):
        done = harness.run("explain", asked)
        self.assertEqual((1, b""), (done.returncode, done.stdout))
        return done.stderr.decode()

    def test_a_word_near_to_none(self):
        self.assertEqual("cdcscope: explain: no finding nonsense; cdcscope explain lists all\n", self.refused("nonsense"))

    def test_a_part_of_a_code(self):
        self.assertEqual("cdcscope: explain: no finding stalled; with this in their code: dcp.flow.stalled (D13). cdcscope explain lists all\n",
                         self.refused("stalled"))
        self.assertRegex(self.refused("tcp."), r"with this in their code: tcp\.\w+, tcp\.\w+, tcp\.\w+, tcp\.\w+ and \d+ more\. ")

    def test_a_rule_that_there_is_not(self):
        for rule in ("C99", "D57", "d0"):
            self.assertEqual(f"cdcscope: explain: no rule {rule}; canal's go from C1 to C24, those of DCP from D1 to D56. "
                             "cdcscope explain lists all\n", self.refused(rule))
        self.assertEqual(self.text("D01"), self.text("D1"))

    def test_the_reference_is_what_docs_holds(self):
        self.assertEqual((harness.ROOT / "docs" / "findings.md").read_text(encoding="utf-8"), self.text("--markdown"))


if __name__ == "__main__":
    unittest.main()
