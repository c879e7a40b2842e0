"""The profile: its columns show, and every filter in it is one."""
import csv
import os
import re
import shutil
import unittest

import wireshark

PROFILE = os.path.join(wireshark.SOURCE, "plugin", "profile")


def rows(name):
    with open(os.path.join(PROFILE, name), encoding="utf-8", newline="") as f:
        return [row for row in csv.reader(f) if row and not row[0].startswith("#")]


class Profile(unittest.TestCase):
    def accepts(self, expression):
        capture = next(c for c, _ in wireshark.captures("dcp") if "seed0" in c)
        wireshark.dissect(capture, "-Y", expression)

    def test_every_colour_rule_has_a_filter_that_is_one(self):
        with open(os.path.join(PROFILE, "colorfilters"), encoding="utf-8") as f:
            rules = [line.strip() for line in f if line.strip() and not line.startswith("#")]
        self.assertGreater(len(rules), 10)
        for rule in rules:
            match = re.fullmatch(r"@([^@]+)@([^@]+)@\[\d+,\d+,\d+\]\[\d+,\d+,\d+\]", rule)
            self.assertIsNotNone(match, rule)
            with self.subTest(rule=match[1]):
                self.accepts(match[2])

    def test_every_button_has_a_filter_that_is_one(self):
        for enabled, label, expression, comment in rows("dfilter_buttons"):
            with self.subTest(button=label):
                self.assertEqual(enabled, "TRUE")
                self.assertTrue(comment)
                self.accepts(expression)

    def test_every_graph_has_fields_that_exist(self):
        for _, name, expression, _, style, _, field, *_ in rows("io_graphs"):
            with self.subTest(graph=name):
                self.assertIn(style, ("Line", "Impulse", "Bar", "Dot"))  # one that 4.0 does not know, and all graphs are gone
                self.accepts(expression)
                if field:
                    self.accepts(field)

    def test_each_column_has_a_width(self):
        with open(os.path.join(PROFILE, "preferences"), encoding="utf-8") as f:
            formats = re.findall(r'^\t"[^"]+", "([^"]+)"', f.read(), re.M)
        with open(os.path.join(PROFILE, "recent"), encoding="utf-8") as f:
            widths = re.findall(r"^\t(\S+), \d+", f.read(), re.M)
        self.assertEqual(widths, [re.sub(r"(%Cus:[^:]+):.*", r"\1", f) for f in formats])

    def test_columns_show(self):
        place = os.path.join(wireshark.room.home, ".config", "wireshark", "profiles", "cdcscope")
        shutil.copytree(PROFILE, place, dirs_exist_ok=True)
        for top, folders, files in os.walk(os.path.join(wireshark.room.home, ".config")):
            os.chmod(top, 0o777)
            for name in files:
                os.chmod(os.path.join(top, name), 0o666)
        capture = next(c for c, _ in wireshark.captures("dcp") if "durability" in c)
        frame = wireshark.tshark("-C", "cdcscope", "-r", wireshark.room.copy(capture), "-Y", "frame.number == 71", "-T", "tabs")
        columns = frame.rstrip("\n").split("\t")
        self.assertEqual([c.strip() for c in columns[6:9]], ["0", "9", "425"])
        capture = next(c for c, _ in wireshark.captures("canal") if "batches" in c)
        frame = wireshark.tshark("-C", "cdcscope", "-r", wireshark.room.copy(capture), "-Y", "frame.number == 62", "-T", "tabs")
        self.assertEqual([c.strip() for c in frame.split("\t")[9:11]], ["5", "shop.orders"])


if __name__ == "__main__":
    unittest.main()
