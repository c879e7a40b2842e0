#!/usr/bin/env python3
"""Every record of every capture fits the schema that docs/schema/README.md names for it."""
import functools
import json
import unittest

import harness
import json_schema

FOLDER = harness.ROOT / "docs" / "schema"
CANAL_EVENTS = {"transaction_begin", "transaction_end", "heartbeat", "gtid"}


def file_for(record):
    if "record" in record:
        return f"cdcscope-{record['record']}.json"
    if "isDdl" in record:
        return "canal-row.json"
    if "packet" in record:
        own = f"canal-{'admin-' if record.get('admin') else ''}{record['packet'].lower()}.json"
        return own if (FOLDER / own).exists() else "canal-other.json"
    if record["stream"].startswith("canal.") and record["event"] in CANAL_EVENTS:
        return "canal-transaction.json"
    own = f"dcp-{record['event'].replace('_', '-')}.json"
    return own if (FOLDER / own).exists() else "dcp-other.json"


@functools.cache
def schema(name):
    return json_schema.Schema(json.loads((FOLDER / name).read_text(encoding="utf-8")))


class Records(unittest.TestCase):
    def hold(self, capture, *options):
        records = harness.Extraction(capture, *options).records
        self.assertTrue(records)
        for record in records:
            name = file_for(record)
            for added in ("stream", "sequence", "timestamp"):  # by JSON lines
                del record[added]
            self.assertTrue((FOLDER / name).exists(), f"{capture.name}: no schema for {record}")
            self.assertEqual([], schema(name).errors(record), f"{capture.name}, {name}: {record}")

    def test_of_every_capture_in_every_layout(self):
        captures = sorted(harness.CAPTURES.glob("*/*.pcap*"))
        self.assertGreater(len(captures), 25)
        for capture in captures:
            for layout in ("connection", "changes", "vbucket"):
                with self.subTest(capture.name, layout=layout):
                    self.hold(capture, "--streams", layout)

    def test_every_payload_has_the_same_messages(self):
        for capture in ("dcp/v8_features_ipv6.pcap", "canal/basic.pcap"):
            got = {}
            for payload in ("json", "raw", "both"):
                done = harness.run("extract", harness.CAPTURES / capture, "-o", "-", "--payload", payload, "--no-progress", "--quiet")
                self.assertEqual(done.returncode, 0, done.stderr)
                got[payload] = [json.loads(line) for line in done.stdout.splitlines()]
            raw = [r for r in got["raw"] if "raw" in r]
            both = [r for r in got["both"] if "raw" in r]
            self.assertGreater(len(raw), 20)
            self.assertEqual({tuple(sorted(r)) for r in raw}, {("raw", "sequence", "stream", "timestamp")})
            self.assertEqual(sorted(r["raw"] for r in raw), sorted(r["raw"] for r in both))
            without = [{k: v for k, v in r.items() if k != "raw"} for r in got["both"] if "record" not in r]
            self.assertEqual([r for r in got["json"] if "record" not in r], without)

    def test_with_every_option_that_changes_records(self):
        for capture in ("dcp/v8_features_ipv6.pcap", "canal/mysql55_types.pcap"):
            for options in (("--redact", "all"), ("--int64", "string"), ("--streams", "changes"), ("--streams", "vbucket"),
                            ("--blob", "base64")):
                with self.subTest(capture, options=options):
                    self.hold(harness.CAPTURES / capture, *options)

    def test_wrong_records_are_refused(self):
        records = harness.Extraction(harness.CAPTURES / "dcp" / "seed0_prepare.pcap").records
        prepare = next(r for r in records if r.get("event") == "prepare")
        self.assertEqual([], schema("dcp-prepare.json").errors(prepare))
        for name, value in (("partition", -1), ("casHex", "4"), ("durability", "most"), ("wire", {}), ("content", 1)):
            self.assertNotEqual([], schema("dcp-prepare.json").errors({**prepare, name: value}), name)
        del prepare["key"]
        self.assertNotEqual([], schema("dcp-prepare.json").errors(prepare))


if __name__ == "__main__":
    unittest.main()
