# SPDX-License-Identifier: BSD-3-Clause
"""What the dashboards, rules and alerts of dashboards/ hold, for the tests: panels, expressions, metric names."""
from __future__ import annotations

import dataclasses
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "dashboards"
SKIPPED = 77

# What Grafana puts in for its own variables; the dashboards' own become "everything".
BUILT_IN = {"__rate_interval": "1m", "__interval": "15s", "__range": "1h"}
# "$1" in label_replace() is a group of its regular expression.
VARIABLE = re.compile(r"\$\{([a-zA-Z_]\w*)(?::\w+)?\}|\$([a-zA-Z_]\w*)")


@dataclasses.dataclass(frozen=True)
class Expression:
    where: str  # "fleet.json: panel 'Hosts' B"
    text: str   # with Grafana's variables as they are
    kind: str   # "panel", "annotation", "variable", "rule", "alert"
    name: str = ""  # of a recording rule

    def promql(self, variables: dict[str, str] | None = None) -> str:
        return substitute(self.text, variables or {})


def substitute(text: str, variables: dict[str, str]) -> str:
    def value(found: re.Match) -> str:
        name = found.group(1) or found.group(2)
        return BUILT_IN.get(name, variables.get(name, ".*"))

    return VARIABLE.sub(value, text)


def used_variables(text: str) -> set[str]:
    return {one or other for one, other in VARIABLE.findall(text)}


def skip(reason: str) -> None:
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def needed_yaml():
    try:
        import yaml
    except ImportError:
        skip("python3 has no yaml here (Debian package python3-yaml)")
    return yaml


def needed_program(name: str, package: str) -> str:
    path = shutil.which(name)
    if path is None:
        skip(f"{name} is missing (Debian package {package})")
    return path


def dashboards() -> dict[str, dict]:
    return {path.name: json.loads(path.read_text()) for path in sorted((FOLDER / "grafana").glob("*.json"))}


def panels(dashboard: dict) -> list[dict]:
    """All of them, rows too, those inside collapsed rows too."""
    found = []
    for panel in dashboard["panels"]:
        found += [panel, *panel.get("panels", [])]
    return found


def rule_groups(name: str) -> list[dict]:
    return needed_yaml().safe_load((FOLDER / "prometheus" / name).read_text())["groups"]


def dashboard_expressions(name: str, dashboard: dict) -> list[Expression]:
    found = []
    for panel in panels(dashboard):
        found += [Expression(f"{name}: panel '{panel['title']}' {target['refId']}", target["expr"], "panel")
                  for target in panel.get("targets", [])]
    for annotation in dashboard["annotations"]["list"]:
        if "expr" in annotation:
            found.append(Expression(f"{name}: annotation '{annotation['name']}'", annotation["expr"], "annotation"))
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            series = re.fullmatch(r"label_values\((.*), (\w+)\)", variable["query"]["query"], re.DOTALL)
            assert series, variable["query"]
            text = f"count by ({series.group(2)}) ({series.group(1)})"
            found.append(Expression(f"{name}: variable ${variable['name']}", text, "variable"))
    return found


def rule_expressions() -> list[Expression]:
    found = []
    for file, kind, key in (("rules.yml", "rule", "record"), ("alerts.yml", "alert", "alert")):
        for group in rule_groups(file):
            found += [Expression(f"{file}: {rule[key]}", rule["expr"], kind, rule[key]) for rule in group["rules"]]
    return found


def expressions() -> list[Expression]:
    found = [e for name, dashboard in dashboards().items() for e in dashboard_expressions(name, dashboard)]
    return found + rule_expressions()


KEYWORDS = {"by", "without", "on", "ignoring", "group_left", "group_right", "and", "or", "unless", "bool", "offset",
            "inf", "nan"}


def metric_names(promql: str) -> set[str]:
    text = re.sub(r'"(?:[^"\\]|\\.)*"', '""', promql)
    text = re.sub(r"\{[^}]*\}", "{}", text)
    text = re.sub(r"\[[^\]]*\]", "", text)
    text = re.sub(r"\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)", " ", text)
    # A name that an opening parenthesis follows is a function.
    names = re.findall(r"(?<![\w:.])([a-zA-Z_:][\w:]*)(?![\w:]|\s*\()", text)
    return {name for name in names if name.lower() not in KEYWORDS}


def promtool_check(promtool: str, found: list[Expression], folder: pathlib.Path) -> str:
    """Has promtool parse every expression, as recording rules of one file; what it says, empty for nothing."""
    file = folder / "expressions.json"  # JSON is YAML
    rules = [{"record": f"test:expression:{i}", "expr": e.promql()} for i, e in enumerate(found)]
    file.write_text(json.dumps({"groups": [{"name": "all", "rules": rules}]}))
    done = subprocess.run([promtool, "check", "rules", str(file)], capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr
