"""Makes a capture of a message sequence as tests/data/rules describes them: what TCP would have carried, packet by packet.

Connections that are seen from their start begin with SYN, SYN-ACK and ACK. Every message is one segment or more, each of them
acknowledged at once, so the causal order of the two directions is the order of the events. A hole is bytes that were sent and
acknowledged but not captured.
"""
import struct

EPOCH_NS = 1_700_000_000_000_000_000
LONGEST_SEGMENT = 1448
LOST_BYTES = 100
HANDSHAKE_NS = 300_000  # before a connection's first event
FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
OTHER = {"c2s": "s2c", "s2c": "c2s"}


def checksum(data):
    padded = data + b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(padded) // 2}H", padded))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def address(text):
    host, port = text.rsplit(":", 1)
    return bytes(map(int, host.split("."))), int(port)


class Writer:
    def __init__(self):
        self.packets = []  # (time in ns, bytes)

    def packet(self, ns, source, target, seq, ack, flags, payload=b""):
        (from_host, from_port), (to_host, to_port) = source, target
        tcp = struct.pack("!HHIIBBHHH", from_port, to_port, seq % 2**32, ack % 2**32, 5 << 4, flags, 65535, 0, 0)
        pseudo = from_host + to_host + struct.pack("!BBH", 0, 6, len(tcp) + len(payload))
        tcp = tcp[:16] + struct.pack("!H", checksum(pseudo + tcp + payload)) + tcp[18:]
        ip = struct.pack("!BBHHHBBH", 0x45, 0, 40 + len(payload), len(self.packets) & 0xFFFF, 0x4000, 64, 6, 0) + from_host + to_host
        ip = ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:]
        ethernet = b"\x02\0\0\0\0\1" + b"\x02\0\0\0\0\2" + b"\x08\0"
        self.packets.append((ns, ethernet + ip + tcp + payload))
        return len(self.packets)

    def pcap(self):
        out = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1)  # nanoseconds, Ethernet
        for ns, data in self.packets:
            out += struct.pack("<IIII", ns // 10**9, ns % 10**9, len(data), len(data)) + data
        return out


class Talk:
    """One connection of a capture that is being written."""

    def __init__(self, writer, connection, ns):
        self.writer = writer
        self.last_frame = 0
        self.ends = {"c2s": address(connection["client"]), "s2c": address(connection["server"])}
        self.next = {"c2s": 1000, "s2c": 500_000}
        if connection["from_start"]:
            start = ns - HANDSHAKE_NS
            self.send(start, "c2s", SYN)
            self.send(start + 1000, "s2c", SYN | ACK)
            self.send(start + 2000, "c2s", ACK)

    def send(self, ns, way, flags, payload=b""):
        back = OTHER[way]
        acked = self.next[back] if flags & ACK else 0
        self.last_frame = self.writer.packet(ns, self.ends[way], self.ends[back], self.next[way], acked, flags, payload)
        self.next[way] += len(payload) + (1 if flags & (SYN | FIN) else 0)
        return self.last_frame

    def message(self, ns, way, data):
        for at in range(0, len(data), LONGEST_SEGMENT):
            frame = self.send(ns, way, PSH | ACK, data[at:at + LONGEST_SEGMENT])
            self.send(ns, OTHER[way], ACK)
        return frame

    def lose(self, ns, way):
        self.next[way] += LOST_BYTES
        return self.send(ns, OTHER[way], ACK)

    def end(self, ns, way, how):
        if how == "rst":
            return self.send(ns, way, RST | ACK)
        frame = self.send(ns, way, FIN | ACK)
        self.send(ns, OTHER[way], ACK)
        return frame


def on_the_wire(protocol, raw):
    data = bytes.fromhex(raw)
    return struct.pack("!I", len(data)) + data if protocol == "canal" else data


class Capture:
    """`pcap`: the bytes of a file. `numbers`: what cdcscope calls each connection of the sequence (from 1, in order of appearance)."""

    def __init__(self, sequence):
        writer = Writer()
        described = {c["conn"]: c for c in sequence["connections"]}
        talks = {}
        self._frames = []
        for event in sequence["events"]:
            ns = EPOCH_NS + round(event["at"] * 1000) * 1_000_000
            if event["conn"] not in talks:
                talks[event["conn"]] = Talk(writer, described[event["conn"]], ns)
            self._frames.append(play(talks[event["conn"]], ns, event, sequence["protocol"]))
        self._last = {conn: talk.last_frame for conn, talk in talks.items()}
        self.numbers = {conn: number for number, conn in enumerate(talks, 1)}
        self.pcap = writer.pcap()

    def frame_of(self, conn, event):
        """The frame that completes an event; one behind the last event is the end of the capture, told with the connection's last frame."""
        return self._frames[event] if event < len(self._frames) else self._last[conn]


def play(talk, ns, event, protocol):
    way = event["dir"]
    if "pieces" in event:
        for later_ms, piece in event["pieces"]:
            frame = talk.message(ns + round(later_ms * 1e6), way, bytes.fromhex(piece))
        return frame
    if "raw" in event:
        return talk.message(ns, way, on_the_wire(protocol, event["raw"]))
    if "end" in event:
        return talk.end(ns, way, event["end"])
    return talk.lose(ns, way)
