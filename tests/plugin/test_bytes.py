"""Positions: every field lies inside its parent, the fields of a message cover it without gaps, and a cut is named."""
import os
import random
import struct
import subprocess
import unittest

import wireshark

TOP = {"cbdcp", "canal", "cbkv"}


def real(field):
    """Has bytes of the packet's own buffer. Inflated values are buffers of their own."""
    return int(field.get("size")) > 0 and field.get("pos") is not None


def place(field):
    at = int(field.get("pos"))
    return at, at + int(field.get("size"))


class Positions(unittest.TestCase):
    def inside(self, parent, element, own_buffer):
        outer = place(parent)
        for field in element.findall("field"):
            if not real(field):
                continue
            start, end = place(field)
            name = field.get("name")
            if own_buffer and name.startswith(tuple(TOP)) and not name.startswith("cbdcp.content") and "value_bytes" not in name:
                if not (outer[0] <= start and end <= outer[1]):
                    # Parts of an inflated value count in that value's own buffer.
                    self.assertTrue(self.inflated, f"{name} {start}..{end} outside {outer} of {parent.get('name')}")
                    continue
            self.inside(field, field, own_buffer)

    def covered(self, proto):
        start, end = place(proto)
        taken = [False] * (end - start)
        for field in proto.findall("field"):
            if real(field) and not any(p in field.get("name") for p in ("_ws.", "expert")):
                a, b = place(field)
                for i in range(max(a, start), min(b, end)):
                    taken[i - start] = True
        missing = [i for i, t in enumerate(taken) if not t]
        self.assertEqual(missing, [], f"bytes of no field in a {proto.get('name')} of {end - start} bytes")

    def test_fields_lie_inside_their_parents_and_cover_the_message(self):
        for kind in ("dcp", "canal"):
            for capture, _ in wireshark.captures(kind):
                with self.subTest(capture=capture):
                    for packet in wireshark.as_pdml(capture, "-Y", "cbdcp or canal"):
                        for proto in packet.findall("proto"):
                            if proto.get("name") not in ("cbdcp", "canal"):
                                continue
                            self.inflated = any(f.get("name") == "cbdcp.inflated_length" for f in proto.iter("field"))
                            self.inside(proto, proto, True)
                            self.covered(proto)


