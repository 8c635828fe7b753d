#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `packets --two-pass` says of single packets adds up to what `triage` counts, connection by connection: packets,
missing PSNs by what became of them, resends, copies, reordered ones.

usage: two_pass.py ROCETOP CAPTURES
"""
from __future__ import annotations

import collections
import json
import pathlib
import subprocess
import sys

CNP = 0x81
REPEATS = ("retransmission", "reordered", "duplicate")


def counted(rocetop: str, capture: pathlib.Path) -> dict[int, collections.Counter]:
    done = subprocess.run([rocetop, "triage", "--json", str(capture)], capture_output=True, text=True)
    connections: dict[int, collections.Counter] = {}
    for connection in json.loads(done.stdout)["connections"]:
        sums = connections.setdefault(connection["id"], collections.Counter())
        for direction in connection["directions"]:
            sums["packets"] += direction["frames"]
            for space in filter(None, (direction["requests"], direction["responses"])):
                missing = space["missing_packets"]
                sums["missing"] += missing["retransmitted"] + missing["unresolved"]
                sums["came late"] += missing["reordered"]
                sums["not captured"] += missing["capture_missed"]
                sums["retransmission"] += sum(space["retransmitted_packets"].values())
                sums["duplicate"] += space["duplicate_packets"]
                sums["reordered"] += space["reordered_packets"]
    return connections


def told(rocetop: str, capture: pathlib.Path) -> dict[int, collections.Counter]:
    done = subprocess.run([rocetop, "packets", "--two-pass", "--json", str(capture)], capture_output=True, text=True)
    connections: dict[int, collections.Counter] = {}
    for packet in map(json.loads, done.stdout.splitlines()):
        if not packet.get("connection"):
            continue
        sums = connections.setdefault(packet["connection"], collections.Counter())
        analysis = packet["analysis"]
        final = analysis["final"] or {}
        kind = final["fate"] if final.get("fate") in REPEATS else analysis["kind"]
        sums["packets"] += 1
        if kind in REPEATS and packet["opcode"] != CNP:
            sums[kind] += 1
        sums["missing"] += final.get("missing_before", analysis["missing_before"])
        sums["came late"] += final.get("came_late", 0)
        sums["not captured"] += final.get("not_captured", 0)
    return connections


def main() -> int:
    rocetop, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    captures = sorted(p for p in [*folder.iterdir(), *(folder / "lab").iterdir()]
                      if p.name.endswith((".pcapng", ".pcapng.zst", ".pcap.zst")))
    total: collections.Counter = collections.Counter()
    faults = 0
    for capture in captures:
        expected, is_ = counted(rocetop, capture), told(rocetop, capture)
        for connection in sorted(expected.keys() | is_.keys()):
            a, b = expected.get(connection, collections.Counter()), is_.get(connection, collections.Counter())
            total.update(a)
            for what in sorted(a.keys() | b.keys()):
                if a[what] != b[what]:
                    faults += 1
                    print(f"{capture.name}, connection {connection}: {b[what]} {what}; triage counts {a[what]}")
    print(f"{len(captures)} captures, {dict(total)}: {faults} differences")
    # All kinds must occur, or the comparison says nothing of them.
    return 0 if faults == 0 and all(total[what] for what in ("missing", "came late", "not captured", *REPEATS)) else 1


if __name__ == "__main__":
    sys.exit(main())
