"""Beside Wireshark's own `couchbase` dissector: who gets which message, what users can switch, and other ports."""
import json
import os
import struct
import subprocess
import unittest

import wireshark
from made import answer, message
from test_bytes import packets, pcap, segment


def protocols(place, *options):
    return wireshark.tshark("-r", wireshark.room.copy(place), "-T", "fields", "-e", "frame.protocols", "-Y", "tcp.len > 0", *options)


def capture(kind, name):
    return next(c for c, _ in wireshark.captures(kind) if name in c)


def between(client, server, pieces):
    """pieces: (from the client?, bytes)."""
    frames = [segment(True, client, server, 99, 0, 2, b""), segment(False, server, client, 199, 100, 0x12, b""),
              segment(True, client, server, 100, 200, 0x10, b"")]
    at = {True: 100, False: 200}
    for from_client, data in pieces:
        source, target = (client, server) if from_client else (server, client)
        frames.append(segment(from_client, source, target, at[from_client], at[not from_client], 0x18, data))
        at[from_client] += len(data)
    return frames


OPEN = message(0x50, struct.pack(">II", 0, 1), b"test:1")
GET = message(0x00, b"", b"some-key")


class Beside(unittest.TestCase):
    def test_dcp_is_ours_and_get_is_theirs(self):
        place = wireshark.room.write("get.pcap", pcap(between(30000, 11210, [(True, GET), (True, OPEN)])))
        shown = protocols(place).split()
        self.assertTrue(shown[0].endswith(":couchbase"), shown)
        self.assertTrue(shown[1].endswith(":cbkv:cbdcp") or shown[1].endswith(":cbdcp"), shown)

    def test_short_summary_keeps_all_here(self):
        place = wireshark.room.write("get2.pcap", pcap(between(30000, 11210, [(True, GET)])))
        shown = wireshark.tshark("-r", place, "-o", "cbdcp.non_dcp:Short summary by this plugin", "-Y", "cbdcp")
        self.assertIn("Get", shown)
        self.assertIn("some-key", shown)

    def test_both_in_one_segment(self):
        place = wireshark.room.write("mixed.pcap", pcap(between(30000, 11210, [(True, OPEN + GET + OPEN)])))
        shown = wireshark.tshark("-r", place, "-Y", "cbdcp and couchbase")
        self.assertEqual(shown.count("Open"), 2, shown)
        self.assertIn("CB-DCP", shown)

    def test_disabling_ours_gives_the_port_back(self):
        shown = protocols(capture("dcp", "basic_ipv4"), "--disable-protocol", "cbdcp")
        self.assertNotIn("cbdcp", shown)
        self.assertIn(":couchbase", shown)

    def test_decode_as_couchbase_wins(self):
        shown = protocols(capture("dcp", "basic_ipv4"), "-d", "tcp.port==11210,couchbase")
        self.assertNotIn("cbdcp", shown)
        self.assertIn(":couchbase", shown)

    def test_a_port_preference_of_couchbase_does_not_take_it_away(self):
        shown = protocols(capture("dcp", "basic_ipv4"), "-o", "couchbase.tcp.port:11210")
        self.assertIn(":cbdcp", shown)

    def test_the_ports_can_be_left_to_couchbase(self):
        shown = protocols(capture("dcp", "basic_ipv4"), "-o", "cbdcp.take_ports:FALSE")
        self.assertNotIn("cbdcp", shown)
        self.assertIn(":couchbase", shown)

    def test_decode_as_cbdcp_on_another_port(self):
        get = wireshark.room.write("noopen.pcap", pcap(between(30000, 12000, [(True, message(0x5c))])))
        self.assertNotIn("cbdcp", protocols(get))
        self.assertIn(":cbdcp", protocols(get, "-d", "tcp.port==12000,cbdcp"))

    def test_heuristic_takes_any_port_from_dcp_open_on(self):
        place = wireshark.room.write("port12000.pcap", pcap(between(30000, 12000, [(True, GET), (True, OPEN), (True, message(0x5c))])))
        shown = protocols(place).split()
        self.assertNotIn("cbdcp", shown[0])
        self.assertIn(":cbdcp", shown[1])
        self.assertIn(":cbdcp", shown[2])

    def test_heuristic_can_be_switched_off(self):
        place = wireshark.room.write("port12000b.pcap", pcap(between(30000, 12000, [(True, OPEN)])))
        self.assertNotIn("cbdcp", protocols(place, "--disable-heuristic", "cbdcp_tcp"))

    def test_middle_of_a_stream_is_joined_at_a_header(self):
        frames = between(30000, 11210, [(True, b"tail of a message that began earlier"), (True, OPEN)])[3:]
        shown = protocols(wireshark.room.write("middle.pcap", pcap(frames))).split()
        self.assertNotIn("cbdcp", shown[0])
        self.assertIn(":cbdcp", shown[1])

    def test_a_body_beyond_the_limit_is_not_believed(self):
        liar = struct.pack(">BBHBBHIIQ", 0x80, 0x57, 0, 31, 0, 0, 0x7fffffff, 0, 0) + bytes(31)
        place = wireshark.room.write("liar.pcap", pcap(between(30000, 11210, [(True, OPEN), (True, liar), (True, OPEN)])))
        shown = wireshark.tshark("-r", place, "-Y", "cbdcp")
        self.assertEqual(shown.count("Open"), 2, shown)

    def test_http_on_canals_port_is_not_canal(self):
        place = wireshark.room.write("http.pcap", pcap(between(30000, 11111, [(True, b"GET / HTTP/1.1\r\n\r\n"), (False, b"HTTP/1.1 200 OK\r\n\r\n")])))
        self.assertNotIn("canal", protocols(place))

    def test_canal_handshake_is_known_on_any_port(self):
        handshake = bytes.fromhex("00000010" "10011801" "2a0a" "1208bf0867f881e63834")
        admin = bytes.fromhex("00000010" "10011801" "220a" "1208bf0867f881e63834")
        for name, data, field in (("data", handshake, "canal.packet.type"), ("admin", admin, "canal.admin.packet.type")):
            place = wireshark.room.write(f"hand-{name}.pcap", pcap(between(30000, 23456, [(False, data)])))
            self.assertEqual(wireshark.tshark("-r", place, "-T", "fields", "-e", field, "-Y", "canal").strip(), "1", name)

    def test_admin_port_is_never_taken_for_the_data_port(self):
        place = capture("canal", "admin_11110")
        self.assertEqual(wireshark.dissect(place, "-Y", "canal.packet.type"), "")
        self.assertGreater(len(wireshark.dissect(place, "-Y", "canal.admin.packet.type").splitlines()), 20)

    def hints(self, protocol, place, *options):
        return sorted(wireshark.tshark("-r", place, "-Y", f"{protocol}.order_unknown", "-T", "fields", "-e", "tcp.stream", *options).split())

    def test_one_hint_a_connection_where_segments_are_out_of_order(self):
        messy, basic = (wireshark.room.copy(capture("dcp", n)) for n in ("messy_tcp_ipv4", "basic_ipv4"))
        for setting in ("TRUE", "FALSE"):
            option = ["-o", f"tcp.reassemble_out_of_order:{setting}"]
            self.assertEqual(self.hints("cbdcp", messy, *option), ["0", "1"])
            self.assertEqual(wireshark.tshark("-r", messy, *option, "-Y", "cbdcp.malformed"), "")  # disorder is no fault of a message
            self.assertEqual(self.hints("cbdcp", basic, *option), [])

    def test_one_hint_a_canal_connection_too(self):
        frames = [data for _, data in packets(capture("canal", "basic"))]
        # The client sends length and packet in two segments; those of one packet change places.
        client = [n for n, f in enumerate(frames) if f[36:38] == struct.pack(">H", 11111) and len(f) > 66]
        first, second = next((a, b) for a, b in zip(client[8:], client[9:]) if len(frames[a]) == 70)
        frames[first], frames[second] = frames[second], frames[first]
        swapped = wireshark.room.write("canal-swapped.pcap", pcap(frames))
        untouched = wireshark.room.copy(capture("canal", "basic"))
        for setting in ("TRUE", "FALSE"):
            option = ["-o", f"tcp.reassemble_out_of_order:{setting}"]
            self.assertEqual(self.hints("canal", swapped, *option), ["0"])
            self.assertEqual(self.hints("canal", untouched, *option), [])

    def test_hint_where_nothing_comes_behind(self):
        """Only the end of the capture tells; the last message that was shown has the hint then."""
        late = between(30000, 11210, [(True, OPEN), (False, answer(0x50)), (True, GET), (True, GET)])
        del late[-2]
        place = wireshark.room.write("late.pcap", pcap(late))
        self.assertEqual(self.hints("cbdcp", place, "-2", "-o", "tcp.reassemble_out_of_order:TRUE"), ["0"])

    def test_hint_where_the_capture_cut_a_segment_and_tcp_waits(self):
        option = "tcp.reassemble_out_of_order"
        frames = between(30000, 11210, [(True, OPEN), (False, answer(0x50)), (True, message(0x5c)), (True, message(0x5c))])
        place = wireshark.room.write("cut-segment.pcap", pcap(frames, cut={3: 70}))
        self.assertEqual(self.hints("cbdcp", place, "-2", "-o", f"{option}:TRUE"), ["0"])
        self.assertEqual(self.hints("cbdcp", place, "-2", "-o", f"{option}:FALSE"), [])


