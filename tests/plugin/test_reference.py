"""docs/filters.md says what the plugin registers, and its examples are filters."""
import os
import re
import sys
import unittest

import wireshark

sys.path.insert(0, os.path.join(wireshark.SOURCE, "docs", "generate"))
import filters  # noqa: E402


class Reference(unittest.TestCase):
    def test_the_committed_file_is_what_the_plugin_registers(self):
        with open(os.path.join(wireshark.SOURCE, "docs", "filters.md"), encoding="utf-8") as f:
            self.assertEqual(f.read(), filters.document(), "run docs/generate/filters.py build/plugins > docs/filters.md")

    def test_the_examples_are_filters(self):
        capture = next(c for c, _ in wireshark.captures("dcp") if "seed0" in c)
        examples = re.findall(r"^\| `(.+?)` \|[^|]+\|$", filters.HEAD, re.M)
        self.assertGreater(len(examples), 5)
        for example in examples:
            with self.subTest(filter=example):
                wireshark.dissect(capture, "-Y", example.replace("\\|", "|"))

    def test_before_and_after_are_told_apart(self):
        capture = next(c for c, _ in wireshark.captures("canal") if "basic" in c)
        count = lambda f: len(wireshark.dissect(capture, "-Y", f).splitlines())
        self.assertGreater(count('canal.table == "shop.orders" && canal.row.after.column.updated == 1'), 0)
        self.assertGreater(count('canal.row.after.column.value == "alice"'), 0)
        self.assertLess(count("canal.row.before.column"), count("canal.row.after.column"))


if __name__ == "__main__":
    unittest.main()
