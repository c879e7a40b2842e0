#!/usr/bin/env python3
"""CPU time of cdcscope as a ratio to a peer of the same run: captures to a bare libpcap loop (tcpflow and tshark beside it),
.ss files to sha256sum.

bench.py --build BUILD [--mib 256] [--rounds 3]   prints a table; exit status 1 if a bound is missed
"""
import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile


def cpu(command, folder):
    """CPU seconds (user and system) and peak memory in MiB of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(os.devnull, "wb") as null:
        done = subprocess.Popen(command, stdout=null, stderr=subprocess.PIPE, cwd=folder)
        text = done.stderr.read()
        _, status, usage = os.wait4(done.pid, 0)
        done.returncode = os.waitstatus_to_exitcode(status)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}: {text.decode(errors='replace')[-300:]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def compare(work, folder, rounds, bounds):
    """Runs all commands, prints each one's ratio to the first; true if one is over its bound."""
    best = {}
    for _ in range(rounds):  # rounds outside, so that a slow moment hits all alike
        for name, command in work.items():
            seconds, memory = cpu(command, folder)
            shutil.rmtree(os.path.join(folder, "flows"), ignore_errors=True)
            if name not in best or seconds < best[name][0]:
                best[name] = (seconds, memory)
    peer, (base, _) = next(iter(best.items()))
    missed = False
    for name, (seconds, memory) in best.items():
        bound = bounds.get(name)
        late = bound is not None and seconds / base > bound
        missed |= late
        print(f"  {name:14} {seconds:7.3f} s CPU  {seconds / base:6.2f} x {peer}  {memory:6.0f} MiB peak"
              + (f"  bound {bound:.2f} x{', MISSED' if late else ''}" if bound else ""))
    return missed


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--build", default="build")
    options.add_argument("--mib", type=int, default=256)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--connections", type=int, default=16)
    given = options.parse_args()
    bin_folder = os.path.abspath(os.path.join(given.build, "bin"))
    cdcscope = os.path.join(bin_folder, "cdcscope")
    missed = False
    for protocol in ("dcp", "canal"):
        with tempfile.TemporaryDirectory() as folder:
            capture = os.path.join(folder, f"{protocol}.pcap")
            made = subprocess.run([os.path.join(bin_folder, "make_traffic"), protocol, capture, str(given.mib),
                                   str(given.connections)], capture_output=True, check=True)
            truth = json.loads(made.stdout)
            print(f"{protocol}: {given.mib} MiB, {truth['messages']:,} messages, {given.connections} connections, "
                  f"best of {given.rounds} rounds")
            work = {
                "libpcap loop": [os.path.join(bin_folder, "pcap_loop"), capture],
                "streams": [cdcscope, "streams", capture, "--no-progress"],
                "extract raw": [cdcscope, "extract", capture, "-o", "/dev/null", "--payload", "raw", "--format", "ss",
                                "--no-progress"],
                "extract json": [cdcscope, "extract", capture, "-o", "/dev/null", "--format", "ss", "--no-progress"],
                "report": [cdcscope, "report", capture, "--format", "json", "--no-progress"],
            }
            if shutil.which("tcpflow"):
                work["tcpflow"] = ["tcpflow", "-r", capture, "-o", "flows", "-q"]
            if shutil.which("tshark"):
                work["tshark"] = ["tshark", "-n", "-r", capture, "-q", "-z", "io,stat,0"]
            missed |= compare(work, folder, given.rounds, {"streams": 3.0, "extract raw": 8.0})

            stream = os.path.join(folder, "raw.ss")
            subprocess.run([cdcscope, "extract", capture, "-o", stream, "--payload", "raw", "--no-progress", "--quiet"],
                           check=True)
            print(f"the .ss file of it: {os.path.getsize(stream) >> 20} MiB")
            missed |= compare({
                "sha256sum": ["sha256sum", stream],
                "ss verify": [cdcscope, "ss", "verify", stream],
                "ss cat": [cdcscope, "ss", "cat", "--format", "raw", stream],
            }, folder, given.rounds, {"ss verify": 1 / 3, "ss cat": 1 / 3})
    sys.exit(1 if missed else 0)


main()
