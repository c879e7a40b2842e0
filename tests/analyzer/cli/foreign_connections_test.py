#!/usr/bin/env python3
"""What is none of our protocols is named with its version, in the same words by every command."""
import json
import pathlib
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "golden"))
import harness  # noqa: E402


def sized(data, size):
    return len(data).to_bytes(size, "big") + data


def hello(of_server, versions):
    """The first record of TLS: a client offers versions, a server chooses one."""
    listed = b"".join(v.to_bytes(2, "big") for v in versions)
    extension = b"\0\x2b" + sized(listed if of_server else sized(listed, 1), 2)
    middle = b"\x13\x01\0" if of_server else sized(b"\x13\x01", 2) + sized(b"\0", 1)
    body = b"\x03\x03" + bytes(32) + sized(b"", 1) + middle + sized(extension, 2)
    return b"\x16\x03\x01" + sized(bytes([2 if of_server else 1]) + sized(body, 3), 2)


def capture(path, connections):
    """A connection for each (server's port, [(from the client?, bytes)])."""
    packets = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1)]
    now = 1_700_000_000_000_000
    for number, (port, pieces) in enumerate(connections):
        sequence = {True: 1000, False: 5000}

        def segment(from_client, data, flags):
            nonlocal now
            ports = (40000 + number, port) if from_client else (port, 40000 + number)
            tcp = struct.pack("!HHIIBBHHH", *ports, sequence[from_client], 0 if flags == 2 else sequence[not from_client],
                              0x50, flags, 65535, 0, 0)
            ends = b"\n\0\0\1\n\0\0\2" if from_client else b"\n\0\0\2\n\0\0\1"
            ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(tcp) + len(data), 0, 0, 64, 6, 0) + ends
            frame = bytes(12) + b"\x08\0" + ip + tcp + data
            packets.append(struct.pack("<IIII", now // 1_000_000, now % 1_000_000, len(frame), len(frame)) + frame)
            sequence[from_client] += len(data) + (flags & 2) // 2
            now += 100

        segment(True, b"", 0x02)
        segment(False, b"", 0x12)
        segment(True, b"", 0x10)
        for from_client, data in pieces:
            segment(from_client, data, 0x18)
    path.write_bytes(b"".join(packets))


TLS13 = [(True, hello(False, [0x0304, 0x0303])), (False, hello(True, [0x0304]))]
TLS12 = [(True, hello(False, [0x0303])), (False, hello(True, [0x0303]))]
MYSQL = [(False, b"\x4e\0\0\0\x0a5.7.22-log\0" + bytes(60))]
SENTENCE = 'connection 1 on port 11111 is not canal: it speaks MySQL (server greeting "5.7.22-log")'


class Foreign(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_on(self, connections, command, *arguments):
        capture(self.folder / "a.pcap", connections)
        done = harness.run(command, "a.pcap", *arguments, "--no-progress", cwd=self.folder)
        self.assertEqual(0, done.returncode, done.stderr)
        return done.stdout.decode(), done.stderr.decode()

    def test_encrypted_connections_tell_their_versions(self):
        _, said = self.run_on([(11207, TLS12), (11207, TLS13), (11207, TLS13)], "extract", "-o", "x.ss")
        self.assertEqual("cdcscope: a.pcap: the 3 connections on port 11207 are encrypted (TLS 1.2 and 1.3), nothing inside can be "
                         "read; capture on port 11210, or on the node before encryption\n", said)
        table, said = self.run_on([(11207, TLS12), (11207, TLS13)], "streams")
        self.assertRegex(table, r"c1 .*:11207 +TLS 1\.2 [^\n]*\n +c2 .*:11207 +TLS 1\.3 ")
        self.assertEqual("", said)
        rows = json.loads(self.run_on([(11207, TLS12), (11207, TLS13[:1])], "streams", "--json")[0])["connections"]
        self.assertEqual([("tls", "TLS", "1.2", None), ("tls", "TLS", "1.3", True)],
                         [(r["protocol"], r["role"], r["version"], r.get("versionOffered")) for r in rows])
        text, _ = self.run_on([(11207, TLS12), (11207, TLS13)], "report")
        self.assertIn("TLS 1.2 and 1.3. Nothing inside can be read", text)
        self.assertRegex(text, r"11207  2 connections +230 B  TLS 1\.2 and 1\.3\n")
        told = json.loads(self.run_on([(11207, TLS12), (11207, TLS13)], "report", "--format", "json")[0])
        self.assertTrue(any("is encrypted (TLS 1.3)" in hit["text"] for f in told["findings"] for hit in f.get("hits", [f])), told["findings"])
        self.assertEqual(["TLS 1.2", "TLS 1.3"], [c["looksLike"] for c in told["connections"]])

    def test_another_protocol_on_our_port_is_named_by_every_command(self):
        advice = "; the binlog itself is not read. Capture between canal server and client\n"
        for command, arguments in (("extract", ["-o", "x.ss"]), ("streams", [])):
            with self.subTest(command):
                _, said = self.run_on([(11111, MYSQL)], command, *arguments)
                self.assertIn("cdcscope: a.pcap: " + SENTENCE.replace("connection 1", "c1") + advice, said)
        text, _ = self.run_on([(11111, MYSQL)], "report", "--format", "json")
        told = json.loads(text)
        self.assertIn(SENTENCE, [f["text"] for f in told["findings"]])
        self.assertIn("MySQL (server greeting \"5.7.22-log\")", told["connections"][0]["looksLike"] + told["capture"]["ports"][0]["looksLike"])

    def test_a_port_whose_protocol_is_known_is_not_offered_as_a_guess(self):
        _, said = self.run_on([(443, TLS13), (8091, [(True, b"GET / HTTP/1.1\r\n")])], "extract", "-o", "x.ss")
        self.assertIn("no DCP or canal message in 9 packets, 2 TCP connections; ports seen: 443 (", said)
        self.assertIn(" B, TLS 1.3), 8091 (16 B, HTTP)\n", said)
        _, said = self.run_on([(443, TLS13), (12000, [(True, b"\x01" * 40)])], "extract", "-o", "y.ss")
        self.assertIn(". If one of them is yours: --port dcp=12000\n", said)


if __name__ == "__main__":
    unittest.main()
