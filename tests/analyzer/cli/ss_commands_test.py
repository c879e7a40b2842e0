#!/usr/bin/env python3
"""The `ss` subcommands on files that others wrote: what they print, what they make, what they say about damage."""
import hashlib
import json
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "golden"))
import harness  # noqa: E402

SAMPLES = harness.DATA / "ss"
FRAME = ("type", "offset", "end", "key", "shard", "seq", "ts_ms", "size", "crc16", "crc16_computed", "sha256")


def samples(*folders):
    found = sorted(f for folder in folders for f in (SAMPLES / folder).glob("*.ss"))
    assert found
    return found


def expected(path):
    return [line for line in harness.lines(path.with_suffix(".expected.jsonl")) if line["type"] != "summary"]


def problems(path):
    summary = harness.lines(path.with_suffix(".expected.jsonl"))[-1]
    return [p for p in summary["problems"] if not p["what"].startswith("the reference reader")]


def messages(path):
    """Whole messages of a listing: key, shard, number, time, hash."""
    return [(m["type"], m["key"], m["shard"], m["seq"], m["ts_ms"], m["sha256"]) for m in expected(path)
            if m["type"] in ("message", "eos") and "crc16_computed" not in m and m["key"]]


class SsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def ss(self, *arguments, status=0, **options):
        done = harness.run("ss", *arguments, cwd=self.folder, **options)
        self.assertEqual(status, done.returncode, done.stderr.decode())
        return done

    def dumped(self, path, status=0):
        return [json.loads(line) for line in self.ss("dump", path, status=status).stdout.splitlines()]

    def one_line(self, done, *words):
        text = done.stderr.decode()
        self.assertEqual(1, len(text.splitlines()), text)
        self.assertTrue(text.startswith("cdcscope: "), text)
        for word in words:
            self.assertIn(word, text)


class Listings(SsTest):
    def test_dump_gives_the_lines_of_every_listing(self):
        for path in samples("valid", "producer", "reference", "interop", "damaged"):
            with self.subTest(path.name):
                done = harness.run("ss", "dump", path)
                self.assertEqual(done.returncode in (0, 3), True, done.stderr.decode())
                got = [json.loads(line) for line in done.stdout.splitlines()]
                self.assertEqual(expected(path), got)

    def test_verify_finds_the_first_problem_where_the_listing_has_it(self):
        for path in samples("valid", "producer", "reference", "interop", "damaged"):
            with self.subTest(path.name):
                reopened = path.name.startswith("reopen-") or path.stem.endswith("-appended")
                want = problems(path)
                done = self.ss("verify", "--json", path, *(["--markers", "known"] if reopened else []),
                               status=3 if want else 0)
                found = json.loads(done.stdout)
                self.assertEqual(min((p["offset"] for p in want), default=None),
                                 min((p["offset"] for p in found["problems"]), default=None))
                self.assertEqual(any(line["type"] == "eos" for line in expected(path)), found["eos"])

    def test_pack_gives_the_bytes_of_the_real_writer(self):
        left_out = {}
        for line in (SAMPLES / "valid" / "left-out.sha256").read_text().splitlines():
            digest, name = line.split()
            left_out[name] = digest
        compared = 0
        for vector in sorted(SAMPLES.glob("*/*.input.jsonl")):
            if any(line["type"] == "reopen" for line in harness.lines(vector)):
                continue
            name = vector.name.replace(".input.jsonl", ".ss")
            self.ss("pack", vector, "-o", self.folder / name, "--force")
            made = (self.folder / name).read_bytes()
            if name in left_out:
                self.assertEqual(left_out.pop(name), hashlib.sha256(made).hexdigest(), name)
            else:
                self.assertEqual((vector.parent / name).read_bytes(), made, name)
            compared += 1
        self.assertEqual({}, left_out)
        self.assertGreaterEqual(compared, 55)

    def test_a_dump_with_payloads_packs_to_the_same_file(self):
        for name in ("valid/mix-i571.ss", "valid/binary-payloads-i512.ss", "reference/sample-1.ss"):
            lines = self.ss("dump", "--payload", SAMPLES / name).stdout
            self.ss("pack", "-", "-o", "again.ss", "--force", input=lines)
            self.assertEqual((SAMPLES / name).read_bytes(), (self.folder / "again.ss").read_bytes(), name)

    def test_a_dump_without_payloads_is_no_vector(self):
        lines = self.ss("dump", SAMPLES / "reference" / "sample-1.ss").stdout
        done = harness.run("ss", "pack", "-", "-o", "again.ss", input=lines, cwd=self.folder)
        self.assertEqual(1, done.returncode)
        self.assertIn(b"but the payload has 0 bytes; ss dump --payload prints them", done.stderr)
        self.assertFalse((self.folder / "again.ss").exists())


