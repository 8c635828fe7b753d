# SPDX-License-Identifier: BSD-3-Clause
"""Builds, from an expectation, the output of an analyser that is right about everything: for check_selftest.py only.

Where the expectation leaves something open, any value that it allows is taken; what it says nothing about is null, 0 or
empty. Keys that begin with "_" are notes for the self-test; the checker ignores keys it does not know.
"""
from __future__ import annotations

from typing import Any

from compare import DEMANDS, Evidence, rfc3339
from contract import OUTCOMES, Object


def settled(want: Any) -> Any:
    """One value that fits an expected value."""
    if isinstance(want, dict) and "any_of" in want:
        return want["any_of"][0]
    if isinstance(want, dict) and "min" in want:
        return want["max"]
    return want


def missing_runs(want: list[Object]) -> list[Object]:
    return [{"first_psn": m["psn"], "last_psn": m["psn"], "seen_at_frame": m.get("seen_at_frame"),
             "outcome": m["outcomes"][0], "_outcomes": m["outcomes"]}
            for m in want if not m["optional"]]


def episode(want: Object) -> Object:
    named = want["causes"][0] in ("nak", "rnr")
    sure = want["packets"]["min"] == want["packets"]["max"]
    return {"cause": want["causes"][0], "_causes": want["causes"], "first_psn": want["first_psn"][0],
            "first_frame": want["first_frame"], "trigger_frame": want.get("trigger_frame") if named else None,
            "packets": settled(want["packets"]), "bytes": want.get("bytes", 0) if sure else 0,
            "wasted_packets": settled(want["wasted"]),
            "wait_ns": settled(want["wait_ns"]) if named and "wait_ns" in want else None}


def repeats(want: Object) -> dict[str, int]:
    """Resent, copied and late packets, chosen so that together they are as many as expected."""
    ranges = {**want.get("retransmitted_packets", {}), "duplicate_packets": want.get("duplicate_packets", 0),
              "reordered_packets": want.get("reordered_packets", 0)}
    chosen = {key: value["min"] if isinstance(value, dict) else value for key, value in ranges.items()}
    left = want.get("resent_or_copied", 0) - sum(chosen.values())
    for key, value in ranges.items():
        if isinstance(value, dict):
            more = min(left, value["max"] - value["min"])
            chosen[key] += more
            left -= more
    return chosen


def space(want: Object) -> Object:
    runs, again = missing_runs(want.get("missing", [])), repeats(want)
    totals = {outcome: sum(run["outcome"] == outcome for run in runs) for outcome in OUTCOMES}
    return {"packets": settled(want["packets"]), "payload_bytes": settled(want.get("payload_bytes", 0)),
            "first_psn": settled(want.get("first_psn")), "highest_psn": settled(want.get("highest_psn")),
            "missing": runs, "missing_packets": totals,
            "retransmitted_packets": {key: again.get(key, 0) for key in ("original_seen", "original_unseen")},
            "retransmitted_bytes": want.get("retransmitted_bytes"),
            "duplicate_packets": again["duplicate_packets"], "reordered_packets": again["reordered_packets"],
            "episodes": [episode(e) for e in want.get("episodes", []) if not e["optional"]]}


def direction(want: Object) -> Object:
    copied = ("src", "dst", "dst_qpn", "frames", "bytes_on_wire", "acks", "rnr_naks", "cnps")
    return {**{key: want[key] for key in copied}, "tap": "unknown", "opcodes": dict(want["opcodes"]),
            "naks": dict(want["naks"]), "ecn": dict(want["ecn"]), "icrc": dict(want["icrc"]),
            "requests": space(want["requests"]), "responses": space(want.get("responses", {"packets": 0}))}


def empty_direction(src: str, dst: str, dst_qpn: int) -> Object:
    return direction({"src": src, "dst": dst, "dst_qpn": dst_qpn, "frames": 0, "bytes_on_wire": 0, "acks": 0,
                      "rnr_naks": 0, "cnps": 0, "opcodes": {}, "naks": {},
                      "icrc": {"good": 0, "bad": 0, "unchecked": 0},
                      "ecn": {"not_ect": 0, "ect0": 0, "ect1": 0, "ce": 0}, "requests": {"packets": 0}})


def connection(number: int, transport: str, a: Object, b: Object, directions: list[Object], **more: Any) -> Object:
    return {"id": number, "protocol": "RoCEv2", "transport": transport, "a": a, "b": b, "network": None,
            "paired_by": None, "first_frame": number, "last_frame": number, "path_mtu": None,
            "directions": directions, **more}


def queue_pair_connection(number: int, want: Object, directions: list[Object]) -> Object:
    """An RC or UC connection with the directions that belong to it."""
    ends = [{"ip": ip, "qpn": qpn} for ip, qpn in want["ends"]]
    if want["a_ip"] and ends[0]["ip"] != want["a_ip"]:
        ends.reverse()
    keys = [(src["ip"], dst["ip"], dst["qpn"]) for src, dst in (ends, ends[::-1])]
    mine = [dn for dn in directions if dn["generation"] == want["generation"] and dn["transport"] != "UD"
            and (dn["src"], dn["dst"], dn["dst_qpn"]) in keys]
    built = [direction(dn) for dn in mine] or [empty_direction(*keys[0])]
    known = {key: want[key] for key in ("first_frame", "last_frame") if key in want}
    order = {"first_frame": number * 10} if not known else {}  # uses of a QPN must stay in order
    return connection(number, want["transport"], *ends, built, paired_by=want["paired_by"][0],
                      path_mtu=settled(want["path_mtu"]), _paired_by=want["paired_by"],
                      _is_pairing_open=want["paired"] is not True, _is_a_open=not want["a_ip"], **known, **order)


def datagram_connection(number: int, want: Object) -> Object:
    a, b = {"ip": want["src"], "qpn": None}, {"ip": want["dst"], "qpn": want["dst_qpn"]}
    return connection(number, "UD", a, b, [direction(want)])


def finding(number: int, rule: str) -> Object:
    return {"id": number, "rule": rule, "severity": "warning", "confidence": "high", "caused_by": None, "title": "",
            "explanation": "", "next_steps": [], "ruled_out": [], "connections": [], "hosts": [], "frames": [],
            "values": {}}


def accurate_output(want: Object) -> Object:
    """What `rocetop triage --json` should print about the capture of an expectation."""
    connections: list[Object] = []
    for expected in sorted(want["connections"], key=lambda c: c["generation"]):
        connections.append(queue_pair_connection(len(connections) + 1, expected, want["directions"]))
    for expected in want["directions"]:
        if expected["transport"] == "UD":
            connections.append(datagram_connection(len(connections) + 1, expected))
    copied = ("frames", "roce_frames", "bytes_on_wire", "first_ns", "last_ns", "truncated_frames")
    capture = {**{key: want[key] for key in copied}, "first_time": rfc3339(want["first_ns"]),
               "last_time": rfc3339(want["last_ns"]), "undecodable": {},
               "capture_missed_packets": settled(want["capture_missed_packets"]),
               "completeness": settled(want["completeness"]),
               "not_roce_frames": want["frames"] - want["roce_frames"]}
    rules = [rule for rule, demanded in DEMANDS.items() if demanded(Evidence(want))]
    return {"schema": "rocetop.triage/1", "rocetop_version": "0", "files": [want["capture"]], "partial": False,
            "capture": capture, "connections": connections,
            "findings": [finding(number, rule) for number, rule in enumerate(rules, 1)]}
