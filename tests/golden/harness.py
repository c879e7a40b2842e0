"""Runs the built program and reads what it gives. The program is named by the environment variable CDCSCOPE."""
import base64
import collections
import json
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAPTURES = ROOT / "captures"
DATA = ROOT / "tests" / "data"
PROGRAM = os.environ["CDCSCOPE"]


def run(*arguments, **options):
    """The finished process of `cdcscope ARGUMENTS`, outputs as bytes."""
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, timeout=300, **options)


def lines(path):
    """The objects of a JSON lines file."""
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


class Extraction:
    """Records and summary of one `extract` to JSON lines."""

    def __init__(self, capture, *options):
        with tempfile.TemporaryDirectory() as folder:
            summary = os.path.join(folder, "summary.json")
            done = run("extract", capture, "-o", "-", "--payload", "both", "--keep-secrets", "--no-progress",
                       "--summary", summary, *options)
            if done.returncode != 0:
                raise AssertionError(f"{capture}: exit status {done.returncode}: {done.stderr.decode()}")
            self.records = [json.loads(line) for line in done.stdout.splitlines()]
            with open(summary, encoding="utf-8") as file:
                self.summary = json.load(file)

    def messages(self):
        """{(connection, direction): [(record, whole bytes)]} in stream order, whole messages only."""
        found = collections.defaultdict(list)
        for record in self.records:
            if "raw" in record and "wire" in record and "cut" not in record["wire"]:
                wire = record["wire"]
                found[wire["conn"], wire["dir"]].append((record, base64.b64decode(record["raw"])))
        for some in found.values():
            some.sort(key=lambda pair: pair[0]["wire"]["offset"])
        return found

    def check_accounting(self, test):
        """Every byte of a stream is in a message, a gap or an unparsed run."""
        test.assertTrue(self.summary["connections"])
        for connection in self.summary["connections"]:
            for way in ("c2s", "s2c"):
                sums = connection[way]
                test.assertEqual(sums["streamBytes"], sums["messageBytes"] + sums["gapBytes"] + sums["unparsedBytes"],
                                 f"connection {connection['id']} {way}")
