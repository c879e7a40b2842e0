#!/usr/bin/env python3
"""Reports of the built program: their JSON fits its schema, the troubles fire their rules and no other, and the exit status tells."""
import json
import pathlib
import re
import shlex
import struct
import sys
import tempfile
import unittest

import harness
import json_schema

sys.path.insert(0, str(harness.ROOT / "tests" / "support"))
import dcp_traffic  # noqa: E402

REPORTS = harness.DATA / "reports"
STALL = REPORTS / "dcp-flow-control-stall.pcap"


def report(capture):
    done = harness.run("report", capture, "--format", "json", "--no-progress", "--quiet")
    assert done.returncode == 0, f"{capture}: {done.stderr.decode()}"
    return json.loads(done.stdout)


class PartOfACapture(unittest.TestCase):
    """What was left out is said, in every form: a report of a part is no verdict on the whole."""

    def said(self, *options, form="json"):
        done = harness.run("report", harness.CAPTURES / "dcp" / "faults.pcap", *options, "--format", form, "--no-progress", "--quiet")
        self.assertEqual(0, done.returncode, done.stderr.decode())
        return json.loads(done.stdout) if form == "json" else " ".join(done.stdout.decode().split())

    def test_of_time(self):
        told = "Only findings from 2030-01-01 00:00:00.000 are told, and the capture has no packet of that time; messages"
        made = self.said("--since", "2030-01-01T00:00:00Z")
        self.assertIn(told, made["verdict"]["warning"])
        self.assertIn("since 2030-01-01T00:00:00Z", made["settings"])
        self.assertIn("--since 2030-01-01T00:00:00Z", made["command"])
        for form in ("text", "md", "html"):
            self.assertIn("Only findings from", self.said("--since", "2030-01-01T00:00:00Z", form=form))
            for side, at in (("--since", "2030-01-01T00:00:00Z"), ("--until", "2001-01-01T00:00:00Z")):
                outside = self.said(side, at, form=form)
                self.assertIn("Nothing to judge: the capture has no packet of that time (it goes from ", outside)
                self.assertNotIn("No errors, no warnings", outside)
        for side, at in (("--since", "2030-01-01T00:00:00Z"), ("--until", "2001-01-01T00:00:00Z")):
            outside = self.said(side, at)
            self.assertEqual("outside", outside["verdict"]["result"])
            self.assertRegex(outside["verdict"]["headline"], r"^Nothing to judge: .* \(it goes from 20\d\d-\d\d-\d\d .* to .*\)\.$")
            self.assertEqual([], outside["findings"])
            self.assertTrue(all(c["condition"].startswith("not judged: ") for c in outside["connections"]))
        part = self.said("--since", "+10s", "--until", "+20s")["verdict"]["warning"]
        self.assertRegex(part, r"^Only findings from .* until .* are told, and what had begun before and still lasted; what goes on is told as it is "
                         r"then, totals are those of the whole capture\.$")
        self.assertRegex(self.said("--until", "+20s")["verdict"]["warning"],
                         r"^Only findings until .* are told; what goes on is told as it is then, totals are those of the whole capture\.$")
        self.assertNotIn("warning", self.said()["verdict"])

    def of(self, capture, *options, form="json"):
        done = harness.run("report", capture, *options, "--format", form, "--no-progress", "--quiet")
        self.assertEqual(0, done.returncode, done.stderr.decode())
        return json.loads(done.stdout) if form == "json" else " ".join(done.stdout.decode().replace("\u00a0", " ").split())

    def test_what_began_before_and_lasts_is_told(self):
        for name, rule, since in (("dcp-flow-control-stall", "D13", "+60s"), ("dcp-stream-ended-not-reopened", "D51", "+114.5s"),
                                  ("canal-growing-lag", "C14", "+4.5s")):
            made = self.of(REPORTS / f"{name}.pcap", "--since", since)
            with self.subTest(name):
                (finding,) = [f for f in made["findings"] if f.get("rule") == rule and f["severity"] == "warning"]
                self.assertTrue(finding["beganBefore"])
                card = made["cards"][finding["card"] - 1]
                self.assertTrue(card["beganBefore"])
                self.assertTrue(card["state"].startswith("began before the part looked at, "), card["state"])
                self.assertEqual("warning", made["connections"][0]["health"])
                for form in ("text", "md", "html"):
                    self.assertIn("began before the part looked at, ", self.of(REPORTS / f"{name}.pcap", "--since", since, form=form))
                self.assertNotIn("beganBefore", json.dumps(self.of(REPORTS / f"{name}.pcap")))

    def test_what_goes_on_at_the_end_of_the_part_is_told_as_it_is_then(self):
        captures = [harness.CAPTURES / "travel" / f"travel-{n}.pcap" for n in (1, 2)]
        found = {}
        for until in ("06:22:05", "06:22:20"):
            done = harness.run("report", *captures, "--until", until, "--format", "json", "--no-progress", "--quiet")
            made = json.loads(done.stdout)
            self.assertEqual(528, made["capture"]["messages"])
            self.assertIn("replication:n0->n1:travel", [c["name"] for c in made["connections"]])
            (found[until],) = [c for c in made["cards"] if c["connection"] == 1 and c["code"].startswith("dcp.flow")]
            self.assertTrue(all(e["time"] <= f"2026-11-30T{until}.000000000Z" for c in made["cards"] for e in c["evidence"]))
            self.assertFalse([f["text"] for f in made["findings"] + made["cards"] if "capture end" in f["text"] or "of the capture" in f["text"]])
        # By the limits as they were met then: 10 s make it a warning.
        self.assertEqual(["note", "warning"], [c["severity"] for c in found.values()], found)
        card = found["06:22:20"]
        self.assertAlmostEqual(18_984, card["durationMs"], delta=1)
        self.assertIn("stopped receiving at 06:22:01.016 and had not resumed at 06:22:20.000", card["title"])
        self.assertEqual("still so at 06:22:20.000", card["state"])

    def test_what_was_over_before_is_not_told(self):
        talk = dcp_traffic.Capture()
        talk.hello(b"name")
        talk.window(100)
        talk.stream(7, 1, 100)
        size = sum(talk.mutation(7, 1, seqno, b"key%d" % seqno) for seqno in (1, 2))
        talk.now += 20
        talk.acknowledge(size + 100)
        talk.now += 20
        talk.mutation(7, 1, 3, b"key3")
        with tempfile.TemporaryDirectory() as folder:
            capture = pathlib.Path(folder) / "a.pcap"
            talk.write(capture)
            stalls = [[f for f in self.of(capture, "--since", since)["findings"] if f.get("rule") == "D13"] for since in ("+0s", "+15s", "+30s")]
        self.assertEqual([1, 1, 0], [len(found) for found in stalls], stalls)
        self.assertNotIn("beganBefore", stalls[0][0])
        self.assertTrue(stalls[1][0]["beganBefore"])

    def test_what_its_stream_took_along_does_not_last(self):
        found = {}
        for ends in (False, True):
            talk = dcp_traffic.Capture()
            talk.hello(b"name")
            talk.stream(7, 1, 100)
            talk.send(False, 0x60, partition=7, opaque=1, extras=struct.pack("!QQIIIBBB", 1, 1, 0, 0, 0, 0, 0, 1), key=b"key1", value=b"{}")
            talk.now += 20
            talk.send(False, 0x5C)
            talk.send(True, 0x5C, answer=True)
            if ends:
                talk.end(7, 1, 2)
            # Another connection goes on.
            other = dcp_traffic.Capture(port=40001)
            other.hello(b"other")
            other.now += 60
            other.send(False, 0x5C)
            other.send(True, 0x5C, answer=True)
            with tempfile.TemporaryDirectory() as folder:
                one, two = pathlib.Path(folder) / "a.pcap", pathlib.Path(folder) / "b.pcap"
                talk.write(one)
                other.write(two)
                done = harness.run("report", one, two, "--since", "+40s", "--format", "json", "--no-progress", "--quiet")
            found[ends] = [f for f in json.loads(done.stdout)["findings"] if f.get("rule") == "D30"]
        self.assertEqual([1, 0], [len(found[False]), len(found[True])], found)
        self.assertTrue(found[False][0]["beganBefore"])
        captures = [harness.CAPTURES / "travel" / f"travel-{n}.pcap" for n in (1, 2)]
        done = harness.run("report", *captures, "--since", "06:23:00", "--until", "06:24:00", "--format", "json", "--no-progress", "--quiet")
        told = json.loads(done.stdout)["findings"]
        self.assertTrue(told)
        self.assertNotIn(4, {f.get("connection") for f in told})

    def test_connections_that_were_not_there_are_not_said_to_be_well(self):
        made = self.said("--since", "+9999s")
        self.assertIn("not judged: over before", {c["condition"] for c in made["connections"]})
        made = self.said("--until", "+0s")
        self.assertIn("not judged: begins later", {c["condition"] for c in made["connections"]})

    def test_of_packets(self):
        made = self.said("--filter", "port 99")
        self.assertEqual("--filter 'port 99' left no TCP packet.", made["verdict"]["text"])
        self.assertIn("--filter 'port 99'", made["command"])
        self.assertRegex(self.said("--filter", "port 99", form="text"), r" 0 of \d+ packets \(--filter\), 0 connections No DCP or canal message "
                         r"in 0 of \d+ packets \(--filter\)\.")
        made = self.said("--filter", "tcp src port 11210")
        packets = made["capture"]["packets"]
        self.assertEqual((packets["read"], 0), (packets["tcp"] + packets["leftOut"], packets["other"] - packets["leftOut"]))
        self.assertIn(f"{packets['tcp']:,} of {packets['read']:,} packets (--filter)", self.said("--filter", "tcp src port 11210", form="text"))
        self.assertIn(f"{packets['read']:,} read, {packets['leftOut']:,} left out by --filter, of the others all TCP, 0 cut short",
                      self.said("--filter", "tcp src port 11210", form="html"))


