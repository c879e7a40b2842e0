#!/usr/bin/env python3
"""What a capture lacks is warned of on standard error: a line a kind with a count, alike by every command that reads it."""
import pathlib
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "golden"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import dcp_traffic  # noqa: E402
import harness  # noqa: E402

REASSEMBLY = harness.DATA / "reassembly"
ENDING = "; reading goes on at the next message"
LATE = "; findings of streams opened earlier are notes until they are asked for again"


class Warnings(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def said(self, command, capture, *options, status=0):
        """The warnings, without the folder of the capture, and standard output."""
        out = ["-o", self.folder / "x.ss", "--force"] if command == "extract" else []
        done = harness.run(command, capture, *out, *options, "--no-progress")
        self.assertEqual(status, done.returncode, done.stderr)
        text = done.stderr.decode().replace(str(pathlib.Path(capture).parent) + "/", "")
        return text.splitlines(), done.stdout

    def by_both(self, capture, *options):
        """extract and report say the same."""
        extract, _ = self.said("extract", capture, *options)
        self.assertEqual(extract, self.said("report", capture, *options)[0])
        return extract

    def conversation(self):
        """Items 1 to 60 of a stream."""
        talk = dcp_traffic.Capture()
        talk.hello(b"name")
        talk.stream(7, 1, 100)
        for seqno in range(1, 61):
            talk.mutation(7, seqno, 1, b"key%d" % seqno)
        return talk

    def rewritten(self, name, keep):
        """A capture of the conversation with the packets that `keep(number, frame)` lets through, numbers from 1."""
        self.conversation().write(self.folder / "whole.pcap")
        data = (self.folder / "whole.pcap").read_bytes()
        out, at, number = [data[:24]], 24, 0
        while at < len(data):
            size = 16 + struct.unpack_from("<I", data, at + 8)[0]
            number += 1
            if keep(number, data[at + 16:at + size]):
                out.append(data[at:at + size])
            at += size
        (self.folder / name).write_bytes(b"".join(out))
        return self.folder / name

    # ---- holes

    def test_one_hole(self):
        capture = REASSEMBLY / "r33-gap-decoy.pcap"
        self.assertEqual(["cdcscope: warning: r33-gap-decoy.pcap #13 (c1): 283 B never captured, 497 B around the hole unreadable" + ENDING],
                         self.by_both(capture))
        streams, _ = self.said("streams", capture)
        self.assertEqual(["cdcscope: warning: r33-gap-decoy.pcap #13 (c1): 283 B never captured; capture with a larger buffer: tcpdump -B 65536"],
                         streams)

    def test_many_holes_are_one_line(self):
        capture = self.rewritten("a.pcap", lambda number, frame: number < 20 or number % 10 != 0)
        lines = self.by_both(capture)
        self.assertEqual(1, len(lines), lines)
        self.assertRegex(lines[0], r"^cdcscope: warning: a\.pcap #20 \(c1\) and \d more holes: \d+ B never captured; reading goes on at the next message$")

    def test_standard_output_is_what_it_was(self):
        capture = self.rewritten("a.pcap", lambda number, frame: number != 30)
        for command in ("report", "streams"):
            loud = harness.run(command, capture, "--no-progress")
            quiet = harness.run(command, capture, "--no-progress", "--quiet")
            self.assertEqual((loud.stdout, b""), (quiet.stdout, quiet.stderr))
            self.assertIn(b"never captured", loud.stderr)

    def test_a_snapshot_length_is_no_hole(self):
        capture = harness.DATA / "reports/pcap-snaplen-128.pcap"
        expected = ("cdcscope: warning: pcap-snaplen-128.pcap: packets are cut to 128 B (snap length): 12 messages have a header but no "
                    "whole value, 3,826 B missing in 14 packets; capture with tcpdump -s 0")
        self.assertEqual([expected], self.by_both(capture))
        self.assertEqual([expected.replace("12 messages have a header but no whole value, ", "")], self.said("streams", capture)[0])

    # ---- what is missing of connections

    def test_a_late_start(self):
        capture = self.rewritten("a.pcap", lambda number, frame: number > 6)
        self.assertEqual(["cdcscope: warning: a.pcap #1, c1: the capture starts in the middle of the connection" + LATE], self.by_both(capture))
        self.assertEqual(["cdcscope: warning: a.pcap #1, c1: the capture starts in the middle of the connection; capture before the client connects"],
                         self.said("streams", capture)[0])

    def test_late_starts_are_one_line(self):
        talks = [dcp_traffic.Capture(port=20000 + n) for n in range(5)]
        for talk in talks:
            talk.hello(b"name")
            talk.stream(7, 1, 100)
        dcp_traffic.write_together(self.folder / "all.pcap", talks)
        data = (self.folder / "all.pcap").read_bytes()
        out, at = [data[:24]], 24
        while at < len(data):
            size = 16 + struct.unpack_from("<I", data, at + 8)[0]
            if not data[at + 16 + 47] & 2:
                out.append(data[at:at + size])
            at += size
        (self.folder / "late.pcap").write_bytes(b"".join(out))
        self.assertEqual(["cdcscope: warning: late.pcap #1, c1: the capture starts in the middle of the connection (5 connections)" + LATE],
                         self.by_both(self.folder / "late.pcap"))

    def test_one_direction(self):
        capture = self.rewritten("a.pcap", lambda number, frame: frame[34:36] == struct.pack(">H", 11210))
        expected = "cdcscope: warning: a.pcap: only one direction captured in 1 of 1 connection (server to client); "
        lines = self.by_both(capture)
        self.assertEqual([expected + "messages are read, findings that need both sides are off. Capture on the host itself, or both sides "
                          "of the mirror port"], lines)
        lines, table = self.said("streams", capture)
        self.assertEqual([expected + "capture on the host itself, or both sides of the mirror port"], lines)
        self.assertRegex(table.decode(), r"\n  c1 .* DCP  +not captured +\d")

    def test_one_direction_by_filter(self):
        self.conversation().write(self.folder / "a.pcap")
        expected = "cdcscope: warning: a.pcap: only one direction captured in 1 of 1 connection (server to client); "
        chosen = ("--filter", "src port 11210")
        self.assertEqual([expected + "messages are read, findings that need both sides are off. --filter may have left out the other one"],
                         self.by_both(self.folder / "a.pcap", *chosen))
        self.assertEqual([expected + "--filter may have left out the other one"], self.said("streams", self.folder / "a.pcap", *chosen)[0])

    def test_one_direction_names_the_file_of_the_first(self):
        self.rewritten("b.pcap", lambda number, frame: frame[34:36] == struct.pack(">H", 11210))
        talk = dcp_traffic.Capture(start=1_600_000_000.0, port=40001)
        talk.hello(b"name")
        talk.write(self.folder / "a.pcap")
        for command in ("extract", "report", "streams"):
            out = ["-o", self.folder / "x.ss", "--force"] if command == "extract" else []
            done = harness.run(command, self.folder / "a.pcap", self.folder / "b.pcap", *out, "--no-progress")
            self.assertRegex(done.stderr.decode(), r"warning: \S*b\.pcap: only one direction captured in 1 of 2 connections \(server to client\)")

    def test_a_side_that_only_acknowledges_was_captured(self):
        capture = harness.CAPTURES / "dcp/seed0_prepare.pcap"
        for command in ("extract", "report", "streams"):
            lines, table = self.said(command, capture)
            self.assertEqual([], lines)
            self.assertNotIn(b"not captured", table)
        self.assertNotIn(b"Only server to client", self.said("report", capture)[1])

    # ---- limits

    def test_a_message_that_claims_too_much(self):
        lines = self.by_both(harness.CAPTURES / "canal/basic.pcap", "--max-message", "1KiB")
        self.assertEqual(["cdcscope: warning: basic.pcap #76 (c1): a canal packet claims 1,901 B, more than --max-message 1,024 B; taken as not "
                          "canal, 1,905 B unparsed; if such messages are real, a larger --max-message takes them"], lines)

    def test_memory_that_was_not_enough(self):
        lines = self.by_both(REASSEMBLY / "r14-reversed.pcap", "--max-memory", "1KiB")
        self.assertIn("cdcscope: warning: --max-memory 1,024 B reached at r14-reversed.pcap #15: 1,308 B of late segments of c1 given up as a "
                      "gap; more memory keeps them", lines)
        self.assertFalse([line for line in lines if "never captured" in line])
        lines = self.by_both(REASSEMBLY / "r07-canal-no-syn-mid-message.pcap", "--max-memory", "1KiB")
        self.assertRegex(lines[0], r"^cdcscope: warning: --max-memory 1,024 B reached at \S+ #7: what begins at offset 893 of the server's stream "
                         r".* \(2 times\); more memory keeps them$")

    # ---- options without effect

    def test_streams_says_that_times_choose_nothing_in_it(self):
        capture = harness.CAPTURES / "dcp/seed0_prepare.pcap"
        lines, table = self.said("streams", capture, "--since", "+1s", "--until", "+2s")
        self.assertEqual(["cdcscope: warning: streams: the table is of the whole capture, without regard to --since and --until; --filter "
                          "chooses packets"], lines)
        self.assertEqual(self.said("streams", capture), ([], table))

    # ---- nothing to warn of

    def test_a_file_without_packets_is_no_warning(self):
        empty = REASSEMBLY / "r64-empty.pcap"
        expected = ("cdcscope: r64-empty.pcap: no packets (24 bytes, header only); was the capture filter right? "
                    "tcpdump -w x.pcap 'tcp port 11210 or tcp port 11111'")
        for command in ("extract", "report", "streams"):
            self.assertEqual([expected], self.said(command, empty)[0])
        done = harness.run("report", empty, harness.CAPTURES / "dcp/seed0_prepare.pcap")
        self.assertIn(b"warning: " + str(empty).encode(), done.stderr)

    def test_an_output_that_does_not_exist(self):
        for kind in ("redis://cache:6379", "kafka://broker:9092"):
            done = harness.run("extract", harness.CAPTURES / "dcp/seed0_prepare.pcap", "-o", kind)
            self.assertEqual((2, f"cdcscope: extract: -o {kind}: is no output; -o - writes JSON lines, to pipe into a client of it\n"),
                             (done.returncode, done.stderr.decode()))


if __name__ == "__main__":
    unittest.main()
