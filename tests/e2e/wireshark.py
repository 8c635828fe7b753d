#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Wireshark plugin says of every frame what `rocetop packets` says: tshark against `packets --json`, tshark -2
against `packets --two-pass --json`. And the times of messages and CNPs that it shows are those that `rocetop triage`
counts.

usage: wireshark.py ROCETOP PLUGIN CAPTURES [--all] [--part N/M]

On every capture of CAPTURES, and one a scenario of those of the lab; --all: on all of them.
"""
from __future__ import annotations

import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from tshark import Tshark  # noqa: E402

ICRC = {"good": "1", "bad": "0", "unchecked": "2"}
ECN = {"not_ect": "0", "ect1": "1", "ect0": "2", "ce": "3"}


def text(value: object) -> str:
    return "" if value is None else str(value)


def some(value: int) -> str:
    """Of a count: no field stands for none."""
    return str(value) if value else ""


def seconds(nanoseconds: int | None) -> str:
    if nanoseconds is None:
        return ""
    sign = "-" if nanoseconds < 0 else ""
    return f"{sign}{abs(nanoseconds) // 10**9}.{abs(nanoseconds) % 10**9:09}"


def truth(value: bool) -> str:
    return "1" if value else "0"


# Field of tshark -> what it must be, from a packet of packets --json.
HEADERS = {
    "roce.opcode": lambda p: p["opcode_name"],
    "roce.psn": lambda p: text(p["psn"]),
    "roce.qp.dst": lambda p: text(p["dst_qpn"]),
    "roce.payload_bytes": lambda p: text(p["payload_bytes"]),
    "roce.fecn": lambda p: truth(p["fecn"]),
    "roce.becn": lambda p: truth(p["becn"]),
    "roce.icrc.status": lambda p: ICRC[p["icrc"]],
    "roce.truncated": lambda p: some(p.get("truncated", False)) and "1",
    "roce.cnp": lambda p: truth(p["opcode"] == 0x81),
}
ANALYSIS = {
    "roce.stream": lambda p: text(p["connection"]),
    "roce.analysis.kind": lambda p: p["analysis"]["kind"],
    "roce.analysis.space": lambda p: text(p["analysis"]["space"]),
    "roce.analysis.cause": lambda p: text(p["analysis"]["cause"]),
    "roce.analysis.original_frame": lambda p: text(p["analysis"]["original_frame"]),
    "roce.analysis.trigger_frame": lambda p: text(p["analysis"]["trigger_frame"]),
    "roce.analysis.missing_before": lambda p: some(p["analysis"]["missing_before"]),
    "roce.analysis.missing_final": lambda p: text(still_missing(p)),
    "roce.analysis.missing_late": lambda p: some((p["analysis"]["final"] or {}).get("came_late")),
    "roce.analysis.missing_not_captured": lambda p: some((p["analysis"]["final"] or {}).get("not_captured")),
    "roce.analysis.captured_twice": lambda p: some(p["analysis"].get("captured_twice")) and "1",
    "roce.analysis.acks_frame": lambda p: text(p["analysis"].get("acks_frame")),
    "roce.analysis.names_frame": lambda p: text(p["analysis"].get("names_frame")),
    "roce.analysis.ack_rtt": lambda p: seconds(rtt(p, of_reads=False)),
    "roce.analysis.read_rtt": lambda p: seconds(rtt(p, of_reads=True)),
    "roce.analysis.final": lambda p: text((p["analysis"]["final"] or {}).get("fate")),
    "roce.analysis.acked_in": lambda p: text((p["analysis"]["final"] or {}).get("acked_in")),
}
IP = {
    "roce.ecn": lambda p: ECN[p["ecn"]],
    "roce.ce": lambda p: truth(p["ecn"] == "ce"),
    "roce.dscp": lambda p: text(p["dscp"]),
}


VEROCE = {
    "veroce.confidence": lambda v: v["confidence"],
    "veroce.retrans": lambda v: truth(v["retrans"]) if "retrans" in v else "",
    "veroce.trimmed": lambda v: some(v.get("trimmed")) and "1",
    "veroce.msn": lambda v: text(v.get("msn")),
    "veroce.po": lambda v: text(v.get("po")),
    "veroce.rqmsn": lambda v: text(v.get("rqmsn")),
    "veroce.sack.start": lambda v: text(v.get("sack", {}).get("start_psn")),
    "veroce.sack.length": lambda v: text(v.get("sack", {}).get("valid_length")),
    "veroce.sack.received": lambda v: ranges(v["sack"]["received"]) if "sack" in v else "",
    "veroce.sack.missing": lambda v: ranges(v["sack"]["missing"]) if "sack" in v else "",
    "veroce.rtt.tx1": lambda v: text(v.get("rtt", {}).get("tx1")),
    "veroce.rtt.host_delay": lambda v: seconds(v.get("rtt", {}).get("host_delay_ns")),
    "veroce.rtt.network_delay": lambda v: seconds(v.get("rtt", {}).get("network_delay_ns")),
}


def ranges(psns: list[list[int]]) -> str:
    return " ".join(str(first) if first == last else f"{first}-{last}" for first, last in psns) or "none"


def still_missing(packet: dict) -> int | None:
    before = packet["analysis"]["missing_before"]
    return (packet["analysis"]["final"] or {}).get("missing_before", before) if before else None


def rtt(packet: dict, of_reads: bool) -> int | None:
    return packet["analysis"]["rtt_ns"] if (packet["analysis"]["space"] == "responses") == of_reads else None


def packets(rocetop: str, capture: pathlib.Path, *options: str) -> dict[str, dict]:
    done = subprocess.run([rocetop, "packets", "--json", *options, str(capture)], capture_output=True, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {str(packet["frame"]): packet for packet in lines}


def differences(expected: dict[str, dict], frames: list[dict[str, str]]):
    """(frame, field, what it must be, what it is) of each."""
    seen = set()
    for frame in frames:
        number = frame["frame.number"]
        packet = expected.get(number)
        if packet is None:
            if frame["roce.opcode"] or frame["roce.undecodable"]:
                yield number, "frame", "nothing", "RoCE"
            continue
        seen.add(number)
        if "undecodable" in packet:
            if frame["roce.undecodable"] != packet["undecodable"]:
                yield number, "roce.undecodable", packet["undecodable"], frame["roce.undecodable"]
            continue
        for name, of in (HEADERS | ANALYSIS | (IP if frame["roce.ecn"] else {})).items():
            if name == "roce.stream" and packet["analysis"].get("captured_twice"):
                continue  # of the connection of its original; packets says of none
            if frame[name] != of(packet):
                yield number, name, of(packet), frame[name]
        for name, of in VEROCE.items():
            must_be = of(packet["veroce"]) if "veroce" in packet else ""
            if frame[name] != must_be:
                yield number, name, must_be, frame[name]
    for number in expected:
        if number not in seen:
            yield number, "frame", "RoCE", "not shown"


class Times:
    """How many, the least and the most."""

    def __init__(self) -> None:
        self.count, self.least, self.most = 0, None, None

    def add(self, count: int, least: int, most: int) -> None:
        self.count += count
        self.least = least if self.least is None else min(self.least, least)
        self.most = most if self.most is None else max(self.most, most)

    def __str__(self) -> str:
        return f"{self.count} of {self.least} to {self.most} ns" if self.count else "none"


def nanoseconds(text: str) -> int:
    whole, _, part = text.partition(".")
    return int(whole) * 10**9 + int(part.ljust(9, "0"))


def times_of_triage(rocetop: str, capture: pathlib.Path) -> dict[str, Times] | None:
    """None where it counts something else: it leaves out messages that the capture has in part, and what comes behind
    one that the capture never completes; and it knows in the end which packets were already another connection's."""
    done = subprocess.run([rocetop, "triage", "--json", str(capture)], capture_output=True, text=True)
    times = {name: Times() for name in ("write", "send", "read", "atomic", "cnp")}
    report = json.loads(done.stdout)
    connections = report["connections"]
    if report["capture"]["capture_missed_packets"] or report["capture"]["truncated_roce_frames"]:
        return None  # where RETHs are cut off, triage does not know which response is a READ's last
    qpns = [c["b"]["qpn"] for c in connections]
    for connection in connections:
        for direction in connection["directions"]:
            messages = direction.get("messages") or {}
            if any(m["partial"] for m in messages.values()):
                return None
            found = {name: m["completion_ns"] for name, m in messages.items()}
            found["cnp"] = (direction.get("congestion") or {}).get("ce_to_cnp_ns")
            for name, summary in found.items():
                if summary:
                    times[name].add(summary["count"], summary["min"], summary["max"])
    return times if len(set(qpns)) == len(qpns) else None