class Story(unittest.TestCase):
    def text(self, name):
        done = harness.run("report", harness.CAPTURES / name, "--all", "--no-progress")
        self.assertEqual(0, done.returncode)
        return " ".join(done.stdout.decode().replace("\u00a0", " ").split())

    def test_a_window_that_nothing_frees_is_not_said_to_be_freed(self):
        told = self.text("dcp/faults.pcap")
        state = next(c["state"] for c in report(harness.CAPTURES / "dcp/faults.pcap")["cards"] if c["code"] == "dcp.flow.full")
        self.assertEqual("not freed before the end", state)
        self.assertIn("is 224 B. Nothing freed it before the connection or the capture ended.", told)
        # At its frame 164 B were outstanding; the producer sent on.
        self.assertIn("window of 120 B full with 164 B and later 224 B", told)

    def test_a_window_is_filled_with_what_was_there_then_and_not_said_to_get_nothing_if_it_got_too_little(self):
        capture = dcp_traffic.Capture()
        capture.hello(b"slow")
        capture.window(1000)
        capture.stream(7, 1, 100)
        sizes = [capture.mutation(7, 1, seqno, b"key", b"x" * 200) for seqno in range(1, 8)]
        self.assertEqual({258}, set(sizes))
        capture.now += 1
        capture.acknowledge(100)
        capture.now += 30
        for from_client in (False, True):
            capture.send(from_client, 0x5C, answer=from_client)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "slow.pcap"
            capture.write(path)
            card = next(c for c in report(path)["cards"] if c["code"] == "dcp.flow.stalled")
        # The marker and four mutations fill it; three more came although it was full.
        filled = 24 + 20 + 4 * 258
        self.assertIn(f"filled the 1,000 B window with {filled:,} B.", card["text"])
        self.assertIn("The client acknowledged too little in the 31.", card["text"])
        self.assertNotIn("No data came", card["text"])
        self.assertTrue(any(e["text"].endswith(f"becomes {filled:,} B, window full") for e in card["evidence"]), card["evidence"])

    def test_what_became_of_a_late_batch_is_said(self):
        told = self.text("canal/lag.pcap")
        self.assertRegex(told, r"acknowledged after [0-9.]+ ms, [0-9.]+ s behind")
        self.assertNotRegex(told, r"lag after")

    def test_a_name_that_is_json_is_told_by_its_agent_and_id(self):
        capture = harness.CAPTURES / "dcp" / "java_client_ipv4.pcap"
        done = harness.run("report", capture, "--no-progress")
        rows = [line for line in done.stdout.decode().splitlines() if line.startswith("   c1 ")]
        self.assertRegex(rows[0], r"DCP   capture-conn\S*\.\.\S*DA090E75DC ")
        whole = report(capture)["connections"][0]["name"]
        self.assertTrue(whole.startswith('"i":"639B106D56919040/6DAED3DA090E75DC","a":"capture-connector/1.2.3 java-dcp-client/'), whole)
        told = self.text("dcp/java_client_ipv4.pcap")
        self.assertIn("c1 capture-connector/1.2.3 639B106D56919040/6DAED3DA090E75DC", told)
        self.assertIn(f"Name {whole}", told)

    def test_connections_with_json_names_can_be_told_apart(self):
        names = [b'{"a":"connector/1.0 (a long tail of what it runs on)","i":"%016x/%016x"}' % (7, n) for n in (1, 2, 2)]
        captures = []
        for n, name in enumerate(names):
            captures.append(dcp_traffic.Capture(port=40000 + n))
            captures[-1].hello(name)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "names.pcap"
            dcp_traffic.write_together(path, captures)
            told = harness.run("report", path, "--no-progress").stdout.decode()
            cards = report(path)["cards"]
        rows = re.findall(r"^ +c\d  \S+ +DCP +(.*?\d) ", told, re.MULTILINE)
        self.assertEqual(3, len(rows), told)
        self.assertNotEqual(rows[0], rows[1])
        self.assertEqual(rows[1], rows[2])
        shared = next(card for card in cards if card["code"] == "dcp.name.shared")
        self.assertEqual("connections 2 and 3 both use the name connector/1.0 0000000000000007/0000000000000002", shared["title"])
        self.assertIn(names[2].decode(), shared["text"])

    def test_batches_that_were_rolled_back_did_not_just_go_away(self):
        told = self.text("canal/batches.pcap")
        self.assertIn("8 batches were rolled back later.", told)
        self.assertNotIn("Nothing stays open", told)


