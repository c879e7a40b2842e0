"""The plugins are there at all: without this every other test would look at Wireshark's own dissectors."""
import glob
import os
import re
import subprocess
import unittest

import wireshark

GOLDEN = os.path.join(wireshark.SOURCE, "tests", "plugin", "filter_names.txt")


class Loaded(unittest.TestCase):
    def test_tshark_lists_the_plugin(self):
        self.assertIn("cdcscope.so", wireshark.tshark("-G", "plugins"))

    def test_protocols_have_their_names(self):
        protocols = {line.split("\t")[2]: line.split("\t")[:2] for line in wireshark.tshark("-G", "protocols").splitlines()}
        self.assertEqual(protocols["cbdcp"], ["Couchbase Database Change Protocol", "CB-DCP"])
        self.assertEqual(protocols["canal"], ["Alibaba Canal Protocol", "Canal"])
        self.assertEqual(protocols["cbkv"], ["Couchbase key-value/DCP", "CB-KV"])
        self.assertEqual(protocols["seastreamer"], ["SeaStreamer File", "SeaStreamer"])

    def test_modules_export_the_entry_points_and_nothing_else(self):
        for module in glob.glob(os.path.join(wireshark.PLUGINS, "*", "*", "*.so")):
            out = subprocess.run(["nm", "-D", "--defined-only", module], capture_output=True, check=True, text=True).stdout
            names = {line.split()[-1] for line in out.splitlines()}
            self.assertLessEqual({"plugin_version", "plugin_want_major", "plugin_want_minor", "plugin_register"}, names)
            self.assertLessEqual(names, {"plugin_version", "plugin_want_major", "plugin_want_minor", "plugin_register",
                                         "plugin_describe"})

    def test_no_filter_name_was_lost_or_changed_its_type(self):
        with open(GOLDEN, encoding="utf-8") as f:
            golden = {line.strip() for line in f if line.strip() and not line.startswith("#")}
        self.assertEqual(sorted(golden - filter_names()), [])

    def test_new_filter_names_are_in_the_list(self):
        with open(GOLDEN, encoding="utf-8") as f:
            golden = {line.strip() for line in f}
        self.assertEqual(sorted(filter_names() - golden), [])

    def test_findings_have_the_filter_names_of_the_reference(self):
        with open(os.path.join(wireshark.SOURCE, "docs", "findings.md"), encoding="utf-8") as f:
            told = set(re.findall(r"in Wireshark `([a-z0-9_.]+)`", f.read()))
        self.assertGreater(len(told), 70)
        self.assertEqual(sorted(f"{name} FT_NONE" for name in told if f"{name} FT_NONE" not in filter_names()), [])

    def test_filter_names_are_lower_case_words_with_dots(self):
        for name in filter_names():
            self.assertRegex(name.split()[0], r"^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$")


def filter_names():
    """`name type` of each of our fields."""
    found = set()
    for line in wireshark.tshark("-G", "fields").splitlines():
        column = line.split("\t")
        if column[0] == "F" and re.match(r"(cbdcp|canal|cbkv|seastreamer)\.", column[2]):
            found.add(f"{column[2]} {column[3]}")
    return found


if __name__ == "__main__":
    unittest.main()
