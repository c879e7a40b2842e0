"""Captures of many open connections that have said hello and are silent since."""
import struct
import sys


def header():
    return struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)


def tcp(number, to_server, sequence, acknowledgement, flags, payload):
    """A record of connection `number` from 10.x.y.z to 10.255.0.1:11210."""
    client = struct.pack(">I", 0x0A000000 + number // 50000)
    server = b"\x0a\xff\x00\x01"
    ports = (10000 + number % 50000, 11210)
    source, target = (client, server) if to_server else (server, client)
    a, b = ports if to_server else ports[::-1]
    segment = struct.pack(">HHIIBBHHH", a, b, sequence, acknowledgement, 0x50, flags, 60000, 0, 0) + payload
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(segment), 0, 0, 64, 6, 0, source, target)
    when = number // 1000
    return struct.pack("<IIII", 1700000000 + when, number % 1000 * 1000, 20 + len(segment), 20 + len(segment)) + ip + segment


def message(magic, opcode, extras=b"", key=b"", value=b""):
    body = extras + key + value
    return struct.pack(">BBHBBHII8s", magic, opcode, len(key), len(extras), 0, 0, len(body), 7, bytes(8)) + body


SYN, ACK, PUSH_ACK = 2, 16, 24


def connection(number):
    """Handshake, DCP_OPEN, its answer."""
    opened = message(0x80, 0x50, struct.pack(">II", 0, 1), b"reader-%06d" % number)
    answer = message(0x81, 0x50)
    return b"".join((
        tcp(number, True, 1000, 0, SYN, b""),
        tcp(number, False, 5000, 1001, SYN | ACK, b""),
        tcp(number, True, 1001, 5001, ACK, b""),
        tcp(number, True, 1001, 5001, PUSH_ACK, opened),
        tcp(number, False, 5001, 1001 + len(opened), PUSH_ACK, answer),
        tcp(number, True, 1001 + len(opened), 5001 + len(answer), ACK, b""),
    ))


def talk(connections, rounds):
    """Each connection in turn: a document of 1,000 bytes from the server, and its acknowledgement."""
    opened, answer = len(message(0x80, 0x50, bytes(8), b"reader-%06d" % 0)), len(message(0x81, 0x50))
    item = message(0x80, 0x57, bytes(31), b"key", bytes(1000))
    for turn in range(rounds):
        told = 5001 + answer + turn * len(item)
        for number in range(connections):
            yield tcp(number, False, told, 1001 + opened, PUSH_ACK, item)
            yield tcp(number, True, 1001 + opened, told + len(item), ACK, b"")


def write(count, out):
    out.write(header())
    for number in range(count):
        out.write(connection(number))


if __name__ == "__main__":
    write(int(sys.argv[1]), sys.stdout.buffer)