class Command(unittest.TestCase):
    def test_a_shell_takes_it(self):
        with tempfile.TemporaryDirectory() as folder:
            name = pathlib.Path(folder) / "it's one.pcap"
            name.write_bytes((harness.CAPTURES / "dcp" / "basic_ipv4.pcap").read_bytes())
            self.assertEqual(["cdcscope", "report", str(name)], shlex.split(report(name)["command"]))

    def test_every_option_that_changes_what_is_read_is_in_it(self):
        given = ["--protocol", "dcp", "--filter", "tcp port 11210", "--since", "+0s", "--until", "+90s", "--port", "dcp=12000",
                 "--max-memory", "1048576", "--max-message", "65536", "--collections", "off", "--threshold", "dcp.flow.stalled.warning=20",
                 "--redact", "keys"]
        done = harness.run("report", STALL, *given, "--format", "json", "--quiet")
        self.assertEqual(["cdcscope", "report", str(STALL), *given], shlex.split(json.loads(done.stdout)["command"]))


class Json(unittest.TestCase):
    def test_fits_its_schema(self):
        schema = json_schema.Schema(json.loads((harness.ROOT / "docs/schema/report.json").read_text(encoding="utf-8")))
        captures = sorted([*REPORTS.glob("*.pcap"), *harness.CAPTURES.glob("*/*.pcap*")])
        self.assertGreater(len(captures), 50)
        for capture in captures:
            with self.subTest(capture.name):
                self.assertEqual([], schema.errors(report(capture)))
        part = harness.run("report", STALL, "--since", "+60s", "--filter", "tcp", "--format", "json", "--quiet")
        self.assertEqual([], schema.errors(json.loads(part.stdout)))

    def test_refers_to_cards_and_connections_that_are_there(self):
        for capture in sorted(harness.CAPTURES.glob("*/*.pcap*")):
            with self.subTest(capture.name):
                made = report(capture)
                for finding in made["findings"]:
                    if finding["severity"] == "chat":
                        self.assertNotIn("card", finding)
                        continue
                    card = made["cards"][finding["card"] - 1]
                    self.assertEqual(finding.get("connection"), card.get("connection"))
                    if "rule" in finding:
                        self.assertIn(finding["rule"], card["rules"])
                told = sum(f["count"] for f in made["findings"] if f["severity"] != "chat")
                self.assertEqual(told, sum(c["count"] for c in made["cards"]))


