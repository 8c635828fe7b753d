#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long a scrape of rocetop export takes while it captures 1,000 connections, and what capture loses of it.

One end of a veth pair is flooded with a made capture, rocetop export captures at the other and is scraped all the time:
plain, compressed, and with hostile clients that hold connections and read slowly. Each line says how long scrapes took
and what the kernel dropped meanwhile. All of it in a network namespace of its own, which takes root or user namespaces.
"""

import argparse
import http.client
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

from made_capture import made_capture

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from network import add_pair, enter_namespace  # noqa: E402

INSIDE = "ROCETOP_BENCH_NAMESPACE"
PAUSE_S = 0.1  # between two scrapes
SETTLE_S = 2.5
NARROW = 2_048  # bytes that a slow reader takes at most at once


class Exporter:
    def __init__(self, program: Path):
        command = [str(program), "export", "-i", "vb", "--web.listen-address", "127.0.0.1:0", "udp"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        served = None
        while not served:
            served = re.search(r"http://127\.0\.0\.1:(\d+)", self.process.stderr.readline())
        self.port = int(served[1])
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def get(self, connection: http.client.HTTPConnection, compressed: bool) -> bytes:
        connection.request("GET", "/metrics", headers={"Accept-Encoding": "gzip" if compressed else "identity"})
        return connection.getresponse().read()

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def counters(self) -> tuple[float, float]:
        """Packets captured, and dropped by the kernel."""
        text = self.get(self.connect(), False).decode()
        return tuple(sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if re.match(what, line))
                     for what in (r"rocetop_capture_packets_total\{", r'rocetop_capture_dropped_total\{.*"kernel"'))

    def end(self) -> None:
        self.process.terminate()
        self.process.wait()


class Hostile:
    """Half of them send a request byte by byte, half ask and hardly read; cut off, they come again."""

    def __init__(self, port: int, count: int):
        self.port = port
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(i,)) for i in range(count)]

    def run(self, number: int) -> None:
        while not self.over.is_set():
            with socket.socket() as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, NARROW)
                client.settimeout(0.2)
                try:
                    client.connect(("127.0.0.1", self.port))
                    client.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n" + (b"\r\n" if number % 2 else b""))
                    while not self.over.wait(0.1):
                        if number % 2 == 0:
                            client.sendall(b"X")
                        elif not client.recv(64):
                            break
                except OSError:
                    continue

    def __enter__(self) -> None:
        for thread in self.threads:
            thread.start()

    def __exit__(self, *_) -> None:
        self.over.set()
        for thread in self.threads:
            thread.join()


def scrape_during(exporter: Exporter, flood: subprocess.Popen, compressed: bool) -> tuple[list[float], int]:
    """Milliseconds of each scrape while the flood lasts, and the bytes of the last."""
    took, size = [], 0
    connection = exporter.connect()
    while flood.poll() is None:
        begin = time.monotonic()
        size = len(exporter.get(connection, compressed))
        took.append(1_000 * (time.monotonic() - begin))
        time.sleep(PAUSE_S)
    return took, size


def measure(name: str, program: Path, flood: list[str], compressed: bool, hostile: int, scraped: bool = True) -> None:
    exporter = Exporter(program)
    time.sleep(SETTLE_S)
    with Hostile(exporter.port, hostile):
        sender = subprocess.Popen(flood, stdout=subprocess.PIPE, text=True)
        took, size = scrape_during(exporter, sender, compressed) if scraped else ([], 0)
        sent = json.loads(sender.communicate()[0])
    time.sleep(SETTLE_S)
    captured, dropped = exporter.counters()
    exporter.end()
    took.sort()
    times = (f"{len(took):>4} scrapes of {size:>8,} bytes: median {statistics.median(took):>7.1f} ms   "
             f"p99 {took[int(0.99 * (len(took) - 1))]:>7.1f} ms   max {took[-1]:>7.1f} ms") if took else "no scrapes"
    print(f"  {name:22} {sent['sent'] / sent['seconds']:>10,.0f} packets/s   captured {captured:>11,.0f} of "
          f"{sent['sent']:>11,}   dropped {dropped:>9,.0f}   {times}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("packets", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--connections", type=int, default=1_000)
    parser.add_argument("--hostile", type=int, default=20, help="clients")
    parser.add_argument("--rate", type=float, default=200_000, help="packets a second; 0: as fast as it goes")
    parser.add_argument("--build", type=Path, required=True, help="build folder of the release preset")
    parser.add_argument("--captures", type=Path, required=True, help="folder for the made captures")
    options = parser.parse_args()
    bench = options.build / "tests" / "bench"
    capture = made_capture(options.build, options.captures, options.packets, options.connections)
    if INSIDE not in os.environ:
        sys.exit(enter_namespace(INSIDE, loopback=True))
    add_pair("va", "vb")
    flood = [str(bench / "bench_send_frames"), str(capture), "va", "--packets", str(options.packets),
             "--rate", str(options.rate)]
    program = options.build / "cli" / "rocetop"
    print(f"{options.connections:,} connections:")
    measure("nobody asks", program, flood, False, 0, scraped=False)
    measure("plain", program, flood, False, 0)
    measure("gzip", program, flood, True, 0)
    measure(f"plain, {options.hostile} hostile", program, flood, False, options.hostile)
    measure(f"gzip, {options.hostile} hostile", program, flood, True, options.hostile)
    return 0


if __name__ == "__main__":
    sys.exit(main())
