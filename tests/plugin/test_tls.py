"""Port 11207: with a key log, what is inside TLS is dissected like 11210."""
import os
import ssl
import subprocess
import unittest

import wireshark
from test_beside import OPEN, between, message
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


def talk(folder):
    """Handshake, then messages both ways; [(from the client?, bytes)] and the key log."""
    key, cert = certificate(folder)
    log = os.path.join(wireshark.room.work, "keys.log")
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
    two = OPEN + message(0x80, 0x5c)
    for from_client, side, data in ((True, client, two[:40]), (True, client, two[40:]), (False, server, message(0x81, 0x50))):
        side.tls.write(data)
        sent.append((from_client, side.outgoing.read()))
    os.chmod(log, 0o644)
    return sent, log


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


if __name__ == "__main__":
    unittest.main()
