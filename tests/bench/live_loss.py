#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Packets that rocetop live and tcpdump -w /dev/null lose of the same flood, in one run.

One end of a veth pair is flooded with a made capture, each consumer in turn captures at the other, with rings and snap
lengths alike. The rate is lowered until tcpdump loses nothing; at that rate rocetop must lose nothing. On a veth the
sender is the limit, so the same is done once more with both consumers slowed alike: stopped for a part of the time.
All of it in a network namespace of its own, which takes root or user namespaces. Exits with 1 if rocetop lost any.
"""

import argparse
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from made_capture import made_capture

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from network import add_pair, enter_namespace  # noqa: E402

INSIDE = "ROCETOP_BENCH_NAMESPACE"
RING_KIB = 65_536
SNAP = 256
LOWER = 0.7  # the next rate
STEPS = 12
STOPPED_S, RUNNING_S = 1.8, 0.6  # of a slowed consumer: stopped for longer than its ring lasts at full speed
SETTLE_S = 2.5
PATIENCE = 5  # lines in which nothing more comes


class Slowed:
    """Stops a process for a part of the time, while it lasts."""

    def __init__(self, pid: int, slowed: bool):
        self.pid = pid
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run) if slowed else None

    def run(self) -> None:
        while not self.over.is_set():
            os.kill(self.pid, signal.SIGSTOP)
            self.over.wait(STOPPED_S)
            os.kill(self.pid, signal.SIGCONT)
            self.over.wait(RUNNING_S)

    def __enter__(self) -> None:
        if self.thread:
            self.thread.start()

    def __exit__(self, *_) -> None:
        self.over.set()
        if self.thread:
            self.thread.join()


class Flood:
    def __init__(self, sender: Path, capture: Path, packets: int):
        self.command = [str(sender), str(capture), "va", "--packets", str(packets)]

    def send(self, rate: float) -> dict:
        done = subprocess.run([*self.command, "--rate", str(rate)], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)


def tcpdump(flood: Flood, rate: float, slowed: bool) -> dict:
    command = ["tcpdump", "-i", "vb", "-n", "-s", str(SNAP), "-B", str(RING_KIB), "-w", "/dev/null", "udp"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    process.stderr.readline()  # it listens
    with Slowed(process.pid, slowed):
        sent = flood.send(rate)
    time.sleep(SETTLE_S)
    process.send_signal(signal.SIGINT)
    words = process.communicate()[1]
    captured, dropped = (int(re.search(rf"(\d+) packets? {what}", words)[1])
                         for what in ("captured", "dropped by kernel"))
    return sent | {"captured": captured, "dropped": dropped}


def rocetop(program: Path, flood: Flood, rate: float, slowed: bool) -> dict:
    process = subprocess.Popen([str(program), "live", "-i", "vb", "--json", "-s", str(SNAP), "--interval", "1s", "udp"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    process.stdout.readline()  # it captures
    lines = queue.SimpleQueue()
    reader = threading.Thread(target=lambda: [lines.put(json.loads(line)) for line in process.stdout])
    reader.start()
    with Slowed(process.pid, slowed):
        sent = flood.send(rate)
    # What it has taken off the ring it may still have to look at.
    best, idle = -1, 0
    while idle < PATIENCE and best < sent["sent"]:
        interface = lines.get()["interfaces"][0]
        known = interface["frames"] + interface["frames_dropped"]
        idle = idle + 1 if known == best else 0
        best = known
    process.send_signal(signal.SIGINT)
    reader.join()
    process.wait()
    while not lines.empty():
        interface = lines.get()["interfaces"][0]
    return sent | {"captured": interface["frames"], "dropped": interface["frames_dropped"]}


def show(name: str, result: dict) -> None:
    lost = result["sent"] - result["captured"]
    print(f"  {name:8} {result['sent'] / result['seconds']:>12,.0f} packets/s   sent {result['sent']:>10,}   "
          f"captured {result['captured']:>10,}   dropped by the kernel {result['dropped']:>9,}   lost {lost:>9,}",
          flush=True)


def compare(program: Path, flood: Flood, slowed: bool) -> bool:
    """Whether rocetop loses nothing at the highest rate tried at which tcpdump does not."""
    print(f"both stopped for {STOPPED_S / (STOPPED_S + RUNNING_S):.0%} of the time:" if slowed else "as they are:")
    rate = 0.0
    for _ in range(STEPS):
        theirs = tcpdump(flood, rate, slowed)
        ours = rocetop(program, flood, rate, slowed)
        show("tcpdump", theirs)
        show("rocetop", ours)
        if theirs["sent"] == theirs["captured"]:
            return ours["sent"] == ours["captured"]
        rate = LOWER * (rate or theirs["sent"] / theirs["seconds"])
    print("  tcpdump lost packets at every rate")
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("packets", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--queue-pairs", type=int, default=1_024)
    parser.add_argument("--build", type=Path, required=True, help="build folder of the release preset")
    parser.add_argument("--captures", type=Path, required=True, help="folder for the made captures")
    options = parser.parse_args()
    if not shutil.which("tcpdump"):
        sys.exit("tcpdump is missing")
    bench = options.build / "tests" / "bench"
    capture = made_capture(options.build, options.captures, options.packets, options.queue_pairs)
    if INSIDE not in os.environ:
        sys.exit(enter_namespace(INSIDE))
    add_pair("va", "vb")
    flood = Flood(bench / "bench_send_frames", capture, options.packets)
    program = options.build / "cli" / "rocetop"
    good = [compare(program, flood, slowed) for slowed in (False, True)]
    print(f"rocetop loses {'nothing' if all(good) else 'packets'} where tcpdump loses nothing")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
