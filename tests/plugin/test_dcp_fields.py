"""Every message of the DCP captures, field by field, against what an independent decoder listed."""
import struct
import unittest

import wireshark

# Extras by (opcode, length): filter name, format, offset. Written out here on purpose: the plugin's own
# table is what is tested.
MUTATION = [("by_seqno", "Q", 0), ("rev_seqno", "Q", 8), ("flags", "I", 16), ("expiration", "I", 20), ("lock_time", "I", 24)]
REQUEST_EXTRAS = {
    (0x50, 8): [("open.seqno", "I", 0), ("open.flags", "I", 4)],
    (0x51, 4): [("stream.flags", "I", 0)],
    (0x53, 48): [("stream.flags", "I", 0), ("stream.reserved", "I", 4), ("stream.start_seqno", "Q", 8),
                 ("stream.end_seqno", "Q", 16), ("stream.vbucket_uuid", "Q", 24),
                 ("stream.snapshot_start_seqno", "Q", 32), ("stream.snapshot_end_seqno", "Q", 40)],
    (0x55, 4): [("stream.end_reason", "I", 0)],
    (0x56, 20): [("snapshot.start", "Q", 0), ("snapshot.end", "Q", 8), ("snapshot.flags", "I", 16)],
    (0x56, 1): [("snapshot.version", "B", 0)],
    (0x57, 31): MUTATION + [("nmeta", "H", 28), ("nru", "B", 30)],
    (0x58, 18): [("by_seqno", "Q", 0), ("rev_seqno", "Q", 8), ("nmeta", "H", 16)],
    (0x58, 21): [("by_seqno", "Q", 0), ("rev_seqno", "Q", 8), ("delete_time", "I", 16), ("unused", "B", 20)],
    (0x59, 20): [("by_seqno", "Q", 0), ("rev_seqno", "Q", 8), ("delete_time", "I", 16)],
    (0x5b, 1): [("vbucket_state", "B", 0)],
    (0x5d, 4): [("buffer_ack.bytes", "I", 0)],
    (0x5f, 13): [("by_seqno", "Q", 0), ("event.id", "I", 8), ("event.version", "B", 12)],
    (0x60, 31): MUTATION + [("nru", "B", 28), ("deleted", "?", 29), ("durability", "B", 30)],
    (0x61, 8): [("prepared_seqno", "Q", 0)],
    (0x62, 16): [("prepared_seqno", "Q", 0), ("commit_seqno", "Q", 8)],
    (0x63, 16): [("prepared_seqno", "Q", 0), ("abort_seqno", "Q", 8)],
    (0x64, 8): [("by_seqno", "Q", 0)],
    (0x65, 4): [("oso.flags", "I", 0)],
}
REQUESTS, FRAMED = {0x80, 0x08, 0x82}, {0x08, 0x18}
# What the plugin shows itself: DCP, the commands around it, the server's pushes.
OURS = set(range(0x50, 0x68)) | {0x0a, 0x0b, 0x07, 0x10, 0x1f, 0x20, 0x21, 0x22, 0x48, 0x89, 0x91, 0x96, 0xb5, 0xb7, 0xba,
                                 0xbb, 0xbc, 0xfe}


def number(text):
    return {"True": 1, "False": 0}[text] if text in ("True", "False") else int(text, 0)


class Message:
    """The `cbdcp` protocol element of PDML."""

    def __init__(self, element):
        self.all = list(element.iter("field"))

    def show(self, name):
        for f in self.all:
            if f.get("name") == f"cbdcp.{name}":
                return f.get("show")
        return None

    def size(self, name):
        return sum(int(f.get("size")) for f in self.all if f.get("name") == f"cbdcp.{name}")

    def value(self, name):
        for f in self.all:
            if f.get("name") == f"cbdcp.{name}":
                return f.get("value", "")
        return ""


def messages(capture):
    """[(stream, sent by the client?)] -> messages in stream order. Captures have port 11210 on the server's side."""
    found = {}
    for packet in wireshark.as_pdml(capture, "-Y", "cbkv or cbdcp"):
        tcp = next(p for p in packet.findall("proto") if p.get("name") == "tcp")
        show = {f.get("name"): f.get("show") for f in tcp.iter("field")}
        key = (int(show["tcp.stream"]), "c2s" if show["tcp.dstport"] == "11210" else "s2c")
        for proto in packet.findall("proto"):
            if proto.get("name") == "cbdcp":
                found.setdefault(key, []).append(Message(proto))
    return found


