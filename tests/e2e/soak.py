#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Days of rocetop export in seconds: captures again and again, in time that goes on at full speed (--loop --speed max),
looked at over HTTP as Prometheus does. Memory and the number of series stay what they were after the first hours, no
counter ever goes back, and whole rounds count what triage counts of one. Run as: soak.py PROGRAM CAPTURES."""
from __future__ import annotations

import http.client
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from typing import Iterable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from capture_files import LINKTYPE_ETHERNET, Frame, Interface, pcapng  # noqa: E402

PROGRAM = ""
CAPTURES = pathlib.Path()
SILENCE_S = 301  # between two rounds, on the packets' clock: connections are forgotten after 300
HOURS = 24
WARM_UP = 0.25  # of the time: what follows is compared with it
GROWTH_KB = 2_048  # of memory, after that: pages of an allocator that fills its holes

LOOPED = ("write-loss.pcapng", "rnr.pcapng.zst", "ce-cnp.pcapng.zst", "cm-reject.pcapng.zst", "peer-silent.pcapng.zst",
          "timeout.pcapng.zst", "read-restart.pcapng.zst", "nak-fatal.pcapng.zst")
COUNTERS = re.compile(r"_(total|bucket|count|sum)$")
# What the exporter counts of itself and of this machine is another matter.
OF_THE_CAPTURE = re.compile(
    r"rocetop_(?!adapter_|interface_|host_|scrape|http_|config_|snapshot_|build_|up$)\w+")


def inputs(names) -> list[str]:
    return [word for name in names for word in ("-r", str(CAPTURES / name))]


def triage(names) -> dict:
    done = subprocess.run([PROGRAM, "triage", *inputs(names), "--json"], capture_output=True, check=False)
    return json.loads(done.stdout)


class Exporter:
    def __init__(self, names, *words: str):
        self.process = subprocess.Popen(
            [PROGRAM, "export", *inputs(names), "--web.listen-address", "127.0.0.1:0", "--no-host-counters", *words],
            stderr=subprocess.PIPE, text=True)
        self.port = 0
        for line in self.process.stderr:
            if served := re.search(r"http://127\.0\.0\.1:(\d+)", line):
                self.port = int(served[1])
                break
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def __enter__(self) -> "Exporter":
        return self

    def __exit__(self, *_) -> None:
        self.connection.close()
        self.process.terminate()
        self.process.communicate()

    def scrape(self) -> dict[str, float]:
        self.connection.request("GET", "/metrics")
        text = self.connection.getresponse().read().decode()
        series = {}
        for line in text.splitlines():
            if line and not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                series[name] = float(value)
        return series

    def resident_kb(self) -> int:
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1])


def total(series: dict[str, float], name: str, label: str = "") -> float:
    return sum(value for key, value in series.items() if key.partition("{")[0] == name and label in key)


def metric(key: str) -> str:
    return key.partition("{")[0]


def watched(series: dict[str, float]) -> dict[str, float]:
    return {key: value for key, value in series.items() if OF_THE_CAPTURE.fullmatch(metric(key))}


def packet(source: int, psn: int, queue_pair: int = 17) -> bytes:
    """A SEND that nobody answers, from 10.0.0.0 + source."""
    ether = bytes.fromhex("020000000001 020000000002 0800")
    bth = struct.pack(">BBHII", 0x04, 0x40, 0xFFFF, queue_pair, 0x80000000 | psn)
    payload = bth + struct.pack(">Q", source << 24 | psn) + bytes(24) + struct.pack(">I", source ^ psn << 8)  # + ICRC
    udp = struct.pack(">HHHH", 50_000, 4_791, 8 + len(payload), 0)
    ip = struct.pack(">BBHHHBBHII", 0x45, 2, 28 + len(payload), 0, 0x4000, 64, 17, 0, 0x0A000000 + source, 0xC0000201)
    return ether + ip + udp + payload


def spoofed(count: int, step_ns: int) -> Iterable[Frame]:
    """Each packet from an address of its own."""
    for i in range(count):
        data = packet(i, 5)
        yield Frame(1_700_000_000_000_000_000 + i * step_ns, len(data), data)


def queue_pairs_that_change(rounds: int) -> Iterable[Frame]:
    """The same hosts, after each silence with other queue pairs."""
    for r in range(rounds):
        for i in range(100):
            data = packet(i % 20, i, 0x100 + 50 * r + i % 50)
            yield Frame(1_700_000_000_000_000_000 + r * SILENCE_S * 1_000_000_000 + i * 1_000_000, len(data), data)


def directions(one: dict):
    return (d for c in one["connections"] for d in c["directions"])


class Soak(unittest.TestCase):
    maxDiff = None

    def check_forward(self, before: dict[str, float], now: dict[str, float]) -> None:
        for key, value in before.items():
            if COUNTERS.search(metric(key)) and key in now:
                self.assertLessEqual(value, now[key], key)

    def check_rounds(self, now: dict[str, float], rounds: float, name: str, of_one: float, label: str = "",
                     late: int = 0) -> None:
        """A scrape comes in the middle of a round. `late`: rounds until what is open at the end of one is counted."""
        value = total(now, name, label)
        self.assertGreaterEqual(value, (math.floor(rounds) - late) * of_one, name + label)
        self.assertLessEqual(value, math.ceil(rounds) * of_one, name + label)

    def soak(self, names, *words: str, series_stay: bool = True) -> tuple[dict[str, float], float, dict]:
        """The last scrape, the rounds that were over by then, and what triage counts in one."""
        one = triage(names)
        capture = one["capture"]
        round_s = (capture["last_ns"] - capture["first_ns"]) / 1e9 + SILENCE_S
        rounds_wanted = HOURS * 3_600 / round_s
        ever: dict[str, float] = {}  # each series as it was when last seen
        rounds, warm_kb, most_kb, most_series = 0.0, 0, 0, 0
        series: set[str] = set()
        with Exporter(names, "--loop", "--speed", "max", *words) as exporter:
            while rounds < rounds_wanted:
                now = watched(exporter.scrape())
                self.check_forward(ever, now)
                ever.update(now)
                rounds = total(now, "rocetop_capture_packets_total") / capture["frames"]
                if rounds < WARM_UP * rounds_wanted:
                    continue
                if not series:
                    warm_kb, series = exporter.resident_kb(), set(now)
                most_kb, most_series = max(most_kb, exporter.resident_kb()), max(most_series, len(now))
                if series_stay:
                    self.assertEqual(series, set(now), "series come or go")
        self.assertLess(most_kb - warm_kb, GROWTH_KB, f"memory grew from {warm_kb} KB to {most_kb} KB")
        print(f"{' '.join(names)}: {rounds:.0f} rounds of {round_s:.0f} s: {warm_kb} KB after a quarter of them, then "
              f"at most {most_kb} KB; at most {most_series} series", flush=True)
        return now, rounds, one

    def test_a_day_of_each_capture(self) -> None:
        for name in LOOPED:
            with self.subTest(name):
                now, rounds, one = self.soak([name])
                capture = one["capture"]
                self.check_rounds(now, rounds, "rocetop_capture_roce_packets_total", capture["roce_frames"])
                self.check_rounds(now, rounds, "rocetop_packets_total", sum(d["frames"] for d in directions(one)))
                self.check_rounds(now, rounds, "rocetop_bytes_total",
                                  sum(d["bytes_on_wire"] for d in directions(one)))
                self.check_rounds(now, rounds, "rocetop_rnr_naks_total", sum(d["rnr_naks"] for d in directions(one)))
                self.check_rounds(now, rounds, "rocetop_cnp_packets_total", sum(d["cnps"] for d in directions(one)))
                self.check_rounds(now, rounds, "rocetop_ce_packets_total",
                                  sum(d["ecn"]["ce"] for d in directions(one)))
                self.check_rounds(now, rounds, "rocetop_connections_total", len(one["connections"]))
                self.check_rounds(now, rounds, "rocetop_retransmitted_packets_total",
                                  sum(c["totals"]["retransmitted_packets"] for c in one["connections"]), late=1)
                self.check_rounds(now, rounds, "rocetop_missing_packets_total",
                                  sum(c["totals"]["missing_packets"] for c in one["connections"]),
                                  label='outcome="retransmitted"', late=1)

    def test_a_day_of_all_of_them(self) -> None:
        self.soak(LOOPED, "--interval", "30s", "--series-timeout", "2h")

    def test_rows_that_leave_and_come_back_go_on_from_where_they_were(self) -> None:
        self.soak(LOOPED, "--interval", "30s", "--series-timeout", "60s", series_stay=False)

    def test_rows_that_do_not_fit(self) -> None:
        now, _, _ = self.soak(LOOPED, "--interval", "30s", "--series-timeout", "2h", "--max-pairs", "1",
                              "--per-connection", "top=2", series_stay=False)
        self.assertGreater(total(now, "rocetop_series_limited_total", 'kind="connection"'), 0)

    def read_to_its_end(self, frames: Iterable[Frame], *words: str) -> tuple[list[dict[str, float]], list[int]]:
        """All scrapes, and the memory at each."""
        with tempfile.TemporaryDirectory() as folder:
            capture = pathlib.Path(folder) / "made.pcapng"
            capture.write_bytes(pcapng("made", [Interface(LINKTYPE_ETHERNET)], frames))
            scrapes, memory_kb = [{}], []
            with Exporter([capture], "--speed", "max", *words) as exporter:
                while total(scrapes[-1], "rocetop_up") != 0 or len(scrapes) == 1:
                    scrapes.append(exporter.scrape())
                    memory_kb.append(exporter.resident_kb())
                    self.check_forward(watched(scrapes[-2]), watched(scrapes[-1]))
                    time.sleep(0.01)  # leaves the processor to it
        return scrapes[1:], memory_kb

    def test_a_hundred_thousand_spoofed_addresses(self) -> None:
        scrapes, memory_kb = self.read_to_its_end(
            spoofed(100_000, 100_000), "--max-connections", "1000", "--max-pairs", "50", "--per-connection", "top=10")
        last = scrapes[-1]
        self.assertEqual(total(last, "rocetop_packets_total"), 100_000)
        self.assertEqual(total(last, "rocetop_connections_total"), 100_000)
        self.assertEqual(total(last, "rocetop_connections_left_total", 'reason="limit"'), 99_000)
        self.assertEqual(total(last, "rocetop_series_limited_total", 'kind="pair"'), 100_000 - 50)
        self.assertGreater(total(last, "rocetop_packets_total", 'src="other"'), 99_000)
        for scrape in scrapes:
            self.assertLessEqual(total(scrape, "rocetop_series", 'kind="pair"'), 50)
            self.assertLessEqual(total(scrape, "rocetop_series", 'kind="connection"'), 10)
            self.assertLessEqual(len(scrape), 4_500)
        print(f"spoofed: at most {max(memory_kb)} KB, {len(last)} series", flush=True)
        self.assertLess(max(memory_kb), 150_000)

    def test_other_queue_pairs_after_each_silence(self) -> None:
        rounds = 300
        scrapes, memory_kb = self.read_to_its_end(queue_pairs_that_change(rounds), "--interval", "60s")
        last = scrapes[-1]
        self.assertEqual(total(last, "rocetop_packets_total"), rounds * 100)
        self.assertEqual(total(last, "rocetop_connections_total"), rounds * 100)
        self.assertEqual(total(last, "rocetop_series", 'kind="pair"'), 20)
        self.assertEqual(total(last, "rocetop_series_limited_total"), 0)
        print(f"queue pairs: at most {max(memory_kb)} KB, {len(last)} series", flush=True)
        self.assertLess(max(memory_kb), 40_000)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(f"usage: {sys.argv[0]} PROGRAM CAPTURES [unittest options]")
    PROGRAM, CAPTURES = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
