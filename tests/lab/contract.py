# SPDX-License-Identifier: BSD-3-Clause
"""The form of `rocetop triage --json`: which keys must be there and what kind of value each holds.

Not the values: those are compare.py's business. More keys than these may be added to the output at any time;
`congestion`, `rtt_ns`, `messages`, `dscp` and `pfc` are optional and not looked at.
"""
from __future__ import annotations

import collections
import dataclasses
import json
from collections.abc import Callable, Iterable
from typing import Any

Object = dict[str, Any]

CAUSES = ("nak", "rnr", "timeout", "read_restart", "spurious", "sack", "unknown")
OUTCOMES = ("retransmitted", "reordered", "capture_missed", "unresolved")


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of value: its name for people, and a test."""

    name: str
    holds: Callable[[Any], bool]


def is_number(value: Any) -> bool:
    """A JSON number; Python would take true and false for numbers as well."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def short(value: Any) -> str:
    """A value as text, cut so that a line of output stays readable."""
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) < 80 else text[:77] + "..."


def or_null(kind: Kind) -> Kind:
    return Kind(f"{kind.name} or null", lambda value: value is None or kind.holds(value))


def one_of(*values: str | None) -> Kind:
    return Kind("one of " + ", ".join("null" if v is None else v for v in values),
                lambda value: (value is None or isinstance(value, str)) and value in values)


def list_of(kind: Kind) -> Kind:
    return Kind(f"a list of {kind.name}", lambda value: isinstance(value, list) and all(map(kind.holds, value)))


COUNT = Kind("a whole number", is_count)
NUMBER = Kind("a number", is_number)
TEXT = Kind("a text", lambda value: isinstance(value, str))
BOOL = Kind("true or false", lambda value: isinstance(value, bool))
OBJECT = Kind("an object", lambda value: isinstance(value, dict))
LIST = Kind("a list", lambda value: isinstance(value, list))
COUNTS = Kind("an object of whole numbers",
              lambda value: isinstance(value, dict) and all(map(is_count, value.values())))
COUNT_OR_NULL = or_null(COUNT)

Table = dict[str, Kind]

TOP: Table = {"schema": TEXT, "rocetop_version": TEXT, "files": list_of(TEXT), "partial": BOOL, "capture": OBJECT,
              "connections": list_of(OBJECT), "findings": list_of(OBJECT)}
CAPTURE: Table = {"frames": COUNT, "roce_frames": COUNT, "bytes_on_wire": COUNT, "first_ns": COUNT_OR_NULL,
                  "last_ns": COUNT_OR_NULL, "first_time": or_null(TEXT), "last_time": or_null(TEXT),
                  "truncated_frames": COUNT, "undecodable": COUNTS, "capture_missed_packets": COUNT,
                  "completeness": or_null(NUMBER), "not_roce_frames": COUNT}
CONNECTION: Table = {"id": COUNT, "protocol": one_of("RoCEv2", "RoCEv1", "veRoCE"), "transport": TEXT, "a": OBJECT,
                     "b": OBJECT, "network": or_null(OBJECT), "paired_by": one_of("cm", "ack", "udp_port", None),
                     "first_frame": COUNT, "last_frame": COUNT, "path_mtu": COUNT_OR_NULL,
                     "directions": list_of(OBJECT)}
END: Table = {"ip": TEXT, "qpn": COUNT_OR_NULL}
DIRECTION: Table = {"src": TEXT, "dst": TEXT, "dst_qpn": COUNT_OR_NULL, "frames": COUNT, "bytes_on_wire": COUNT,
                    "tap": one_of("near_source", "near_destination", "unknown"), "opcodes": COUNTS,
                    "requests": OBJECT, "responses": OBJECT, "acks": COUNT, "rnr_naks": COUNT, "naks": COUNTS,
                    "cnps": COUNT, "ecn": COUNTS, "icrc": COUNTS}
SPACE: Table = {"packets": COUNT, "payload_bytes": COUNT_OR_NULL, "first_psn": COUNT_OR_NULL,
                "highest_psn": COUNT_OR_NULL, "missing": list_of(OBJECT), "missing_packets": COUNTS,
                "retransmitted_packets": COUNTS, "retransmitted_bytes": COUNT_OR_NULL,
                "duplicate_packets": COUNT_OR_NULL, "reordered_packets": COUNT_OR_NULL, "episodes": list_of(OBJECT)}
