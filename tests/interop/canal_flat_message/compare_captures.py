#!/usr/bin/env python3
"""compare_captures.py PROGRAM JAVA_COMMAND...: every row change of every canal capture, from `extract` and from canal's own converter."""
import base64
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM, CONVERTER = sys.argv[1], sys.argv[2:]
MESSAGES, ENTRY_ROWDATA = 7, 2
OURS_ONLY = ("position", "rowOffset")


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if byte < 0x80:
            return value, at


def fields(data):
    """(number, value) of a message of varints and length-delimited fields."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        value, at = varint(data, at)
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
        yield tag >> 3, value


def extract(capture, *options):
    done = subprocess.run([PROGRAM, "extract", str(capture), "-o", "-", "--no-progress", "--quiet", *options], capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.split(b"\n") if line]


def entries(capture):
    """Batch id and bytes of each entry of rows in a batch of the server."""
    for record in extract(capture, "--payload", "raw"):
        if not record["stream"].endswith(".packets.s2c"):
            continue
        packet = dict(fields(base64.b64decode(record["raw"])))
        if packet.get(3) != MESSAGES:
            continue
        batch, found = 0, []
        for number, value in fields(packet[5]):
            if number == 1:
                batch = value
            elif number == 2:
                found.append(value)
        for entry in found:
            if dict(fields(entry)).get(2, ENTRY_ROWDATA) == ENTRY_ROWDATA:
                yield batch, entry


def main():
    rows = 0
    for capture in sorted((ROOT / "captures" / "canal").glob("*.pcap")):
        lines = "".join(f"{batch} {entry.hex()}\n" for batch, entry in entries(capture))
        made = subprocess.run(CONVERTER, input=lines.encode(), capture_output=True, check=True).stdout
        theirs = [json.loads(line) for line in made.split(b"\n") if line]
        ours = [record for record in extract(capture) if "isDdl" in record]
        if len(ours) != len(theirs):
            sys.exit(f"{capture.name}: {len(ours)} row changes, the converter makes {len(theirs)}")
        for our, their in zip(ours, theirs):
            our = {name: value for name, value in our.items() if name not in ("stream", "sequence", "timestamp", *OURS_ONLY)}
            our["ts"] = their["ts"]
            if our != their:
                sys.exit(f"{capture.name}: not equal\nours   {json.dumps(our)}\ntheirs {json.dumps(their)}")
        rows += len(ours)
    print(f"{rows} row changes of the captures are what the converter makes of them")
    if rows < 500:
        sys.exit("too few")


if __name__ == "__main__":
    main()