class Cat(SsTest):
    def texts(self, *arguments, **options):
        return self.ss("cat", *arguments, **options).stdout.decode().splitlines()

    def test_log_json_and_raw(self):
        file = SAMPLES / "valid" / "orders-eos.ss"
        self.assertEqual(['[2023-11-14T22:13:20.001Z | orders | 1] {"id":1}',
                          '[2023-11-14T22:13:20.002Z | receipts | 1] {"order":1}',
                          '[2023-11-14T22:13:20.003Z | orders | 2] {"id":2}'], self.texts(file))
        self.assertEqual({"stream": "receipts", "sequence": 1, "timestamp": "2023-11-14T22:13:20.002Z", "order": 1},
                         json.loads(self.texts(file, "--format", "json")[1]))
        self.assertEqual(['{"id":1}{"order":1}{"id":2}'], self.texts(file, "--format", "raw"))

    def test_internal_messages_show_with_all_only(self):
        file = SAMPLES / "producer" / "ruststream-eos.ss"
        self.assertEqual(3, len(self.texts(file)))
        self.assertEqual(5, len(self.texts(file, "--all")))

    def test_what_is_no_text_is_said_to_be_none_and_is_base64_in_json(self):
        file = SAMPLES / "valid" / "binary-payloads-i512.ss"
        self.assertIn("B, not text>", " ".join(self.texts(file)))
        for line in self.texts(file, "--format", "json"):
            json.loads(line)
        raw = self.ss("cat", file, "--format", "raw").stdout
        self.assertEqual(sum(m["size"] for m in expected(file) if m["type"] == "message"), len(raw))

    def test_by_key_number_and_time(self):
        file = SAMPLES / "valid" / "mix-i1024.ss"
        listed = [m for m in expected(file) if m["type"] == "message"]
        for key in sorted({m["key"] for m in listed}):
            self.assertEqual(sum(m["key"] == key for m in listed), len(self.texts(file, "--key", key)))
            for number in (1, 7, 12):
                self.assertEqual(sum(m["key"] == key and m["seq"] >= number for m in listed),
                                 len(self.texts(file, "--key", key, "--from", number)), key)
        middle = listed[30]["ts_ms"]
        since = f"+{(middle - listed[0]['ts_ms']) / 1000}"
        self.assertEqual(sum(m["ts_ms"] >= middle for m in listed), len(self.texts(file, "--since", since)))
        self.assertEqual(sum(m["ts_ms"] <= middle for m in listed), len(self.texts(file, "--until", since)))
        self.assertEqual(sum(m["ts_ms"] >= middle and m["key"] == "A" for m in listed),
                         len(self.texts(file, "--since", since, "--key", "A")))

    def test_a_stream_that_is_not_there(self):
        done = harness.run("ss", "cat", SAMPLES / "valid" / "mix-i1024.ss", "--key", "nokey")
        self.assertEqual((1, b""), (done.returncode, done.stdout))
        self.assertIn(b"mix-i1024.ss: has no stream nokey; cdcscope ss info lists those it has", done.stderr)

    def test_a_stream_of_another_shard_is_found_by_number(self):
        self.assertEqual(3, len(self.texts(SAMPLES / "reference" / "consumer.ss", "--key", "hello", "--from", 97)))

    def test_damage_is_said_and_the_rest_is_printed(self):
        done = self.ss("cat", SAMPLES / "reports" / "damaged-message.ss", status=3)
        self.assertEqual(20, len(done.stdout.splitlines()))
        self.one_line(done, "message 12 of shop.orders at byte 1,615 fails its checksum (stored 0x8112, computed 0x8113); "
                            "19 good ones around it")

    def test_follows_a_file_to_its_end(self):
        whole = (SAMPLES / "valid" / "mix-i300.ss").read_bytes()
        growing = self.folder / "growing.ss"
        growing.write_bytes(b"")
        follower = subprocess.Popen([harness.PROGRAM, "ss", "cat", "--follow", growing], stdout=subprocess.PIPE)

        def grow():
            with open(growing, "ab", buffering=0) as file:
                for start in range(0, len(whole), 1500):
                    file.write(whole[start:start + 1500])
                    time.sleep(0.02)

        writer = threading.Thread(target=grow)
        writer.start()
        out, _ = follower.communicate(timeout=60)
        writer.join()
        self.assertEqual(0, follower.returncode)
        self.assertEqual(self.ss("cat", SAMPLES / "valid" / "mix-i300.ss").stdout, out)

    def test_following_ends_with_a_signal(self):
        file = shutil.copy(SAMPLES / "valid" / "one-message.ss", self.folder)
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            follower = subprocess.Popen([harness.PROGRAM, "ss", "cat", "--follow", file], stdout=subprocess.PIPE)
            self.assertIn(b"orders", follower.stdout.readline())
            follower.send_signal(number)
            follower.communicate(timeout=60)
            self.assertEqual(status, follower.returncode)

    def test_a_reader_that_goes_away_is_no_failure(self):
        lines = self.ss("dump", "--payload", SAMPLES / "valid" / "mix-i128.ss").stdout.splitlines()
        many = [lines[0]] + [line for line in lines if b'"message"' in line] * 2000
        self.ss("pack", "-", "-o", "long.ss", input=b"\n".join(many))
        cat = subprocess.Popen([harness.PROGRAM, "ss", "cat", self.folder / "long.ss"], stdout=subprocess.PIPE)
        cat.stdout.readline()
        cat.stdout.close()
        self.assertEqual(0, cat.wait(timeout=60))


