"""Our layers of small captures, item by item, against committed trees.

After a change that is meant: CDCSCOPE_GOLDEN=write python3 tests/plugin/test_golden.py, and read the difference.
"""
import json
import os
import unittest

import wireshark

FOLDER = os.path.join(wireshark.SOURCE, "tests", "plugin", "golden")
CAPTURES = [("dcp", "seed0_prepare"), ("dcp", "doc_examples"), ("canal", "ddl"), ("canal", "admin_11110")]


def without_findings(node):
    """Findings have tests of their own; their words may change."""
    if isinstance(node, dict):
        return {k: without_findings(v) for k, v in node.items() if not k.startswith("_ws.")}
    return [without_findings(v) for v in node] if isinstance(node, list) else node


def trees(kind, name):
    capture = os.path.join(wireshark.CAPTURES, kind, name + ".pcap")
    rows = []
    for layers in wireshark.as_json(capture, "-2", "-J", "frame cbdcp canal", "-Y", "cbdcp or canal"):
        rows.append({"frame": int(layers["frame"]["frame.number"]), **{k: without_findings(layers[k]) for k in ("cbdcp", "canal") if k in layers}})
    return rows


class Golden(unittest.TestCase):
    def test_trees_are_as_committed(self):
        for kind, name in CAPTURES:
            place = os.path.join(FOLDER, f"{kind}-{name}.json")
            got = trees(kind, name)
            if os.environ.get("CDCSCOPE_GOLDEN") == "write":
                with open(place, "w", encoding="utf-8") as f:
                    f.write(json.dumps(got, indent=1, ensure_ascii=False) + "\n")
            with self.subTest(capture=name), open(place, encoding="utf-8") as f:
                self.assertEqual(got, json.load(f))


if __name__ == "__main__":
    unittest.main()
