"""Display filters show the frames that an independent decoder's listing says they should, before and after apart."""
import unittest

import wireshark

CAPTURES = ("basic", "batches", "mysql55_types")


def entries(line):
    body = line.get("body")
    return body.get("messages", []) if isinstance(body, dict) else []


def columns(line, side):
    for entry in entries(line):
        store = entry.get("store")
        for row in store.get("rowDatas", []) if isinstance(store, dict) else []:
            yield from row.get(side, [])


def tables(line):
    return {f"{e['header'].get('schemaName', '')}.{e['header'].get('tableName', '')}" for e in entries(line)}


def some(line, side, **wanted):
    return any(all(c.get(k) == v for k, v in wanted.items()) for c in columns(line, side))


def body(line, kind, name):
    return line["body"].get(name) if line.get("body_type") == kind and isinstance(line.get("body"), dict) else None


def stores(line):
    return [e["store"] for e in entries(line) if isinstance(e.get("store"), dict)]


# Filter, and what a line of the listing must be for its frame to be shown.
FILTERS = {
    'canal.table == "shop.orders"': lambda l: "shop.orders" in tables(l),
    'canal.table == "shop.orders" && canal.row.after.column.updated':
        lambda l: "shop.orders" in tables(l) and any("updated" in c for c in columns(l, "afterColumns")),
    'canal.table == "shop.orders" && canal.row.after.column.updated == 1':
        lambda l: "shop.orders" in tables(l) and some(l, "afterColumns", updated=True),
    'canal.row.after.column.value == "alice"': lambda l: some(l, "afterColumns", value="alice"),
    'canal.row.before.column.value == "alice"': lambda l: some(l, "beforeColumns", value="alice"),
    'canal.row.before.column.value == "alice" && !canal.row.after.column':
        lambda l: some(l, "beforeColumns", value="alice") and not any(columns(l, "afterColumns")),
    "canal.row.after.column.is_null == 1": lambda l: some(l, "afterColumns", isNull=True),
    'canal.row.after.column.name == "note" && canal.row.after.column.is_key == 1':
        lambda l: some(l, "afterColumns", name="note") and some(l, "afterColumns", isKey=True),
    "canal.row.after.column.sql_type == 2004": lambda l: some(l, "afterColumns", sqlType=2004),
    "canal.row_change.event_type == 3": lambda l: any(s.get("eventType") == "DELETE" for s in stores(l)),
    "canal.row_change.is_ddl == 1": lambda l: any(s.get("isDdl") for s in stores(l)),
    'canal.row_change.sql contains "create table"': lambda l: any("create table" in str(s.get("sql", "")) for s in stores(l)),
    "canal.entry.type == 3": lambda l: any(e.get("entryType") == "TRANSACTIONEND" for e in entries(l)),
    "canal.packet.type == 6": lambda l: l.get("packet", {}).get("type_number") == 6,
    "canal.ack.error_code == 400": lambda l: body(l, "Ack", "error_code") == 400,
    "canal.batch_id == 2": lambda l: 2 in [body(l, kind, "batch_id") for kind in ("Messages", "ClientAck", "ClientRollback")],
    "canal.get.timeout > 0": lambda l: (body(l, "Get", "timeout") or 0) > 0,
    'canal.sub.filter contains "shop"': lambda l: "shop" in (body(l, "Sub", "filter") or ""),
}


class Filters(unittest.TestCase):
    def test_show_the_frames_of_the_listing(self):
        shown = dict.fromkeys(FILTERS, 0)
        chosen = {name: (capture, wireshark.lines(listing)) for capture, listing in wireshark.captures("canal")
                  for name in CAPTURES if capture.endswith(f"/{name}.pcap")}
        self.assertEqual(set(CAPTURES), set(chosen))
        for name, (capture, lines) in chosen.items():
            with wireshark.Sharkd(capture) as daemon:
                for wanted, fits in FILTERS.items():
                    with self.subTest(capture=name, filter=wanted):
                        expected = sorted({line["done_pkt"] for line in lines if fits(line)})
                        found = [frame["num"] for frame in daemon.call("frames", filter=wanted)]
                        self.assertEqual(expected, found)
                        shown[wanted] += len(found)
        self.assertEqual([], [wanted for wanted, count in shown.items() if count == 0])

    def test_work_with_figures_of_the_state_machine(self):
        capture = next(c for c, _ in wireshark.captures("canal") if c.endswith("/basic.pcap"))
        frames = lambda wanted, *more: [int(row[0][0]) for row in wireshark.fields(capture, ["frame.number"], "-Y", wanted, *more)]
        answers = frames("canal.request_in && canal.packet.type == 7")
        self.assertEqual(answers, frames("canal.response_time && canal.packet.type == 7"))
        late = wireshark.fields(capture, ["frame.number", "canal.lag"], "-Y", "canal.lag")
        newest = {int(row[0][0]): [float(lag) for lag in row[1]] for row in late}
        self.assertEqual([n for n, lags in newest.items() if max(lags) > 2], frames("canal.lag > 2"))
        linked = wireshark.fields(capture, ["frame.number", "canal.ack_in", "canal.ack_time"], "-2", "-Y", "canal.ack_in")
        self.assertGreater(len(linked), 2)
        back = {int(row[0][0]): int(row[1][0]) for row in
                wireshark.fields(capture, ["frame.number", "canal.acked_batch_in"], "-2", "-Y", "canal.acked_batch_in")}
        for batch, ack, time in linked:
            self.assertEqual(int(batch[0]), back[int(ack[0])])
            self.assertGreater(float(time[0]), 0)


if __name__ == "__main__":
    unittest.main()
