#!/usr/bin/env python3
"""Memory depends on the open connections and on nothing else: what one more costs, and that the length of a capture costs nothing."""
import os
import pathlib
import subprocess
import tempfile
import unittest

import harness
import idle_connections

FEW, MANY = 2_000, 12_000
MOST_PER_CONNECTION = 8 * 1024


def peak(*arguments, feed=None):
    """Bytes resident at most while `cdcscope ARGUMENTS` runs; `feed` writes its standard input."""
    with subprocess.Popen([harness.PROGRAM, *map(str, arguments)], stdin=subprocess.PIPE if feed else subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        if feed:
            feed(process.stdin)
            process.stdin.close()
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise AssertionError(f"exit status {process.returncode}: {said.decode()}")
    return usage.ru_maxrss * 1024


class IdleConnection(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.captures = []
        for count in (FEW, MANY):
            path = pathlib.Path(cls.folder.name) / f"{count}.pcap"
            with open(path, "wb") as file:
                idle_connections.write(count, file)
            cls.captures.append(path)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def cost(self, command, *options):
        few, many = (peak(command, capture, *options, "--quiet", "--no-progress") for capture in self.captures)
        return (many - few) / (MANY - FEW)

    def test_costs_less_than_8_kib_in_extract(self):
        self.assertLess(self.cost("extract", "-o", "-"), MOST_PER_CONNECTION)

    def test_costs_less_than_8_kib_in_streams(self):
        self.assertLess(self.cost("streams"), MOST_PER_CONNECTION)

    def test_costs_less_than_8_kib_in_a_report(self):
        for form in ("text", "md", "json", "html"):
            with self.subTest(form):
                self.assertLess(self.cost("report", "--format", form), MOST_PER_CONNECTION)


class LongCapture(unittest.TestCase):
    def peak_of(self, connections, rounds, *command):
        """The same connections say something `rounds` times."""
        def feed(out):
            out.write(idle_connections.header())
            for number in range(connections):
                out.write(idle_connections.connection(number))
            out.writelines(idle_connections.talk(connections, rounds))

        return peak(*command, "--quiet", "--no-progress", feed=feed)

    def test_costs_no_more_than_a_short_one(self):
        for command in (("extract", "-", "-o", "-"), ("streams", "-"), ("report", "-"), ("report", "-", "--format", "json"),
                        ("report", "-", "--format", "html")):
            with self.subTest(" ".join(command)):
                short, long = (self.peak_of(20, rounds, *command) for rounds in (400, 3200))  # 8 MiB and 64 MiB
                self.assertLess(long, short * 1.05 + (1 << 20))


if __name__ == "__main__":
    unittest.main()
