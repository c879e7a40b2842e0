"""DCP messages made by hand from the server's documentation, for what no capture holds. Shares no code with the tables."""
import struct


def message(opcode, extras=b"", key=b"", value=b"", magic=0x80, last=0, datatype=0, opaque=0x11, cas=0, framing=b""):
    """`last`: the vbucket of a request, the status of a response."""
    lengths = struct.pack(">BB", len(framing), len(key)) if magic in (0x08, 0x18) else struct.pack(">H", len(key))
    body = framing + extras + key + value
    return (struct.pack(">BB", magic, opcode) + lengths
            + struct.pack(">BBHIIQ", len(extras), datatype, last, len(body), opaque, cas) + body)


def answer(opcode, extras=b"", key=b"", value=b"", status=0, **more):
    return message(opcode, extras, key, value, magic=more.pop("magic", 0x81), last=status, **more)


def snappy(data):
    """One literal after another: a valid block that compresses nothing."""
    out, length = bytearray(), len(data)
    while length > 0x7F:
        out.append(length & 0x7F | 0x80)
        length >>= 7
    out.append(length)
    for at in range(0, len(data), 60):
        piece = data[at:at + 60]
        out.append((len(piece) - 1) << 2)
        out += piece
    return bytes(out)


def xattrs(**pairs):
    listed = b""
    for key, value in pairs.items():
        pair = key.encode() + b"\0" + value.encode() + b"\0"
        listed += struct.pack(">I", len(pair)) + pair
    return struct.pack(">I", len(listed)) + listed


def flat(slots):
    """A FlatBuffers table: {slot: (format, number) or text}."""
    count = max(slots) + 1
    table = 4 + 4 + 2 * count
    offsets, body = [0] * count, b""
    texts = []
    for slot, entry in slots.items():
        offsets[slot] = 4 + len(body)
        if isinstance(entry, str):
            texts.append((len(body), entry.encode()))
            body += bytes(4)
        else:
            body += struct.pack("<" + entry[0], entry[1])
    for at, text in texts:
        body = body[:at] + struct.pack("<I", len(body) - at) + body[at + 4:] + struct.pack("<I", len(text)) + text + b"\0"
    vtable = struct.pack("<HH", 4 + 2 * count, 4 + len(body)) + b"".join(struct.pack("<H", o) for o in offsets)
    return struct.pack("<I", table) + vtable + struct.pack("<i", len(vtable)) + body


def record(key, value, seqno, datatype=0, cas=7):
    """Of a cache transfer."""
    return struct.pack(">QQQIIIHBB", cas, seqno, 2, len(value), 0x02000006, 0, len(key), datatype, 9) + key + value
