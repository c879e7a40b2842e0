"""Every canal packet down to each column of each row, against what an independent decoder listed."""
import hashlib
import re
import unittest

import wireshark

# Where a field of the listing stands under another name than its own in lower case with underscores.
BODY_PREFIX = {"ClientAuth": "client_auth", "ClientAck": "client_ack", "ClientRollback": "client_rollback",
               "HeartBeat": "heart_beat"}
NAMES = {"canal.messages.batch_id": "canal.batch_id", "canal.client_ack.batch_id": "canal.batch_id",
         "canal.client_rollback.batch_id": "canal.batch_id", "canal.entry.entry_type": "canal.entry.type",
         "canal.entry.header.serveren_code": "canal.entry.header.server_encoding",
         "canal.packet.magic_number": "canal.packet.magic", "canal.admin.packet.magic_number": "canal.admin.packet.magic"}
LISTS = {"rowDatas": "canal.row", "beforeColumns": "canal.row.before.column", "afterColumns": "canal.row.after.column"}
STORES = {"RowChange": "canal.row_change", "TransactionBegin": "canal.transaction_begin",
          "TransactionEnd": "canal.transaction_end", "Pair": "canal.gtid_log"}


def snake(name):
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


def sent(element, name):
    """Fields of that name directly below, that have bytes in the packet."""
    return [f for f in element.findall("field") if f.get("name") == name and int(f.get("size")) > 0 and f.get("hide") != "yes"]


class Fields(unittest.TestCase):
    def text(self, want, field, where):
        got = field.get("show").replace("\u2400", "\0")
        got = re.sub(r"\\([\\nrt\"abfv])", lambda m: {"\\": "\\", "n": "\n", "r": "\r", "t": "\t", '"': '"', "a": "\a",
                                                      "b": "\b", "f": "\f", "v": "\v"}[m[1]], got)
        if isinstance(want, dict):
            raw = bytes.fromhex(field.get("value"))[-want["utf8_len"]:]  # the item holds tag and length, too
            self.assertEqual(hashlib.sha256(raw).hexdigest(), want["sha256"], where)
        elif want.isprintable():
            self.assertEqual(got, want, where)
        else:
            raw = want.encode()
            self.assertTrue(bytes.fromhex(field.get("value")).endswith(raw), where)

    def scalar(self, want, field, where):
        show = field.get("show")
        if isinstance(want, bool):
            self.assertIn(show, ("1", "True") if want else ("0", "False"), where)
        elif isinstance(want, int):
            if "execute_time" in field.get("name"):
                raw = re.sub(r"[^0-9a-f]", "", field.get("value"))
                self.assertEqual(varint(bytes.fromhex(raw)[1:]), want, where)
            else:
                self.assertEqual(int(show, 0), want, where)
        elif isinstance(want, str) and field.get("showname", "").endswith(f" ({show})"):
            self.assertIn(f": {want} (", field.get("showname"), where)  # an enum by its name
        elif isinstance(want, str) and re.fullmatch(r"([0-9a-f]{2}:)*[0-9a-f]{2}", show) and show.replace(":", "") == want:
            pass  # bytes
        else:
            self.text(want, field, where)

    def message(self, want, element, prefix, where):
        for key, value in want.items():
            if key in ("size", "storeValue_len", "store_type", "store", "messages", "props", "type_number", "store_error"):
                continue
            if key in LISTS:
                self.rows(value, sent(element, LISTS[key]), LISTS[key], where + "/" + key)
                continue
            name = f"{prefix}.{snake(key)}"
            found = sent(element, NAMES.get(name, name))
            self.assertTrue(found, f"{where}: {name} is not shown")
            if isinstance(value, dict) and "utf8_len" not in value:
                self.message(value, found[0], name, where + "/" + key)
            elif isinstance(value, str) and value == "":
                pass  # sent, and empty
            else:
                self.scalar(value, found[-1], f"{where}/{key}")
        self.props(want.get("props", []), sent(element, prefix + ".prop"), prefix, where)

    def props(self, want, found, prefix, where):
        self.assertEqual(len(found), len(want), f"{where}: properties")
        for pair, element in zip(want, found):
            for key, value in pair.items():
                if value:
                    self.text(value, sent(element, f"{prefix}.prop.{key}")[0], where)

    def rows(self, want, found, name, where):
        self.assertEqual(len(found), len(want), where)
        for i, (w, f) in enumerate(zip(want, found)):
            self.message(w, f, name, f"{where}[{i}]")

    def entries(self, want, body, where):
        found = sent(body, "canal.entry")
        self.assertEqual(len(found), len(want), where)
        for i, (w, f) in enumerate(zip(want, found)):
            self.message({k: v for k, v in w.items() if k != "storeValue"}, f, "canal.entry", f"{where}[{i}]")
            if isinstance(w.get("store"), dict) and w["store"]:
                store = sent(f, "canal.entry.store_value")[0]
                self.message(w["store"], store, STORES[w["store_type"]], f"{where}[{i}]/store")

    def packet(self, line, element, where):
        admin = line["server"].endswith(":11110")
        top = "canal.admin." if admin else "canal."
        if "packet" not in line:
            return
        self.message({k: v for k, v in line["packet"].items() if k != "type"}, element, top + "packet", where)
        types = [f for f in element.findall("field") if f.get("name") == top + "packet.type"]
        self.assertEqual(int(types[-1].get("show")), line["packet"].get("type_number", 0), where)
        if not isinstance(line.get("body"), dict) or not line["body"] or "body_len" not in line:
            return
        body = sent(element, top + "packet.body")[0]
        kind = BODY_PREFIX.get(line["body_type"], snake(line["body_type"]))
        self.message(line["body"], body, top + kind, where)
        if "messages" in line["body"]:
            self.entries(line["body"]["messages"], body, where)

    def test_every_field_equals_the_listing(self):
        for capture, listing in wireshark.captures("canal"):
            with self.subTest(capture=capture):
                streams = {}
                for line in wireshark.lines(listing):
                    streams.setdefault((line["conn"], line["dir"]), []).append(line)
                shown = packets(capture)
                for key, expected in streams.items():
                    expected.sort(key=lambda line: line["stream_offset"])
                    found = shown.get(key, [])[: len(expected)]  # what follows is no frame: a negative length
                    self.assertEqual(len(found), len(expected), key)
                    for line, element in zip(expected, found):
                        self.packet(line, element, f"{key} n={line['n']}")


def varint(data):
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value
    raise ValueError(data)


def packets(capture):
    found = {}
    for packet in wireshark.as_pdml(capture, "-Y", "canal"):
        tcp = next(p for p in packet.findall("proto") if p.get("name") == "tcp")
        show = {f.get("name"): f.get("show") for f in tcp.iter("field")}
        server = show["tcp.srcport"] in ("11110", "11111")
        for proto in packet.findall("proto"):
            if proto.get("name") == "canal":
                found.setdefault((int(show["tcp.stream"]), "s2c" if server else "c2s"), []).append(proto)
    return found


if __name__ == "__main__":
    unittest.main()