class Cut(unittest.TestCase):
    """Captures with a snap length: what is missing was not captured, it is not malformed."""

    def cut(self, capture, size):
        place = os.path.join(wireshark.room.work, f"cut{size}-{os.path.basename(capture)}")
        done = subprocess.run(["editcap", "-s", str(size), "-F", "pcap", capture, place], capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        os.chmod(place, 0o644)
        return place

    def test_cut_messages_are_named_and_never_malformed(self):
        for kind in ("dcp", "canal"):
            for capture, _ in wireshark.captures(kind):
                if "doc_examples" in capture or "odd_requests" in capture or "faults" in capture:
                    continue  # have malformed messages of their own
                for size in (96, 120, 200):
                    with self.subTest(capture=capture, size=size):
                        shown = wireshark.dissect(self.cut(capture, size), "-V")
                        self.assertNotIn("Malformed Packet", shown)
                        self.assertNotIn("Malformed:", shown)

    def test_a_cut_message_says_so(self):
        capture = next(c for c, _ in wireshark.captures("dcp") if "durability" in c)
        shown = wireshark.dissect(self.cut(capture, 150))
        self.assertIn("Prepare vb:0 seq:3", shown)
        self.assertIn("[Packet size limited during capture", shown)


class Hostile(unittest.TestCase):
    """Bytes that changed: no crash, no bug report, no endless loop."""

    STRICT = {"WIRESHARK_DEBUG_WMEM_OVERRIDE": "strict", "WIRESHARK_ABORT_ON_DISSECTOR_BUG": "1",
              "WIRESHARK_ABORT_ON_TOO_MANY_ITEMS": "1"}

    def strictly(self, place, *options):
        done = wireshark.run("tshark", "-n", "-r", place, *wireshark.OUT_OF_ORDER, *options, timeout=120, **self.STRICT)
        self.assertEqual(done.returncode, 0, (place, done.stderr[-800:]))
        for trouble in (b"Dissector bug", b"CRITICAL", b"terminate called"):
            self.assertNotIn(trouble, done.stderr, place)
            self.assertNotIn(trouble, done.stdout, place)

    def test_mutated_captures(self):
        rounds = int(os.environ.get("CDCSCOPE_MUTATIONS", "1"))
        for kind in ("dcp", "canal"):
            for capture, _ in wireshark.captures(kind):
                for seed in range(rounds):
                    with self.subTest(capture=capture, seed=seed):
                        place = os.path.join(wireshark.room.work, f"mutated-{seed}-{os.path.basename(capture)}")
                        subprocess.run(["editcap", "-E", "0.02", "-o", "66", "--seed", str(seed), "-F", "pcap", capture, place],
                                       check=True, capture_output=True)
                        os.chmod(place, 0o644)
                        self.strictly(place, *(["-2", "-V"] if seed % 2 == 0 else ["-V"]))

    def test_streams_cut_at_every_byte(self):
        """One message in two segments, cut at each of its bytes, and cut off there."""
        for kind, name, port in (("dcp", "seed0_prepare", 11210), ("canal", "basic", 11111)):
            capture = next(c for c, _ in wireshark.captures(kind) if name in c)
            payload = first_server_payload(capture, port)
            pieces = []
            for cut in range(1, min(len(payload), 200)):
                pieces += conversation(len(pieces), port, [payload[:cut], payload[cut:]])
                pieces += conversation(len(pieces), port, [payload[:cut]])
            self.strictly(wireshark.room.write(f"every-cut-{name}.pcap", pcap(pieces)), "-V")

    def test_random_bytes_behind_a_good_header(self):
        randomly = random.Random(7)
        pieces = []
        for _ in range(400):
            body = randomly.randbytes(randomly.randint(0, 120))
            framing = randomly.choice([0, 0, 3])
            extras = randomly.choice([0, 1, 4, 8, 13, 16, 18, 20, 21, 31, 48])
            key = randomly.randint(0, 20)
            head = struct.pack(">BBBBBBHII8s", randomly.choice([0x80, 0x81, 0x08, 0x18, 0x82, 0x83]), randomly.randint(0x48, 0x68),
                               framing, key, extras, randomly.randint(0, 7), randomly.randint(0, 1024), len(body),
                               randomly.randint(0, 3), bytes(8))
            pieces += conversation(len(pieces), 11210, [head + body])
        self.strictly(wireshark.room.write("random-dcp.pcap", pcap(pieces)), "-2", "-V")


def pcap(frames, cut=()):
    """A file of Ethernet frames, a millisecond each; of those in `cut` {number from 0: size} only so much is there."""
    out = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 18, 1)]
    for n, frame in enumerate(frames):
        captured = frame[:cut[n]] if n in cut else frame
        out.append(struct.pack("<IIII", 1_700_000_000 + n // 1000, n % 1000 * 1000, len(captured), len(frame)) + captured)
    return b"".join(out)


def packets(path):
    """[(seconds, frame)] of a classic file."""
    with open(path, "rb") as f:
        data = f.read()
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    at, found = 24, []
    while at < len(data):
        seconds, _, size, _ = struct.unpack_from(order + "IIII", data, at)
        found.append((seconds, data[at + 16:at + 16 + size]))
        at += 16 + size
    return found


def segment(from_client, sport, dport, seq, ack, flags, data):
    hosts = [bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])]
    source, target = hosts if from_client else hosts[::-1]
    tcp = struct.pack(">HHIIBBHHH", sport, dport, seq, ack, 0x50, flags, 8192, 0, 0) + data
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0, source, target)
    return bytes(12) + b"\x08\x00" + ip + tcp


def conversation(number, server, pieces):
    """A handshake and what the server sends, from a client port of its own."""
    client = 20_000 + number % 40_000
    frames = [segment(True, client, server, 99, 0, 2, b""), segment(False, server, client, 199, 100, 0x12, b""),
              segment(True, client, server, 100, 200, 0x10, b"")]
    at = 200
    for piece in pieces:
        frames.append(segment(False, server, client, at, 100, 0x18, piece))
        at += len(piece)
    return frames


def first_server_payload(capture, port):
    text = wireshark.dissect(capture, "-Y", f"tcp.srcport == {port} and tcp.len > 0", "-T", "fields", "-e", "tcp.payload")
    payloads = [bytes.fromhex(line) for line in text.split()]
    return max(payloads, key=len)[:1400]


if __name__ == "__main__":
    unittest.main()
