#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""House rules of the dashboards, rules and alerts: what Grafana and promtool do not refuse and people stumble over.
Run as: lint_test.py [PROGRAM], which is asked for its list of metrics."""
from __future__ import annotations

import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import mixin

GRID = 24
NOT_DRAWN = ("row", "text")
VERDICTS = ("Capture", "Network", "Receiver")
# Written by Prometheus itself.
BUILT_IN_METRICS = {"up", "ALERTS"}


def overlap(one: dict, other: dict) -> bool:
    return (one["x"] < other["x"] + other["w"] and other["x"] < one["x"] + one["w"] and
            one["y"] < other["y"] + other["h"] and other["y"] < one["y"] + one["h"])


class Dashboards(unittest.TestCase):
    def setUp(self):
        self.all = mixin.dashboards()
        self.assertEqual(len(self.all), 6)

    def each_panel(self, drawn=True):
        for name, dashboard in self.all.items():
            for panel in mixin.panels(dashboard):
                if not drawn or panel["type"] not in NOT_DRAWN:
                    with self.subTest(dashboard=name, panel=panel["title"]):
                        yield dashboard, panel

    def test_ids(self):
        uids = [d["uid"] for d in self.all.values()]
        self.assertEqual(len(set(uids)), len(uids))
        for name, dashboard in self.all.items():
            ids = [panel["id"] for panel in mixin.panels(dashboard)]
            self.assertEqual(len(set(ids)), len(ids), name)
            titles = [panel["title"] for panel in mixin.panels(dashboard) if panel["type"] not in NOT_DRAWN]
            self.assertEqual(len(set(titles)), len(titles), name)

    def test_grid(self):
        for name, dashboard in self.all.items():
            for group in [dashboard["panels"], *(p["panels"] for p in dashboard["panels"] if p.get("panels"))]:
                for panel in group:
                    place = panel["gridPos"]
                    self.assertGreaterEqual(place["x"], 0)
                    self.assertLessEqual(place["x"] + place["w"], GRID, (name, panel["title"]))
                for one, other in itertools.combinations(group, 2):
                    self.assertFalse(overlap(one["gridPos"], other["gridPos"]), (name, one["title"], other["title"]))

    def test_every_panel_explains_itself(self):
        for _, panel in self.each_panel():
            defaults = panel["fieldConfig"]["defaults"]
            self.assertGreater(len(panel["title"]), 2)
            self.assertGreater(len(panel["description"]), 10)
            self.assertGreater(len(defaults["noValue"]), 5)
            self.assertTrue(defaults["unit"])
            self.assertTrue(defaults["thresholds"]["steps"])
            self.assertIsNone(defaults["thresholds"]["steps"][0]["value"], "the first threshold is the base")
            steps = [step["value"] for step in defaults["thresholds"]["steps"][1:]]
            self.assertEqual(steps, sorted(steps))

    def test_every_panel_asks_the_chosen_data_source(self):
        chosen = {"type": "prometheus", "uid": "${datasource}"}
        for _, panel in self.each_panel():
            self.assertEqual(panel["datasource"], chosen)
            self.assertTrue(panel["targets"])
            references = [target["refId"] for target in panel["targets"]]
            self.assertEqual(len(set(references)), len(references))
            for target in panel["targets"]:
                self.assertEqual(target["datasource"], chosen)
                # A job that is another exporter's must not be mixed in.
                self.assertIn('job=~"$job"', target["expr"])

    def test_the_first_row_tells_network_receiver_and_capture_apart(self):
        for name, dashboard in self.all.items():
            titles = [panel["title"].lower() for panel in dashboard["panels"] if panel["gridPos"]["y"] == 1]
            self.assertEqual(dashboard["panels"][0]["title"], "Is it the network, the receiver, or the capture?", name)
            for word in ("captur", "network", "receiver", "critical findings"):
                self.assertTrue(any(word in title for title in titles), (name, word))

    def test_variables(self):
        for name, dashboard in self.all.items():
            defined = [v["name"] for v in dashboard["templating"]["list"]]
            self.assertEqual(len(set(defined)), len(defined))
            self.assertEqual(defined[0], "datasource")
            self.assertEqual(dashboard["templating"]["list"][0]["type"], "datasource")
            text = json.dumps([dashboard["panels"], dashboard["annotations"],
                               [v.get("query") for v in dashboard["templating"]["list"]]])
            used = {v for v in mixin.used_variables(text) if not v.startswith("__")}
            self.assertEqual(used - set(defined), set(), f"{name}: used and not defined")
            self.assertEqual(set(defined) - used, set(), f"{name}: defined and not used")

    def test_links(self):
        uids = {d["uid"] for d in self.all.values()}
        followed = set()
        for name, dashboard in self.all.items():
            self.assertIn("rocetop", dashboard["tags"], name)
            self.assertEqual([(link["type"], link["tags"], link["includeVars"], link["keepTime"])
                              for link in dashboard["links"]], [("dashboards", ["rocetop"], True, True)], name)
            for url in re.findall(r'"url": "(/d/[^"]*)"', json.dumps(dashboard["panels"])):
                uid = re.match(r"/d/([^?/]+)\?", url).group(1)
                self.assertIn(uid, uids, name)
                self.assertIn("${datasource:queryparam}", url)
                followed.add(uid)
        self.assertEqual(followed | {"rocetop-fleet"}, uids, "every dashboard can be reached by a click")

    def test_table_columns_have_their_queries(self):
        for _, panel in self.each_panel():
            if panel["type"] != "table":
                continue
            organize = next(t for t in panel["transformations"] if t["id"] == "organize")["options"]
            references = {f"Value #{target['refId']}" for target in panel["targets"]}
            named = {column for column in organize["renameByName"] if column.startswith("Value #")}
            self.assertEqual(named - references, set())
            shown = named | {name for name in organize["excludeByName"] if name.startswith("Value #")}
            if len(references) > 1:
                self.assertEqual(shown, references, "a query whose value is neither shown nor hidden")


class Expressions(unittest.TestCase):
    def test_they_parse(self):
        promtool = mixin.shutil.which("promtool")
        if promtool is None:
            self.skipTest("promtool is missing (Debian package prometheus)")
        with tempfile.TemporaryDirectory() as folder:
            said = mixin.promtool_check(promtool, mixin.expressions(), pathlib.Path(folder))
            self.assertEqual(said, "")
            broken = [mixin.Expression("here", "sum by (rate(x[1m])", "panel")]
            self.assertNotEqual(mixin.promtool_check(promtool, broken, pathlib.Path(folder)), "")

    def test_names_are_found(self):
        self.assertEqual(
            mixin.metric_names('8 * sum by (le, x) (rate(a_bucket{b="c d", e=~"f"}[5m])) > on (g) h:i:rate5m or up'),
            {"a_bucket", "h:i:rate5m", "up"})

    def test_recorded_names_are_recorded(self):
        recorded = {e.name for e in mixin.rule_expressions() if e.kind == "rule"}
        used = set()
        for e in mixin.expressions():
            for name in mixin.metric_names(e.promql()):
                if ":" in name:
                    self.assertIn(name, recorded, e.where)
                    used.add(name)
        for name in recorded:
            level, metric, operation = name.split(":")
            self.assertTrue(level and metric and operation, name)

    def test_the_fleet_is_cheap(self):
        """docs/fleet.md: it works where only recorded series and these arrive."""
        for e in mixin.dashboard_expressions("fleet.json", mixin.dashboards()["fleet.json"]):
            others = {name for name in mixin.metric_names(e.promql()) if ":" not in name}
            self.assertLessEqual(others, {"up", "ALERTS", "rocetop_finding_active", "rocetop_build_info"}, e.where)

    def listed(self) -> dict[str, set[str]]:
        """The exporter's metrics as --list-metrics has them, with their labels."""
        if not PROGRAM:
            self.skipTest("no program was given")
        done = subprocess.run([PROGRAM, "export", "--list-metrics"], check=True, capture_output=True, text=True)
        known = {}
        for name, kind, rest in re.findall(r"^(\w+)\s+(counter|gauge|histogram)\b(.*)$", done.stdout, re.MULTILINE):
            told = re.search(r"\[(?:[^\]]*; )?by ([^\]]*)\]$", rest)
            labels = set(told.group(1).split(", ")) if told else set()
            ends = ("_bucket", "_sum", "_count") if kind == "histogram" else ("",)
            known |= {name + end: labels | ({"le"} if end == "_bucket" else set()) for end in ends}
        self.assertGreater(len(known), 80)
        return known

    def test_labels_exist(self):
        known = self.listed()
        asked = 0
        for e in mixin.expressions():
            for labels, name, matchers in re.findall(
                    r"(?:by \(([\w, ]*)\) \((?:rate|increase)\()?\b(rocetop_\w+)\{([^}]*)\}", e.promql()):
                wanted = set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", matchers)) | set(re.findall(r"\w+", labels))
                missing = wanted - known.get(name, set()) - {"job", "instance"}
                self.assertEqual(missing, set(), f"{e.where}: {name} has no such label")
                asked += len(wanted)
        self.assertGreater(asked, 400)

    def test_metrics_exist(self):
        known = self.listed()
        asked = set()
        for e in mixin.expressions():
            for name in mixin.metric_names(e.promql()):
                if ":" not in name and name not in BUILT_IN_METRICS:
                    self.assertTrue(name in known, f"{e.where}: there is no {name}")
                    asked.add(name)
        # Figures that no dashboard shows might as well not be there.
        self.assertGreater(len(asked), 60)