class Repair(SsTest):
    def test_every_damaged_file_becomes_a_good_one_with_all_that_was_good(self):
        for path in samples("damaged", "interop", "reports"):
            with self.subTest(path.name):
                self.ss("repair", path, "-o", "good.ss", "--force")
                found = json.loads(self.ss("verify", "--json", "good.ss").stdout)
                self.assertEqual([], found["problems"])
                if not path.with_suffix(".expected.jsonl").exists():
                    continue
                saved = [(m["type"], m["key"], m["shard"], m["seq"], m["ts_ms"], m["sha256"])
                         for m in self.dumped("good.ss") if m["type"] in ("message", "eos")]
                want = messages(path)
                if path.parent.name == "interop" or path.stem == "two-eos":  # the last EOS of several is kept
                    saved, want = ([m for m in some if m[0] == "message"] for some in (saved, want))
                self.assertEqual([], [m for m in want if m not in saved])

    def test_it_lists_what_was_lost(self):
        done = self.ss("repair", SAMPLES / "reports" / "damaged-message.ss", "-o", "good.ss")
        self.one_line(done, "lost bytes 1,615 to ", "(message 12 of shop.orders): wrong checksum")
        self.assertIn("good.ss: 19 messages saved", done.stdout.decode())
        self.assertTrue(self.dumped("good.ss")[-1]["type"] == "eos")
        done = self.ss("repair", SAMPLES / "reports" / "truncated.ss", "-o", "cut.ss")
        self.assertIn("cut.ss: 17 messages saved; 67 B lost in 1 place", done.stdout.decode())

    def test_a_good_file_keeps_its_bytes(self):
        (self.folder / "there").mkdir()
        file = shutil.copy(SAMPLES / "valid" / "mix-i1024.ss", self.folder / "there" / "mix-1024.ss")
        done = self.ss("repair", file, "-o", "mix-1024.ss")
        self.assertIn("nothing lost", done.stdout.decode())
        self.assertEqual(pathlib.Path(file).read_bytes(), (self.folder / "mix-1024.ss").read_bytes())

    def test_a_file_without_a_header_becomes_an_empty_one(self):
        for name in ("zero-length", "header-cut-60"):
            self.ss("repair", SAMPLES / "damaged" / f"{name}.ss", "-o", "empty.ss", "--force")
            self.assertEqual(128, (self.folder / "empty.ss").stat().st_size)


