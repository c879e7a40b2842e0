"""Takes classic little-endian pcap files apart, for captures that lack some of their packets."""
import struct

ETHERNET, RAW, LINUX_COOKED, LINUX_COOKED_2, LOOPBACK = 1, 101, 113, 276, 0
NETWORK_HEADER = {ETHERNET: 14, RAW: 0, LINUX_COOKED: 16, LINUX_COOKED_2: 20, LOOPBACK: 4}
SYN, ACK = 0x02, 0x10


def packets(path):
    """The header of a classic little-endian pcap file, and its records."""
    data = path.read_bytes()
    assert data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1"), path
    records, at = [], 24
    while at < len(data):
        end = at + 16 + struct.unpack_from("<I", data, at + 8)[0]
        records.append(data[at:end])
        at = end
    return data[:24], records


def segment(header, record):
    """Sender, receiver and flags of a TCP segment."""
    at = 16 + NETWORK_HEADER[struct.unpack_from("<I", header, 20)[0]]
    if record[at] >> 4 == 4:
        addresses, tcp = record[at + 12:at + 20], at + (record[at] & 15) * 4
    else:
        addresses, tcp = record[at + 8:at + 40], at + 40
    half = len(addresses) // 2
    ports = struct.unpack_from(">HH", record, tcp)
    return (addresses[:half], ports[0]), (addresses[half:], ports[1]), record[tcp + 13]
