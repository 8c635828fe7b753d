# SPDX-License-Identifier: BSD-3-Clause
"""The wire between the two guests: forwards Ethernet frames, captures both sides of itself, injects faults.

Guests attach over qemu "stream" netdevs (unix sockets, 4-byte big-endian length before each frame). One thread,
no dependencies. A capture pair is written while a scenario runs: NAME.middle.in.pcap holds every frame as it arrived
from a guest, NAME.middle.out.pcap every frame as it was sent on; both have nanosecond times of the host.

A rule is a dict:
  dir     "ab" (guest a to guest b), "ba" or "*" (default)
  op      list of kinds (frame.OPS) or classes (req, data, write, send, read_req, read_resp, ack, nak, atomic, cm, any)
  seen    "new": first time this (direction, QPN, kind, PSN) passes; "retx": again; absent: either
  skip    ignore this many matches first;  every: act on each Nth match after that;  count: act at most so often;
          p: act with this probability (fixed seed) instead
  action  drop | dup | ce | delay | reorder | flip | ce_cnp
  ms      for delay;  after: for reorder, hold the frame until so many later frames of its direction have passed
A bottleneck is a dict {dir, kbps, limit, ecn}: a queue drained at kbps; a frame that finds more than `ecn` bytes queued
is CE marked if ECN capable; one that finds more than `limit` bytes is dropped.
Every action is an event (with frame number in middle.in.pcap, QPN, PSN): the scenario's truth.
"""
from __future__ import annotations

import heapq
import pathlib
import random
import select
import socket
import struct
import threading
import time
from collections.abc import Iterable
from typing import Any

from frame import Frame

NEVER = 1 << 60
SEED = 4791
LINKTYPE_ETHERNET = 1
PCAP_MAGIC_NS = 0xA1B23C4D

Rule = dict[str, Any]
Event = dict[str, Any]


class Pcap:
    """A pcap file with nanosecond times."""

    def __init__(self, path: str) -> None:
        self._file = open(path, "wb", buffering=1 << 20)
        self._file.write(struct.pack("<IHHiIII", PCAP_MAGIC_NS, 2, 4, 0, 0, 262144, LINKTYPE_ETHERNET))
        self.frames = 0

    def add(self, time_ns: int, data: bytes) -> None:
        self.frames += 1
        self._file.write(struct.pack("<IIII", *divmod(time_ns, 10**9), len(data), len(data)) + data)

    def close(self) -> None:
        self._file.close()


class Recording:
    """One scenario's state: captures, rules and what they have counted, events."""

    def __init__(self, base: str, rules: Iterable[Rule], bottleneck: dict[str, Any] | None) -> None:
        self.inward, self.outward = Pcap(base + ".middle.in.pcap"), Pcap(base + ".middle.out.pcap")
        self.rules = [dict(rule) for rule in rules]
        self.bottleneck = dict(bottleneck) if bottleneck else None
        self.events: list[Event] = []
        self.held: list[list[Any]] = []  # [direction, later frames still to pass, frame]
        self.random = random.Random(SEED)
        self.last_qpn = {"ab": 0, "ba": 0}
        self._seen: set[tuple[Any, ...]] = set()

    def is_again(self, way: str, frame: Frame) -> bool:
        """Has this packet passed before?"""
        key = way, frame.qpn, frame.reply, frame.kind if frame.reply else 0, frame.psn
        again = key in self._seen
        self._seen.add(key)
        return again

    def event(self, time_ns: int, action: str, way: str, frame: Frame, **more: Any) -> Event:
        event = {"t": time_ns / 1e9, "action": action, "dir": way, "in_frame": self.inward.frames, "src": frame.src,
                 "dst": frame.dst, "transport": frame.transport, "op": frame.kind, "dqpn": frame.qpn,
                 "psn": frame.psn, **more}
        self.events.append(event)
        return event

    def hits(self, rule: Rule, way: str, frame: Frame, again: bool) -> bool:
        """Does a rule act on this frame? Counts matches and hits in the rule."""
        if rule.get("dir", "*") not in ("*", way) or not any(frame.is_a(c) for c in rule.get("op", ["any"])):
            return False
        if "seen" in rule and (rule["seen"] == "retx") != again:
            return False
        rule["matches"] = rule.get("matches", 0) + 1
        beyond_skip = rule["matches"] - rule.get("skip", 0)
        if beyond_skip <= 0 or beyond_skip % rule.get("every", 1):
            return False
        if "p" in rule and self.random.random() >= rule["p"] or rule.get("hits", 0) >= rule.get("count", NEVER):
            return False
        rule["hits"] = rule.get("hits", 0) + 1
        return True


