# SPDX-License-Identifier: BSD-3-Clause
"""A lab guest: a qemu machine that runs shell commands given over a virtio port (guest/init is its other end).

A command's exit status comes back over the port, its output as files on a 9p share.
"""
from __future__ import annotations

import pathlib
import shutil
import socket
import subprocess
import time

NUMBER = {"a": "1", "b": "2"}  # last digit of a guest's addresses
BOOT_S = 180
AGENT_POLLS = 100  # waits of 0.1 s for qemu to open the agent's socket


class Guest:
    """One running guest. Commands run side by side; each start() is a job."""

    def __init__(self, role: str, build: pathlib.Path, run: pathlib.Path) -> None:
        self.role, self.share = role, run / f"share-{role}"
        self._run = run
        shutil.rmtree(self.share, ignore_errors=True)
        self.share.mkdir(parents=True)
        agent = run / f"agent-{role}.sock"
        with open(run / f"qemu-{role}.log", "w") as log:
            self._process = subprocess.Popen(self._command(build, agent), stdin=subprocess.DEVNULL, stderr=log)
        for _ in range(AGENT_POLLS):
            if agent.exists():
                break
            time.sleep(0.1)
        self._agent = socket.socket(socket.AF_UNIX)
        self._agent.connect(str(agent))
        self._unread, self._statuses, self._jobs = "", {}, 0

    def _command(self, build: pathlib.Path, agent: pathlib.Path) -> list[str]:
        number, run = NUMBER[self.role], self._run
        management = f"server={'on' if self.role == 'a' else 'off'},addr.type=unix,addr.path={run}/mgmt.sock"
        return ["nice", "qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
                "-machine", "q35,accel=tcg", "-cpu", "qemu64,+ssse3,+sse4.1,+sse4.2,+popcnt", "-smp", "1", "-m", "900",
                "-kernel", f"{build}/vmlinuz", "-initrd", f"{build}/initrd.cpio",
                "-append", f"console=ttyS0 panic=-1 mitigations=off tsc=reliable lab.role={self.role}",
                "-serial", f"file:{run}/console-{self.role}.log",
                "-netdev", f"stream,id=n0,server=off,addr.type=unix,addr.path={run}/wire-{self.role}.sock",
                "-device", f"virtio-net-pci,netdev=n0,mac=02:00:00:00:00:0{number},host_mtu=9000,rx_queue_size=1024",
                "-netdev", f"stream,id=n1,{management}",
                "-device", f"virtio-net-pci,netdev=n1,mac=02:00:00:00:01:0{number}",
                "-device", "virtio-serial", "-chardev", f"socket,id=agent,path={agent},server=on,wait=off",
                "-device", "virtserialport,chardev=agent,name=agent", "-device", "virtio-rng-pci",
                "-virtfs", f"local,path={self.share},mount_tag=share,security_model=none"]

    def _poll(self, wait_s: float) -> None:
        """Takes in exit statuses, lines of "JOB STATUS"."""
        self._agent.settimeout(max(wait_s, 0.01))
        try:
            self._unread += self._agent.recv(4096).decode(errors="replace")
        except TimeoutError:
            if self._process.poll() is not None:
                raise RuntimeError(f"guest {self.role} ended") from None
        *lines, self._unread = self._unread.split("\n")
        for line in lines:
            job, _, status = line.partition(" ")
            self._statuses[job] = int(status) if status.strip().isdigit() else -1

    def wait_ready(self) -> None:
        end = time.time() + BOOT_S
        while "READY" not in self._statuses:
            if time.time() > end:
                raise RuntimeError(f"guest {self.role} did not boot: see {self._run}/console-{self.role}.log")
            self._poll(0.5)

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()

    def start(self, command: str) -> str:
        self._jobs += 1
        job = f"j{self._jobs}"
        self._agent.settimeout(10)
        self._agent.sendall(f"{job}\t{command}\n".encode())
        return job

    def wait(self, job: str, timeout_s: float = 60) -> int | None:
        """Exit status, or None if the job has not ended in time."""
        end = time.time() + timeout_s
        while job not in self._statuses and time.time() < end:
            self._poll(min(0.5, max(0.0, end - time.time())))
        return self._statuses.get(job)

    def text(self, job: str, which: str = "out") -> str:
        """What a job has printed so far; which: out or err."""
        try:
            return (self.share / f"{job}.{which}").read_text(errors="replace")
        except FileNotFoundError:
            return ""

    def do(self, command: str, timeout_s: float = 60, check: bool = True) -> str:
        job = self.start(command)
        status = self.wait(job, timeout_s)
        if check and status != 0:
            raise RuntimeError(f"{self.role}: {command!r} -> {status}: {self.text(job, 'err')}")
        return self.text(job)

    def clock(self) -> tuple[float, float]:
        """(guest's clock minus host's, uncertainty), in seconds: the best of three."""
        best: tuple[float, float] | None = None
        for _ in range(3):
            before = time.time()
            guest = float(self.do("date +%s.%N"))
            after = time.time()
            if best is None or after - before < 2 * best[1]:
                best = round(guest - (before + after) / 2, 4), round((after - before) / 2, 4)
        assert best
        return best

    def counters(self) -> dict[str, int]:
        """Soft-RoCE's hardware counters."""
        lines = self.do("cd /sys/class/infiniband/rxe0/ports/1/hw_counters && grep . *").split()
        return {name: int(value) for name, value in (line.split(":") for line in lines)}
