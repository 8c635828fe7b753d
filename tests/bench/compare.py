#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Packets/s of rocetop triage and of its neighbours on the same made capture, in one run, as ratios.

The capture is read once before anything is timed, so that all read from memory. Rounds go through all tools in turn, so
that a busy moment of the machine hits all of them; the best round of each counts. tshark is slow, so it gets the first
million packets and one round. Peak memory is the largest resident set, as GNU time reports it.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from made_capture import made_capture

SHORT_CAPTURE = 1_000_000
ROUNDS = 3
CHUNK = 1 << 22


class Tool:
    def __init__(self, name: str, command: list, rounds: int = ROUNDS, short: bool = False):
        self.name = name
        self.command = command
        self.rounds = rounds
        self.short = short
        self.seconds = []
        self.cpu_seconds = []
        self.peak_bytes = 0

    def there(self) -> bool:
        return shutil.which(self.command[0]) is not None

    def run(self):
        with tempfile.NamedTemporaryFile("r") as usage:
            # GNU time, because a child of this interpreter would count the interpreter's memory as its own peak.
            command = ["/usr/bin/time", "--quiet", "-f", "%U %S %M", "-o", usage.name, *self.command]
            started = time.perf_counter()
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  check=False)
            self.seconds.append(time.perf_counter() - started)
            # Findings may set an exit status of 1; more than that is a failure.
            if done.returncode not in (0, 1):
                complaint = done.stderr.decode(errors="replace")
                sys.exit(f"\n{' '.join(self.command)}: exit status {done.returncode}\n{complaint}")
            user, system, peak_kb = usage.read().split()
        self.cpu_seconds.append(float(user) + float(system))
        self.peak_bytes = max(self.peak_bytes, int(peak_kb) * 1024)


def warm(path: Path):
    with open(path, "rb") as file:
        while file.read(CHUNK):
            pass


def report(tools, packets: int, short_packets: int):
    """A line a tool: rate by the clock, rate per second of CPU (one core, whatever else runs), memory, ratio."""
    own_rate = packets / min(tools[0].seconds)
    print(f"\n{'':34}{'packets/s':>12}{'per CPU s':>12}{'peak memory':>13}{'rocetop is':>14}")
    for tool in tools:
        if not tool.seconds:
            print(f"{tool.name:34}{'not installed':>12}")
            continue
        count = short_packets if tool.short else packets
        rate = count / min(tool.seconds)
        cpu_rate = count / max(min(tool.cpu_seconds), 0.01)
        ratio = "" if tool is tools[0] else f"{own_rate / rate:9.2f} times"
        memory = f"{tool.peak_bytes / 1e6:10.0f} MB"
        print(f"{tool.name:34}{rate / 1e6:10.2f} M{cpu_rate / 1e6:10.2f} M{memory:>13}{ratio:>14}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("packets", nargs="?", type=int, default=10_000_000)
    parser.add_argument("--build", type=Path, required=True, help="build folder of the release preset")
    parser.add_argument("--captures", type=Path, required=True, help="folder for the made captures")
    arguments = parser.parse_args()

    short_packets = min(arguments.packets, SHORT_CAPTURE)
    big = made_capture(arguments.build, arguments.captures, arguments.packets)
    short = made_capture(arguments.build, arguments.captures, short_packets)
    tools = [
        Tool("rocetop triage", [str(arguments.build / "cli/rocetop"), "triage", str(big)]),
        Tool("capinfos -c", ["capinfos", "-c", str(big)]),
        Tool("tcpdump -r … -w /dev/null", ["tcpdump", "-r", str(big), "-w", "/dev/null"]),
        Tool("tshark -q -z io,stat,0", ["tshark", "-r", str(short), "-q", "-z", "io,stat,0"], rounds=1, short=True),
    ]
    for path in (big, short):
        warm(path)
    for round_number in range(ROUNDS):
        for tool in tools:
            if tool.there() and round_number < tool.rounds:
                print(f"round {round_number + 1}: {tool.name}", flush=True)
                tool.run()
    report(tools, arguments.packets, short_packets)


if __name__ == "__main__":
    main()