def different_times(rocetop: str, capture: pathlib.Path, shown: list[dict[str, str]]):
    """(what, as triage has it, as it is shown) of each."""
    counted = times_of_triage(rocetop, capture)
    if counted is None:
        return
    times = {name: Times() for name in counted}
    for frame in shown:
        for name, field in ((frame["roce.msg.operation"], "roce.msg.completion_time"), ("cnp", "roce.cnp.delay")):
            if frame[field]:
                time = nanoseconds(frame[field])
                times[name].add(1, time, time)
    for name, expected in counted.items():
        if str(expected) != str(times[name]):
            yield name, expected, times[name]


def compare(rocetop: str, tshark: Tshark, capture: pathlib.Path) -> tuple[int, int]:
    """Frames compared, and differences, both ways of reading it together."""
    names = ["frame.number", "roce.undecodable", *HEADERS, *ANALYSIS, *IP, *VEROCE, "roce.msg.operation",
             "roce.msg.completion_time", "roce.cnp.delay"]
    frames = faults = 0
    for options, more in ([], []), (["--two-pass"], ["-2"]):
        expected = packets(rocetop, capture, *options)
        shown = tshark.fields(capture, names, *more)
        frames += len(expected)
        for number, name, must_be, is_ in differences(expected, shown):
            faults += 1
            if faults <= 5:
                print(f"{capture.name}{' -2' if more else ''}: frame {number}: {name} is '{is_}', not '{must_be}'")
    for name, counted, is_ in different_times(rocetop, capture, shown):
        faults += 1
        print(f"{capture.name}: times of {name}: {is_}; triage has {counted}")
    return frames, faults


