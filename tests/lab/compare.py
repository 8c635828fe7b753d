# SPDX-License-Identifier: BSD-3-Clause
"""Compares one output of `rocetop triage --json` with what is known to have happened: by meaning, not by bytes.

The order of connections, directions and lists does not matter. Connections are found by (address, QPN) at both ends
and, where QPNs were used again, by the order in which they were. A value that a passive tap cannot decide is open in
the expectation, {"min", "max"} or {"any_of"}, with the reason in a "why". The prose of findings is not judged; a
finding whose evidence is not in the capture is.

The form of the output must have been found right (contract.py) before anything here is called.
"""
from __future__ import annotations

import collections
import datetime
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from contract import OUTCOMES, Object, is_number, short

PSN_MASK = 0xFFFFFF
LONGEST_RUN = 1 << 16  # PSNs of one missing run that are looked at: more is nonsense in these captures, and slow

DirectionKey = tuple[str, str, Any]  # source address, destination address, destination QPN
Sighting = tuple[Object, Object]  # a connection, and one of its directions


def fits(got: Any, want: Any) -> bool:
    """Does a value fit an expected one, in any of its three forms?"""
    if isinstance(want, dict) and "any_of" in want:
        return any(fits(got, each) for each in want["any_of"])
    if isinstance(want, dict) and "min" in want:
        return is_number(got) and want["min"] <= got <= want["max"]
    if isinstance(want, float):
        return is_number(got) and abs(got - want) < 1e-6
    if is_number(want):
        return is_number(got) and got == want
    return got == want


def words(want: Any) -> str:
    """An expected value as a person would say it."""
    if isinstance(want, dict) and "any_of" in want:
        return "one of " + ", ".join(short(each) for each in want["any_of"])
    if isinstance(want, dict) and "min" in want:
        return f"{want['min']} to {want['max']}"
    return short(want)


