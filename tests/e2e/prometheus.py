#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A real Prometheus scrapes real exporters that replay captures: what it holds is what `triage` says of the same
captures, and every expression of every dashboard, rule and alert is answered.
Run as: prometheus.py PROGRAM CAPTURES."""
from __future__ import annotations

import collections
import pathlib
import re
import sys
import tempfile
import unittest

for folder in ("dashboards", "support"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / folder))
import mixin  # noqa: E402
import monitoring  # noqa: E402
from capture_files import pcapng, read_pcapng  # noqa: E402
from monitoring import LABELS, Exporter, counts, not_zero, wait_until  # noqa: E402

PROGRAM = ""
CAPTURES = pathlib.Path()

# Read to their end; the exporter goes on with the figures of the end.
FINISHED = ("write-loss.pcapng", "rnr.pcapng.zst", "timeout.pcapng.zst", "nak-fatal.pcapng.zst", "spurious.pcapng.zst",
            "read-restart.pcapng.zst", "reorder.pcapng.zst", "capture-missed.pcapng.zst", "peer-silent.pcapng.zst",
            "resend-lost.pcapng.zst", "ce-cnp.pcapng.zst", "encapsulations.pcapng",
            "lab/bottleneck_ecn.middle.out.pcap.zst")
# Again and again, so that rates are not zero: loss, congestion, a receiver that is not ready, a capture that misses
# packets, loss in a lossless class, timeouts.
LOOPING = ("write-loss.pcapng", "ce-cnp.pcapng.zst", "rnr.pcapng.zst", "capture-missed.pcapng.zst", "lossless.pcapng",
           "timeout.pcapng.zst")
LOSSLESS_DSCP = 26

# What these captures, or captures at all, do not show: no adapter, no interface, no VLAN tag, no pause, no trouble.
MAY_BE_EMPTY = re.compile(
    r"rocetop_(adapter|interface|host)_|rocetop_capture_(interface_up|interface_changes|dropped)|rocetop_pause_|"
    r"rocetop_bypass_suspected|"
    r"rocetop_priority_|rocetop_(http_rejected|config_reloads)_|:rocetop_pause_seconds:|dropped_packets:ratio")
# Filters that nothing passes while all is well, by rule.
MAY_BE_QUIET = {"RocetopExporterDown", "RocetopBypassSuspected", "RocetopSeriesLimited", "RocetopCnpStorm",
                "RocetopPauseStorm", "RocetopCaptureDrops"}


FOLDER: tempfile.TemporaryDirectory
FINISHED_EXPORTERS: list[Exporter] = []
LOOPING_EXPORTERS: list[Exporter] = []
PROMETHEUS: monitoring.Server
TRIAGE: dict[pathlib.Path, dict] = {}


def with_dscp(path: pathlib.Path, dscp: int) -> bytes:
    """A capture of IPv4 with another DSCP. The ICRC does not cover it."""
    interfaces, frames = read_pcapng(path)

    def changed(data: bytes) -> bytes:
        if data[12:14] != b"\x08\x00":
            return data
        header = bytearray(data[14:34])
        header[1] = dscp << 2 | header[1] & 3
        header[10:12] = bytes(2)
        total = sum(int.from_bytes(header[i:i + 2], "big") for i in range(0, 20, 2))
        total = (total & 0xFFFF) + (total >> 16)
        header[10:12] = (~((total & 0xFFFF) + (total >> 16)) & 0xFFFF).to_bytes(2, "big")
        return data[:14] + bytes(header) + data[34:]

    return pcapng("DSCP changed", interfaces, [frame._replace(data=changed(frame.data)) for frame in frames])


def triage(capture: pathlib.Path) -> dict:
    if capture not in TRIAGE:
        TRIAGE[capture] = monitoring.triage(PROGRAM, capture)
    return TRIAGE[capture]


def scraped() -> bool:
    """Every exporter has been scraped at its end, and every rule was evaluated on several scrapes of it."""
    for exporter in FINISHED_EXPORTERS:
        frames = PROMETHEUS.value(f'sum(rocetop_capture_packets_total{{instance="{exporter.instance}"}})')
        over = PROMETHEUS.value(f'rocetop_up{{instance="{exporter.instance}"}}') == 0
        if frames != triage(exporter.capture)["capture"]["frames"] or not over:
            return False
    for exporter in LOOPING_EXPORTERS:
        # Counters went up between two scrapes.
        if not PROMETHEUS.value(f'sum(rate(rocetop_data_packets_total{{instance="{exporter.instance}"}}[1m])) > 0'):
            return False
    if PROMETHEUS.value("count(instance:rocetop_network:verdict)") != len(FINISHED_EXPORTERS + LOOPING_EXPORTERS):
        return False
    # Rules look back for five minutes: what goes on must have gone on for long enough to be more than their thresholds.
    active = {e.name for e in mixin.rule_expressions() if e.kind == "alert" and PROMETHEUS.query(e.promql())}
    return active >= {e.name for e in mixin.rule_expressions() if e.kind == "alert"} - MAY_BE_QUIET


def setUpModule():
    global FOLDER, PROMETHEUS
    FOLDER = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(end)  # also where what follows fails
    folder = pathlib.Path(FOLDER.name)
    (folder / "lossless.pcapng").write_bytes(with_dscp(CAPTURES / "write-loss.pcapng", LOSSLESS_DSCP))
    options = ("--per-connection", "top=100", "--interval", "200ms")
    for name in FINISHED:
        # The window: findings of a capture's first half minute go on, too.
        FINISHED_EXPORTERS.append(
            Exporter(PROGRAM, CAPTURES / name, folder, *options, "--speed", "max", "--window", "24h"))
    for name in LOOPING:
        path = CAPTURES / name if (CAPTURES / name).exists() else folder / name
        LOOPING_EXPORTERS.append(Exporter(PROGRAM, path, folder, *options, "--speed", "10", "--loop"))
    PROMETHEUS = monitoring.prometheus(
        folder, FINISHED_EXPORTERS + LOOPING_EXPORTERS, [f"--storage.tsdb.path={folder / 'tsdb'}"],
        rule_files=[str(mixin.FOLDER / "prometheus" / name) for name in ("rules.yml", "alerts.yml")])
    wait_until(scraped, "every exporter in Prometheus, with its final figures, and every alert that must fire")


def end() -> None:
    statuses = monitoring.Process.end_all()
    FOLDER.cleanup()
    failed = {words: status for words, status in statuses.items() if status != 0}
    if failed:
        raise AssertionError(f"on SIGTERM: {failed}")


class Values(unittest.TestCase):
    """Prometheus' values are triage's."""

    maxDiff = None

    def each(self, check):
        for exporter in FINISHED_EXPORTERS:
            with self.subTest(capture=exporter.capture.name):
                check(exporter, triage(exporter.capture))

    def held(self, exporter: Exporter, promql: str, *labels: str) -> dict:
        answer = PROMETHEUS.query(promql.replace("{}", f'{{instance="{exporter.instance}"}}'))
        return not_zero({tuple(metric[label] for label in labels): value for metric, value in answer})

    def test_host_pairs(self):
        def check(exporter: Exporter, report: dict):
            for metric, expected in counts(report).items():
                if metric.startswith("rocetop_"):
                    labels = ["src", "dst"] + ([LABELS[metric]] if metric in LABELS else [])
                    with self.subTest(metric=metric):
                        promql = f"sum by ({', '.join(labels)}) ({metric}{{}})"
                        self.assertEqual(self.held(exporter, promql, *labels), not_zero(expected))

        self.each(check)

    def test_resends(self):
        causes = set()

        def check(exporter: Exporter, report: dict):
            expected = counts(report)
            for metric, name in (("rocetop_retransmitted_packets_total", "resent"),
                                 ("rocetop_retransmitted_bytes_total", "resent bytes")):
                self.assertEqual(self.held(exporter, f"sum by (src, dst) ({metric}{{}})", "src", "dst"),
                                 not_zero(expected[name]))
            by_cause = self.held(exporter, "sum by (cause) (rocetop_retransmitted_packets_total{})", "cause")
            seen = {(cause,) for _, _, cause in expected["rocetop_retransmit_episodes_total"]}
            self.assertLessEqual(set(by_cause), seen)
            causes.update(by_cause)

        self.each(check)
        self.assertGreaterEqual(causes, {("nak",), ("rnr",), ("timeout",), ("read_restart",), ("spurious",)})

    def test_capture(self):
        def check(exporter: Exporter, report: dict):
            capture = report["capture"]
            self.assertEqual(self.held(exporter, "sum(rocetop_capture_packets_total{})"), {(): capture["frames"]})
            self.assertEqual(self.held(exporter, "sum(rocetop_capture_bytes_total{})"), {(): capture["bytes_on_wire"]})
            for metric, key in (("roce", "roce_frames"), ("missed", "capture_missed_packets"),
                                ("truncated", "truncated_frames")):
                self.assertEqual(self.held(exporter, f"sum(rocetop_capture_{metric}_packets_total{{}})"),
                                 not_zero({(): capture[key]}), metric)
            complete = PROMETHEUS.value(f'rocetop_capture_completeness_ratio{{instance="{exporter.instance}"}}')
            if complete is not None:
                self.assertAlmostEqual(complete, capture["completeness"], places=9)

        self.each(check)

    def test_findings(self):
        def check(exporter: Exporter, report: dict):
            expected = collections.Counter((f["rule"], f["severity"]) for f in report["findings"])
            self.assertEqual(self.held(exporter, "rocetop_finding_active{}", "rule", "severity"), dict(expected))

        self.each(check)

    def test_connections(self):
        def check(exporter: Exporter, report: dict):
            expected = {str(c["id"]): sum(d["frames"] for d in c["directions"]) for c in report["connections"]}
            found = self.held(exporter, "sum by (connection) (rocetop_connection_packets_total{})", "connection")
            self.assertEqual(found, {(key,): value for key, value in expected.items()})

        self.each(check)

    def test_classes(self):
        def check(exporter: Exporter, report: dict):
            missing = sum(sum(s["missing_packets"].values()) for c in report["connections"] for d in c["directions"]
                          for s in (d["requests"], d["responses"]))
            self.assertEqual(self.held(exporter, "sum(rocetop_class_missing_packets_total{})"), not_zero({(): missing}))

        self.each(check)

    def test_histograms(self):
        def samples(report: dict, distribution) -> dict:
            found = [distribution(d) for c in report["connections"] for d in c["directions"]]
            return not_zero({(): sum(one["count"] for one in found if one)})

        def check(exporter: Exporter, report: dict):
            for metric, distribution in (("rtt", lambda d: d["rtt_ns"]),
                                         ("ce_to_cnp", lambda d: (d["congestion"] or {}).get("ce_to_cnp_ns"))):
                expected = samples(report, distribution)
                self.assertEqual(self.held(exporter, f"sum(rocetop_{metric}_seconds_count{{}})"), expected, metric)
                last = f'rocetop_{metric}_seconds_bucket{{instance="{exporter.instance}", le="+Inf"}}'
                self.assertEqual(not_zero({(): PROMETHEUS.value(f"sum({last})")}), expected, metric)

        self.each(check)


class Expressions(unittest.TestCase):
    """Every expression is answered, and not with nothing."""

    def check(self, expression: mixin.Expression, variables: dict[str, str], empty_is_fine=False):
        promql = expression.promql(variables)
        now = PROMETHEUS.query(promql)
        if expression.kind in ("panel", "annotation"):
            over_time = PROMETHEUS.range(promql)
            self.assertEqual(bool(now), bool(over_time) and bool(now))
        names = " ".join(mixin.metric_names(promql))
        if not empty_is_fine and not MAY_BE_EMPTY.search(names) and expression.name not in MAY_BE_QUIET:
            self.assertTrue(now, promql)
        return now

    def test_all_hosts(self):
        found = mixin.expressions()
        self.assertGreater(len(found), 200)
        answered = 0
        for expression in found:
            with self.subTest(where=expression.where):
                # Some alerts have two forms, in full and where the capture is not to be trusted; scraped() waited
                # for one of them.
                answer = self.check(expression, {}, expression.kind == "alert")
                answered += bool(answer)
        self.assertGreater(answered, 170)

    def test_legends_name_labels_that_are_there(self):
        for name, dashboard in mixin.dashboards().items():
            for panel in mixin.panels(dashboard):
                for target in panel.get("targets", []):
                    wanted = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
                    promql = mixin.substitute(target["expr"], {})
                    for metric, _ in PROMETHEUS.query(promql):
                        with self.subTest(dashboard=name, panel=panel["title"]):
                            self.assertLessEqual(wanted, set(metric), promql)

    def test_variables_choose(self):
        chosen = LOOPING_EXPORTERS[0]
        variables = {"instance": re.escape(chosen.instance), "src": re.escape("192.0.2.1"),
                     "dst": re.escape("192.0.2.2")}
        escaped = {name: value.replace("\\", "\\\\") for name, value in variables.items()}
        for name, dashboard in mixin.dashboards().items():
            for expression in mixin.dashboard_expressions(name, dashboard):
                with self.subTest(where=expression.where):
                    for metric, _ in self.check(expression, escaped, empty_is_fine=True):
                        if "$instance" in expression.text and "instance" in metric:
                            self.assertEqual(metric["instance"], chosen.instance)
                        if "$src" in expression.text and "src" in metric:
                            self.assertIn(metric["src"], ("192.0.2.1", "192.0.2.2"))

    def test_rates_are_of_what_passed(self):
        loss, congestion, receiver = LOOPING_EXPORTERS[:3]

        def rate(exporter, metric, **labels):
            matchers = ", ".join([f'instance="{exporter.instance}"'] + [f'{k}="{v}"' for k, v in labels.items()])
            return PROMETHEUS.value(f"sum(rate({metric}{{{matchers}}}[5m]))")

        self.assertGreater(rate(loss, "rocetop_retransmitted_packets_total", cause="nak"), 0)
        self.assertEqual(rate(loss, "rocetop_retransmitted_packets_total", cause="rnr"), 0)
        self.assertGreater(rate(congestion, "rocetop_ce_packets_total"), 0)
        self.assertGreater(rate(congestion, "rocetop_cnp_packets_total"), 0)
        self.assertGreater(rate(receiver, "rocetop_rnr_stall_seconds_total"), 0)


class Verdicts(unittest.TestCase):
    """The first row: is it the network, the receiver, or the capture?"""

    def verdict(self, which: str, exporter: Exporter):
        return PROMETHEUS.value(f'instance:rocetop_{which}:verdict{{instance="{exporter.instance}"}}')

    def test_of_what_goes_on(self):
        loss, _, receiver, incomplete, lossless, _ = LOOPING_EXPORTERS
        self.assertEqual(self.verdict("capture", loss), 0)
        self.assertEqual(self.verdict("network", loss), 3)
        self.assertEqual(self.verdict("receiver", loss), 0)
        self.assertEqual(self.verdict("network", receiver), 0)
        self.assertEqual(self.verdict("receiver", receiver), 3)
        self.assertEqual(self.verdict("capture", incomplete), 3)
        self.assertIn(self.verdict("network", incomplete), (1, 2))
        lost = PROMETHEUS.query("instance:rocetop_lossless_loss:rate5m")
        self.assertEqual([metric["instance"] for metric, _ in lost], [lossless.instance])

    def test_a_capture_that_is_over_knows_nothing(self):
        for exporter in FINISHED_EXPORTERS:
            self.assertEqual(self.verdict("capture", exporter), 3)
            self.assertIn(self.verdict("network", exporter), (1, 2))


class Rules(unittest.TestCase):
    def test_none_fails(self):
        groups = PROMETHEUS.get("/api/v1/rules")["groups"]
        rules = [rule for group in groups for rule in group["rules"]]
        self.assertEqual(len(rules), len(mixin.rule_expressions()))
        for rule in rules:
            self.assertEqual((rule["health"], rule.get("lastError", "")), ("ok", ""), rule["name"])

    def test_targets_are_scraped_without_complaint(self):
        targets = PROMETHEUS.get("/api/v1/targets")["activeTargets"]
        self.assertEqual(len(targets), len(FINISHED) + len(LOOPING))
        for target in targets:
            self.assertEqual((target["health"], target["lastError"]), ("up", ""))
        # Such as "duplicate sample", "out of order".
        said = [line for line in PROMETHEUS.said().splitlines() if re.search("level=(warn|error)", line)]
        self.assertEqual(said, [])


if __name__ == "__main__":
    PROGRAM, CAPTURES = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
    mixin.needed_yaml()
    mixin.needed_program("prometheus", "prometheus")
    unittest.main()
