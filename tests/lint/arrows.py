#!/usr/bin/env python3
"""Checks that includes follow the arrows of docs/architecture.md: arrows.py ROOT. One line a fault; exit status 1 if any."""
import pathlib
import re
import sys

# room -> rooms that it may include (besides itself); proto/ rooms are open to everyone outside proto/.
PROTO = {
    "proto/wire": set(),
    "proto/json": {"proto/wire"},
    "proto/findings": {"proto/wire", "proto/json"},
    "proto/dcp": {"proto/wire", "proto/json", "proto/findings"},
    "proto/canal": {"proto/wire", "proto/json", "proto/findings"},
    "proto/ss": {"proto/wire"},
}
CHAIN = ["analyzer/capture", "analyzer/tcp", "analyzer/recover", "analyzer/track", "analyzer/record"]


def allowed():
    rooms = dict(PROTO)
    everything = set(PROTO)
    for i, room in enumerate(CHAIN):
        rooms[room] = everything | set(CHAIN[:i])
    rooms["analyzer/sink"] = everything | set(CHAIN)
    rooms["analyzer/report"] = everything | set(CHAIN)
    rooms["analyzer/cli"] = everything | set(CHAIN) | {"analyzer/sink", "analyzer/report"}
    rooms["plugin"] = everything
    return rooms


def room_of(path, rooms):
    return max((r for r in rooms if path == r or path.startswith(r + "/")), key=len, default=None)


def main(root):
    rooms = allowed()
    faults = files = 0
    for path in sorted(p for top in ("proto", "analyzer", "plugin") for p in (root / top).rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        files += 1
        name = path.relative_to(root).as_posix()
        room = room_of(name, rooms)
        if room is None:
            print(f"{name}: in no room of the house")
            faults += 1
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s+"((?:proto|analyzer|plugin)/[^"]+)"', line)
            target = found and room_of(found.group(1), rooms)
            if found and target != room and target not in rooms[room]:
                print(f"{name}:{number}: {room} may not use {target}")
                faults += 1
    if not files:
        print("no source files found")
    sys.exit(1 if faults or not files else 0)


main(pathlib.Path(sys.argv[1]))