class Differences:
    """The differences found so far, each a sentence that begins with its place."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def add(self, place: str, text: str) -> None:
        self.found.append(f"{place}: {text}")

    def value(self, place: str, got: Object, key: str, want: Any) -> None:
        if not fits(got[key], want):
            self.add(place, f"{key} should be {words(want)}, got {short(got[key])}")

    def counts(self, place: str, name: str, got: Object, want: Object) -> None:
        """Compares two tables of counts; a count that is absent is 0."""
        for key in sorted(set(got) | set(want)):
            if not fits(got.get(key, 0), want.get(key, 0)):
                self.add(place, f"{name} {key} should be {words(want.get(key, 0))}, got {short(got.get(key, 0))}")


# --- the capture ------------------------------------------------------------------------------------------------------


def rfc3339(ns: int) -> str:
    second, fraction = divmod(ns, 10**9)
    return f"{datetime.datetime.fromtimestamp(second, datetime.timezone.utc):%Y-%m-%dT%H:%M:%S}.{fraction:09d}Z"


def compare_capture(d: Differences, output: Object, want: Object) -> None:
    capture = output["capture"]
    for key in ("frames", "roce_frames", "bytes_on_wire", "first_ns", "last_ns", "truncated_frames",
                "capture_missed_packets", "completeness"):
        d.value("capture", capture, key, want[key])
    for end in ("first", "last"):
        d.value("capture", capture, f"{end}_time", rfc3339(want[f"{end}_ns"]))
    if not want["truncated_frames"]:  # a header cut off by the snap length may count as undecodable
        d.counts("capture", "undecodable", capture["undecodable"], {})
        d.value("capture", capture, "not_roce_frames", want["frames"] - want["roce_frames"])
    d.value("output", output, "partial", False)


# --- connections ------------------------------------------------------------------------------------------------------


def sightings_by_key(connections: list[Object]) -> dict[DirectionKey, list[Sighting]]:
    """Every direction that holds frames, by its key, in the order of time."""
    found: dict[DirectionKey, list[Sighting]] = collections.defaultdict(list)
    for connection in sorted(connections, key=lambda c: c["first_frame"]):
        for direction in connection["directions"]:
            if direction["frames"]:
                key = direction["src"], direction["dst"], direction["dst_qpn"]
                found[key].append((connection, direction))
    return found


def ends_of(connection: Object) -> list[tuple[str, str]]:
    return sorted((connection[end]["ip"], str(connection[end]["qpn"])) for end in "ab")


class ConnectionFinder:
    """Finds the connection of the output that an expected one is about; the n-th use of a pair of QPNs is the n-th."""

    def __init__(self, connections: list[Object], sightings: dict[DirectionKey, list[Sighting]]) -> None:
        tracked = (c for c in connections if c["transport"] != "UD")
        self._by_time = sorted(tracked, key=lambda c: c["first_frame"])
        self._sightings = sightings
        self._uses: collections.Counter[str] = collections.Counter()

    def find(self, want: Object) -> tuple[Object | None, int]:
        """The connection, or None, and how many uses of the same QPNs came before."""
        ends = sorted((ip, str(qpn)) for ip, qpn in want["ends"])
        use = self._uses[str(ends)]
        self._uses[str(ends)] += 1
        same = [c for c in self._by_time if ends_of(c) == ends]
        if use < len(same):
            return same[use], use
        if want["paired"] is True:
            return None, use
        halves = [c for key in want["directions_seen"] for c, _ in self._sightings.get(tuple(key), [])]
        return (halves[min(use, len(halves) - 1)] if halves else None), use


def compare_connections(d: Differences, output: Object, want: Object,
                        sightings: dict[DirectionKey, list[Sighting]]) -> None:
    """Pairing, transport and path MTU of each expected connection."""
    finder = ConnectionFinder(output["connections"], sightings)
    for expected in sorted(want["connections"], key=lambda c: c["generation"]):
        (ip_1, qpn_1), (ip_2, qpn_2) = expected["ends"]
        place = f"connection {ip_1} qp {qpn_1} - {ip_2} qp {qpn_2}"
        got, use = finder.find(expected)
        if got is not None:
            compare_connection(d, place, got, expected)
        elif expected["paired"] is True:
            d.add(place, f"use {use + 1} of these QPNs is not in the output" if use else "is not in the output")


def compare_connection(d: Differences, place: str, got: Object, want: Object) -> None:
    for key in ("transport", "path_mtu", "first_frame", "last_frame"):
        if key in want:
            d.value(place, got, key, want[key])
    d.value(place, got, "protocol", want.get("protocol", "RoCEv2"))
    d.value(place, got, "paired_by", {"any_of": want["paired_by"]})
    if want["a_ip"] and got["a"]["ip"] != want["a_ip"]:
        d.add(place, f"a should be the side that was seen first, {want['a_ip']}, got {got['a']['ip']}")


# --- directions -------------------------------------------------------------------------------------------------------


def compare_directions(d: Differences, want: Object, sightings: dict[DirectionKey, list[Sighting]],
                       congestion: bool) -> None:
    expected: dict[tuple[DirectionKey, bool], list[Object]] = collections.defaultdict(list)
    for direction in want["directions"]:
        key = direction["src"], direction["dst"], direction["dst_qpn"]
        expected[key, direction["transport"] == "UD"].append(direction)
    for (key, datagram), generations in expected.items():
        place = "{} -> {} qp {}".format(*key)
        got = [dn for c, dn in sightings.get(key, []) if (c["transport"] == "UD") == datagram]
        if datagram:
            compare_datagrams(d, place, got, generations[0])
        else:
            compare_generations(d, place, got, generations, congestion)
    known = {key for key, _ in expected}
    for key in sightings:
        if key not in known:
            d.add("{} -> {} qp {}".format(*key), "a direction that is not in the capture")


def compare_generations(d: Differences, place: str, got: list[Object], want: list[Object], congestion: bool) -> None:
    """The uses of one queue pair, in the order of time."""
    if not got:
        d.add(place, "no such direction in the output")
    elif len(got) != len(want):
        d.add(place, f"should appear {len(want)} time(s) (so many connections used the QPN), got {len(got)}")
    in_order = sorted(want, key=lambda direction: direction["generation"])
    for use, (expected, direction) in enumerate(zip(in_order, got), 1):
        compare_direction(d, f"{place} (use {use})" if len(want) > 1 else place, direction, expected, congestion)


def compare_datagrams(d: Differences, place: str, got: list[Object], want: Object) -> None:
    """UD and CM: all directions to one QP are added up, however the output divides them."""
    if not got:
        if not want["optional"]:
            d.add(place, "no such direction in the output")
        return
    for key in ("frames", "bytes_on_wire", "cnps"):
        d.value(place, {key: sum(direction[key] for direction in got)}, key, want[key])
    for table in ("opcodes", "ecn", "icrc"):
        total: collections.Counter[str] = collections.Counter()
        for direction in got:
            total.update(direction[table])
        d.counts(place, table, respell(total, want[table]), want[table])
    for direction in got:
        for key in ("duplicate_packets", "retransmitted_packets"):
            d.value(f"{place} requests", direction["requests"], key, want["requests"][key])


def compare_direction(d: Differences, place: str, got: Object, want: Object, congestion: bool) -> None:
    for key in ("frames", "bytes_on_wire", "acks", "rnr_naks", "cnps"):
        d.value(place, got, key, want[key])
    for table in ("opcodes", "naks", "icrc") + (("ecn",) if congestion else ()):
        d.counts(place, table, respell(got[table], want[table]), want[table])
    for space in ("requests", "responses"):
        compare_space(d, f"{place} {space}", got[space], want[space], congestion)


def spelling(name: str) -> str:
    """A name without case, spaces and punctuation: the specification itself spells "RDMA READ response" both ways."""
    plain = "".join(c for c in name.lower() if c.isalnum())
    plain = plain.replace("withimmediate", "immediate").replace("withinvalidate", "invalidate")
    return "cnp" if "cnp" in plain else plain


def respell(got: Object, want: Object) -> Object:
    """The counts of `got` under the names of `want` where only the spelling differs."""
    names = {spelling(name): name for name in want}
    total: collections.Counter[str] = collections.Counter()
    for name, count in got.items():
        total[names.get(spelling(name), name)] += count
    return total


# --- PSN spaces -------------------------------------------------------------------------------------------------------


def compare_space(d: Differences, place: str, got: Object, want: Object, congestion: bool) -> None:
    d.value(place, got, "packets", want["packets"])
    if want["packets"] == 0:
        if any(got["retransmitted_packets"].values()) or any(got["missing_packets"].values()) or got["episodes"]:
            d.add(place, "nothing was sent in this space, so nothing can be missing or retransmitted")
        return
    for key in ("payload_bytes", "first_psn", "highest_psn", "duplicate_packets", "reordered_packets"):
        d.value(place, got, key, want[key])
    if "retransmitted_bytes" in want:
        d.value(place, got, "retransmitted_bytes", want["retransmitted_bytes"])
    compare_repeats(d, place, got, want)
    MissingComparison(d, place, got, want["missing"]).run()
    if "episodes_max" in want:
        most = want["episodes_max"]["value"]
        if len(got["episodes"]) + got.get("episodes_omitted", 0) > most:
            d.add(place, f"at most {most} episodes, got {len(got['episodes'])}")
    else:
        EpisodeComparison(d, place, got, want, congestion).run()


def compare_repeats(d: Differences, place: str, got: Object, want: Object) -> None:
    """Packets that carry a PSN again or late: each kind, and all of them together."""
    resent = got["retransmitted_packets"]
    for key, count in want["retransmitted_packets"].items():
        d.value(f"{place} retransmitted_packets", resent, key, count)
    parts = [resent["original_seen"], resent["original_unseen"], got["duplicate_packets"], got["reordered_packets"]]
    if all(map(is_number, parts)) and not fits(sum(parts), want["resent_or_copied"]):
        d.add(place, f"retransmitted, duplicate and reordered packets together should be "
                     f"{words(want['resent_or_copied'])}, got {sum(parts)}")


class MissingComparison:
    """The fate of each missing PSN, and that the totals agree with the list."""

    def __init__(self, d: Differences, place: str, got: Object, want: list[Object]) -> None:
        self._d, self._place = d, place
        self._runs, self._totals = got["missing"], got["missing_packets"]
        self._omitted = got.get("missing_omitted", 0)
        self._want = self._merge(want)
        self._fates: dict[int, tuple[str, int | None]] = {}  # PSN -> outcome, the frame that jumped over it
        self._listed: collections.Counter[str] = collections.Counter()
        for psn, run in self._psns():
            self._fates[psn] = run["outcome"], run["seen_at_frame"]
            self._listed[run["outcome"]] += 1

    @staticmethod
    def _merge(want: list[Object]) -> dict[int, Object]:
        """Expectations by PSN; a PSN that went missing twice may show either fate."""
        merged: dict[int, Object] = {}
        for m in want:
            old = merged.get(m["psn"])
            if old:
                m = {"psn": m["psn"], "outcomes": old["outcomes"] + m["outcomes"],
                     "optional": old["optional"] and m["optional"]}
            merged[m["psn"]] = m
        return merged

    def _psns(self) -> Iterator[tuple[int, Object]]:
        for run in self._runs:
            length = ((run["last_psn"] - run["first_psn"]) & PSN_MASK) + 1
            for k in range(min(length, LONGEST_RUN)):
                yield (run["first_psn"] + k) & PSN_MASK, run

    def run(self) -> None:
        for psn, want in self._want.items():
            self._compare_psn(psn, want)
        for psn in self._fates.keys() - self._want.keys():
            self._d.add(self._place, f"PSN {psn} is said to be missing ({self._fates[psn][0]}), but it was not")
        for outcome in OUTCOMES:
            self._compare_total(outcome)

    def _compare_psn(self, psn: int, want: Object) -> None:
        allowed = " or ".join(want["outcomes"])
        if psn not in self._fates:
            if not want["optional"] and not self._omitted:
                self._d.add(self._place, f"PSN {psn} should be missing, {allowed}; got nothing")
            return
        outcome, jumped_at = self._fates[psn]
        if outcome not in want["outcomes"]:
            self._d.add(self._place, f"missing PSN {psn} should be {allowed}, got {outcome}")
        elif jumped_at != want.get("seen_at_frame", jumped_at):
            self._d.add(self._place, f"missing PSN {psn} seen_at_frame should be {want['seen_at_frame']}, "
                                     f"got {short(jumped_at)}")

    def _compare_total(self, outcome: str) -> None:
        least = sum(m["outcomes"] == [outcome] and not m["optional"] for m in self._want.values())
        most = sum(outcome in m["outcomes"] for m in self._want.values())
        total = self._totals[outcome]
        if not least <= total <= most:
            bounds = least if least == most else f"{least} to {most}"
            self._d.add(self._place, f"missing_packets {outcome} should be {bounds}, got {total}")
        elif not self._omitted and total != self._listed[outcome]:
            self._d.add(self._place, f"missing_packets {outcome} is {total}, "
                                     f"but the list has {self._listed[outcome]} such PSNs")


class EpisodeComparison:
    """Episodes, found by the frame they begin with."""

    def __init__(self, d: Differences, place: str, got: Object, want: Object, congestion: bool) -> None:
        self._d, self._place, self._congestion = d, place, congestion
        self._got, self._omitted = got["episodes"], got.get("episodes_omitted", 0)
        self._want, self._extra_allowed = want["episodes"], want["episodes_extra"]
        self._matched: set[int] = set()  # indexes into _got

    def run(self) -> None:
        for want in self._want:
            self._compare_expected(want)
        extra = [e for index, e in enumerate(self._got) if index not in self._matched]
        if len(extra) > self._extra_allowed:
            e = extra[0]
            self._d.add(self._place, f"{len(extra)} episode(s) too many, first: frame {e['first_frame']}, "
                                     f"PSN {e['first_psn']}, {e['cause']}")
        least = sum(not want["optional"] for want in self._want)
        most = len(self._want) + self._extra_allowed
        if self._omitted and not least <= len(self._got) + self._omitted <= most:
            self._d.add(self._place, f"{len(self._got)} episodes and episodes_omitted {self._omitted}: "
                                     f"should be {least} to {most} together")

    def _compare_expected(self, want: Object) -> None:
        name = f"episode at frame {want['first_frame']} (PSN {want['first_psn'][0]})"
        index = next((i for i, e in enumerate(self._got) if e["first_frame"] == want["first_frame"]), None)
        if index is None:
            if not want["optional"] and not self._omitted:
                self._d.add(self._place, f"{name} is not in the output{self._nearest(want)}")
            return
        self._matched.add(index)
        self._compare_values(f"{self._place} {name}", self._got[index], want)

    def _nearest(self, want: Object) -> str:
        near = next((e for e in self._got if e["first_psn"] in want["first_psn"]), None)
        return f"; one with that PSN begins at frame {near['first_frame']}" if near else ""

    def _compare_values(self, place: str, got: Object, want: Object) -> None:
        if got["cause"] not in want["causes"]:
            self._d.add(place, f"should have cause {' or '.join(want['causes'])}, got {got['cause']}")
        self._d.value(place, got, "first_psn", {"any_of": want["first_psn"]})
        self._d.value(place, got, "packets", want["packets"])
        self._d.value(place, got, "wasted_packets", want["wasted"])
        if "bytes" in want and got["packets"] == want["packets"]["min"] == want["packets"]["max"]:
            self._d.value(place, got, "bytes", want["bytes"])
        if got["cause"] not in ("nak", "rnr"):
            return
        if "trigger_frame" in want:
            self._d.value(place, got, "trigger_frame", want["trigger_frame"])
        if self._congestion and "wait_ns" in want:
            self._d.value(place, got, "wait_ns", want["wait_ns"])


# --- findings ---------------------------------------------------------------------------------------------------------


class Evidence:
    """What the expectation holds that a finding could be about."""

    def __init__(self, want: Object) -> None:
        directions = want["directions"]
        spaces = [dn[key] for dn in directions for key in ("requests", "responses") if key in dn]
        self.causes = {cause for s in spaces for e in s.get("episodes", []) for cause in e["causes"]}
        self.outcomes = {outcome for s in spaces for m in s.get("missing", []) for outcome in m["outcomes"]}
        self.rnr_naks = any(dn["rnr_naks"] for dn in directions)
        self.fatal_naks = any(set(dn["naks"]) - {"psn_sequence_error"} for dn in directions)
        self.bad_icrc = any(dn["icrc"]["bad"] for dn in directions)
        self.uc = any(c["transport"] == "UC" for c in want["connections"])
        self.extra_episodes = any(s.get("episodes_extra") for s in spaces)
        self.truncated = bool(want["truncated_frames"])


# A finding of the rule may only be there if the evidence is.
NEEDS: dict[str, Callable[[Evidence], bool]] = {
    # The end of what was sent may be lost before the tap: then nothing is missing there, only a timeout tells.
    "loss.before_tap": lambda e: "retransmitted" in e.outcomes or "timeout" in e.causes,
    "loss.after_tap": lambda e: bool(e.causes),
    "loss.uc": lambda e: e.uc and "unresolved" in e.outcomes,
    "retransmit.nak": lambda e: "nak" in e.causes,
    "retransmit.timeout": lambda e: "timeout" in e.causes,
    "retransmit.early": lambda e: "timeout" in e.causes,
    "retransmit.read_restart": lambda e: "read_restart" in e.causes,
    "retransmit.spurious": lambda e: "spurious" in e.causes,
    "retransmit.waste": lambda e: bool(e.causes),
    "rnr.stall": lambda e: e.rnr_naks,
    "rnr.timer_zero": lambda e: e.rnr_naks,
    "nak.fatal": lambda e: e.fatal_naks,
    "peer.silent": lambda e: bool(e.causes),
    "order.reordered": lambda e: "reordered" in e.outcomes,
    "icrc.bad": lambda e: e.bad_icrc,
    "capture.incomplete": lambda e: "capture_missed" in e.outcomes,
    "capture.truncated": lambda e: e.truncated,
}

# A finding of the rule must be there if the evidence is.
DEMANDS: dict[str, Callable[[Evidence], bool]] = {
    "nak.fatal": NEEDS["nak.fatal"],
    "icrc.bad": NEEDS["icrc.bad"],
}


def compare_findings(d: Differences, rules: Iterable[str], want: Object) -> None:
    evidence, rules = Evidence(want), set(rules)
    for rule in sorted(rules & NEEDS.keys()):
        if not NEEDS[rule](evidence) and not evidence.extra_episodes:
            d.add(f"finding {rule}", "nothing of the kind is in the capture")
    for rule, demanded in DEMANDS.items():
        if demanded(evidence) and rule not in rules:
            d.add(f"finding {rule}", "should be there and is not")


def compare(output: Object, want: Object, congestion: bool) -> list[str]:
    """All differences between an output of the right form and an expectation, as sentences."""
    d = Differences()
    sightings = sightings_by_key(output["connections"])
    compare_capture(d, output, want)
    compare_connections(d, output, want, sightings)
    compare_directions(d, want, sightings, congestion)
    compare_findings(d, (finding["rule"] for finding in output["findings"]), want)
    return d.found
