"""Small made captures of one DCP connection, for names and amounts that no real capture has."""
import itertools
import struct

CLIENT, SERVER = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])


class Capture:
    """Packets of one TCP connection from 10.0.0.1:40000 to 10.0.0.2:11210, a message a packet."""

    def __init__(self, start=1_700_000_000.0, port=40000, server_port=11210):
        self._ports = {True: (port, server_port), False: (server_port, port)}
        self._packets = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1)]
        self._seq = {True: 1000, False: 5000}
        self.now = start
        self._segment(True, b"", 0x02)
        self._seq[True] += 1
        self._segment(False, b"", 0x12)
        self._seq[False] += 1
        self._segment(True, b"", 0x10)

    def _segment(self, from_client, data, flags=0x18):
        tcp = struct.pack("!HHIIBBHHH", *self._ports[from_client], self._seq[from_client],
                          self._seq[not from_client] if flags != 0x02 else 0, 0x50, flags, 65535, 0, 0)
        ends = CLIENT + SERVER if from_client else SERVER + CLIENT
        ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(tcp) + len(data), 0, 0, 64, 6, 0) + ends
        frame = b"\2\0\0\0\0\1\2\0\0\0\0\2\x08\0" + ip + tcp + data
        micros = round(self.now * 1e6)
        self._packets.append(struct.pack("<IIII", micros // 1_000_000, micros % 1_000_000, len(frame), len(frame)) + frame)
        self.now += 0.0001

    def send(self, from_client, opcode, *, answer=False, partition=0, opaque=0, extras=b"", key=b"", value=b"", cas=0):
        body = extras + key + value
        message = struct.pack("!BBHBBHIIQ", 0x81 if answer else 0x80, opcode, len(key), len(extras), 0, partition, len(body),
                              opaque, cas) + body
        self.raw(from_client, message)

    def raw(self, from_client, data):
        self._segment(from_client, data)
        self._seq[from_client] += len(data)

    def hello(self, name, agent=b"maker/1"):
        self.send(True, 0x1F, key=agent)
        self.send(False, 0x1F, answer=True)
        self.send(True, 0x50, extras=struct.pack("!II", 0, 1), key=name)
        self.send(False, 0x50, answer=True)

    def window(self, size):
        self.send(True, 0x5E, key=b"connection_buffer_size", value=str(size).encode())
        self.send(False, 0x5E, answer=True)

    def acknowledge(self, size):
        self.send(True, 0x5D, extras=struct.pack("!I", size))

    def stream(self, partition, opaque, last):
        self.send(True, 0x53, partition=partition, opaque=opaque, extras=struct.pack("!IIQQQQQ", 0, 0, 0, 2**64 - 1, 0, 0, 0))
        self.send(False, 0x53, answer=True, opaque=opaque, value=struct.pack("!QQ", 0xABCDEF, 0))
        self.send(False, 0x56, partition=partition, opaque=opaque, extras=struct.pack("!QQI", 0, last, 1))

    def mutation(self, partition, opaque, seqno, key, value=b"{}"):
        self.send(False, 0x57, partition=partition, opaque=opaque, cas=1_700_000_000_000_000_000,
                  extras=struct.pack("!QQIIIHB", seqno, 1, 0, 0, 0, 0, 0), key=key, value=value)
        return 24 + 31 + len(key) + len(value)

    def end(self, partition, opaque, reason):
        self.send(False, 0x55, partition=partition, opaque=opaque, extras=struct.pack("!I", reason))

    def write(self, path):
        with open(path, "wb") as file:
            file.write(b"".join(self._packets))


def write_together(path, captures):
    """Several connections in one file, their packets in turn."""
    with open(path, "wb") as file:
        file.write(captures[0]._packets[0])
        for packets in itertools.zip_longest(*(c._packets[1:] for c in captures), fillvalue=b""):
            file.write(b"".join(packets))


def hostile(path, markup):
    """Markup in every name that DCP carries."""
    c = Capture()
    c.hello(markup, markup)
    c.window(4096)
    c.stream(7, 1, 100)
    for seqno in range(1, 60):
        c.mutation(7, 1, seqno, markup + str(seqno).encode(), b'{"html": "<script>hit()</script>"}')
    c.now += 30
    c.send(False, 0x5C)  # a keep-alive, so that the stall shows
    c.send(True, 0x5C, answer=True)
    c.write(path)


def large(path, streams, items):
    """Many vbuckets, many changes of the window."""
    c = Capture()
    c.hello(b"large")
    c.window(1 << 20)
    for partition in range(streams):
        c.stream(partition, partition + 1, items // streams)
    for n in range(items):
        size = c.mutation(n % streams, n % streams + 1, n // streams + 1, b"key%d" % n)
        if n % 2 == 1:
            c.acknowledge(2 * size)
        c.now += 0.001
    c.write(path)


def many_connections(path, number):
    """A capture of `number` connections that carry one stream each, a few of them ended by the server."""
    out = None
    for i in range(number):
        c = Capture(1_700_000_000 + i * 0.01)
        c.hello(b"connection %d" % i)
        c.stream(i, 1, 3)
        for seqno in range(1, 4):
            c.mutation(i, 1, seqno, b"k%d" % seqno)
        if i % 100 == 7:
            c.end(i, 1, 2)
        packets = [c._packets[0]]
        for packet in c._packets[1:]:  # another client port each
            packet = bytearray(packet)
            at = 16 + 14 + 20
            port = struct.pack("!H", 20000 + i)
            if packet[at:at + 2] == struct.pack("!H", 40000):
                packet[at:at + 2] = port
            else:
                packet[at + 2:at + 4] = port
            packets.append(bytes(packet))
        out = packets if out is None else out + packets[1:]
    with open(path, "wb") as file:
        file.write(b"".join(out))
