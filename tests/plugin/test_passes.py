"""The same tree in every pass: one pass, two passes, and frames dissected again in any order."""
import json
import random
import re
import unittest

import wireshark

# What TCP of Wireshark 4.4 adds in the second pass only.
LATER = re.compile(r" \[TCP PDU reassembled in \d+\]")

# What only later messages know: links forward, what goes with them, and what a later refusal takes back.
FORWARD = {"cbdcp.response_in", "cbdcp.response_time", "cbdcp.commit_in", "cbdcp.abort_in", "cbdcp.prepare_time",
           "cbdcp.flow.ack_in", "canal.response_in", "canal.acked_batch_in", "canal.ack_in", "canal.ack_time", "canal.rollback_in"}
LAYERS = ("cbdcp", "canal", "cbkv")


def without_forward_links(node):
    if isinstance(node, dict):
        return {k: without_forward_links(v) for k, v in node.items() if k not in FORWARD and not k.startswith("_ws.")}
    if isinstance(node, list):
        return [without_forward_links(v) for v in node]
    return node


def experts(node, found):
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "_ws.expert":
                found += [json.dumps(v, sort_keys=True) for v in wireshark.listed(value)]
            else:
                experts(value, found)
    elif isinstance(node, list):
        for value in node:
            experts(value, found)
    return found


def everything():
    return [c for kind in ("dcp", "canal") for c, _ in wireshark.captures(kind)]


class Passes(unittest.TestCase):
    def both(self, capture, *options):
        shown = ["-Y", "cbdcp or canal or cbkv", *options]
        return wireshark.as_json(capture, *shown), wireshark.as_json(capture, "-2", *shown)

    def test_one_pass_and_two_differ_in_forward_links_only(self):
        for capture in everything():
            with self.subTest(capture=capture):
                one, two = self.both(capture)
                self.assertEqual(len(one), len(two))
                for a, b in zip(one, two):
                    for layer in LAYERS:
                        self.assertEqual(without_forward_links(a.get(layer)), without_forward_links(b.get(layer)))
                        # The end of the capture may add findings to a connection's last message, and takes none away.
                        self.assertLessEqual(set(experts(a.get(layer), [])), set(experts(b.get(layer), [])))

    def test_info_column_is_the_same_in_both(self):
        for capture in everything():
            with self.subTest(capture=capture):
                columns = ["-T", "fields", "-e", "frame.number", "-e", "_ws.col.Protocol", "-e", "_ws.col.Info"]
                one, two = (LATER.sub("", wireshark.dissect(capture, *options, *columns)) for options in ([], ["-2"]))
                self.assertEqual(one, two)

    def test_second_pass_links_both_ways(self):
        capture = next(c for c in everything() if "durability" in c)
        rows = wireshark.fields(capture, ["frame.number", "cbdcp.request_in", "cbdcp.response_in"], "-2", "-Y", "cbdcp")
        forward = {(r[0][0], later) for r in rows for later in r[2]}
        back = {(earlier, r[0][0]) for r in rows for earlier in r[1]}
        self.assertGreater(len(back), 20)
        self.assertLessEqual(forward, back)
        self.assertEqual({f[0] for f in forward}, {b[0] for b in back})  # STAT is answered many times, and linked once


def tree_of(answer):
    """The protocol trees of sharkd's answer, without what colouring adds."""
    def clean(node):
        if isinstance(node, list):
            return [clean(n) for n in node if not (isinstance(n, dict) and "Coloring Rule" in n.get("l", ""))]
        if isinstance(node, dict):
            return {k: clean(v) for k, v in node.items() if k not in ("bg", "fg")}
        return node
    return clean(answer["tree"])


class Again(unittest.TestCase):
    """Random order, repeats, filters in between: what a person does in the window."""

    def shuffle(self, capture, seed):
        rounds, randomly = 150, random.Random(seed)
        with wireshark.Sharkd(capture) as daemon:
            frames = daemon.call("status")["frames"]
            seen = {}
            for n in range(rounds):
                if n % 25 == 24:
                    daemon.call("frames", filter=randomly.choice(["cbdcp", "canal", "cbdcp.by_seqno > 3", "tcp"]))
                frame = randomly.randint(1, frames)
                tree = tree_of(daemon.call("frame", frame=frame, proto=True))
                self.assertEqual(seen.setdefault(frame, tree), tree, f"frame {frame}, seed {seed}")

    def test_random_order_gives_the_same_tree(self):
        for capture in everything():
            if any(name in capture for name in ("durability", "messy", "faults", "batches", "odd_requests", "two_clients")):
                with self.subTest(capture=capture):
                    self.shuffle(capture, seed=20231114)


if __name__ == "__main__":
    unittest.main()
