# SPDX-License-Identifier: BSD-3-Clause
"""Exporters that replay captures, and what scrapes and answers: Prometheus, VictoriaMetrics. All on ports that the
kernel chooses, with data in a folder that the test gives and removes."""
from __future__ import annotations

import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import waiting

DEADLINE = 120  # seconds, for things that take one or two


def wait_until(condition, what: str):
    return waiting.wait_until(condition, what, DEADLINE)


class Process:
    running: list[Process] = []  # in the order of their start

    def __init__(self, words: list[str], log: pathlib.Path):
        self.log = log
        self.words = words
        with log.open("wb") as out:
            self.process = subprocess.Popen(words, stdout=out, stderr=subprocess.STDOUT)
        Process.running.append(self)

    def said(self) -> str:
        text = self.log.read_text(errors="replace")
        if self.process.poll() is not None:
            raise AssertionError(f"{' '.join(self.words)} ended with {self.process.returncode}: {text}")
        return text

    def end(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        finally:
            Process.running.remove(self)

    @staticmethod
    def end_all() -> dict[str, int]:
        """The last one first: an agent before the store that it writes to. Their exit statuses, by command line."""
        return {" ".join(p.words): p.end() for p in reversed(Process.running.copy())}


class Exporter(Process):
    """`rocetop export -r CAPTURE`; `instance` is where it listens."""

    def __init__(self, program: str, capture: pathlib.Path, folder: pathlib.Path, *options: str):
        self.capture = capture
        number = len(list(folder.glob("exporter-*.log")))
        super().__init__([program, "export", "-r", str(capture), "--web.listen-address", "127.0.0.1:0", *options],
                         folder / f"exporter-{number}.log")
        found = wait_until(lambda: re.search(r"https?://[^/\s]*:(\d+)", self.said()), f"an address of {capture}")
        self.instance = f"127.0.0.1:{found.group(1)}"


class Server(Process):
    """Something with Prometheus' query API. It was told to listen on port 0; the kernel knows which it got."""

    def __init__(self, words: list[str], log: pathlib.Path, ready: str):
        super().__init__(words, log)
        self.url = f"http://127.0.0.1:{wait_until(self.port, f'the port of {words[0]}')}"
        wait_until(lambda: self.is_ready(ready), f"{words[0]} to be ready")

    def port(self) -> int | None:
        self.said()
        inodes = set()
        for entry in pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir():
            try:
                inodes |= set(re.findall(r"socket:\[(\d+)\]", os.readlink(entry)))
            except OSError:
                pass  # closed meanwhile
        for table in ("tcp", "tcp6"):
            for line in pathlib.Path("/proc/net", table).read_text().splitlines()[1:]:
                words = line.split()
                if words[3] == "0A" and words[9] in inodes:  # 0A: it listens
                    return int(words[1].split(":")[1], 16)
        return None

    def is_ready(self, path: str) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}{path}", timeout=DEADLINE) as answer:
                return answer.status == 200
        except urllib.error.URLError:
            return False

    def text(self, path: str) -> str:
        with urllib.request.urlopen(f"{self.url}{path}", timeout=DEADLINE) as answer:
            return answer.read().decode()

    def get(self, path: str, **parameters) -> dict:
        url = f"{self.url}{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=DEADLINE) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path} {parameters}: {error.read().decode()}") from None

    def query(self, promql: str) -> list[tuple[dict, float]]:
        data = self.get("/api/v1/query", query=promql)
        return [(series["metric"], float(series["value"][1])) for series in data["result"]]

    def range(self, promql: str) -> list[dict]:
        now = time.time()
        return self.get("/api/v1/query_range", query=promql, start=now - 60, end=now, step=5)["result"]

    def value(self, promql: str) -> float | None:
        found = self.query(promql)
        return found[0][1] if found else None


def prometheus(folder: pathlib.Path, exporters: list[Exporter], options: list[str], **settings) -> Server:
    """Scrapes the exporters each second. JSON is YAML; targets come from a file, as in dashboards/deploy."""
    targets = folder / "targets.json"
    targets.write_text(json.dumps([{"targets": [e.instance for e in exporters], "labels": {"rack": "r1"}}]))
    config = folder / "prometheus.yml"
    config.write_text(json.dumps({
        "global": {"scrape_interval": "1s"} | ({"evaluation_interval": "1s"} if "rule_files" in settings else {}),
        "scrape_configs": [{"job_name": "rocetop", "file_sd_configs": [{"files": [str(targets)]}]}], **settings}))
    words = ["prometheus", f"--config.file={config}", "--web.listen-address=127.0.0.1:0", *options]
    return Server(words, folder / "prometheus.log", "/-/ready")


def triage(program: str, capture: pathlib.Path) -> dict:
    done = subprocess.run([program, "triage", "--json", str(capture)], capture_output=True)
    return json.loads(done.stdout)


def counts(report: dict) -> dict[str, collections.Counter]:
    """What triage says, by metric and then by the values of its labels but protocol."""
    found = collections.defaultdict(collections.Counter)
    for connection in report["connections"]:
        for d in connection["directions"]:
            way = (d["src"], d["dst"])
            found["rocetop_packets_total"][way] += d["frames"]
            found["rocetop_bytes_total"][way] += d["bytes_on_wire"]
            found["rocetop_ce_packets_total"][way] += d["ecn"]["ce"]
            found["rocetop_cnp_packets_total"][way] += d["cnps"]
            found["rocetop_rnr_naks_total"][way] += d["rnr_naks"]
            found["rocetop_bad_icrc_packets_total"][way] += d["icrc"]["bad"]
            for code, count in d["naks"].items():
                found["rocetop_naks_total"][(*way, code)] += count
            for space in (d["requests"], d["responses"]):
                found["rocetop_data_packets_total"][way] += space["packets"]
                found["rocetop_payload_bytes_total"][way] += space["payload_bytes"]
                found["rocetop_duplicate_packets_total"][way] += space["duplicate_packets"]
                found["rocetop_reordered_packets_total"][way] += space["reordered_packets"]
                found["resent"][way] += sum(space["retransmitted_packets"].values())
                found["resent bytes"][way] += space["retransmitted_bytes"]
                for outcome, count in space["missing_packets"].items():
                    found["rocetop_missing_packets_total"][(*way, outcome)] += count
                for episode in space["episodes"]:
                    found["rocetop_retransmit_episodes_total"][(*way, episode["cause"])] += 1
            for operation, messages in d["messages"].items():
                found["rocetop_messages_total"][(*way, operation)] += messages["count"]
                found["rocetop_message_bytes_total"][(*way, operation)] += messages["bytes"]
    return found


LABELS = {"rocetop_naks_total": "code", "rocetop_missing_packets_total": "outcome",
          "rocetop_retransmit_episodes_total": "cause", "rocetop_messages_total": "operation",
          "rocetop_message_bytes_total": "operation"}


def not_zero(counter) -> dict:
    return {key: value for key, value in counter.items() if value}
