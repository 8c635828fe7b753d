#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tries the checker itself: it must accept an output that is right about everything and refuse every damaged one.

From each expectation an accurate output is built (accurate.py). Then, one at a time, values are changed, keys and list
entries taken away or doubled, and plausible lies told. What the checker does not look at is listed here, in
is_judged(): everything else must be noticed.
"""
from __future__ import annotations

import argparse
import concurrent.futures
import copy
import json
import pathlib
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from accurate import accurate_output, finding
from check import LAB, SUFFIX, differences, is_wanted
from compare import NEEDS, Evidence
from contract import CAUSES, OUTCOMES, Object

SITES = 60  # damages tried per capture, drawn with a fixed seed; there are hundreds of places, and 285 captures
FAR = 1_000_003  # no open range is so wide
KNOWN_WORDS = {"cause": CAUSES, "outcome": OUTCOMES, "transport": ("RC", "UC"), "paired_by": ("cm", "ack", "udp_port"),
               "protocol": ("RoCEv2", "RoCEv1")}
JUDGED_OF_DATAGRAMS = {"frames", "bytes_on_wire", "cnps", "opcodes", "ecn", "icrc", "src", "dst", "dst_qpn"}
JUDGED_OF_DATAGRAM_REQUESTS = {"duplicate_packets", "retransmitted_packets"}
JUDGED_OF_EMPTY_SPACES = {"packets", "missing_packets", "retransmitted_packets"}

Path = tuple[str | int, ...]


class Site(NamedTuple):
    """A place in an output: the container that holds it, its key there, and the way to it."""

    path: Path
    container: Any
    key: Any

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(step for step in self.path if isinstance(step, str))

    @property
    def value(self) -> Any:
        return self.container[self.key]


def sites(node: Any, path: Path = ()) -> Iterator[Site]:
    """Every key and every list entry of an output but the notes."""
    entries = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in list(entries):
        if not str(key).startswith("_"):
            yield Site((*path, key), node, key)
            yield from sites(value, (*path, key))


# --- what the checker looks at ----------------------------------------------------------------------------------------


def expected_connection(connection: Object, want: Object) -> Object:
    ends = sorted((connection[end]["ip"], connection[end]["qpn"]) for end in "ab")
    same = [c for c in want["connections"] if sorted(map(tuple, c["ends"])) == ends]
    return same[0]


def is_space_judged(names: tuple[str, ...], space: Object, datagram: bool) -> bool:
    """names begins with the key within a SPACE."""
    if datagram:
        return names[0] in JUDGED_OF_DATAGRAM_REQUESTS
    if space["packets"] == 0:
        return names[0] in JUDGED_OF_EMPTY_SPACES
    return True


def is_judged(site: Site, output: Object, want: Object) -> bool:
    """Should the checker notice that this value is wrong? (That a key is not there it must always notice.)"""
    names = site.names
    if names[0] in ("rocetop_version", "files", "findings"):
        return names == ("findings", "rule")
    if names[0] == "capture":
        return not (want["truncated_frames"] and names[1] in ("undecodable", "not_roce_frames"))
    if names[0] != "connections" or len(names) == 1:
        return True
    connection = output["connections"][site.path[1]]
    datagram = connection["transport"] == "UD"
    if names[1] != "directions":
        return is_connection_judged(names[1:], connection, datagram, want)
    direction = connection["directions"][site.path[3]] if len(site.path) > 3 else {}
    if names[2:] == () or names[-1] == "tap" or not direction.get("frames", 1):
        return False
    if names[2] in ("requests", "responses"):
        space = direction[names[2]]
        return names[3:] != () and (names[2] == "requests" or not datagram) and is_space_judged(
            names[3:], space, datagram)
    return not datagram or names[2] in JUDGED_OF_DATAGRAMS


def is_connection_judged(names: tuple[str, ...], connection: Object, datagram: bool, want: Object) -> bool:
    if names[0] in ("id", "network") or datagram:
        return False
    if names == ("a", "qpn") and connection["_is_pairing_open"]:  # a lone direction does not carry its source's QPN
        return False
    return names[0] not in ("first_frame", "last_frame") or names[0] in expected_connection(connection, want)


# --- damages ----------------------------------------------------------------------------------------------------------


def wrong_word(site: Site) -> str | None:
    """Another word that the contract knows but the expectation does not allow here."""
    allowed = site.container.get(f"_{site.key}s", site.container.get(f"_{site.key}", [site.value]))
    return next((word for word in KNOWN_WORDS[site.key] if word not in allowed), None)


def is_open_number(site: Site) -> bool:
    """Bytes of an episode whose packets are open, and null for what nothing is said about, are not judged."""
    return site.names[-2:] == ("episodes", "bytes") and not site.value


def wrong_values(site: Site) -> list[Any]:
    """Values that differ from the right one, subtle first; the last must be noticed."""
    value = site.value
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, (int, float)):
        return [] if is_open_number(site) else [value + 1, value + FAR]
    if isinstance(value, str):
        word = wrong_word(site) if site.key in KNOWN_WORDS else value + "?"
        return [word] if word is not None else []
    return []


def changed_is_noticed(site: Site, noticed: Callable[[], bool]) -> bool:
    right, wrong = site.value, wrong_values(site)
    try:
        for value in wrong:
            site.container[site.key] = value
            if noticed():
                return True
        return not wrong
    finally:
        site.container[site.key] = right


def removal_is_noticed(site: Site, noticed: Callable[[], bool]) -> bool:
    """Without a key of an object; the order of the keys must survive, for the sites hold on to it."""
    kept = dict(site.container)
    del site.container[site.key]
    try:
        return noticed()
    finally:
        site.container.clear()
        site.container.update(kept)


def entries_are_noticed(site: Site, noticed: Callable[[], bool]) -> bool:
    """A list without its last entry, and one with that twice."""
    entries = site.value
    try:
        for damaged in (entries[:-1], [*entries, entries[-1]]):
            site.container[site.key] = damaged
            if not noticed():
                return False
        return True
    finally:
        site.container[site.key] = entries


def is_required(site: Site) -> bool:
    """Tables of counts need only the codes that occur; there, to take away a 0 is no damage."""
    return site.names[-2] not in ("opcodes", "naks") if len(site.path) > 1 else True


def has_judged_entries(site: Site, output: Object, want: Object) -> bool:
    """Lists whose entries must all be there, and once."""
    if not isinstance(site.value, list) or not site.value:
        return False
    if site.key == "connections":
        last = site.value[-1]
        return last["transport"] != "UD" and any(d["frames"] for d in last["directions"])
    if site.key == "directions":
        return output["connections"][site.path[1]]["transport"] != "UD" and site.value[-1]["frames"] > 0
    return site.key in ("missing", "episodes") and not Evidence(want).extra_episodes


def damages(output: Object, want: Object) -> Iterator[tuple[str, Callable[[Callable[[], bool]], bool]]]:
    """All damages to an output: a name, and a function that inflicts it, asks whether it is noticed, and repairs it."""
    for site in sites(output):
        name = ".".join(map(str, site.path))
        if isinstance(site.container, dict) and is_required(site):
            yield f"without {name}", lambda noticed, site=site: removal_is_noticed(site, noticed)
        if wrong_values(site) and is_judged(site, output, want):
            yield f"wrong {name}", lambda noticed, site=site: changed_is_noticed(site, noticed)
        if has_judged_entries(site, output, want):
            yield f"entries of {name}", lambda noticed, site=site: entries_are_noticed(site, noticed)


# --- lies: damages that are consistent in themselves ------------------------------------------------------------------


def tracked_spaces(output: Object, keys: tuple[str, ...] = ("requests", "responses")) -> Iterator[Object]:
    for connection in output["connections"]:
        for direction in connection["directions"] if connection["transport"] != "UD" else []:
            yield from (direction[key] for key in keys if direction[key]["packets"])


def say_another_outcome(output: Object) -> bool:
    for space in tracked_spaces(output):
        for run in space["missing"]:
            word = next((outcome for outcome in OUTCOMES if outcome not in run["_outcomes"]), None)
            if word:
                space["missing_packets"][run["outcome"]] -= 1
                space["missing_packets"][word] += 1
                run["outcome"] = word
                return True
    return False


def invent_a_missing_packet(output: Object) -> bool:
    for space in tracked_spaces(output):
        psn = (space["first_psn"] + 0x400000) & 0xFFFFFF
        space["missing"].append({"first_psn": psn, "last_psn": psn, "seen_at_frame": 1, "outcome": "unresolved"})
        space["missing_packets"]["unresolved"] += 1
        return True
    return False


def invent_an_episode(output: Object) -> bool:
    for space in tracked_spaces(output, ("requests",)):
        for k in range(100):  # more than any expectation leaves open
            space["episodes"].append({"cause": "timeout", "first_psn": space["first_psn"], "first_frame": FAR + k,
                                      "trigger_frame": None, "packets": 1, "bytes": 0, "wasted_packets": 0,
                                      "wait_ns": None})
        return True
    return False


def split_a_connection(output: Object) -> bool:
    """Two halves of a connection, each with one direction, not paired."""
    for connection in output["connections"]:
        two_ways = connection["transport"] != "UD" and len(connection["directions"]) == 2
        if two_ways and not connection["_is_pairing_open"]:
            half = copy.deepcopy(connection)
            connection["directions"], half["directions"] = connection["directions"][:1], half["directions"][1:]
            connection["paired_by"] = half["paired_by"] = None
            half["id"] = FAR
            output["connections"].append(half)
            return True
    return False


def swap_spaces(output: Object) -> bool:
    """Requests as responses and the other way round."""
    for connection in output["connections"]:
        for direction in connection["directions"]:
            requests, responses = direction["requests"], direction["responses"]
            if connection["transport"] != "UD" and requests["packets"] != responses["packets"]:
                direction["requests"], direction["responses"] = direction["responses"], direction["requests"]
                return True
    return False


def swap_sides(output: Object) -> bool:
    for connection in output["connections"]:
        if connection["transport"] != "UD" and not connection["_is_a_open"]:
            connection["a"], connection["b"] = connection["b"], connection["a"]
            return True
    return False


def invent_a_queue_pair(output: Object) -> bool:
    """A connection that is not in the capture."""
    for connection in output["connections"]:
        if connection["directions"][0]["frames"]:
            stranger = copy.deepcopy(connection)
            stranger["id"] = FAR
            for end in "ab":
                stranger[end]["qpn"] = FAR
            for direction in stranger["directions"]:
                direction["dst_qpn"] = FAR
            output["connections"].append(stranger)
            return True
    return False


LIES = (say_another_outcome, invent_a_missing_packet, invent_an_episode, split_a_connection, swap_spaces, swap_sides,
        invent_a_queue_pair)


def unnoticed_lies(output: Object, want: Object) -> list[str]:
    unnoticed = []
    for lie in LIES:
        told = copy.deepcopy(output)
        if lie(told) and not differences(told, want, congestion=True):
            unnoticed.append(lie.__name__)
    evidence = Evidence(want)
    for rule in (rule for rule, needed in NEEDS.items() if not needed(evidence) and not evidence.extra_episodes):
        told = {**output, "findings": [*output["findings"], finding(FAR, rule)]}
        if not differences(told, want, congestion=True):
            unnoticed.append(f"finding {rule} without evidence")
    return unnoticed


# --- all of it --------------------------------------------------------------------------------------------------------


def try_capture(path: pathlib.Path) -> tuple[str, int, list[str]]:
    """Name, number of damages tried, and what went wrong."""
    name = path.name.removesuffix(SUFFIX)
    want = json.loads(path.read_text())
    output = accurate_output(want)
    refused = differences(output, want, congestion=True)
    if refused:
        return name, 0, [f"the accurate output is refused: {refused[0]}"]
    tried = list(damages(output, want))
    if len(tried) > SITES:
        tried = random.Random(name).sample(tried, SITES)
    wrong = [damage for damage, is_noticed in tried
             if not is_noticed(lambda: bool(differences(output, want, congestion=True)))]
    if differences(output, want, congestion=True):
        wrong.append("a damage was not repaired: the self-test is wrong")
    return name, len(tried) + len(LIES), wrong + unnoticed_lies(output, want)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="scenarios or shell patterns; default: all captures")
    names = parser.parse_args().names
    paths = [p for p in sorted(LAB.glob("*" + SUFFIX)) if is_wanted(p.name.removesuffix(SUFFIX), names)]
    damaged = failed = 0
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        for name, tried, wrong in pool.map(try_capture, paths, chunksize=8):
            damaged += tried
            failed += bool(wrong)
            for what in wrong:
                print(f"{name}: not noticed: {what}")
    print(f"{len(paths)} captures, {damaged} damaged outputs, {failed} captures with complaints")
    return int(failed > 0 or not paths)


if __name__ == "__main__":
    sys.exit(main())