class Rules(unittest.TestCase):
    def test_of_each_trouble_fire_and_no_other(self):
        cases = json.loads((REPORTS / "cases.json").read_text(encoding="utf-8"))["cases"]
        for case in cases:
            if case["file"].endswith(".ss"):
                continue
            with self.subTest(case["file"]):
                must = {r if isinstance(r, str) else f"C{r}" for r in case["rules"]}
                findings = [f for f in report(REPORTS / case["file"])["findings"] if "rule" in f]
                self.assertEqual(set(), must - {f["rule"] for f in findings})
                self.assertEqual(set(), {f["rule"] for f in findings if f["severity"] in ("warning", "error")} - must)


class Timeline(unittest.TestCase):
    def test_shows_snapshots_between_streams_and_data(self):
        done = harness.run("report", STALL, "--format", "html", "--no-progress", "--quiet")
        lanes = re.findall(r'<div class="ln">([^<]+)</div>', done.stdout.decode())
        self.assertEqual(["Stream vb 100", "Snapshots", "Data"], lanes[:3])
        self.assertIn("0..60 stays incomplete at 14", done.stdout.decode())


class Charts(unittest.TestCase):
    """What the page's charts show of each connection, in its words."""

    def page(self, capture):
        done = harness.run("report", capture, "--format", "html", "--no-progress", "--quiet")
        self.assertEqual(0, done.returncode, done.stderr)
        return done.stdout.decode().replace("\u00a0", " ")

    def test_show_the_part_in_which_something_changes_and_keep_the_whole(self):
        capture = harness.CAPTURES / "dcp" / "basic_ipv4.pcap"
        page = self.page(capture)
        self.assertIn("Zoomed to the 55 ms of 260 ms with nearly all changes.", page)
        self.assertIn("<summary>The whole connection, 260 ms</summary>", page)
        self.assertEqual(55, report(capture)["connections"][0]["windowChartMs"])
        self.assertIn("Bytes from the server in each 5 ms.", page)
        # Ticks leave no room beside them: below.
        self.assertIn('<span class="tx below">7: duplicate, out of range (2), not my vbucket (4)</span>', page)
        refused = self.page(REPORTS / "dcp-stream-request-out-of-range.pcap")
        self.assertRegex(refused, r'Requests refused</div>.{1,300}<span class="tx"[^>]*>\d+: out of range')
        stall = self.page(STALL)
        self.assertRegex(stall, r"Left: the \d+ ms of 2 min 20 s with nearly all changes\. Right: the whole connection\.")
        self.assertIn("mutation seqno 14 fills it, nothing is ever acknowledged", stall)
        self.assertIn(">full for 138.985 s<", stall)
        self.assertIn(">0 acknowledgements<", stall)

    def test_are_whole_where_the_changes_are_spread(self):
        self.assertNotIn("Zoomed", self.page(harness.CAPTURES / "dcp" / "durability_replication_ipv4.pcap"))
        self.assertNotIn("windowChartMs", report(harness.CAPTURES / "dcp" / "durability_replication_ipv4.pcap")["connections"][0])

    def test_tell_of_a_single_acknowledgement_what_it_left(self):
        page = self.page(REPORTS / "dcp-prepare-ack-two-bytes-short.pcap")
        for words in ("One acknowledgement, 40 B short: 2 B for each of 20 prepares.", ">acknowledges 2,324 B<", ">40 B left<"):
            self.assertIn(words, page)

    def test_of_two_outcomes_are_a_sentence(self):
        page = self.page(REPORTS / "dcp-durable-writes-stuck.pcap")
        self.assertIn("Two outcomes, after 4.0 ms and 2.500 s.", page)
        self.assertNotIn("Histogram", page)
        self.assertIn("2 of 3 prepares", page)
        self.assertIn(">ok, in progress 0xa2, ambiguous 0xa3, no answer<", page)
        self.assertRegex(page, r"What the application saw \(connection \d\)")

    def test_of_a_hole_show_what_it_took(self):
        page = self.page(REPORTS / "tcp-lost-segment-resync.pcap")
        self.assertIn("12,954 B in messages, 1,460 B never captured, 227 B unparsed (51 B before the hole, 176 B after it).", page)
        self.assertIn("<dt>Recovered</dt><dd>53 of 60 mutations</dd>", page)
        self.assertIn(">seqno 1..18 and 26..60<", page)
        self.assertRegex(page, r'never captured: <a href="#f\d+">1 hole</a>')

    def test_of_a_lag_name_the_limit_and_mark_each_batch(self):
        page = self.page(REPORTS / "canal-growing-lag.pcap")
        self.assertIn(">warning above 10 s<", page)
        self.assertIn("Grows with every batch: from 2.000 s to 1 h 30 min in 5 batches and 4.000 s.", page)
        self.assertIn("350 ms from delivery to acknowledgement, asks again 600 ms later; never 2 open at once.", page)
        self.assertEqual(4, page.split('<div class="ln">Findings</div>')[1].split('<div class="ln ')[0].count('class="mk"'))


    def test_of_durable_writes_say_how_most_of_them_went(self):
        page = self.page(harness.CAPTURES / "dcp" / "durability_replication_ipv4.pcap")
        self.assertIn("10 of 12 outcomes took 50 ms to 100 ms.", page)
        self.assertIn("1 prepare, never_committed (seqno 19), is without an outcome.", page)
        self.assertLess(page.index("<b>Prepare to commit.</b>"), page.index("<b>Receive window.</b>"))

    def test_count_system_events_among_the_items_of_a_stream(self):
        made = report(harness.CAPTURES / "dcp" / "durability_replication_ipv4.pcap")
        items = {s["vbucket"]: s["items"] for s in made["streams"]}
        self.assertEqual({0: 18, 1: 20, 2: 1}, items)
        self.assertEqual(["OK, end seqno reached", "state changed", "closed by the client"], [s["endName"] for s in made["streams"]])

    def test_mark_a_finding_where_it_was_found(self):
        page = self.page(harness.CAPTURES / "dcp" / "basic_ipv4.pcap")
        marks = re.findall(r'<a class="mk"[^>]*left:([\d.]+)%"><svg[^>]*aria-label="(\w+): ([\w.]+)"', page)
        # At .196 of an axis from .140 to .420; the stream that was in the way had opened before.
        self.assertAlmostEqual(20, float(next(place for place, _, code in marks if code == "dcp.stream.refused")), delta=0.5)
        self.assertEqual(1, sum(code == "dcp.flow.full" for _, _, code in marks))