class Wire(threading.Thread):
    """Listens for both guests; start() it before they boot."""

    def __init__(self, path_a: str, path_b: str) -> None:
        super().__init__(daemon=True)
        self._lock = threading.Lock()
        self._timed: list[tuple[int, int, str, bytes]] = []  # heap of (when, order, direction, frame)
        self._order = 0
        self._recording: Recording | None = None
        self._listeners = {side: self._listen(path) for side, path in (("a", path_a), ("b", path_b))}
        self._connections: dict[str, socket.socket] = {}

    @staticmethod
    def _listen(path: str) -> socket.socket:
        pathlib.Path(path).unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen(1)
        return listener

    def start_capture(self, base: str, rules: Iterable[Rule] = (), bottleneck: dict[str, Any] | None = None) -> None:
        with self._lock:
            self._recording = Recording(base, rules, bottleneck)

    def stop_capture(self) -> dict[str, Any]:
        """Sends what is still held, closes the captures, and tells what was done."""
        with self._lock:
            recording = self._recording
            assert recording
            for way, _, data in recording.held:
                self._send(way, data)
            while self._timed:
                _, _, way, data = heapq.heappop(self._timed)
                self._send(way, data)
            self._recording = None
            recording.inward.close()
            recording.outward.close()
        return {"events": recording.events, "frames_in": recording.inward.frames,
                "frames_out": recording.outward.frames, "rule_hits": [rule.get("hits", 0) for rule in recording.rules]}

    def run(self) -> None:
        self._connections = {side: listener.accept()[0] for side, listener in self._listeners.items()}
        buffers = {"a": bytearray(), "b": bytearray()}
        sides = {connection.fileno(): side for side, connection in self._connections.items()}
        poll = select.poll()
        for connection in self._connections.values():
            poll.register(connection, select.POLLIN)
        while True:
            wait_ms = max(0, (self._timed[0][0] - time.time_ns()) / 1e6) if self._timed else None
            for descriptor, _ in poll.poll(wait_ms):
                side = sides[descriptor]
                received = self._connections[side].recv(1 << 18)
                if not received:
                    return
                buffers[side] += received
                with self._lock:
                    self._take_frames(side, buffers[side])
            with self._lock:
                while self._timed and self._timed[0][0] <= time.time_ns():
                    _, _, way, data = heapq.heappop(self._timed)
                    self._send(way, data)

    def _take_frames(self, side: str, buffer: bytearray) -> None:
        """Handles the whole frames in a guest's buffer and leaves the rest there."""
        way = side + ("b" if side == "a" else "a")
        position = 0
        while len(buffer) - position >= 4:
            length = int.from_bytes(buffer[position:position + 4], "big")
            if len(buffer) - position - 4 < length:
                break
            self._frame(way, bytes(buffer[position + 4:position + 4 + length]))
            position += 4 + length
        del buffer[:position]

    def _send(self, way: str, data: bytes) -> None:
        if self._recording:
            self._recording.outward.add(time.time_ns(), data)
        self._connections[way[1]].sendall(struct.pack(">I", len(data)) + data)

    def _send_later(self, when_ns: int, way: str, data: bytes) -> None:
        self._order += 1
        heapq.heappush(self._timed, (when_ns, self._order, way, data))

    def _frame(self, way: str, data: bytes) -> None:
        recording = self._recording
        if not recording:
            self._send(way, data)
            return
        now_ns = time.time_ns()
        recording.inward.add(now_ns, data)
        frame = Frame(data)
        copies, hold_ns = self._apply_rules(recording, now_ns, way, frame) if frame.roce else ([data], 0)
        queue = recording.bottleneck
        for copy in copies:
            if queue and queue.get("dir", "ab") == way:
                queued, hold_ns = self._queue(recording, queue, now_ns, way, Frame(copy))
                if queued is None:
                    continue
                copy = queued
            if hold_ns:
                self._send_later(int(now_ns + hold_ns), way, copy)
            else:
                self._send(way, copy)
        if copies:
            self._release_held(recording, way)

    def _apply_rules(self, recording: Recording, now_ns: int, way: str, frame: Frame) -> tuple[list[bytes], float]:
        """What to send for a frame, and for how long to hold it. The first rule that hits decides."""
        recording.last_qpn[way] = frame.qpn
        again = recording.is_again(way, frame)
        for number, rule in enumerate(recording.rules):
            if recording.hits(rule, way, frame, again):
                event = recording.event(now_ns, rule["action"], way, frame, rule=number, retransmission=again)
                return self._act(recording, rule, event, way, frame)
        return [frame.data], 0

    def _act(self, recording: Recording, rule: Rule, event: Event, way: str, frame: Frame) -> tuple[list[bytes], float]:
        action, data = rule["action"], frame.data
        if action == "drop":
            return [], 0
        if action == "dup":
            return [data, data], 0
        if action == "delay":
            return [data], rule["ms"] * 1e6
        if action == "flip":  # one payload bit: the ICRC no longer fits
            flipped = bytearray(data)
            flipped[-8] ^= 1
            return [bytes(flipped)], 0
        if action == "reorder":
            recording.held.append([way, rule.get("after", 1), data])
            return [], 0
        event["was_ecn"] = frame.ecn
        if action == "ce_cnp":
            back = way[::-1]
            event["cnp_for_qpn"] = recording.last_qpn[back]
            if event["cnp_for_qpn"]:
                self._send(back, frame.cnp(event["cnp_for_qpn"]))
        return [frame.with_ce()], 0

    @staticmethod
    def _queue(recording: Recording, queue: dict[str, Any], now_ns: int, way: str,
               frame: Frame) -> tuple[bytes | None, float]:
        """The bottleneck: the frame (perhaps marked) and its wait, or None if the queue is full."""
        free_ns = max(queue.get("free_ns", 0), now_ns)
        depth_bytes = (free_ns - now_ns) * queue["kbps"] / 8e6
        if depth_bytes > queue["limit"]:
            if frame.roce:
                recording.event(now_ns, "queue_drop", way, frame, queue_bytes=int(depth_bytes))
            return None, 0
        data = frame.data
        if frame.roce and depth_bytes > queue.get("ecn", NEVER) and frame.ecn in (1, 2):
            recording.event(now_ns, "queue_ce", way, frame, queue_bytes=int(depth_bytes), was_ecn=frame.ecn)
            data = frame.with_ce()
        queue["free_ns"] = free_ns + int(len(data) * 8e6 / queue["kbps"])
        return data, queue["free_ns"] - now_ns

    def _release_held(self, recording: Recording, way: str) -> None:
        """A frame has passed: send the held ones that waited for it."""
        for held in [held for held in recording.held if held[0] == way]:
            held[1] -= 1
            if held[1] <= 0:
                recording.held.remove(held)
                self._send(way, held[2])
