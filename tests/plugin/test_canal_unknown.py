"""What the .proto files do not have is shown and kept in both doors, and what was not sent is shown as its default, by the peer's age."""
import json
import os
import subprocess
import sys
import unittest

import wireshark

sys.path.insert(0, os.path.join(wireshark.SOURCE, "tests", "support"))
import protobuf  # noqa: E402
import sequence_capture  # noqa: E402

OLD_HANDSHAKE = [(3, 1), (5, b"")]
NEW_HANDSHAKE = [(2, 1), (3, 1), (5, protobuf.message([(2, b"12345678")]))]
NAMED = [(1, "example"), (2, "1001")]


def capture(name, packets):
    """`packets`: direction and fields of the Packet."""
    made = {"protocol": "canal", "connections": [{"conn": 0, "client": "10.0.0.1:40000", "server": "10.0.0.2:11111", "from_start": True}],
            "events": [{"at": 0.001 * n, "conn": 0, "dir": way, "raw": protobuf.message(fields).hex()}
                       for n, (way, fields) in enumerate(packets, 1)]}
    return wireshark.room.write(name + ".pcap", sequence_capture.Capture(made).pcap)


def extracted(place):
    done = subprocess.run([os.environ["CDCSCOPE_PROGRAM"], "extract", place, "-o", "-", "--no-progress", "--quiet"],
                          capture_output=True, check=True, timeout=60)
    return [json.loads(line) for line in done.stdout.split(b"\n") if line]


def entry(kind, event, row_fields):
    header = protobuf.message([(1, 1), (2, "mysql-bin.000007"), (3, 1000), (6, 1_700_000_000_000), (8, "shop"), (9, "orders"), (11, event)])
    column = protobuf.message([(2, 12), (3, "note"), (5, 1), (8, "new"), (10, "varchar(9)")])
    store = protobuf.message([(1, 18), (2, event), (10, 0), (12, protobuf.message([(2, column)])), *row_fields])
    return protobuf.message([(1, header), (2, kind), (3, store)])


class Unknown(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        get = protobuf.message([*NAMED, (3, 1000), (9, 77), (10, "extra")])
        batch = protobuf.message([(1, 1), (2, entry(2, 99, [(30, "hidden?")])), (2, entry(9, 1, []))])
        cls.place = capture("unknown", [
            ("s2c", NEW_HANDSHAKE), ("c2s", [(3, 4), (5, protobuf.message(NAMED))]), ("s2c", [(2, 1), (3, 3)]),
            ("c2s", [(3, 6), (4, 3), (5, get), (7, "of the packet")]), ("s2c", [(3, 7), (5, batch)]),
            ("c2s", [(3, 99), (5, b"whatever")])])

    def test_fields(self):
        found = [f for row in wireshark.fields(self.place, ["canal.unknown_field"], "-Y", "canal") for f in row[0]]
        raw = "".join(found)
        for content in (b"extra", b"of the packet", b"hidden?"):
            self.assertIn(content.hex(), raw)
        self.assertEqual(3, sum(bool(row[0]) for row in
                                wireshark.fields(self.place, ["frame.number"], "-Y", "canal.unknown_field.expert || canal.packet.type == 99")))
        get = next(r for r in extracted(self.place) if r.get("packet") == "GET")
        self.assertEqual([("Packet", 7), ("Get", 9), ("Get", 10)], [(u["message"], u["number"]) for u in get["unknownFields"]])

    def test_types(self):
        text = wireshark.dissect(self.place, "-V", "-O", "canal")
        for shown in ("Type: Unknown (99)", "Event Type: Unknown (99)", "Entry Type: Unknown (9)", "Compression: GZIP (3)"):
            self.assertIn(shown, text)
        records = extracted(self.place)
        self.assertEqual("d2hhdGV2ZXI=", next(r for r in records if r.get("packet") == "TYPE_99")["bodyBase64"])
        change = next(r for r in records if "isDdl" in r)
        self.assertEqual(("EVENT_99", [{"note": "new"}]), (change["type"], change["data"]))
        other = next(r for r in records if r.get("event") == "entry_type_9")
        self.assertIn("storeValueBase64", other)
        self.assertEqual("GZIP", next(r for r in records if r.get("packet") == "GET")["compression"])


class NotSent(unittest.TestCase):
    """A GET without time-out: none up to 1.1.3, for ever from 1.1.4."""

    def shown(self, name, handshake):
        place = capture(name, [("s2c", handshake), ("c2s", [(3, 2), (5, protobuf.message([(1, "canal")]))]), ("s2c", [(3, 3), (5, b"")]),
                               ("c2s", [(3, 6), (5, protobuf.message([*NAMED, (3, 10)]))])])
        packet = wireshark.as_pdml(place, "-Y", "canal.packet.type == 6")[0]
        fields = {f.get("name"): f for p in packet.findall("proto") if p.get("name") == "canal" for f in p.iter("field")}
        for name in ("canal.get.timeout", "canal.get.unit", "canal.get.auto_ack", "canal.packet.compression", "canal.packet.version"):
            self.assertEqual("0", fields[name].get("size"), name)
            self.assertIn("(not sent)", fields[name].get("showname"))
        self.assertNotIn("(not sent)", fields["canal.get.fetch_size"].get("showname"))
        get = next(r for r in extracted(place) if r.get("packet") == "GET")
        self.assertEqual({"destination", "clientId", "fetchSize"}, get.keys() - {"stream", "sequence", "timestamp", "packet", "wire"})
        return [fields[n].get("show") for n in ("canal.get.timeout", "canal.get.unit", "canal.packet.compression", "canal.packet.version")]

    def test_by_an_old_peer(self):
        self.assertEqual(["-1", "2", "1", "1"], self.shown("old", OLD_HANDSHAKE))

    def test_by_a_new_peer(self):
        self.assertEqual(["0", "0", "0", "0"], self.shown("new", NEW_HANDSHAKE))


if __name__ == "__main__":
    unittest.main()