MISSING: Table = {"first_psn": COUNT, "last_psn": COUNT, "seen_at_frame": COUNT_OR_NULL, "outcome": one_of(*OUTCOMES)}
MISSING_PACKETS: Table = {outcome: COUNT for outcome in OUTCOMES}
RETRANSMITTED_PACKETS: Table = {"original_seen": COUNT, "original_unseen": COUNT}
EPISODE: Table = {"cause": one_of(*CAUSES), "first_psn": COUNT, "first_frame": COUNT, "trigger_frame": COUNT_OR_NULL,
                  "packets": COUNT, "bytes": COUNT, "wasted_packets": COUNT_OR_NULL, "wait_ns": COUNT_OR_NULL}
ECN: Table = {"not_ect": COUNT, "ect0": COUNT, "ect1": COUNT, "ce": COUNT}
ICRC: Table = {"good": COUNT, "bad": COUNT, "unchecked": COUNT}
FINDING: Table = {"id": COUNT, "rule": TEXT, "severity": one_of("info", "warning", "critical"),
                  "confidence": one_of("low", "medium", "high"), "caused_by": COUNT_OR_NULL, "title": TEXT,
                  "explanation": TEXT, "next_steps": list_of(TEXT), "ruled_out": list_of(TEXT),
                  "connections": list_of(COUNT), "hosts": list_of(TEXT), "frames": list_of(COUNT), "values": OBJECT}


def faults(place: str, value: Object, table: Table) -> list[str]:
    """What is wrong with one object: keys that are absent or of another kind."""
    prefix = f"{place}: " if place else ""
    wrong = [f"{prefix}key '{key}' is missing from the output" for key in table if key not in value]
    wrong += [f"{prefix}{key} should be {kind.name}, got {short(value[key])}"
              for key, kind in table.items() if key in value and not kind.holds(value[key])]
    return wrong


def space_faults(place: str, space: Object) -> list[str]:
    found = faults(place, space, SPACE)
    if found:
        return found
    found += faults(f"{place} missing_packets", space["missing_packets"], MISSING_PACKETS)
    found += faults(f"{place} retransmitted_packets", space["retransmitted_packets"], RETRANSMITTED_PACKETS)
    for run in space["missing"]:
        found += faults(f"{place} missing", run, MISSING)
    for episode in space["episodes"]:
        found += faults(f"{place} episodes", episode, EPISODE)
    return found


def direction_faults(place: str, direction: Object, ends: list[tuple[str, int | None]]) -> list[str]:
    found = faults(place, direction, DIRECTION)
    if found:
        return found
    place = f"{direction['src']} -> {direction['dst']} qp {direction['dst_qpn']}"
    found += faults(f"{place} ecn", direction["ecn"], ECN) + faults(f"{place} icrc", direction["icrc"], ICRC)
    for key in ("requests", "responses"):
        found += space_faults(f"{place} {key}", direction[key])
    destination = (direction["dst"], direction["dst_qpn"])
    if destination not in ends or direction["src"] not in (ip for ip, _ in ends):
        found.append(f"{place}: is not between the connection's own ends {short(ends)}")
    return found


def connection_faults(connection: Object) -> list[str]:
    place = f"connection {short(connection.get('id'))}"
    found = faults(place, connection, CONNECTION)
    if found:
        return found
    for end in "ab":
        found += faults(f"{place} {end}", connection[end], END)
    if found:
        return found
    if not 1 <= len(connection["directions"]) <= 2:
        found.append(f"{place}: should have one or two directions, got {len(connection['directions'])}")
    ends = [(connection[end]["ip"], connection[end]["qpn"]) for end in "ab"]
    for direction in connection["directions"]:
        found += direction_faults(f"{place} direction", direction, ends)
    return found


def unique(place: str, ids: Iterable[int]) -> list[str]:
    return [f"{place}: id {i} is used {uses} times" for i, uses in collections.Counter(ids).items() if uses > 1]


def contract_faults(output: Any) -> list[str]:
    """All complaints about the form of one output. Values may be compared only when there are none."""
    if not isinstance(output, dict):
        return ["the output is not a JSON object"]
    found = faults("", output, TOP)
    if found:
        return found
    if output["schema"] != "rocetop.triage/1":
        found.append(f"schema should be rocetop.triage/1, got {short(output['schema'])}")
    found += faults("capture", output["capture"], CAPTURE)
    for connection in output["connections"]:
        found += connection_faults(connection)
    for finding in output["findings"]:
        found += faults(f"finding {short(finding.get('rule'))}", finding, FINDING)
    if found:
        return found
    known = {connection["id"] for connection in output["connections"]}
    found += unique("connections", (connection["id"] for connection in output["connections"]))
    found += unique("findings", (finding["id"] for finding in output["findings"]))
    for finding in output["findings"]:
        strangers = sorted(set(finding["connections"]) - known)
        if strangers:
            found.append(f"finding {finding['rule']}: names connections that are not in the output: {short(strangers)}")
    return found
