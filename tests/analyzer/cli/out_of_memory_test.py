#!/usr/bin/env python3
"""Without memory the program ends with one clear line and status 1, wherever it needs some, and nothing that it leaves looks whole."""
import pathlib
import resource
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "golden"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import dcp_traffic  # noqa: E402
import harness  # noqa: E402

LINE = (b"cdcscope: not enough memory: an output that is still named NAME.part is not whole; --max-memory SIZE holds less back, "
        b"--filter reads less\n")
LIMITS = [kib << 10 for kib in [*range(20_000, 80_000, 5_000), 400_000]]  # what is needed lies between the first and the last


def address_space(limit):
    def set_limits():
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return set_limits


class OutOfMemory(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def check(self, capture, *commands):
        for command in commands:
            statuses = []
            for limit in LIMITS:
                for left in self.folder.glob("x.*"):
                    left.unlink()
                done = harness.run(*command, capture, cwd=self.folder, preexec_fn=address_space(limit))
                statuses.append(done.returncode)
                with self.subTest(command=command, limit=limit):
                    self.assertIn(done.returncode, (0, 1), done.stderr)
                    if done.returncode == 1:
                        self.assertEqual(LINE, done.stderr)
                        self.assertEqual([], [p.name for p in self.folder.glob("x.*") if p.suffix != ".part"])
            self.assertEqual({0, 1}, set(statuses), command)

    def test_of_one_large_message(self):
        talk = dcp_traffic.Capture()
        talk.hello(b"name")
        talk.stream(7, 1, 100)
        value = b'{"a":"' + bytes(b"x") * (6 << 20) + b'"}'
        message = struct.pack("!BBHBBHIIQ", 0x80, 0x57, 3, 31, 0, 7, 34 + len(value), 1, 5) + bytes(31) + b"key" + value
        for at in range(0, len(message), 60_000):
            talk.raw(False, message[at:at + 60_000])
        talk.write(self.folder / "large.pcap")
        self.check("large.pcap", ("extract", "-o", "x.ss"), ("extract", "--payload", "both", "-o", "x.jsonl"), ("report", "-o", "x.html"))

    def test_of_many_connections(self):
        talks = [dcp_traffic.Capture(port=10_000 + number) for number in range(4000)]
        for talk in talks:
            talk.hello(b"name")
            talk.stream(7, 1, 100)
            talk.mutation(7, 1, 1, b"key")
        dcp_traffic.write_together(self.folder / "many.pcap", talks)
        self.check("many.pcap", ("extract", "-o", "x.ss"), ("report", "--format", "json"), ("streams",))


if __name__ == "__main__":
    unittest.main()
