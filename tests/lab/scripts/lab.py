#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A RoCEv2 capture lab: two qemu guests with Soft-RoCE, and between them a wire that makes faults.

  ./build_image.sh      once: the guests' kernel and initrd
  ./lab.py              run every scenario
  ./lab.py NAME...      run some (a name may be a shell pattern);  ./lab.py list  names them
  ./lab.py shell        boot, then read lines "a COMMAND" and "b COMMAND" from standard input

Each scenario NAME writes NAME.sender.pcap, NAME.receiver.pcap, NAME.middle.in.pcap, NAME.middle.out.pcap and
NAME.truth.json to $OUT (default: out/). $LABRUN (run/) holds sockets and logs, $LABBUILD (build/) the guest image.
"""
from __future__ import annotations

import fcntl
import fnmatch
import json
import os
import pathlib
import shutil
import signal
import sys
import time
from typing import Any, Optional

from guest import Guest
from wire import Wire

HERE = pathlib.Path(__file__).resolve().parent
OUT = pathlib.Path(os.environ.get("OUT", HERE / "out"))
RUN = pathlib.Path(os.environ.get("LABRUN", HERE / "run"))
BUILD = HERE / os.environ.get("LABBUILD", "build")
IP = {"a": "192.0.2.1", "b": "192.0.2.2"}
IP6 = {"a": "2001:db8::1", "b": "2001:db8::2"}
MAC = {"a": "02:00:00:00:00:01", "b": "02:00:00:00:00:02"}
MANAGEMENT_IP = {"a": "198.51.100.1", "b": "198.51.100.2"}  # the tools' own TCP traffic, not on the captured link
TAP = {"a": "sender", "b": "receiver"}
TOOLS = "^(ib_|rping|vtool|udaddy|ucmatose|mckey|cmtime)"
ATTEMPTS = 2  # of one scenario, with a reboot between
FAILURES_IN_A_ROW = 3

Scenario = dict[str, Any]
Step = tuple[Optional[str], Optional[str]]  # the server's command on b, the client's on a


def delta(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    """Counter changes. Counters that ran backwards count from zero: the device was made again."""
    anew = any(after[name] < before[name] for name in after)
    changes = {name: value - (0 if anew else before[name]) for name, value in after.items()}
    return {name: change for name, change in changes.items() if change}


class Lab:
    """The booted guests and the wire."""

    def __init__(self) -> None:
        RUN.mkdir(parents=True, exist_ok=True)
        OUT.mkdir(parents=True, exist_ok=True)
        self._lock = open(RUN / "lock", "w")
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # one lab at a time in a run folder
        for name in ("mgmt.sock", "agent-a.sock", "agent-b.sock"):
            (RUN / name).unlink(missing_ok=True)
        self.wire = Wire(f"{RUN}/wire-a.sock", f"{RUN}/wire-b.sock")
        self.wire.start()
        self.guests = {"a": Guest("a", BUILD, RUN)}
        time.sleep(1)  # b connects to the management socket that a opens
        self.guests["b"] = Guest("b", BUILD, RUN)
        try:
            for guest in self.guests.values():
                guest.wait_ready()
            self.kernel = self.guests["a"].do("uname -rv").strip()
            self.ping()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        for guest in self.guests.values():
            guest.close()
        self._lock.close()

    def ping(self) -> None:
        for address in (IP["b"], IP6["b"], MANAGEMENT_IP["b"]):
            self.guests["a"].do(f"ping -c1 -W5 {address}")

    def run(self, scenario: Scenario) -> None:
        """Runs one scenario and writes its files."""
        name = scenario["name"]
        self._set_up(scenario)
        gids = {role: self._gids(role) for role in "ab"}
        counters_before = {role: guest.counters() for role, guest in self.guests.items()}
        clocks_before = {role: guest.clock() for role, guest in self.guests.items()}
        self.wire.start_capture(str(OUT / name), scenario.get("rules", ()), scenario.get("bottleneck"))
        dumps = self._start_tcpdump(scenario)
        start = time.time()
        steps = [self._run_step(scenario, step) for step in scenario["steps"]]
        seconds = time.time() - start
        time.sleep(scenario.get("linger", 1.5))
        notes = {role: self._stop_tcpdump(role, job, name) for role, job in dumps.items()}
        wire = self.wire.stop_capture()
        clocks_after = {role: guest.clock() for role, guest in self.guests.items()}
        counters_after = {role: guest.counters() for role, guest in self.guests.items()}
        if "teardown_both" in scenario:
            for guest in self.guests.values():
                guest.do(scenario["teardown_both"], check=False)
        truth = {
            "scenario": name, "description": scenario["desc"], "kernel": self.kernel,
            "hosts": {TAP[role]: {"role": role, "ip": IP[role], "ip6": IP6[role], "mac": MAC[role]} for role in "ab"},
            "netdev_mtu": scenario.get("netdev_mtu", 5000), "snaplen": scenario.get("snap", 0) or "full",
            "setup": {key: value for key, value in scenario.items() if key.startswith("setup")},
            "commands": [commands for commands, _ in steps], "expect_failure": bool(scenario.get("fails")),
            "output": [output for _, output in steps], "seconds": round(seconds, 2),
            "rules": list(scenario.get("rules", ())), "bottleneck": scenario.get("bottleneck"),
            "wire": wire, "gids": gids, "tcpdump": notes,
            "clock_offset_to_host_s": {role: {"before": clocks_before[role], "after": clocks_after[role]}
                                       for role in "ab"},
            "hw_counters": {role: {"before": counters_before[role], "after": counters_after[role],
                                   "delta": delta(counters_before[role], counters_after[role])} for role in "ab"}}
        (OUT / f"{name}.truth.json").write_text(json.dumps(truth, indent=1))
        report(truth)

    def _set_up(self, scenario: Scenario) -> None:
        for guest in self.guests.values():
            guest.do(f"ip link set eth0 mtu {scenario.get('netdev_mtu', 5000)}; {scenario.get('setup_both', 'true')}")
        for role, guest in self.guests.items():
            if f"setup_{role}" in scenario:
                guest.do(scenario[f"setup_{role}"])
        if not scenario.get("no_ping"):
            self.ping()  # neighbour tables are warm unless asked otherwise
        time.sleep(0.3)

    def _gids(self, role: str) -> str:
        return self.guests[role].do("cd /sys/class/infiniband/rxe0/ports/1; for i in 0 1 2 3 4 5 6; do "
                                    "echo $i $(cat gids/$i) $(cat gid_attrs/ndevs/$i 2>/dev/null); done")

    def _start_tcpdump(self, scenario: Scenario) -> dict[str, str]:
        """Jobs by role; returns when both capture."""
        command = (f"exec tcpdump -Z root -i {scenario.get('capture_if', 'eth0')} -s {scenario.get('snap', 0)} "
                   "-B 32768 --time-stamp-precision=nano -w /tmp/cap.pcap")
        jobs = {role: guest.start(command) for role, guest in self.guests.items()}
        for role, guest in self.guests.items():
            for _ in range(100):
                if "listening on" in guest.text(jobs[role], "err"):
                    break
                if guest.wait(jobs[role], 0.1) is not None:
                    raise RuntimeError("tcpdump: " + guest.text(jobs[role], "err"))
        return jobs

    def _stop_tcpdump(self, role: str, job: str, name: str) -> str:
        """Fetches the capture; returns what tcpdump said."""
        guest = self.guests[role]
        guest.do("pkill -INT -x tcpdump; true")
        guest.wait(job, 20)
        note = guest.text(job, "err").strip().replace("\n", "; ")
        guest.do("cp /tmp/cap.pcap /share/cap.pcap && rm /tmp/cap.pcap")
        shutil.move(guest.share / "cap.pcap", OUT / f"{name}.{TAP[role]}.pcap")
        return note

    def _run_step(self, scenario: Scenario, step: Step) -> tuple[dict[str, Any], dict[str, Any]]:
        """Runs a server on b and a client on a; returns the commands, and their exit statuses and output."""
        a, b = self.guests["a"], self.guests["b"]
        names = {"ip_a": IP["a"], "ip_b": IP["b"], "mgmt_a": MANAGEMENT_IP["a"], "mgmt_b": MANAGEMENT_IP["b"]}
        server, client = (command.format(**names) if command else None for command in step)
        limit_s = scenario.get("timeout", 60)
        server_job = b.start(f"timeout -s INT -k 2 {limit_s + 10} bash -c '{server}'") if server else None
        if server:
            time.sleep(scenario.get("server_wait", 1))
        client_job = a.start(f"timeout -s INT -k 2 {limit_s} bash -c '{client}'") if client else None
        client_status = a.wait(client_job, limit_s + 20) if client_job else 0
        server_status = b.wait(server_job, 8) if server_job else 0
        if server_job and server_status is None:
            b.do(f"pkill -INT -f '{TOOLS}' || true")
            server_status = b.wait(server_job, limit_s + 15)
        texts = {f"{end}_{which}": guest.text(job, which) for which in ("out", "err")
                 for end, guest, job in (("server", b, server_job), ("client", a, client_job)) if job}
        said = {name: text for name, text in texts.items() if text}
        return ({"server (b)": server, "client (a)": client},
                {"server_rc": server_status, "client_rc": client_status, **said})


def report(truth: dict[str, Any]) -> None:
    """One line about a scenario that has run."""
    statuses = [(output["server_rc"], output["client_rc"]) for output in truth["output"]]
    expected = all(status == (0, 0) for status in statuses) != truth["expect_failure"]
    wire, counters = truth["wire"], truth["hw_counters"]
    print(f"{truth['scenario']:28} {'ok' if expected else 'UNEXPECTED'}  {truth['seconds']:5.1f}s  "
          f"frames {wire['frames_in']}->{wire['frames_out']}  events {len(wire['events'])}  statuses {statuses}  "
          f"a{counters['a']['delta']} b{counters['b']['delta']}", flush=True)


def run_all(scenarios: list[Scenario]) -> None:
    """Runs scenarios; a failure reboots the guests and tries once more."""
    lab, failures = boot(), 0
    try:
        for scenario in scenarios:
            for _ in range(ATTEMPTS):
                try:
                    lab.run(scenario)
                    failures = 0
                    break
                except RuntimeError as error:
                    print(f"{scenario['name']:28} FAILED: {error}; rebooting the guests", flush=True)
                    failures += 1
                    if failures > FAILURES_IN_A_ROW:
                        raise
                    lab.close()
                    lab = boot()
    finally:
        lab.close()


def boot() -> Lab:
    lab = Lab()
    print("booted:", lab.kernel, flush=True)
    return lab


def run_shell() -> None:
    lab = boot()
    try:
        for line in sys.stdin:
            role, _, command = line.strip().partition(" ")
            if role in lab.guests and command:
                guest = lab.guests[role]
                job = guest.start(command)
                status = guest.wait(job, 120)
                print(f"[{role} status={status}]\n{guest.text(job)}{guest.text(job, 'err')}", flush=True)
    finally:
        lab.close()


def main() -> None:
    from scenarios import SCENARIOS
    names = sys.argv[1:]
    if names == ["list"]:
        for scenario in SCENARIOS:
            print(f"{scenario['name']:28} {scenario['desc']}")
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if names == ["shell"]:
        run_shell()
    else:
        run_all([s for s in SCENARIOS if not names or any(fnmatch.fnmatch(s["name"], name) for name in names)])


if __name__ == "__main__":
    main()
