#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Dashboards against a JSON Schema of Grafana's own types, manifests against one of Kubernetes' types, by ajv.
Run as: schema_test.py PACKAGES, the folder that cmake/dashboard_checks.cmake fetched."""
from __future__ import annotations

import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import mixin

yaml = mixin.needed_yaml()
NODE = mixin.needed_program("node", "nodejs")
CHECK = pathlib.Path(__file__).resolve().parent / "schema" / "check.mjs"
PACKAGES = ""


def faults(dashboards: dict | None = None, manifests: dict | None = None) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "input.json"
        file.write_text(json.dumps({"dashboards": dashboards or {}, "manifests": manifests or {}}))
        done = subprocess.run([NODE, str(CHECK), PACKAGES, str(file)], capture_output=True, text=True)
        lines = done.stdout.splitlines()
        if done.stderr or (done.returncode != 0) != bool(lines):
            raise AssertionError(done.stderr)
        return lines


class Dashboards(unittest.TestCase):
    maxDiff = None

    def test_they_are_grafanas(self):
        self.assertEqual(faults(mixin.dashboards()), [])

    def test_what_is_wrong_is_found(self):
        def broken(change) -> str:
            dashboard = copy.deepcopy(mixin.dashboards()["latency.json"])
            change(dashboard)
            return "\n".join(faults({"broken": dashboard}))

        def panel(dashboard, kind):
            return next(p for p in dashboard["panels"] if p["type"] == kind)

        self.assertIn("panles", broken(lambda d: d.update(panles=[])))
        self.assertIn("/gridPos/w", broken(lambda d: d["panels"][1]["gridPos"].update(w="wide")))
        self.assertIn("/templating/list/1", broken(lambda d: d["templating"]["list"][1].update(type="guess")))
        self.assertIn("options: /tooltip/mode",
                      broken(lambda d: panel(d, "timeseries")["options"]["tooltip"].update(mode="all")))
        self.assertIn("fieldConfig: /drawStyle", broken(
            lambda d: panel(d, "timeseries")["fieldConfig"]["defaults"]["custom"].update(drawStyle="x")))
        self.assertIn("no such panel", broken(lambda d: panel(d, "heatmap").update(type="heat")))


class Manifests(unittest.TestCase):
    def setUp(self):
        folder = mixin.FOLDER / "deploy" / "kubernetes" / "base"
        self.all = {path.name: yaml.safe_load(path.read_text()) for path in folder.glob("*.yaml")}

    def test_they_are_kubernetes(self):
        self.assertEqual(faults(manifests=self.all), [])

    def test_what_is_wrong_is_found(self):
        daemon_set = copy.deepcopy(self.all["daemonset.yaml"])
        daemon_set["spec"]["template"]["spec"]["containers"][0]["securityContext"]["readOnlyRootFileSystem"] = True
        self.assertIn("readOnlyRootFileSystem", "\n".join(faults(manifests={"broken": daemon_set})))


if __name__ == "__main__":
    if len(sys.argv) < 2 or not pathlib.Path(sys.argv[1], "node_modules").is_dir():
        mixin.skip("npm could not fetch the packages that make the schemas (cmake/dashboard_checks.cmake)")
    PACKAGES = sys.argv.pop(1)
    unittest.main()