class Preferences(unittest.TestCase):
    """Each setting of the plugin, and where the program has it, too, its option."""

    KEYED = message(0x57, bytes(31), b"\x08ab", b"{}")
    HELLO = [(True, message(0x1f, b"", b"agent", b"\x00\x12")), (False, answer(0x1f, b"", b"", b"\x00\x12"))]

    def show(self, place, field, *options):
        return wireshark.tshark("-r", place, "-Y", "cbdcp", "-T", "fields", "-e", field, *options).split()

    def test_collections(self):
        plain = wireshark.room.write("plain-keys.pcap", pcap(between(30000, 11210, [(True, OPEN), (False, self.KEYED)])))
        prefixed = wireshark.room.write("prefixed-keys.pcap", pcap(between(30000, 11210, [*self.HELLO, (True, OPEN), (False, self.KEYED)])))
        for choice, of_plain, of_prefixed in (("Auto", [], ["0x00000008"]), ("On", ["0x00000008"], ["0x00000008"]), ("Off", [], [])):
            for place, want in ((plain, of_plain), (prefixed, of_prefixed)):
                self.assertEqual(self.show(place, "cbdcp.collection_id", "-o", f"cbdcp.collections:{choice}"), want, choice)
                done = subprocess.run([os.environ["CDCSCOPE_PROGRAM"], "extract", "-o", "-", "--no-progress", "--collections", choice.lower(),
                                       place], capture_output=True)
                records = [json.loads(line) for line in done.stdout.splitlines()]
                self.assertEqual([f"0x{r['collectionId']:08x}" for r in records if "collectionId" in r], want, choice)

    def test_a_late_start_is_judged_by_the_keys_and_says_so(self):
        frames = between(30000, 11210, [(False, message(0x57, bytes(31), b"\x00" + name, b"{}")) for name in (b"one", b"two")])[3:]
        place = wireshark.room.write("late-start.pcap", pcap(frames))
        self.assertEqual(self.show(place, "cbdcp.collection_id"), ["0x00000000"] * 2)
        self.assertEqual(len(self.show(place, "cbdcp.collections_judged")), 2)

    def test_json_can_be_left_alone(self):
        with_json = message(0x57, bytes(31), b"k", b'{"a":1}', datatype=1)
        place = wireshark.room.write("json.pcap", pcap(between(30000, 11210, [(True, OPEN), (False, with_json)])))
        self.assertEqual(self.show(place, "json.member"), ["a"])
        self.assertEqual(self.show(place, "json.member", "-o", "cbdcp.decode_json:FALSE"), [])
        self.assertEqual(self.show(place, "cbdcp.content", "-o", "cbdcp.decode_json:FALSE"), ['{"a":1}'])

    def test_messages_over_several_segments(self):
        place = wireshark.room.write("two-segments.pcap", pcap(between(30000, 11210, [(True, OPEN), (False, self.KEYED[:30]), (False, self.KEYED[30:])])))
        self.assertEqual(self.show(place, "cbdcp.opcode"), ["0x50", "0x57"])
        for setting in ("cbdcp.desegment", "tcp.desegment_tcp_streams"):
            alone = wireshark.tshark("-r", place, "-o", f"{setting}:FALSE", "-Y", "cbdcp", "-V", may_warn=True)
            self.assertNotIn("Reassembled TCP", alone)
            self.assertNotIn("is malformed", alone)
            self.assertNotIn("are no message", alone)

    def test_largest_message(self):
        big = message(0x57, bytes(31), b"k", bytes(3 << 20))
        pieces = [big[at:at + 60000] for at in range(0, len(big), 60000)]
        place = wireshark.room.write("big.pcap", pcap(between(30000, 11210, [(True, OPEN), *((False, piece) for piece in pieces)])))
        self.assertEqual(self.show(place, "cbdcp.opcode"), ["0x50", "0x57"])
        self.assertEqual(self.show(place, "cbdcp.opcode", "-o", "cbdcp.max_body_mib:2"), ["0x50"])


if __name__ == "__main__":
    unittest.main()
