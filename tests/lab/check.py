#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares what rocetop says about the lab's captures with what is known to have happened.

For every X.expected.json it runs `CMD triage --json X.pcap.zst` and prints one line: X, and ok or the first differences
in plain words. NAME picks captures: the name of a scenario (all its captures), or a shell pattern. The last line is
`N passed, N failed`; the exit status is 1 if any failed, 2 if there was nothing to check.

What is compared is told in compare.py (values) and contract.py (form).
"""
from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import fnmatch
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile
from typing import Any

from compare import compare
from contract import Object, contract_faults

LAB = pathlib.Path(__file__).resolve().parents[2] / "captures" / "lab"
SUFFIX = ".expected.json"
JOBS = 2
TIMEOUT_S = 300
SHOWN = 3  # differences printed for a capture unless --verbose

NO_ROCE = 3  # exit statuses, by the JSON contract
JUDGED = (0, 1, NO_ROCE)


class CannotCheck(Exception):
    """rocetop gave no output that could be compared; the message says why."""


@dataclasses.dataclass(frozen=True)
class Task:
    """One capture and the expectation about it."""

    name: str
    expectation: pathlib.Path
    capture: pathlib.Path


def differences(output: Any, want: Object, congestion: bool) -> list[str]:
    """What is wrong with an output, as sentences: its form or, if that is right, its values."""
    return contract_faults(output) or compare(output, want, congestion)


def triage(command: list[str], capture: pathlib.Path) -> tuple[int, Any]:
    """The exit status of rocetop and the JSON value that it printed."""
    try:
        done = subprocess.run([*command, "triage", "--json", str(capture)], capture_output=True, timeout=TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotCheck(f"cannot run: {error}") from error
    complaint = done.stderr.decode(errors="replace").strip()[-200:]
    if done.returncode not in JUDGED:
        raise CannotCheck(f"exit status {done.returncode}: {complaint}")
    try:
        return done.returncode, json.loads(done.stdout)
    except ValueError as error:
        raise CannotCheck(f"output is not JSON ({error}): {complaint}") from error


def unpacked_triage(command: list[str], capture: pathlib.Path) -> tuple[int, Any]:
    """The same on a decompressed copy, for comparing the two ways in."""
    with tempfile.TemporaryDirectory() as folder:
        plain = pathlib.Path(folder) / capture.name.removesuffix(".zst")
        subprocess.run(["zstd", "-q", "-d", str(capture), "-o", str(plain)], check=True)
        return triage(command, plain)


def status_differences(status: int, want: Object) -> list[str]:
    if (status == NO_ROCE) == (want["roce_frames"] == 0):
        return []
    return [f"exit status {status}, but the capture holds {want['roce_frames']} RoCE frames"]


def check(task: Task, arguments: argparse.Namespace) -> list[str]:
    """All differences of one capture."""
    if not task.capture.exists():
        return [f"no capture {task.capture}"]
    want = json.loads(task.expectation.read_text())
    run = unpacked_triage if arguments.unpack and task.capture.suffix == ".zst" else triage
    try:
        status, output = run(shlex.split(arguments.rocetop), task.capture)
    except CannotCheck as reason:
        return [str(reason)]
    return status_differences(status, want) + differences(output, want, arguments.congestion)


def is_wanted(name: str, patterns: list[str]) -> bool:
    scenario = name.split(".")[0]
    return not patterns or any(scenario == pattern or fnmatch.fnmatch(name, pattern) for pattern in patterns)


def tasks(captures: pathlib.Path, expectations: pathlib.Path, patterns: list[str]) -> list[Task]:
    found = []
    for path in sorted(expectations.glob("*" + SUFFIX)):
        name = path.name.removesuffix(SUFFIX)
        if is_wanted(name, patterns):
            places = [folder / (name + end) for folder in (captures, expectations) for end in (".pcap", ".pcap.zst")]
            found.append(Task(name, path, next((p for p in places if p.exists()), places[0])))
    return found


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rocetop", default="rocetop", metavar="CMD", help="the command to run (default: rocetop)")
    parser.add_argument("--lab", type=pathlib.Path, default=LAB, metavar="DIR", help="folder of the captures")
    parser.add_argument("--expected", type=pathlib.Path, metavar="DIR", help="folder of the expectations, if another")
    parser.add_argument("--congestion", action="store_true", help="also compare ECN marks and the waits of episodes")
    parser.add_argument("--unpack", action="store_true", help="give rocetop decompressed copies")
    parser.add_argument("--verbose", action="store_true", help="print every difference")
    parser.add_argument("names", nargs="*", metavar="NAME")
    return parser.parse_args()


def report(name: str, found: list[str], verbose: bool) -> None:
    shown = found if verbose else found[:SHOWN]
    more = f" (and {len(found) - len(shown)} more)" if len(found) > len(shown) else ""
    print(f"{name}: {'; '.join(shown) or 'ok'}{more}", flush=True)


def main() -> int:
    arguments = parse_arguments()
    todo = tasks(arguments.lab, arguments.expected or arguments.lab, arguments.names)
    if not todo:
        print(f"no *{SUFFIX} for {' '.join(arguments.names) or 'anything'} in {arguments.lab}", file=sys.stderr)
        return 2
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for task, found in zip(todo, pool.map(lambda task: check(task, arguments), todo)):
            failed += bool(found)
            report(task.name, found, arguments.verbose)
    print(f"{len(todo) - failed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
