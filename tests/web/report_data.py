# SPDX-License-Identifier: BSD-3-Clause
"""Makes HTML reports and takes the data out of them again, without a browser."""
from __future__ import annotations

import base64
import json
import pathlib
import re
import subprocess

PACKED = ("t", "low", "span", "frame", "bytes", "count", "duration", "file")


def make(program: str, capture: str, html: pathlib.Path, *flags: str) -> dict:
    """Writes the report; returns what `--json` says of the same capture."""
    done = subprocess.run([program, "triage", capture, "--json", "--fail-on", "never", "--html", str(html), *flags],
                          stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode not in (0, 3) or (done.stderr and b"warning" not in done.stderr):
        raise AssertionError(f"{capture}: status {done.returncode}: {done.stderr.decode()}")
    return json.loads(done.stdout)


def data(html: pathlib.Path) -> dict:
    text = html.read_text(encoding="utf-8")
    found = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    if len(found) != 1:
        raise AssertionError(f"{html}: {len(found)} pieces of data")
    return json.loads(found[0])


def column(series: dict, name: str) -> list[int]:
    """A column of a series, read independently of points.js: packed_column.h is the description."""
    return unpacked(series["columns"].split(" ")[PACKED.index(name)], series["cells"])


def unpacked(text: str, size: int) -> list[int]:
    if text.startswith("="):
        return [int(text[1:])] * size
    values, value, shift, previous = [], 0, 0, 0
    for byte in base64.b64decode(text):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            previous += (value >> 1) ^ -(value & 1)
            values.append(previous)
            value = shift = 0
    assert len(values) == size, (len(values), size)
    return values
