#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Twenty exporters, one Prometheus as an agent that keeps nothing and writes to VictoriaMetrics, recording rules
evaluated there by vmalert: the fleet's dashboard is answered from there, with triage's values.
Run as: fleet.py PROGRAM CAPTURES [--measure SECONDS], which prints what it costs (docs/fleet.md)."""
from __future__ import annotations

import collections
import json
import pathlib
import re
import sys
import tempfile
import time
import unittest

for folder in ("dashboards", "support"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / folder))
import mixin  # noqa: E402
import monitoring  # noqa: E402
from monitoring import LABELS, Exporter, Server, counts, not_zero, wait_until  # noqa: E402

PROGRAM = ""
CAPTURES = pathlib.Path()
SIZE = 20
# Again and again at the speed of the capture; the others were read to their end.
LOOPING = ("write-loss.pcapng", "ce-cnp.pcapng.zst", "rnr.pcapng.zst", "timeout.pcapng.zst")

FOLDER: tempfile.TemporaryDirectory
FINISHED: list[Exporter] = []
ALL: list[Exporter] = []
AGENT: Server
STORE: Server
RULES: Server
EXPECTED: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)


def arrived() -> bool:
    """The store has the last figures of those that are at their end, rates of the others, and what is recorded."""
    ended = "|".join(re.escape(e.instance) for e in FINISHED).replace("\\", "\\\\")
    if STORE.value(f'sum(rocetop_up{{instance=~"{ended}"}})') != 0:
        return False
    packets = STORE.value(f'sum(rocetop_packets_total{{instance=~"{ended}"}})')
    if packets != sum(EXPECTED["rocetop_packets_total"].values()):
        return False
    recorded = [e for e in mixin.rule_expressions() if e.kind == "rule" and "lossless" not in e.name and
                "pause" not in e.name and "dropped" not in e.name]
    return all(STORE.query(e.name) for e in recorded) and STORE.value("count(instance:rocetop_network:verdict)") == SIZE


def setUpModule():
    unittest.addModuleCleanup(end)  # also where what follows fails
    start()


def start() -> None:
    global FOLDER, AGENT, STORE, RULES
    FOLDER = tempfile.TemporaryDirectory()
    folder = pathlib.Path(FOLDER.name)
    lab = sorted((CAPTURES / "lab").glob("*.pcap.zst"))
    chosen = lab[::len(lab) // (SIZE - len(LOOPING))][:SIZE - len(LOOPING)]
    for path in chosen:
        FINISHED.append(Exporter(PROGRAM, path, folder, "--speed", "max", "--window", "24h"))
        for metric, counter in counts(monitoring.triage(PROGRAM, path)).items():
            EXPECTED[metric].update(counter)
    ALL.extend(FINISHED)
    ALL.extend(Exporter(PROGRAM, CAPTURES / name, folder, "--loop") for name in LOOPING)
    assert len(ALL) == SIZE, len(ALL)
    STORE = Server(["victoria-metrics", f"-storageDataPath={folder / 'store'}", "-httpListenAddr=127.0.0.1:0",
                    "-search.latencyOffset=0s", "-memory.allowedBytes=256MB"], folder / "store.log", "/health")
    AGENT = monitoring.prometheus(
        folder, ALL, ["--enable-feature=agent", f"--storage.agent.path={folder / 'agent'}"],
        remote_write=[{"url": f"{STORE.url}/api/v1/write"}])
    RULES = Server(["vmalert", f"-rule={mixin.FOLDER / 'prometheus' / 'rules.yml'}", f"-datasource.url={STORE.url}",
                    f"-remoteWrite.url={STORE.url}", "-remoteWrite.flushInterval=1s", "-evaluationInterval=1s",
                    "-httpListenAddr=127.0.0.1:0"], folder / "rules.log", "/health")
    wait_until(arrived, "the whole fleet in the store, with its final figures and recorded series")


def end() -> None:
    monitoring.Process.end_all()
    FOLDER.cleanup()


class Fleet(unittest.TestCase):
    maxDiff = None

    def test_every_query_of_the_dashboard_is_answered(self):
        dashboard = mixin.dashboards()["fleet.json"]
        for expression in mixin.dashboard_expressions("fleet.json", dashboard):
            with self.subTest(where=expression.where):
                promql = expression.promql()
                STORE.range(promql)
                if expression.kind != "annotation" and "pause" not in promql:
                    self.assertTrue(STORE.query(promql), promql)

    def test_sums_over_the_fleet_are_triages(self):
        ended = "|".join(re.escape(e.instance) for e in FINISHED).replace("\\", "\\\\")
        for metric, expected in EXPECTED.items():
            if metric.startswith("rocetop_"):
                labels = ["src", "dst"] + ([LABELS[metric]] if metric in LABELS else [])
                with self.subTest(metric=metric):
                    found = STORE.query(f'sum by ({", ".join(labels)}) ({metric}{{instance=~"{ended}"}})')
                    self.assertEqual(not_zero({tuple(m[label] for label in labels): v for m, v in found}),
                                     not_zero(expected))

    def test_hosts_in_trouble_are_told_from_others(self):
        verdicts = {m["instance"]: v for m, v in STORE.query("instance:rocetop_network:verdict")}
        self.assertEqual(set(verdicts), {e.instance for e in ALL})
        by_name = {e.capture.name: verdicts[e.instance] for e in ALL if e not in FINISHED}
        self.assertEqual(by_name["write-loss.pcapng"], 3)
        self.assertEqual(by_name["rnr.pcapng.zst"], 0)
        # Captures that are over cannot tell.
        self.assertTrue(all(verdicts[e.instance] in (1, 2) for e in FINISHED))

    def test_the_agent_keeps_up(self):
        text = AGENT.text("/metrics")
        for name in ("failed", "dropped"):
            found = re.findall(rf"^prometheus_remote_storage_samples_{name}_total\{{.*\}} (\S+)$", text, re.MULTILINE)
            self.assertEqual([float(value) for value in found], [0.0] * len(found), name)
            self.assertTrue(found)


def total(text: str, name: str) -> float:
    return sum(float(v) for v in re.findall(rf"^{name}(?:\{{.*\}})? (\S+)$", text, re.MULTILINE))


def measure(seconds: float) -> None:
    """Prints what the fleet cost between two moments, as JSON."""
    try:
        start()

        def figures() -> dict:
            agent, store = AGENT.text("/metrics"), STORE.text("/metrics")
            return {"samples": total(agent, "prometheus_remote_storage_samples_total"),
                    "bytes_sent": total(agent, "prometheus_remote_storage_bytes_total"),
                    "agent_cpu_s": total(agent, "process_cpu_seconds_total"),
                    "store_cpu_s": total(store, "process_cpu_seconds_total"),
                    "agent_resident_bytes": total(agent, "process_resident_memory_bytes"),
                    "store_resident_bytes": total(store, "process_resident_memory_bytes"),
                    "store_rows": total(store, r"vm_rows\{type=\"storage/\w+\"\}") or total(store, "vm_rows"),
                    "store_bytes": total(store, "vm_data_size_bytes")}

        begin, started = figures(), time.monotonic()
        time.sleep(seconds)
        last, elapsed = figures(), time.monotonic() - started
        scraped = STORE.query("scrape_samples_scraped")
        took = STORE.query("max_over_time(scrape_duration_seconds[5m])")
        memory = STORE.query("process_resident_memory_bytes")
        print(json.dumps({
            "hosts": SIZE, "seconds": elapsed,
            "series_a_host": sorted(int(value) for _, value in scraped),
            "recorded_series_a_host": STORE.value('count({__name__=~"instance.*:.*"})') / SIZE,
            "samples_a_second": (last["samples"] - begin["samples"]) / elapsed,
            "bytes_sent_a_sample": (last["bytes_sent"] - begin["bytes_sent"]) / (last["samples"] - begin["samples"]),
            "agent_cores": (last["agent_cpu_s"] - begin["agent_cpu_s"]) / elapsed,
            "store_cores": (last["store_cpu_s"] - begin["store_cpu_s"]) / elapsed,
            "store_bytes_a_row": last["store_bytes"] / last["store_rows"], "at_the_end": last,
            "slowest_scrape_s": max(value for _, value in took),
            "largest_exporter_bytes": max(value for _, value in memory)}, indent=2))
    finally:
        end()


if __name__ == "__main__":
    PROGRAM, CAPTURES = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
    mixin.needed_yaml()
    mixin.needed_program("prometheus", "prometheus")
    for program in ("victoria-metrics", "vmalert"):
        mixin.needed_program(program, "victoria-metrics")
    if sys.argv[1:2] == ["--measure"]:
        measure(float(sys.argv[2]))
    else:
        unittest.main()
