#!/usr/bin/env python3
"""Outputs of many files, outputs that can not be written, and what is said of it: only what is whole gets its name."""
import os
import pathlib
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "golden"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import dcp_traffic  # noqa: E402
import harness  # noqa: E402

CAPTURE = harness.CAPTURES / "dcp" / "basic_ipv4.pcap"


def small_files(size):
    """A disk that is full after that many bytes of a file."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


class Outputs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_in(self, *arguments, status=0, **options):
        done = harness.run(*arguments, cwd=self.folder, **options)
        self.assertEqual(status, done.returncode, done.stderr)
        return done.stderr.decode()

    def names(self, pattern="x*"):
        return sorted(p.name for p in self.folder.glob(pattern))

    def connections(self, count):
        """So many connections at the same time."""
        all_of_them = [dcp_traffic.Capture(port=20000 + n) for n in range(count)]
        for c in all_of_them:
            c.hello(b"name")
            c.stream(7, 1, 100)
        for c in all_of_them:
            c.mutation(7, 1, 1, b"key")
        dcp_traffic.write_together(self.folder / "many.pcap", all_of_them)

    # ---- a file a connection

    def test_more_connections_than_files_may_be_open(self):
        self.connections(60)
        for name, *force in (("x.ss",), ("x.ss", "--force"), ("x.jsonl",)):
            self.run_in("extract", "many.pcap", "-o", name, "--split", "connection", "--quiet", *force,
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24)))
        self.assertEqual(60, len(self.names("x.c00*.ss")))
        self.assertEqual([], self.names("*.part"))
        for number in (1, 30, 60):
            self.run_in("ss", "verify", f"x.c{number:04}.ss")
        self.run_in("extract", "many.pcap", "-o", "y.ss", "--split", "connection", "--quiet")
        for number in (1, 30, 60):
            self.assertEqual((self.folder / f"y.c{number:04}.ss").stat().st_size, (self.folder / f"x.c{number:04}.ss").stat().st_size)

    def test_a_failure_gives_no_file_its_name(self):
        self.connections(3)
        (self.folder / "x.c0003.ss").write_bytes(b"there")
        said = self.run_in("extract", "many.pcap", "-o", "x.ss", "--split", "connection", status=1)
        self.assertIn("x.c0003.ss: exists", said)
        self.assertIn("None of the 2 files got its name; NAME.part holds what was written", said)
        self.assertEqual(["x.c0001.ss.part", "x.c0002.ss.part", "x.c0003.ss"], self.names())
        self.assertEqual(b"there", (self.folder / "x.c0003.ss").read_bytes())

    def test_streams_says_what_helps_against_too_many_open_files(self):
        self.connections(60)
        said = self.run_in("streams", "many.pcap", "-w", "d", status=1,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24)))
        self.assertIn("; ulimit -n NUMBER allows more open files\n", said)

    def test_appending_to_a_file_a_connection(self):
        self.connections(3)
        for _ in range(2):
            self.run_in("extract", "many.pcap", "-o", "x.ss", "--split", "connection", "--append", "--quiet")
        self.assertEqual(["x.c0001.ss", "x.c0002.ss", "x.c0003.ss"], self.names())
        for name in self.names():
            self.run_in("ss", "verify", name)

    def test_appending_the_same_capture_again_is_said(self):
        self.run_in("extract", CAPTURE, "-o", "x.ss", "--append")
        other = harness.CAPTURES / "travel/travel-1.pcap"
        twice = "--append went on in what already holds a capture with this first packet"
        self.assertNotIn(twice, self.run_in("extract", other, "-o", "x.ss", "--append"))
        self.assertIn(f"warning: x.ss: {twice} (", self.run_in("extract", CAPTURE, "-o", "x.ss", "--append"))
        self.assertNotIn(twice, self.run_in("extract", CAPTURE, "-o", "y.ss"))
        self.connections(3)
        split = ("extract", "many.pcap", "-o", "z.ss", "--split", "connection", "--append")
        self.assertNotIn(twice, self.run_in(*split))
        self.assertIn(f"warning: z.c0001.ss and 2 more files: {twice} (", self.run_in(*split))

    # ---- --roll

    def test_a_piece_of_an_earlier_run_is_found_at_the_start(self):
        (self.folder / "x.3.ss").touch()
        said = self.run_in("extract", CAPTURE, "-o", "x.ss", "--roll", "--limit", "20KiB", status=1)
        self.assertIn("x.3.ss: exists, a piece of an earlier run; --force replaces it", said)
        self.assertEqual(["x.3.ss"], self.names())

    def test_a_piece_in_the_way_of_appending_is_found_at_the_start(self):
        self.run_in("extract", CAPTURE, "-o", "x.ss", "--quiet")
        (self.folder / "x.2.ss").touch()
        before = (self.folder / "x.ss").read_bytes()
        said = self.run_in("extract", CAPTURE, "-o", "x.ss", "--append", "--roll", "--limit", "200KiB", status=1)
        self.assertEqual("cdcscope: x.2.ss: exists, a piece of an earlier run; without --roll nothing goes into it, -o NAME writes elsewhere\n",
                         said)
        self.assertEqual(before, (self.folder / "x.ss").read_bytes())

    def test_later_pieces_of_a_longer_run_are_said(self):
        self.run_in("extract", CAPTURE, "-o", "x.ss", "--roll", "--limit", "10KiB", "--quiet")
        before = len(self.names())
        self.assertGreater(before, 4)
        said = self.run_in("extract", CAPTURE, "-o", "x.ss", "--roll", "--limit", "30KiB", "--force")
        self.assertRegex(said, rf"x\.\d\.ss to x\.{before}\.ss: of an earlier run, left as it was; this run wrote x\.ss to x\.\d\.ss")
        self.assertEqual(before, len(self.names()))

    def test_a_message_that_fits_no_piece(self):
        said = self.run_in("extract", CAPTURE, "-o", "x.ss", "--roll", "--limit", "1KiB", status=1)
        self.assertRegex(said, r"x\.ss: a message of [\d,]+ B fits no file of 1,024 B \(--limit\); --limit SIZE allows more")
        self.assertIn("what came before it is whole: x.ss", said)
        self.assertEqual([], self.names("*.part"))
        for name in self.names():
            self.run_in("ss", "verify", name)
            self.assertGreater((self.folder / name).stat().st_size, 128)

    # ---- what can not be written

    def test_what_is_removed_is_not_said_to_be_there(self):
        self.run_in("extract", CAPTURE, "-o", "a.ss", "--quiet")
        size = (self.folder / "a.ss").stat().st_size
        for command in (("repair", "a.ss"), ("join", "a.ss")):
            said = self.run_in("ss", *command, "-o", "x.ss", status=1, preexec_fn=small_files(size // 2))
            self.assertIn("x.ss: cannot write", said)
            self.assertNotIn("holds what was written", said)
            self.assertEqual([], self.names())

    def test_standard_output_that_can_not_be_written(self):
        for arguments in (("explain",), ("explain", "tcp.gap"), ("--help",), ("--version",), ("extract", "--help"), ("streams", CAPTURE),
                          ("extract", CAPTURE, "-o", self.folder / "x.ss", "--force")):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([harness.PROGRAM, *map(str, arguments)], stdout=full, stderr=subprocess.PIPE, timeout=60)
            self.assertEqual((1, "cdcscope: standard output: cannot write: no space left on device\n"),
                             (done.returncode, done.stderr.decode()), arguments)

    # ---- what is said

    def interrupted(self, *options):
        """The line of an interrupted run over three connections."""
        self.connections(3)
        whole = (self.folder / "many.pcap").read_bytes()
        os.mkfifo(self.folder / "in.pcap")
        process = subprocess.Popen([harness.PROGRAM, "extract", "in.pcap", *options, "--no-progress"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with open(self.folder / "in.pcap", "wb") as to:
            to.write(whole)
            to.flush()
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            _, text = process.communicate(timeout=60)
        self.assertEqual(130, process.returncode, text)
        return text.decode()

    def test_an_interrupt_names_the_files_that_were_written(self):
        said = self.interrupted("-o", "x.ss", "--split", "connection")
        self.assertRegex(said, r"^cdcscope: interrupted after packet \d+ of in\.pcap; x\.c0001\.ss and 2 more files hold the \d+ messages up to "
                         r"there and are valid files\n$")
        self.assertEqual(["x.c0001.ss", "x.c0002.ss", "x.c0003.ss"], self.names())

    def test_an_interrupt_of_one_file(self):
        said = self.interrupted("-o", "x.ss")
        self.assertRegex(said, r"; x\.ss holds the \d+ messages up to there and is a valid file\n$")

    def test_secrets_in_many_files_are_counted_for_all(self):
        said = self.run_in("extract", CAPTURE, "-o", "x.ss", "--split", "connection", "--keep-secrets")
        self.assertIn("warning: --keep-secrets: x.c0001.ss", said)
        self.assertNotIn("x.ss", said)

    def test_a_number_below_zero(self):
        self.run_in("extract", CAPTURE, "-o", "x.ss", "--quiet")
        for number in ("-1", "abc", "18446744073709551616"):
            self.assertIn("a whole number is needed", self.run_in("ss", "cat", "x.ss", "--from=" + number, status=2))

    def test_lines_of_an_empty_file(self):
        (self.folder / "empty.jsonl").touch()
        said = self.run_in("ss", "pack", "empty.jsonl", "-o", "x.ss", status=1)
        self.assertTrue(said.startswith("cdcscope: empty.jsonl: is empty: no header line"), said)

    def test_nothing_within_the_time_asked_for(self):
        said = self.run_in("extract", CAPTURE, "-o", "x.ss", "--since", "+99999s")
        self.assertRegex(said, r"no DCP or canal message within --since; [\d,]+ messages outside\n$")
        self.assertNotIn("--port", said)

    def test_figures_of_a_part_say_so_and_the_hint_repeats_its_options(self):
        table = harness.run("extract", CAPTURE, "-o", "x.ss", cwd=self.folder).stdout.decode()
        self.assertNotIn("chose", table)
        self.assertTrue(table.endswith(f"\nWhat went wrong: cdcscope report {CAPTURE}\n"), table)
        table = harness.run("extract", CAPTURE, "-o", "y.ss", "--since", "+0.1s", "--filter", "tcp port 11210", "--port", "dcp=1", "--port",
                            "canal=2", cwd=self.folder).stdout.decode()
        said = re.search(r"^--filter let (\d+) of (\d+) packets through; the others were not looked at\.\n"
                         r"--since chose (\d+) of (\d+) messages; the figures below are of all\.\n", table, re.MULTILINE)
        self.assertIsNotNone(said, table)
        through, packets, chosen, messages = map(int, said.groups())
        self.assertLessEqual(through, packets)
        self.assertRegex(table, rf"^y\.ss  \d+ streams?, {chosen} messages?")
        self.assertRegex(table, rf"\n  all +{messages} ")
        self.assertTrue(table.endswith(f"\nWhat went wrong: cdcscope report {CAPTURE} --filter 'tcp port 11210' --since +0.1s --port dcp=1 "
                                       "--port canal=2\n"), table)

    def test_a_port_that_is_looked_at_is_not_advised(self):
        c = dcp_traffic.Capture()
        c.raw(True, b"hello, this is no protocol of ours " * 10)
        c.write(self.folder / "a.pcap")
        said = self.run_in("extract", "a.pcap", "-o", "x.ss")
        self.assertIn("ports seen: 11210", said)
        self.assertNotIn("--port", said)
        said = self.run_in("extract", "a.pcap", "-o", "x.ss", "--force", "--filter", "tcp port 11210")
        self.assertIn("--filter lets no other packets through", said)

    def test_damage_before_the_first_packet(self):
        header = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1)
        (self.folder / "a.pcap").write_bytes(header + struct.pack("<IIII", 1, 1, 0xFFFFFFF0, 60) + bytes(60))
        said = self.run_in("extract", "a.pcap", "-o", "x.ss")
        self.assertNotIn("was the capture filter right", said)


if __name__ == "__main__":
    unittest.main()
