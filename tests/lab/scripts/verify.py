#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that the four captures of each scenario agree with each other and with the truth file.

Frames that a sent (sender) are those that reached the wire (middle.in); frames that left the wire towards b
(middle.out) are those that b got (receiver); the same from b to a. What differs between the wire's two sides is what
the events say, and every ICRC is right unless the wire spoilt it. Frames are compared as multisets, cut to the snap
length, RoCEv2 only.
"""
from __future__ import annotations

import argparse
import collections
import fnmatch
import json
import pathlib
import sys
from typing import Any

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "tests" / "support"))

from capture_files import Frame as Captured  # noqa: E402
from capture_files import read_pcap  # noqa: E402
from frame import Frame  # noqa: E402

MAC_A = bytes.fromhex("020000000001")
TAPS = ("sender", "receiver", "middle.in", "middle.out")
CE = 3

Multiset = collections.Counter[tuple[bool, int, bytes]]  # sent by a?, bytes on the wire, bytes up to the snap length


def frames_of(base: pathlib.Path, tap: str) -> list[Captured]:
    """The RoCEv2 frames of one capture; short ones are padded for the header check only."""
    path = next(p for end in (".pcap", ".pcap.zst") if (p := base.with_name(f"{base.name}.{tap}{end}")).exists())
    return [c for c in read_pcap(path)[1] if len(c.data) >= 42 and Frame(c.data + bytes(80)).roce]


def multiset(frames: list[Captured], snap_bytes: int) -> Multiset:
    return collections.Counter((c.data[6:12] == MAC_A, c.wire_bytes, c.data[:snap_bytes]) for c in frames)


def sent_by(frames: Multiset, from_a: bool) -> Multiset:
    return collections.Counter({key: count for key, count in frames.items() if key[0] == from_a})


def difference(x: Multiset, y: Multiset) -> tuple[int, int]:
    """How many frames only x holds, and how many only y."""
    return (x - y).total(), (y - x).total()


def changes_by_events(events: list[dict[str, Any]]) -> tuple[int, int]:
    """How many frames the wire took away and added, by its own account; a changed frame is one of each."""
    actions = collections.Counter(event["action"] for event in events)
    changed = actions["ce"] + actions["queue_ce"] + actions["flip"] + actions["ce_cnp"]
    changed -= sum(event.get("was_ecn") == CE for event in events)
    return actions["drop"] + actions["queue_drop"] + changed, actions["dup"] + actions["ce_cnp"] + changed


def disagreements(base: pathlib.Path, truth: dict[str, Any]) -> dict[str, Any]:
    """What does not fit in one scenario."""
    snap_bytes = truth["snaplen"] if truth["snaplen"] != "full" else 1 << 20
    frames = {tap: frames_of(base, tap) for tap in TAPS}
    sets = {tap: multiset(frames[tap], snap_bytes) for tap in TAPS}
    compared = {"a sent, wire got": ("sender", "middle.in", True),
                "wire sent, b got": ("middle.out", "receiver", True),
                "b sent, wire got": ("receiver", "middle.in", False),
                "wire sent, a got": ("middle.out", "sender", False)}
    wrong: dict[str, Any] = {}
    for name, (one, other, from_a) in compared.items():
        apart = difference(sent_by(sets[one], from_a), sent_by(sets[other], from_a))
        if apart != (0, 0):
            wrong[name] = apart
    events = truth["wire"]["events"]
    lost, expected = difference(sets["middle.in"], sets["middle.out"]), changes_by_events(events)
    if lost != expected:
        wrong["wire in, wire out"] = f"{lost}, but the events say {expected}"
    bad = {tap: sum(not Frame(c.data).icrc_is_good() for c in frames[tap]) for tap in ("middle.in", "middle.out")}
    if bad != {"middle.in": 0, "middle.out": sum(event["action"] == "flip" for event in events)}:
        wrong["bad ICRCs"] = bad
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, nargs="?", default=REPOSITORY / "captures" / "lab")
    parser.add_argument("--scenario", default="*", metavar="PATTERN")
    arguments = parser.parse_args()
    tried = failed = 0
    for path in sorted(arguments.folder.glob("*.truth.json")):
        scenario = path.name.removesuffix(".truth.json")
        if not fnmatch.fnmatch(scenario, arguments.scenario):
            continue
        wrong = disagreements(path.with_name(scenario), json.loads(path.read_text()))
        tried, failed = tried + 1, failed + bool(wrong)
        print(f"{scenario}: {wrong or 'ok'}", flush=True)
    print(f"{tried - failed} agree, {failed} do not")
    return int(failed > 0 or not tried)


if __name__ == "__main__":
    sys.exit(main())
