#!/usr/bin/env python3
"""The report on one morning of ten connections in two files has every figure it should have, in all its forms."""
import os
import pathlib
import re
import sys
import unittest

import harness

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import page_text  # noqa: E402

FILES = ["travel-1.pcap", "travel-2.pcap"]


def figures(form):
    """(section, figure) of a form."""
    for line in (harness.DATA / "travel_figures.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        where, _, figure = line.partition(" | ")
        named, _, section = where.partition(" ")
        if named == form:
            yield section, figure


def report(*options, **more):
    # There, so that the files are called by their names only.
    done = harness.run("report", *FILES, *options, "--no-progress", "--quiet", cwd=harness.CAPTURES / "travel", **more)
    assert (done.returncode, done.stderr) == (0, b""), done
    return done.stdout.decode()


class Travel(unittest.TestCase):
    def missing(self, form, sections):
        listed = list(figures(form))
        self.assertGreater(len(listed), 20)
        return [f"{section} | {figure}" for section, figure in listed if page_text.plain(figure) not in sections.get(section, "")]

    def test_page(self):
        self.assertEqual([], self.missing("page", page_text.sections(report("--format", "html"))))

    def test_text(self):
        self.assertEqual([], self.missing("text", {"": page_text.plain(report())}))

    def test_narrow_text_has_the_same_figures(self):
        narrow = report(env={**os.environ, "COLUMNS": "60"})
        # Filters stay whole, to be copied.
        self.assertEqual([], [line for line in narrow.splitlines() if len(line) > 60 and " && " not in line])
        wide = report(env={**os.environ, "COLUMNS": "100"})
        self.assertGreater(max(map(len, wide.splitlines())), 90)
        for figure in set(re.findall(r"\d[\d,.:]*\d", page_text.plain(wide))):
            self.assertIn(figure, page_text.plain(narrow))

    def test_ticket(self):
        self.assertEqual([], self.missing("ticket", {"": page_text.plain(report("--format", "md"))}))


if __name__ == "__main__":
    unittest.main()