def chosen_captures(folder: pathlib.Path, all_of_lab: bool):
    own = sorted(p for p in folder.iterdir() if p.name.endswith((".pcapng", ".pcapng.zst", ".pcap", ".pcap.zst")))
    lab = sorted((folder / "lab").glob("*.pcap.zst"))
    if not all_of_lab:
        # Each scenario at another place, and every capture that was cut or mixed afterwards.
        by_scenario: dict[str, list[pathlib.Path]] = {}
        for capture in lab:
            by_scenario.setdefault(capture.name.split(".")[0], []).append(capture)
        places = {"middle.in": 0, "middle.out": 1, "receiver": 2, "sender": 3}
        lab = []
        for number, captures in enumerate(by_scenario.values()):
            taps = sorted((c for c in captures if c.name.split(".", 1)[1].removesuffix(".pcap.zst") in places),
                          key=lambda c: c.name)
            lab += [taps[number % len(taps)], *(c for c in captures if c not in taps)]
    return own + lab


def main() -> int:
    rocetop, plugin, folder, *options = sys.argv[1:]
    tshark = Tshark(pathlib.Path(plugin))
    captures = chosen_captures(pathlib.Path(folder), "--all" in options)
    if "--part" in options:
        part, parts = map(int, options[options.index("--part") + 1].split("/"))
        captures = captures[part - 1::parts]
    frames = faults = 0
    for capture in captures:
        compared, different = compare(rocetop, tshark, capture)
        frames += compared
        faults += different
    tshark.close()
    print(f"{len(captures)} captures, {frames} frames compared, {faults} differences")
    return 1 if faults or not frames else 0


if __name__ == "__main__":
    sys.exit(main())