class Words(unittest.TestCase):
    def text(self, *captures):
        done = harness.run("report", *captures, "--no-progress", "--quiet", env={"COLUMNS": "100"})
        return done.stdout.decode()

    def test_of_the_text_say_how_many_findings_are_notes(self):
        text = self.text(harness.CAPTURES / "dcp" / "basic_ipv4.pcap")
        self.assertRegex(text, r"\n\d+ more findings? that (is a note|are notes), one line each; --all or -o report\.txt has them in full\.")

    def test_of_a_refused_acknowledgement_agree_on_how_long_it_took(self):
        text = self.text(REPORTS / "canal-ack-out-of-order.pcap")
        self.assertIn("over after 19 ms", text)
        self.assertIn("then sent 72, and 73 again, 19 ms after the error.", " ".join(text.split()))
        self.assertIn("batch 73 delivered, 2 open", text)

    def test_of_a_hole_offer_a_filter_for_all_holes(self):
        text = self.text(REPORTS / "tcp-lost-segment-resync.pcap")
        self.assertRegex(text, r"tcp\.port == \d+ && tcp\.analysis\.lost_segment\n")

    def test_of_a_filter_stand_apart_from_a_long_name(self):
        self.assertNotRegex(self.text(STALL), r"pcapframe\.number")