class Alerts(unittest.TestCase):
    def setUp(self):
        self.rules = [rule for group in mixin.rule_groups("alerts.yml") for rule in group["rules"]]

    def test_each_says_what_to_do(self):
        runbook = (mixin.ROOT / "docs" / "runbook.md").read_text()
        headings = re.findall(r"^### (\w+)$", runbook, re.MULTILINE)
        for rule in self.rules:
            with self.subTest(alert=rule["alert"]):
                self.assertTrue(rule["alert"].startswith("Rocetop"))
                self.assertIn(rule["labels"]["severity"], ("info", "warning", "critical"))
                self.assertIn("$labels.", rule["annotations"]["summary"])
                self.assertGreater(len(rule["annotations"]["description"]), 60)
                self.assertEqual(rule["annotations"]["runbook_url"], f"docs/runbook.md#{rule['alert'].lower()}")
                self.assertIn(rule["alert"], headings)
        self.assertEqual(set(headings), {rule["alert"] for rule in self.rules}, "sections without an alert")
        for section in re.split(r"^### ", runbook, flags=re.MULTILINE)[1:]:
            name = section.split("\n", 1)[0]
            for part in ("**Means**", "**Look at**", "**Next**", "rocetop "):
                self.assertIn(part, section, f"{name}: {part}")

    def test_each_is_tested_both_ways(self):
        yaml = mixin.needed_yaml()
        fires, silent = set(), set()
        for path in sorted((mixin.ROOT / "tests" / "dashboards" / "rules").glob("*.yml")):
            for test in yaml.safe_load(path.read_text())["tests"]:
                for case in test.get("alert_rule_test", []):
                    if not case.get("exp_alerts"):
                        silent.add(case["alertname"])
                    for expected in case.get("exp_alerts", []):
                        fires.add((case["alertname"], expected["exp_labels"]["severity"]))
        for rule in self.rules:
            self.assertIn((rule["alert"], rule["labels"]["severity"]), fires, "never seen firing")
            self.assertIn(rule["alert"], silent, "never seen silent")


PROGRAM = ""

if __name__ == "__main__":
    mixin.needed_yaml()
    if len(sys.argv) > 1:
        PROGRAM = sys.argv.pop(1)
    unittest.main()
