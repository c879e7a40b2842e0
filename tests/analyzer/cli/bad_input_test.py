#!/usr/bin/env python3
"""What can be wrong with a call gives one clear line and the right exit status, and leaves nothing that looks whole."""
import gzip
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "golden"))
import harness  # noqa: E402

CAPTURE = harness.CAPTURES / "dcp" / "basic_ipv4.pcap"


class BadInput(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def extract(self, *arguments):
        return harness.run("extract", *arguments, "--no-progress", cwd=self.folder)

    def fails(self, done, status, *words):
        """One line on standard error, that status, nothing on standard output."""
        text = done.stderr.decode()
        self.assertEqual(status, done.returncode, text)
        self.assertEqual(1, len(text.splitlines()), text)
        self.assertTrue(text.startswith("cdcscope: "), text)
        for word in words:
            self.assertIn(word, text)
        self.assertEqual(b"", done.stdout)
        self.assertEqual([], list(self.folder.glob("*.ss")))

    def test_no_such_file(self):
        self.fails(self.extract("nothing.pcap"), 1, "nothing.pcap: no such file")

    def test_no_such_file_but_one_like_it(self):
        shutil.copy(CAPTURE, self.folder / "travel.pcap")
        self.fails(self.extract("travle.pcap"), 1, "did you mean travel.pcap?")

    def test_a_directory(self):
        self.fails(self.extract("."), 1, "directory")

    def test_an_empty_file(self):
        (self.folder / "empty.pcap").touch()
        self.fails(self.extract("empty.pcap"), 1, "empty.pcap", "empty")

    def test_a_text_file(self):
        (self.folder / "trouble.log").write_text("2026-11-30 06:22:00 something went wrong\n")
        self.fails(self.extract("trouble.log"), 1, "trouble.log: not a capture", "2026-11-30 06:22", "text")

    def test_a_compression_that_is_not_read(self):
        (self.folder / "a.pcap.xz").write_bytes(b"\xfd7zXZ\x00" + bytes(60))
        self.fails(self.extract("a.pcap.xz"), 1, "xz", "xz -dc")

    def test_a_seastreamer_file(self):
        self.assertEqual(0, self.extract(CAPTURE, "-o", "x.ss", "--quiet").returncode)
        (self.folder / "x.ss").rename(self.folder / "x.renamed")
        self.fails(self.extract("x.renamed"), 1, "x.renamed")

    def test_cut_in_its_last_packet(self):
        (self.folder / "cut.pcap").write_bytes(CAPTURE.read_bytes()[:-20])
        done = self.extract("cut.pcap", "-o", "cut.ss")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn(b"cut off inside packet 175", done.stderr)
        self.assertEqual(0, harness.run("ss", "verify", self.folder / "cut.ss").returncode)
        self.assertEqual(3, self.extract("cut.pcap", "-o", "again.ss", "--strict").returncode)

    def test_a_cut_compressed_stream(self):
        whole = gzip.compress(CAPTURE.read_bytes())
        (self.folder / "cut.pcap.gz").write_bytes(whole[: len(whole) // 2])
        done = self.extract("cut.pcap.gz", "-o", "cut.ss")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn(b"cut off", done.stderr)

    def test_an_output_folder_that_is_not_there(self):
        self.fails(self.extract(CAPTURE, "-o", "no/where.ss"), 1, "no/where.ss", "no such file")

    def test_an_output_that_is_a_directory(self):
        (self.folder / "out.ss").mkdir()
        done = self.extract(CAPTURE, "-o", "out.ss")
        self.assertEqual(1, done.returncode)
        self.assertIn(b"is a directory", done.stderr)

    def test_an_output_that_exists(self):
        (self.folder / "out.jsonl").write_text("mine\n")
        self.fails(self.extract(CAPTURE, "-o", "out.jsonl"), 1, "out.jsonl: exists; --force replaces it, -o NAME writes elsewhere")
        self.assertEqual("mine\n", (self.folder / "out.jsonl").read_text())
        self.assertEqual(0, self.extract(CAPTURE, "-o", "out.jsonl", "--force", "--quiet").returncode)

    def test_a_full_disk(self):
        done = self.extract(CAPTURE, "-o", "/dev/full", "--format", "ss")
        self.fails(done, 1, "/dev/full: cannot write", "no space left on device")

    def test_a_full_disk_behind_standard_output(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([harness.PROGRAM, "extract", CAPTURE, "-o", "-", "--quiet"], stdout=full,
                                  stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertIn(b"no space left on device", done.stderr)

    def test_an_output_that_is_read_is_never_written(self):
        one, link = self.folder / "one.md", self.folder / "link.md"
        shutil.copy(CAPTURE, one)
        link.symlink_to(one)
        before = one.read_bytes()
        for arguments in (("extract", one, "-o", one), ("extract", link, "-o", one), ("extract", one, "-o", link),
                          ("extract", one, "-o", "x.ss", "--summary", one), ("report", one, "-o", one)):
            with self.subTest(arguments):
                done = harness.run(*arguments, "--force", "--no-progress", cwd=self.folder)
                self.fails(done, 1, ".md: is what is read")
                self.assertEqual(before, one.read_bytes())
        self.assertEqual(0, self.extract(one, "-o", "a.ss", "--quiet").returncode)
        messages = (self.folder / "a.ss").read_bytes()
        (self.folder / "a.jsonl").write_bytes(harness.run("ss", "dump", "--payload", self.folder / "a.ss").stdout)
        for arguments in (("repair", "a.ss", "-o", "a.ss"), ("join", "a.ss", "-o", "a.ss"), ("pack", "a.jsonl", "-o", "a.jsonl")):
            with self.subTest(arguments):
                done = harness.run("ss", *arguments, "--force", cwd=self.folder)
                self.assertEqual(1, done.returncode)
                self.assertIn(b"is what is read", done.stderr)
        self.assertEqual(messages, (self.folder / "a.ss").read_bytes())

    def test_nor_is_one_of_many_outputs(self):
        capture = self.folder / "x.c0001.jsonl"
        shutil.copy(CAPTURE, capture)
        first = self.extract(CAPTURE, "--split", "connection", "-o", "x.jsonl", "--force", "--quiet")
        self.assertEqual(0, first.returncode, first.stderr)
        shutil.copy(CAPTURE, capture)
        done = self.extract(capture, "--split", "connection", "-o", "x.jsonl", "--force")
        self.fails(done, 1, "x.c0001.jsonl: is what is read")
        self.assertEqual(CAPTURE.read_bytes(), capture.read_bytes())

    def test_a_capture_named_twice(self):
        shutil.copy(CAPTURE, self.folder / "a.pcap")
        (self.folder / "b.pcap").symlink_to(self.folder / "a.pcap")
        self.fails(self.extract("a.pcap", "b.pcap", "-o", "x.ss"), 1, "b.pcap: is named twice")

    def test_a_summary_that_is_there(self):
        (self.folder / "sum.json").touch()
        self.fails(self.extract(CAPTURE, "-o", "x.ss", "--summary", "sum.json"), 1, "--summary NAME writes elsewhere")

    def test_standard_input_is_not_offered_again(self):
        done = subprocess.run([harness.PROGRAM, "extract", "-", "-o", "x.ss"], stdin=open(CAPTURE, "rb"), capture_output=True,
                              cwd=self.folder, timeout=60)
        self.assertEqual(0, done.returncode)
        self.assertIn(b"cdcscope ss cat x.ss", done.stdout)
        self.assertNotIn(b"cdcscope report", done.stdout)

    def test_a_report_into_a_device_is_text(self):
        done = harness.run("report", CAPTURE, "-o", "/dev/null", "--no-progress")
        self.assertEqual((0, b""), (done.returncode, done.stdout))

    def test_a_beacon_interval_too_small(self):
        self.fails(self.extract(CAPTURE, "-o", "x.ss", "--beacon-interval", "5"), 2, "--beacon-interval", "128")

    def test_a_reader_that_goes_away(self):
        with subprocess.Popen([harness.PROGRAM, "extract", CAPTURE, "-o", "-", "--quiet"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            process.stdout.close()
            text = process.stderr.read()
            self.assertEqual(0, process.wait(60), text)
            self.assertEqual(b"", text)

    def test_words_that_no_command_takes(self):
        for arguments, words in (
            (["--verbose", "report", CAPTURE], ["unknown option --verbose; cdcscope --help lists all"]),
            (["extract", CAPTURE, "--paylod", "raw"], ["unknown option --paylod; did you mean --payload? cdcscope extract --help lists all"]),
            (["extrct", CAPTURE], ["extrct", "extract"]),
            (["extract"], ["CAPTURE"]),
            (["extract", CAPTURE, "--port", "dcp=112100"], ["--port dcp=112100: a port is 1 to 65535"]),
            (["extract", CAPTURE, "--since", "25:00"], ["--since 25:00: not a time"]),
            (["extract", CAPTURE, "--filter", "tcp prot 11210"], ["--filter", "tcpdump"]),
            (["extract", CAPTURE, "--max-memory", "much"], ["--max-memory much: not a size"]),
            (["extract", CAPTURE, "--threshold", "nothing=1"], ["--threshold nothing: no such threshold"]),
            (["extract", CAPTURE, "--threshold", "dcp.flow.stalled=1"], ["there is dcp.flow.stalled.note, dcp.flow.stalled.warning"]),
            (["extract", CAPTURE, "--threshold", "dcp.flow.stalled.warn=1"], ["there is dcp.flow.stalled.note, dcp.flow.stalled.warning"]),
            (["ss", "info", "a.ss", "b.ss"], ["ss info: takes one file, b.ss is one more; cdcscope ss info --help lists all"]),
            (["ss", "cat", "a.ss", "b.ss"], ["ss cat: takes one file, b.ss is one more; cdcscope ss cat --help lists all"]),
            (["ss", "dump", "a.ss", "b.ss"], ["ss dump: takes one file, b.ss is one more; cdcscope ss dump --help lists all"]),
            (["ss", "verify", "a.ss", "b.ss"], ["ss verify: takes one file, b.ss is one more; cdcscope ss verify --help lists all"]),
            (["ss", "repair", "a.ss", "b.ss", "-o", "c.ss"],
             ["ss repair: takes one file, b.ss is one more; cdcscope ss repair --help lists all"]),
            (["ss", "pack", "a.jsonl", "b.jsonl", "-o", "c.ss"],
             ["ss pack: takes one vector, b.jsonl is one more; cdcscope ss pack --help lists all"]),
            (["explain", "D30", "D31"], ["explain: takes one finding, D31 is one more; cdcscope explain --help lists all"]),
            (["ss", "infoo", "x.ss"], ["ss: no command infoo; did you mean info? cdcscope ss --help lists all"]),
            (["extract", CAPTURE, "--roll", "1MiB", "-o", "x.jsonl"], ["--roll makes .ss files only"]),
            ([], ["a command is missing"]),
            (["ss"], ["ss: a command is missing"]),
            (["report", CAPTURE, "--format", "pdf"], ["--format pdf: one of text, md, json, html"]),
            (["report", CAPTURE, "--fail-on", "fatal"], ["--fail-on fatal: one of error, warning, note, chat"]),
            (["report", CAPTURE, "-o", ""], ["-o: the name is empty"]),
            (["extract", CAPTURE, "--protocol", "mongo"], ["--protocol mongo: one of auto, dcp, canal"]),
            (["extract", CAPTURE, "--redact", "some"], ["--redact some: one of keys, values, all"]),
            (["extract", CAPTURE, "--since", "+9", "--until", "+2"], ["--since lies after --until"]),
            (["extract", CAPTURE, "--split", "connection", "-o", "-"], ["--split connection writes files"]),
            (["report", CAPTURE, "--threshold", "dcp.flow.stalled.warning=long"], ["write a number of seconds"]),
        ):
            with self.subTest(arguments=arguments[:1] + [str(a) for a in arguments[2:]]):
                self.fails(harness.run(*arguments, cwd=self.folder), 2, *words)

    def test_no_output_replaces_a_file(self):
        for arguments, offered in ((["extract", CAPTURE, "-o", "x.ss"], True), (["extract", CAPTURE, "-o", "x.jsonl"], False),
                                   (["extract", CAPTURE, "-o", "other.ss", "--summary", "x.json"], False),
                                   (["report", CAPTURE, "-o", "x.html"], False)):
            with self.subTest(arguments=arguments[2:]):
                name = arguments[-1]
                (self.folder / name).write_text("mine")
                done = harness.run(*arguments, "--no-progress", "--quiet", cwd=self.folder)
                self.assertEqual(1, done.returncode)
                told = (f"cdcscope: {name}: exists; --force replaces it, {'--append continues it, ' if offered else ''}"
                        f"{arguments[-2]} NAME writes elsewhere")
                self.assertEqual(told, done.stderr.decode().strip())
                self.assertEqual("mine", (self.folder / name).read_text())
                self.assertEqual({name}, {p.name for p in self.folder.iterdir()})
                (self.folder / name).unlink()

    def test_appending_what_the_file_does_not_hold(self):
        self.assertEqual(0, self.extract(CAPTURE, "-o", "x.ss", "--payload", "raw", "--quiet").returncode)
        before = (self.folder / "x.ss").read_bytes()
        for option, there, here in (("--payload", "raw", "json"), ("--streams", "connection", "vbucket")):
            with self.subTest(option):
                more = ["--payload", "raw"] if option != "--payload" else []
                done = self.extract(CAPTURE, "-o", "x.ss", "--append", *more, option, here)
                self.assertEqual(1, done.returncode)
                self.assertEqual(f"cdcscope: x.ss: cannot append: written with {option} {there}, this run is {option} {here}; use the same, "
                                 "or another file", done.stderr.decode().strip())
        self.assertEqual(before, (self.folder / "x.ss").read_bytes())
        self.assertEqual(0, self.extract(CAPTURE, "-o", "x.ss", "--append", "--payload", "raw", "--quiet").returncode)

    def test_secrets_that_were_kept_are_counted(self):
        done = self.extract(CAPTURE, "-o", "x.ss", "--keep-secrets")
        self.assertIn("warning: --keep-secrets: x.ss holds 1 SASL payload as captured; do not attach it to a ticket", done.stderr.decode())
        done = self.extract(harness.DATA / "reports/canal-auth-failed.pcap", "-o", "y.ss", "--keep-secrets")
        self.assertIn("y.ss holds 1 canal password as captured", done.stderr.decode())
        done = self.extract(harness.DATA / "reports/tcp-sequence-wrap.pcap", "-o", "z.ss", "--keep-secrets")
        self.assertEqual("", done.stderr.decode())

    def test_what_a_late_start_and_a_hole_took_is_told_in_the_table(self):
        table = self.extract(harness.DATA / "reassembly/r06-no-syn-mid-message.pcap", "-o", "x.ss").stdout.decode()
        self.assertIn("186 B at the start not read; reading goes on at the next message\n", table)
        self.assertIn("the capture starts in the middle of the connection: the server's stream begins with frame 1; findings of streams "
                      "opened earlier are notes until they are asked for again\n", table)
        table = self.extract(harness.DATA / "reassembly/r33-gap-decoy.pcap", "-o", "y.ss").stdout.decode()
        self.assertIn("283 B never captured before it\n", table)
        self.assertIn("497 B around the hole not read; reading goes on at the next message\n", table)

    def test_a_port_that_names_no_protocol(self):
        self.fails(self.extract(CAPTURE, "--port", "http=80"), 2, "--port http=80")

    def test_nothing_to_recover(self):
        shutil.copy(harness.DATA / "reassembly" / "r64-empty.pcap", self.folder / "none.pcap")
        done = self.extract("none.pcap", "-o", "none.ss")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(1, done.stderr.count(b"no packets"), done.stderr)
        self.assertEqual(0, harness.run("ss", "verify", self.folder / "none.ss").returncode)
        self.assertEqual(3, self.extract("none.pcap", "-o", "strict.ss", "--strict").returncode)

    def test_an_interrupt_leaves_a_valid_file_without_end(self):
        fifo = self.folder / "in.pcap"
        os.mkfifo(fifo)
        process = subprocess.Popen([harness.PROGRAM, "extract", str(fifo), "-o", "out.ss", "--no-progress"],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with open(fifo, "wb") as to:
            to.write(CAPTURE.read_bytes()[:40000])
            to.flush()
            time.sleep(0.5)  # let it read; whatever it has read by then must be in the file
            process.send_signal(signal.SIGINT)
            _, text = process.communicate(timeout=60)
        self.assertEqual(130, process.returncode, text)
        self.assertIn(b"interrupted", text)
        verified = harness.run("ss", "verify", "--json", self.folder / "out.ss")
        self.assertIn(b'"eos":false', verified.stdout.replace(b" ", b""))
        self.assertEqual(0, verified.returncode, verified.stdout)
        self.assertEqual([], list(self.folder.glob("*.part")))


if __name__ == "__main__":
    unittest.main()
