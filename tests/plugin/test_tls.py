"""Port 11207: with a key log, what is inside TLS is dissected like 11210."""
import base64
import json
import os
import ssl
import struct
import subprocess
import unittest

import wireshark
from made import answer, message
from test_beside import OPEN, between
from test_bytes import pcap


def certificate(folder):
    key, cert = os.path.join(folder, "key.pem"), os.path.join(folder, "cert.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=kv", "-days", "2", "-keyout", key,
                    "-out", cert], check=True, capture_output=True)
    return key, cert


class Side:
    """One end of TLS over bytes in memory."""

    def __init__(self, context, server):
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_side=server, server_hostname=None if server else "kv")
        self.ready = False

    def step(self):
        try:
            self.tls.do_handshake()
            self.ready = True
        except ssl.SSLWantReadError:
            pass
        return self.outgoing.read()


TWO = OPEN + message(0x5c)
PIECES = [(True, TWO[:40]), (True, TWO[40:]), (False, answer(0x50))]


def talk(folder, pieces=PIECES, log_name="keys.log"):
    """Handshake, then `pieces`, a TLS record each; [(from the client?, bytes)] and the key log."""
    key, cert = certificate(folder)
    log = os.path.join(wireshark.room.work, log_name)
    to_server = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    to_server.check_hostname, to_server.verify_mode = False, ssl.CERT_NONE
    to_server.keylog_filename = log
    to_client = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    to_client.load_cert_chain(cert, key)
    client, server = Side(to_server, False), Side(to_client, True)
    sent = []
    while not (client.ready and server.ready):
        for from_client, side, other in ((True, client, server), (False, server, client)):
            data = side.step()
            if data:
                sent.append((from_client, data))
                other.incoming.write(data)
    for from_client, data in pieces:
        side = client if from_client else server
        side.tls.write(data)
        sent.append((from_client, side.outgoing.read()))
    os.chmod(log, 0o644)
    return sent, log


def extract(place):
    """The messages of each direction in the order of their bytes, and the summary."""
    summary = os.path.join(wireshark.room.top, "summary.json")
    done = subprocess.run([os.environ["CDCSCOPE_PROGRAM"], "extract", "-o", "-", "--payload", "both", "--no-progress", "--summary", summary,
                           "--force", place], capture_output=True)
    if done.returncode != 0:
        raise wireshark.Failed(done.stderr.decode())
    found = {"c2s": [], "s2c": []}
    for line in done.stdout.splitlines():
        record = json.loads(line)
        if "raw" in record:
            found[record["wire"]["dir"]].append(base64.b64decode(record["raw"]))
    with open(summary, encoding="utf-8") as f:
        return found, json.load(f)


class Tls(unittest.TestCase):
    def test_messages_inside_tls_are_dissected(self):
        sent, log = talk(wireshark.room.top)
        place = wireshark.room.write("tls.pcap", pcap(between(30000, 11207, sent)))
        options = ["-r", place, "-o", f"tls.keylog_file:{log}"]
        for passes in ([], ["-2"]):
            shown = wireshark.tshark(*options, *passes, "-Y", "cbdcp", "-T", "fields", "-e", "cbdcp.opcode", "-e", "cbdcp.request_in")
            self.assertEqual([line.split("\t")[0] for line in shown.splitlines()], ["0x50", "0x5c", "0x50"])
            self.assertNotEqual(shown.splitlines()[2].split("\t")[1], "")
        self.assertEqual(wireshark.tshark("-r", place, "-Y", "cbdcp"), "")

    def test_who_leaves_the_ports_to_couchbase_leaves_it_this_one_too(self):
        sent, log = talk(wireshark.room.top, log_name="theirs.log")
        place = wireshark.room.write("tls-theirs.pcap", pcap(between(30000, 11207, sent)))
        for option in (["-o", "cbdcp.take_ports:FALSE"], ["--disable-protocol", "cbdcp"]):
            shown = wireshark.tshark("-r", place, "-o", f"tls.keylog_file:{log}", *option, "-Y", "couchbase or cbdcp",
                                     "-T", "fields", "-e", "frame.protocols").split()
            self.assertGreater(len(shown), 1)
            for protocols in shown:
                self.assertIn("couchbase", protocols)
                self.assertNotIn("cbdcp", protocols)

    def test_secrets_inside_the_capture_do_as_well(self):
        sent, log = talk(wireshark.room.top, log_name="embedded.log")
        plain = wireshark.room.write("tls-plain.pcap", pcap(between(30000, 11207, sent)))
        place = os.path.join(wireshark.room.work, "tls-embedded.pcapng")
        done = subprocess.run(["editcap", "--inject-secrets", f"tls,{log}", plain, place], capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        os.chmod(place, 0o644)
        os.remove(log)
        shown = wireshark.tshark("-r", place, "-Y", "cbdcp", "-T", "fields", "-e", "cbdcp.opcode").split()
        self.assertEqual(shown, ["0x50", "0x5c", "0x50"])

    def test_the_program_calls_it_encrypted(self):
        sent, _ = talk(wireshark.room.top)
        place = wireshark.room.write("tls-encrypted.pcap", pcap(between(30000, 11207, sent)))
        found, summary = extract(place)
        self.assertEqual(found, {"c2s": [], "s2c": []})
        self.assertEqual([c["protocol"] for c in summary["connections"]], ["tls"])


class Exported(unittest.TestCase):
    """What Wireshark decrypted and wrote by *Export PDUs to File*, read by the program."""

    def test_every_message_of_a_capture_comes_through_tls_and_an_export(self):
        for name in ("basic_ipv4", "durability_replication_ipv4", "v8_features_ipv6"):
            with self.subTest(name):
                capture = next(c for c, _ in wireshark.captures("dcp") if name in c)
                want, _ = extract(capture)
                lines = [line for line in wireshark.lines(capture.replace(".pcap", ".expected.jsonl"))]
                at = {"c2s": 0, "s2c": 0}
                pieces = []
                for line in lines:  # in order of completion, each message as a record; every fifth cut in two
                    data = want[line["dir"]][at[line["dir"]]]
                    at[line["dir"]] += 1
                    half = len(data) // 2 if len(pieces) % 5 == 4 else 0
                    pieces += [(line["dir"] == "c2s", part) for part in (data[:half], data[half:]) if part]
                sent, log = talk(wireshark.room.top, pieces, f"{name}.log")
                place = wireshark.room.write(f"tls-{name}.pcap", pcap(between(30000, 11207, sent)))
                exported = os.path.join(wireshark.room.work, f"exported-{name}.pcapng")
                wireshark.tshark("-r", place, "-o", f"tls.keylog_file:{log}", "-U", "OSI layer 7", "-w", exported)
                kind = subprocess.run(["capinfos", "-E", "-M", exported], capture_output=True).stdout.decode()
                self.assertIn("wireshark-upper-pdu", kind)
                got, summary = extract(exported)
                self.assertEqual(got, want)
                self.assertEqual([c["protocol"] for c in summary["connections"]], ["dcp"])


if __name__ == "__main__":
    unittest.main()