class Fields(unittest.TestCase):
    def compare(self, line, m):
        magic, opcode = int(line["magic"], 16), int(line["opcode"], 16)
        same = lambda name, want: self.assertEqual(number(m.show(name)), want, (name, line))
        same("magic", magic)
        same("opcode", opcode)
        same("datatype", int(line["datatype"], 16))
        same("opaque", int(line["opaque"], 16))
        same("cas", int(line["cas"], 16))
        if magic in REQUESTS:
            same("vbucket", line["vbucket"])
        else:
            same("status", int(line["status"], 16))
        if magic != 0x08 or line.get("framing"):
            self.assertEqual(m.size("framing"), len(line.get("framing", "")) // 2, line)
        self.assertEqual(m.size("extras"), len(line["extras"]) // 2, line)
        if opcode != 0x66 and (magic != 0x08 or line.get("framing")):  # 0x66: its records have keys
            self.assertEqual(m.value("key"), line["key"], line)
        lengths = [number(m.show(n)) for n in ("extras_length", "key_length")]
        if not line.get("malformed"):
            self.assertEqual(lengths, [len(line["extras"]) // 2, len(line["key"]) // 2], line)
            framing = len(line.get("framing", "")) // 2
            same("body_length", framing + sum(lengths) + line["vlen"])
        self.compare_extras(line, m, magic, opcode)
        # A short value is listed whole; secrets are shown as a length.
        if "value" in line and opcode not in (0x21, 0x22):
            self.assertIn(line["value"], " ".join(f.get("value", "") for f in m.all), line)

    def compare_extras(self, line, m, magic, opcode):
        extras = bytes.fromhex(line["extras"])
        # A framing length of 0 in front of a stream id: the listing takes it at its word, the plugin does not (D49).
        if magic not in {0x80, 0x08} or line.get("malformed") or (magic == 0x08 and not line.get("framing")):
            return
        for name, form, at in REQUEST_EXTRAS.get((opcode, len(extras)), []):
            (want,) = struct.unpack_from(">" + form, extras, at)
            self.assertEqual(number(m.show(name)), want, (name, line))

    def test_every_field_equals_the_listing(self):
        for capture, listing in wireshark.captures("dcp"):
            with self.subTest(capture=capture):
                shown = messages(capture)
                streams = {}
                for line in wireshark.lines(listing):
                    if int(line["opcode"], 16) in OURS or int(line["magic"], 16) >= 0x82:
                        streams.setdefault((line["conn"], line["dir"]), []).append(line)
                for key, expected in streams.items():
                    expected.sort(key=lambda line: line["off"])
                    self.assertEqual(len(shown.get(key, [])), len(expected), key)
                    for line, m in zip(expected, shown[key]):
                        self.compare(line, m)

    def test_each_broken_example_has_a_finding(self):
        capture = next(c for c, _ in wireshark.captures("dcp") if "doc_examples_broken" in c)
        streams = lambda name, *options: sorted({int(n) for n in wireshark.dissect(
            capture, *options, "-Y", name, "-T", "fields", "-e", "tcp.stream").split()})
        for passes in ([], ["-2"]):
            # Four end inside the message whose length is wrong, the others leave bytes that are no message, or contradict themselves.
            self.assertEqual(streams("cbkv.ends_inside", *passes), [0, 2, 8, 12])
            self.assertEqual(streams("cbdcp.malformed", *passes), [n for n in range(15) if n not in (0, 2, 8, 12)])

    def test_password_is_nowhere_in_the_tree(self):
        capture = next(c for c, _ in wireshark.captures("dcp") if "basic_ipv4" in c)
        message = ["-Y", "cbdcp.opcode == 0x21 and cbdcp.magic == 0x80"]
        shown = wireshark.dissect(capture, *message, "-V", "-O", "cbdcp")
        self.assertIn("Mechanism: PLAIN", shown)
        self.assertIn("Secret (not shown)", shown)
        proto = [p for packet in wireshark.as_pdml(capture, *message) for p in packet.findall("proto")
                 if p.get("name") == "cbdcp"]
        everything = shown + " ".join(v for p in proto for f in p.iter("field") for v in f.attrib.values())
        for line in wireshark.lines(capture.replace(".pcap", ".expected.jsonl")):
            if line["opcode"] == "0x21" and line.get("value"):
                self.assertNotIn(line["value"], everything)
                for word in bytes.fromhex(line["value"]).split(b"\0"):
                    if word:
                        self.assertNotIn(word.hex(), everything)
                        self.assertNotIn(f": {word.decode()}", everything)


if __name__ == "__main__":
    unittest.main()
