# SPDX-License-Identifier: BSD-3-Clause
"""A network of one's own: a namespace, pairs of interfaces in it, and frames sent into one end. For tests and benches
that capture; nothing here touches the machine's own network."""
from __future__ import annotations

import errno
import json
import os
import shutil
import socket
import subprocess
import sys
import time

from waiting import wait_until


def enter_namespace(marker: str, loopback: bool = False) -> str:
    """Runs this script again in a network namespace of its own, of root's or of a user namespace, with the environment
    variable `marker` set to 1; `loopback`: with lo up. Returns only where that cannot be: why."""
    if not shutil.which("ip") or not shutil.which("unshare"):
        return "ip or unshare is missing (Debian packages iproute2, util-linux)"
    up = ["sh", "-c", 'ip link set lo up && exec "$0" "$@"'] if loopback else []
    for way in (["unshare", "--net"], ["unshare", "--user", "--map-root-user", "--net"]):
        if subprocess.run([*way, "ip", "link", "set", "lo", "up"], capture_output=True, check=False).returncode == 0:
            os.environ[marker] = "1"
            os.execvp(way[0], [*way, *up, sys.executable, "-B", *sys.argv])
    return "no network namespace can be made here (that takes root, or user namespaces)"


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


def is_up(name: str) -> bool:
    """Not from /sys, which may show the interfaces of another namespace."""
    shown = json.loads(subprocess.run(["ip", "-j", "link", "show", name], check=True, capture_output=True).stdout)
    return shown[0]["operstate"] == "UP"


def add_pair(one: str, other: str) -> None:
    """Two interfaces that are each other's far end (veth), up, for frames of 9,000 bytes."""
    ip("link", "add", one, "type", "veth", "peer", "name", other)
    for name in (one, other):
        ip("link", "set", name, "mtu", "9000", "up")
    for name in (one, other):
        wait_until(lambda: is_up(name), f"{name} to be up")


def send(frames: list, interface: str, paced: bool = False) -> None:
    """Frames of capture_files into an interface: at once, or in the time that their stamps say."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as out:
        out.bind((interface, 0))
        begin = time.monotonic_ns()
        for frame in frames:
            while paced and time.monotonic_ns() - begin < frame.time_ns - frames[0].time_ns:
                pass
            while True:
                try:
                    out.send(frame.data)
                    break
                except OSError as error:
                    if error.errno != errno.ENOBUFS:
                        raise
