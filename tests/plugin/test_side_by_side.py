"""Where Wireshark's own dissector fails, ours is right: each row of docs/side-by-side.md that a capture can show."""
import os
import sys
import unittest

import wireshark

sys.path.insert(0, os.path.join(wireshark.SOURCE, "docs", "generate"))
import side_by_side  # noqa: E402


class SideBySide(unittest.TestCase):
    def test_ours_is_right_on_each_row(self):
        for topic, name, _, quoted, right in side_by_side.compare():
            with self.subTest(topic=topic):
                self.assertTrue(right, f"{name}: {quoted}")

    def test_all_rows_of_the_comparison_are_there(self):
        numbers = [int(row[0].split()[0]) for row in (*side_by_side.ROWS, *side_by_side.COUNTS)]
        self.assertEqual(sorted(numbers), list(range(1, 28)))


if __name__ == "__main__":
    unittest.main()
