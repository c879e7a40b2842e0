#!/usr/bin/env python3
"""`streams -w` byte by byte against tcpflow and tshark's "follow", on every capture in which nothing is missing."""
import collections
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

import harness

# Where a peer gives other bytes, and why it is the peer that is wrong. A row that no longer holds fails the test.
TCPFLOW_IS_WRONG = {
    "messy_tcp_ipv4.pcap": "the garbage byte of the late keep-alive in frame 299 overwrites offset 55,681",
    "r15-out-of-window.pcap": "a segment far away begins a second file",
    "r21-overlap-conflict-delivered.pcap": "the later copy overwrites the first",
    "r22-overlap-conflict-buffered.pcap": "the later copy overwrites the first",
    "r27-rst-out-of-window.pcap": "a stray RST begins a second file",
    "r30-port-reuse-no-fin.pcap": "two connections of the same ports become one file",
    "r40-tso-zero-length.pcap": "an IP length of 0 is no payload to it",
    "r41-ethernet-padding.pcap": "the 6 bytes that pad an acknowledgement of 54 bytes are payload to it",
    "r43-mpls.pcap": "no MPLS",
    "r44-pppoe.pcap": "no PPPoE",
    "r45-gre.pcap": "no GRE",
    "r46-vxlan.pcap": "no VXLAN",
    "r47-6in4.pcap": "no 6in4",
    "r48-sll2.pcap": "no SLL2",
    "r49-null-big-endian.pcap": "address families in one byte order only",
    "r51-ip-fragments.pcap": "no IP fragments",
    "r53-ipv6-extensions.pcap": "no IPv6 extension headers",
    "r59-zstd.pcap.zst": "no Zstandard",
    "r60-pcapng-interfaces.pcapng": "stops at an interface of another link type",
    "r61-pcapng-sections.pcapng": "stops at the second section",
    "sll2-every-packet-twice.pcap": "no SLL2",
}
# All of them: an acknowledgement stands in the file before the data it acknowledges; tshark declares the data lost and puts
# MARKER in their place, and when they come it leaves them out.
MARKER = b"bytes missing in capture file"
TSHARK_IS_WRONG = {"messy_tcp_ipv4.pcap", "tcp-late-segment-after-reply.pcap"}


def captures():
    found = [*harness.DATA.glob("re*/*.pcap*"), *harness.CAPTURES.glob("*/*.pcap*")]
    return sorted(found, key=lambda path: path.name)


def ours(capture, folder):
    """{(sender, receiver): [bytes of each connection]}, or None if something is missing."""
    done = harness.run("streams", capture, "--json", "-w", folder, "--quiet", "--no-progress")
    assert done.returncode == 0, f"{capture}: {done.stderr.decode()}"
    found = collections.defaultdict(list)
    for c in json.loads(done.stdout)["connections"]:
        if c["c2s"]["gaps"] or c["s2c"]["gaps"]:
            return None
        for way, pair in (("c2s", (c["client"], c["server"])), ("s2c", (c["server"], c["client"]))):
            found[pair].append((pathlib.Path(folder) / f"c{c['id']:04}.{way}.bin").read_bytes())
    return found


def connections_of(found):
    return sum(len(each) for each in found.values()) // 2


def filled(found):
    return {pair: sorted(filter(None, each)) for pair, each in found.items() if any(each)}


def by_tcpflow(capture, folder):
    subprocess.run(["tcpflow", "-q", "-a", "-r", capture, "-o", folder], check=False, capture_output=True, timeout=300)
    found = collections.defaultdict(list)
    name = re.compile(r"(?:\d+T)?([0-9a-f.:]+)\.(\d{5})-([0-9a-f.:]+)\.(\d{5})(?:--\d+)?(?:c\d+)?$")
    for path in pathlib.Path(folder).iterdir():
        match = name.match(path.name)
        if not match:
            continue
        a, p, b, q = match.groups()
        found[endpoint(a, p), endpoint(b, q)].append(path.read_bytes())
    return found


def endpoint(address, port):
    if ":" in address:
        return f"[{address}]:{int(port)}"
    return ".".join(str(int(part)) for part in address.split(".")) + f":{int(port)}"


def by_tshark(capture, connections):
    taps = [word for n in range(connections) for word in ("-z", f"follow,tcp,raw,{n}")]
    done = subprocess.run(["tshark", "-n", "-q", "-r", capture, *taps], check=False, capture_output=True, text=True, timeout=300)
    found = collections.defaultdict(list)
    nodes, sides = [], []

    def close():
        if nodes and sides:
            found[nodes[0], nodes[1]].append(bytes(sides[0]))
            found[nodes[1], nodes[0]].append(bytes(sides[1]))

    for line in done.stdout.splitlines():
        if line.startswith("Follow:"):
            close()
            nodes, sides = [], [bytearray(), bytearray()]
        elif line.startswith("Node "):
            nodes.append(line.split(": ", 1)[1])
        elif sides and re.fullmatch(r"\t?[0-9a-f]+", line):
            sides[line.startswith("\t")] += bytes.fromhex(line.strip())
    close()
    return found


class Peers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.streams = {}
        for capture in captures():
            with tempfile.TemporaryDirectory() as folder:
                found = ours(capture, folder)
            if found:
                cls.streams[capture] = found

    def compare(self, read, wrong):
        self.assertGreater(len(self.streams), 90)
        differ, marked = {}, collections.Counter()
        for capture, found in self.streams.items():
            theirs = read(capture, found)
            if filled(theirs) != filled(found):
                for each in theirs.values() if wrong is TSHARK_IS_WRONG else ():
                    marked[capture.name] += b"".join(each).count(MARKER)
                differ[capture.name] = {str(pair): (len(b"".join(found.get(pair, []))), len(b"".join(theirs.get(pair, []))))
                                        for pair in set(found) | set(theirs)
                                        if filled(found).get(pair) != filled(theirs).get(pair)}
        self.assertEqual({}, {name: what for name, what in differ.items() if name not in wrong})
        self.assertEqual(set(), set(wrong) - set(differ), "the peer is right after all")
        if wrong is TSHARK_IS_WRONG:
            self.assertEqual(set(wrong), {name for name, count in marked.items() if count})

    def test_tcpflow_has_the_same_bytes(self):
        def read(capture, _):
            with tempfile.TemporaryDirectory() as folder:
                return by_tcpflow(capture, folder)

        self.compare(read, TCPFLOW_IS_WRONG)

    def test_tshark_follows_the_same_bytes(self):
        self.compare(lambda capture, found: by_tshark(capture, connections_of(found)), TSHARK_IS_WRONG)


if __name__ == "__main__":
    unittest.main()