class Join(SsTest):
    def test_by_time_with_new_numbers(self):
        first, second = SAMPLES / "valid" / "orders-eos.ss", SAMPLES / "producer" / "ruststream-eos.ss"
        self.ss("join", second, first, "-o", "both.ss")
        got = [(m["key"], m["seq"]) for m in self.dumped("both.ss") if m["type"] == "message"]
        self.assertEqual([("orders", 1), ("receipts", 1), ("orders", 2), ("orders", 3), ("receipts", 2), ("orders", 4)], got)
        self.assertEqual([], json.loads(self.ss("verify", "--json", "both.ss").stdout)["problems"])
        self.assertTrue(json.loads(self.ss("verify", "--json", "both.ss").stdout)["eos"])

    def test_no_end_if_one_part_has_none(self):
        self.ss("join", SAMPLES / "valid" / "orders-eos.ss", SAMPLES / "valid" / "one-message.ss", "-o", "both.ss")
        self.assertFalse(json.loads(self.ss("verify", "--json", "both.ss").stdout)["eos"])

    def test_damage_in_a_part_is_not_hidden(self):
        done = self.ss("join", SAMPLES / "valid" / "orders-eos.ss", SAMPLES / "damaged" / "payload-bit.ss", "-o", "both.ss",
                       status=1)
        self.one_line(done, "payload-bit.ss", "cdcscope ss repair")
        self.assertEqual([], list(self.folder.iterdir()))


class Info(SsTest):
    def test_it_tells_what_is_in_a_file(self):
        text = self.ss("info", SAMPLES / "valid" / "mix-i1024.ss").stdout.decode()
        for words in ("mix-1024.ss", "2023-11-14T22:13:20.000Z", "13,996 B, 61 messages", "13, every 1,024 B",
                      "end of stream    yes", "1 to 16"):
            self.assertIn(words, text)
        found = json.loads(self.ss("info", "--json", SAMPLES / "valid" / "mix-i1024.ss").stdout)
        self.assertEqual(6, len(found["streams"]))
        self.assertEqual({"key": "A", "shard": 0, "messages": 16}, {k: found["streams"][0][k] for k in ("key", "shard", "messages")})


    def test_it_tells_what_was_recovered_from_what_stands_beside_it(self):
        capture = harness.CAPTURES / "dcp" / "durability_replication_ipv4.pcap"
        table = harness.run("extract", capture, "-o", self.folder / "x.ss").stdout.decode()
        streams, messages = re.search(r"x\.ss  (\d+) streams?, (\d+) messages\n", table).groups()
        text = self.ss("info", self.folder / "x.ss").stdout.decode()
        told = re.search(rf"\n  streams          {streams} recovered \({messages} messages\), 2 on the capture and the findings \((\d+)\), "
                         r"SeaStreamer's own \(1\)\n", text)
        self.assertIsNotNone(told, text)
        self.assertIn(f" B, {int(messages) + int(told[1]) + 1} messages\n", text)
        self.assertNotIn("\n  streams", self.ss("info", SAMPLES / "valid" / "mix-i1024.ss").stdout.decode())