class SeaStreamerFiles(unittest.TestCase):
    """The cases of .ss files: what `ss verify` and `ss info` tell of them."""

    SAMPLES = harness.DATA / "ss" / "reports"

    def verify(self, name):
        done = harness.run("ss", "verify", "--json", self.SAMPLES / name)
        self.assertEqual(3, done.returncode)
        return json.loads(done.stdout)

    def test_one_that_ends_inside_a_message(self):
        told = self.verify("truncated.ss")
        self.assertFalse(told["eos"])
        self.assertEqual(1, len(told["problems"]))
        self.assertEqual((17, 67), (told["messages"], told["trailingBytes"]))
        with tempfile.TemporaryDirectory() as folder:
            whole = pathlib.Path(folder) / "whole.ss"
            self.assertEqual(0, harness.run("ss", "repair", self.SAMPLES / "truncated.ss", "-o", whole).returncode)
            self.assertEqual(67, (self.SAMPLES / "truncated.ss").stat().st_size - whole.stat().st_size)
            dumped = harness.run("ss", "dump", whole).stdout.splitlines()
            self.assertEqual(17, sum(json.loads(line)["type"] == "message" for line in dumped))

    def test_one_with_a_damaged_message(self):
        told = self.verify("damaged-message.ss")
        self.assertTrue(told["eos"])
        self.assertEqual(1, len(told["problems"]))
        self.assertEqual(("message.checksum", "shop.orders", 12), tuple(told["problems"][0][k] for k in ("kind", "key", "seq")))
        self.assertEqual(20, told["messages"] - 1)
        plain = harness.run("ss", "verify", self.SAMPLES / "damaged-message.ss")
        self.assertIn(b"19 good ones around it", plain.stderr)


