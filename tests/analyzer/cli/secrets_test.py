#!/usr/bin/env python3
"""What a client logs in with is in no output, also where it stands in a message that is not as it should be."""
import base64
import pathlib
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "golden"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import dcp_traffic  # noqa: E402
import harness  # noqa: E402
import protobuf  # noqa: E402

SECRET = b"SECRETpw"
PLAIN = b"\0user\0" + SECRET


def forms(secret):
    """The secret as it is, as digits, and in Base64 wherever in a text it begins."""
    yield secret
    yield secret.hex().encode()
    for before in range(3):
        text = base64.b64encode(bytes(before) + secret)
        yield text[4 if before else 0:len(text) // 4 * 4 - 4]


def sasl(magic=0x80, opcode=0x21, extras=0, key=5, body=b"PLAIN" + PLAIN):
    return struct.pack("!BBHBBHIIQ", magic, opcode, key, extras, 0, 0, len(body), 0, 0) + body


def field(number, value):
    return protobuf.message([(number, value)])


def packet(*fields):
    body = b"".join(fields)
    return len(body).to_bytes(4, "big") + body


HANDSHAKE = packet(field(1, 17), field(3, 1), field(5, field(1, b"utf8") + field(2, b"12345678")))
LOGIN = field(1, b"user") + field(2, SECRET) + field(6, b"1001")


class Secrets(unittest.TestCase):
    def look(self, name, messages, port=11210):
        """Client's messages, behind a handshake on a canal port."""
        traffic = dcp_traffic.Capture(server_port=port)
        if port == 11111:
            traffic.raw(False, HANDSHAKE)
        for message in messages:
            traffic.raw(True, message)
        if port == 11111:
            traffic.raw(False, packet(field(1, 17), field(3, 3), field(5, b"")))
        else:
            traffic.stream(7, 1, 100)
        with tempfile.TemporaryDirectory() as folder:
            capture = pathlib.Path(folder) / "a.pcap"
            traffic.write(capture)
            for arguments in (("extract", "-o", "-"), ("extract", "-o", "-", "--payload", "raw"),
                              ("extract", "-o", "-", "--payload", "both"), ("report", "--all"), ("report", "--format", "json"),
                              ("report", "--format", "html")):
                done = harness.run(arguments[0], capture, *arguments[1:])
                self.assertEqual(0, done.returncode, done.stderr)
                for form in forms(SECRET):
                    self.assertNotIn(form, done.stdout + done.stderr, (name, arguments))
            kept = harness.run("extract", capture, "-o", "-", "--payload", "raw", "--keep-secrets").stdout
            return any(form in kept for form in forms(SECRET))

    def test_sasl(self):
        for name, message in (("as it should be", sasl()), ("a key that is too long", sasl(key=100)), ("no key", sasl(key=0)),
                              ("extras", sasl(extras=6)), ("all in the key", sasl(key=5 + len(PLAIN))), ("a push", sasl(magic=0x82)),
                              ("a step", sasl(opcode=0x22, key=5 + len(PLAIN))), ("a question", sasl(opcode=0x20))):
            self.assertTrue(self.look(name, [message]), name)

    def test_canal(self):
        ok = [field(1, 17), field(2, 1), field(3, 2), field(5, LOGIN)]
        for name, fields in (("as it should be", ok), ("two types", [field(3, 2), field(5, LOGIN), field(3, 3)]),
                             ("no type", [field(3, 0), field(5, LOGIN)]), ("a number for a password", [field(3, 2), field(5, b"\x11" + SECRET)])):
            self.assertTrue(self.look(name, [packet(*fields)], 11111), name)

    def test_what_stands_behind_a_wrong_length(self):
        self.look("length", [struct.pack("!I", 1 << 31) + SECRET], 11111)


if __name__ == "__main__":
    unittest.main()
