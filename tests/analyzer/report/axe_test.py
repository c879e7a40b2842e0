#!/usr/bin/env python3
"""Accessibility of the HTML report as axe-core sees it: nothing found, on every kind of page, light and dark, wide and narrow.

axe-core comes from npm at test time (or from the file that AXE names); without it or a browser the test counts as skipped."""
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support"))
import browser  # noqa: E402

CASES = ROOT / "tests/data/reports"
CAPTURES = (CASES / "dcp-flow-control-stall.pcap", CASES / "dcp-durable-writes-stuck.pcap", CASES / "canal-growing-lag.pcap",
            ROOT / "captures/dcp/basic_ipv4.pcap", CASES / "tcp-sequence-wrap.pcap", CASES / "kv-flexible-framing.pcap")
PACKAGE = "axe-core@4"


def axe_source(folder):
    """The text of axe.min.js, None if it cannot be had."""
    named = os.environ.get("AXE")
    if named:
        return pathlib.Path(named).read_text(encoding="utf-8")
    if shutil.which("npm") is None:
        return None
    try:
        done = subprocess.run(["npm", "pack", PACKAGE, "--silent"], cwd=folder, capture_output=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return None
    packed = list(pathlib.Path(folder).glob("axe-core-*.tgz"))
    if done.returncode != 0 or not packed:
        return None
    with tarfile.open(packed[0]) as archive:
        return archive.extractfile("package/axe.min.js").read().decode("utf-8")


class Accessibility(unittest.TestCase):
    axe = None

    def test_nothing_is_found(self):
        with tempfile.TemporaryDirectory() as folder, browser.Browser() as chromium:
            travel = ROOT / "captures/travel/travel-1.pcap"
            for capture in [*CAPTURES, travel]:
                files = sorted(travel.parent.glob("*.pcap")) if capture == travel else [capture]
                out = pathlib.Path(folder) / (capture.stem + ".html")
                subprocess.run([os.environ["CDCSCOPE"], "report", *map(str, files), "-o", str(out), "--quiet", "--no-progress"],
                               check=True, timeout=60)
                for width, height in ((1280, 900), (390, 844)):
                    for dark in (False, True):
                        with self.subTest(capture.stem, width=width, dark=dark):
                            page = chromium.open(out, width=width, height=height, dark=dark)
                            page.js("for (const fold of document.querySelectorAll('details')) fold.open = true")
                            page.js(self.axe)
                            found = page.js("axe.run().then(r => r.violations.map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 200)).join(' | ')))")
                            self.assertEqual([], found)


if __name__ == "__main__":
    if browser.find() is None:
        print("skipped: no Chromium here (Debian: chromium)")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as download:
        Accessibility.axe = axe_source(download)
    if Accessibility.axe is None:
        print(f"skipped: {PACKAGE} is not here and npm cannot fetch it")
        sys.exit(77)
    unittest.main()