class ExitStatus(unittest.TestCase):
    def status(self, *arguments):
        return harness.run("report", STALL, "--no-progress", *arguments)

    def test_fails_on_what_is_as_grave_as_asked(self):
        self.assertEqual(0, self.status().returncode)
        self.assertEqual(0, self.status("--fail-on", "error").returncode)
        failed = self.status("--fail-on", "warning")
        self.assertEqual(3, failed.returncode)
        self.assertIn(b"report: 2 warnings (--fail-on warning); see above", failed.stderr)
        self.assertEqual(3, self.status("--fail-on", "note").returncode)

    def test_refuses_a_name_without_a_known_ending(self):
        refused = self.status("-o", "report.pdf")
        self.assertEqual(2, refused.returncode)
        self.assertIn(b"report.pdf: ends in none of .html .json .md .txt", refused.stderr)

    def test_replaces_no_file_unless_told(self):
        with tempfile.TemporaryDirectory() as folder:
            for ending, beginning in (("html", "<!doctype html>"), ("json", '{"format":1,'), ("md", "## cdcscope: "), ("txt", "cdcscope ")):
                out = pathlib.Path(folder) / f"x.{ending}"
                self.assertEqual(0, self.status("-o", out).returncode)
                self.assertTrue(out.read_text(encoding="utf-8").startswith(beginning), ending)
                self.assertEqual(1, self.status("-o", out).returncode)
                self.assertEqual(0, self.status("-o", out, "--force").returncode)
            self.assertEqual(4, len(list(pathlib.Path(folder).iterdir())))

    def test_thresholds_move_the_rules(self):
        quiet = report(STALL)
        self.assertIn("D13", {f["rule"] for f in quiet["findings"] if f["severity"] == "warning"})
        done = self.status("--format", "json", "--threshold", "dcp.flow.stalled.warning=200")
        moved = json.loads(done.stdout)
        self.assertEqual(["note"], [f["severity"] for f in moved["findings"] if f.get("rule") == "D13"])
        self.assertEqual(200, moved["thresholds"]["dcp.flow.stalled.warning"]["value"])

    def test_time_bounds_choose_findings(self):
        done = self.status("--format", "json", "--until", "+1")
        self.assertEqual([], [f for f in json.loads(done.stdout)["findings"] if f["severity"] == "warning"])


if __name__ == "__main__":
    unittest.main()
