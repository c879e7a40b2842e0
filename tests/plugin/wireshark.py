"""Runs Wireshark's programs with the built plugins, as a user for whom they load.

CDCSCOPE_PLUGINS names the folder with <X.Y>/{epan,wiretap}/*.so, CDCSCOPE_SOURCE the top of the source tree.
Started as root, Wireshark ignores plugins: then everything runs as another user, on copies that it can read.
"""
import atexit
import glob
import json
import os
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree as ET

SOURCE = os.environ["CDCSCOPE_SOURCE"]
CAPTURES = os.path.join(SOURCE, "captures")
PLUGINS = os.environ["CDCSCOPE_PLUGINS"]
NOBODY = 65534
OUT_OF_ORDER = ["-o", "tcp.reassemble_out_of_order:TRUE"]


class Failed(AssertionError):
    pass


class Room:
    """A folder with the plugins, an empty home and copies of captures, readable for everybody."""

    def __init__(self):
        self.top = tempfile.mkdtemp(prefix="cdcscope-wireshark-")
        atexit.register(shutil.rmtree, self.top, ignore_errors=True)
        os.chmod(self.top, 0o755)
        self.plugins = os.path.join(self.top, "plugins")
        shutil.copytree(PLUGINS, self.plugins)
        self.home = os.path.join(self.top, "home")
        self.work = os.path.join(self.top, "work")
        for folder in (self.home, self.work):
            os.mkdir(folder)
            os.chmod(folder, 0o777)
        subprocess.run(["chmod", "-R", "a+rX", self.plugins], check=True)

    def copy(self, path):
        place = os.path.join(self.work, os.path.basename(path))
        if not os.path.exists(place):
            shutil.copy(path, place)
            os.chmod(place, 0o644)
        return place

    def write(self, name, data):
        place = os.path.join(self.work, name)
        with open(place, "wb") as f:
            f.write(data)
        os.chmod(place, 0o644)
        return place


room = Room()


def environment(**more):
    return {"HOME": room.home, "WIRESHARK_PLUGIN_DIR": room.plugins, "TZ": "UTC", "LC_ALL": "C.UTF-8",
            "PATH": os.environ["PATH"], **more}


def command(program, *arguments):
    line = [program, *map(str, arguments)]
    if os.geteuid() == 0:
        line = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *line]
    return line


def run(program, *arguments, timeout=300, stdin=None, **variables):
    return subprocess.run(command(program, *arguments), capture_output=True, timeout=timeout, input=stdin,
                          cwd=room.work, env=environment(**variables))


def tshark(*arguments, may_warn=False, **variables):
    """Standard output as text. Anything on standard error is a failure."""
    lead = [] if arguments[0] == "-G" else ["-n"]
    done = run("tshark", *lead, *arguments, **variables)
    errors = "\n".join(line for line in done.stderr.decode(errors="replace").splitlines()
                       if line and not line.startswith("Running as user"))
    if done.returncode != 0 or (errors and not may_warn):
        raise Failed(f"tshark {' '.join(map(str, arguments))}: status {done.returncode}: {errors[-600:]}")
    return done.stdout.decode(errors="replace")


def dissect(capture, *arguments, **more):
    return tshark("-r", room.copy(capture), *OUT_OF_ORDER, *arguments, **more)


def fields(capture, names, *arguments):
    """A list of values for each frame and name."""
    options = [o for n in names for o in ("-e", n)]
    text = dissect(capture, *arguments, "-T", "fields", "-E", "aggregator=|", *options)
    return [[column.split("|") if column else [] for column in line.split("\t")] for line in text.splitlines()]


def as_json(capture, *arguments):
    text = dissect(capture, *arguments, "-T", "json", "--no-duplicate-keys")
    return [frame["_source"]["layers"] for frame in json.loads(text)]


def as_pdml(capture, *arguments):
    return ET.fromstring(dissect(capture, *arguments, "-T", "pdml")).findall("packet")


def listed(thing):
    return thing if isinstance(thing, list) else [thing]


def captures(kind):
    """The captures of one kind, each with the path of its listing."""
    for listing in sorted(glob.glob(os.path.join(CAPTURES, kind, "*.expected.jsonl"))):
        base = listing[: -len(".expected.jsonl")]
        yield next(base + e for e in (".pcap", ".pcapng") if os.path.exists(base + e)), listing


def lines(listing):
    with open(listing, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


class Sharkd:
    """Wireshark's daemon: what the window does, over JSON-RPC."""

    def __init__(self, capture):
        self.process = subprocess.Popen(command("sharkd", "-"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, cwd=room.work, env=environment())
        self.number = 0
        self.call("setconf", name="tcp.reassemble_out_of_order", value="TRUE")
        self.call("load", file=room.copy(capture))

    def call(self, method, **parameters):
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters}
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            answer = self.process.stdout.readline()
            if not answer:
                raise Failed(f"sharkd ended at {request}")
            if answer.strip():
                return json.loads(answer).get("result")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(timeout=60)
        self.process.stdout.close()