class Words(SsTest):
    def test_a_torn_end(self):
        self.one_line(self.ss("verify", SAMPLES / "reports" / "truncated.ss", status=3),
                      "truncated.ss: ends inside a message: 67 bytes after the 17 whole ones; cdcscope ss repair ",
                      "-o good.ss cuts them off")

    def test_damage_in_the_middle_is_no_torn_end(self):
        text = self.ss("verify", SAMPLES / "damaged" / "size-4g.ss", status=3).stderr.decode()
        self.assertIn("byte 128", text)
        self.assertNotIn("cuts them off", text)

    def test_a_capture(self):
        capture = harness.CAPTURES / "dcp" / "basic_ipv4.pcap"
        self.one_line(self.ss("cat", capture, status=1), f"not a .ss file: it is a pcap; did you mean cdcscope extract {capture}?")

    def test_no_such_file(self):
        shutil.copy(SAMPLES / "valid" / "orders-eos.ss", self.folder / "travel-1.ss")
        self.one_line(self.ss("info", "travle-1.ss", status=1), "travle-1.ss: no such file; did you mean travel-1.ss?")
        self.one_line(self.ss("info", ".", status=1), "is a directory")

    def test_an_output_that_exists(self):
        vector = SAMPLES / "valid" / "one-message.input.jsonl"
        (self.folder / "out.ss").write_text("precious")
        self.one_line(self.ss("pack", vector, "-o", "out.ss", status=1), "out.ss: exists; --force replaces it")
        self.assertEqual("precious", (self.folder / "out.ss").read_text())

    def test_a_full_disk(self):
        self.one_line(self.ss("pack", SAMPLES / "valid" / "one-message.input.jsonl", "-o", "/dev/full", status=1),
                      "/dev/full: cannot write: no space left on device")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([harness.PROGRAM, "ss", "dump", SAMPLES / "valid" / "mix-i128.ss"], stdout=full,
                                  stderr=subprocess.PIPE)
        self.assertEqual(1, done.returncode)

    def test_lines_that_can_not_be_packed(self):
        header = b'{"type":"header","file_name":"x.ss","created_at_ms":0,"beacon_interval":%d}\n'
        message = b'{"type":"message","key":"%s","shard":0,"seq":1,"ts_ms":%d,"payload_utf8":"x"}\n'
        for lines, words in (
                (header % 127, "128 to 4294967295"),
                (header % 128 + message % (b"a/b", 1), 'key "a/b"'),
                (header % 128 + message % (b"k" * 250, 1), "249 bytes at most"),
                (header % 128 + message % (b"k", 253402300800000), "after the year 9999"),
                (message % (b"k", 1), "before the header"),
                (header % 128 + b"nonsense\n", "line 2: not JSON"),
                (header % 128 + b'{"type":"massage"}\n', "massage"),
                (header % 128 + b'{"type":"message","key":"k","seq":-1}\n', "seq is no number"),
                (b"", "no header line"),
        ):
            self.one_line(self.ss("pack", "-", "-o", "out.ss", input=lines, status=1), words)
            self.assertFalse((self.folder / "out.ss").exists())

    def test_wrong_use(self):
        for arguments in ((), ("verfy",), ("cat",), ("cat", "x.ss", "--format", "lgo"), ("cat", "x.ss", "--since", "25:00"),
                          ("verify", "x.ss", "--markers", "some")):
            self.one_line(self.ss(*arguments, status=2))


class Memory(SsTest):
    def test_it_does_not_grow_with_the_file(self):
        vector = self.folder / "large.jsonl"
        with open(vector, "w") as file:
            file.write('{"type":"header","file_name":"large.ss","created_at_ms":0,"beacon_interval":1048576}\n')
            for number in range(1, 6):
                file.write(json.dumps({"type": "message", "key": "large", "seq": number, "ts_ms": number,
                                       "payload_count": {"start": number, "size": 30_000_000}}) + "\n")
        self.ss("pack", vector, "-o", "large.ss")
        self.assertGreater((self.folder / "large.ss").stat().st_size, 150_000_000)
        for command in (["verify"], ["dump"], ["info"], ["cat", "--format", "raw"], ["repair", "-o", "copy.ss"],
                        ["join", "-o", "joined.ss"]):
            done = subprocess.run([harness.PROGRAM, "ss", command[0], self.folder / "large.ss", *command[1:]], cwd=self.folder,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (12 << 20, 12 << 20)))
            self.assertEqual(0, done.returncode, (command, done.stderr))


if __name__ == "__main__":
    unittest.main()
